// Promises of templates: what placeholders become, and what is refused.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { Template, TemplateFault } from './template.ts';

const values = new Map(Object.entries({ pump: 'p1', base: '40', i: '-3', note: '{x}' }));
const expand = (text: string) => new Template(text).expand(values);

type Tree = number | 'base' | 'i' | readonly [Tree, '+' | '-' | '*', Tree];

const textOf = (tree: Tree): string =>
  typeof tree === 'object' ? `(${textOf(tree[0])} ${tree[1]} ${textOf(tree[2])})` : String(tree);

function resultOf(tree: Tree): number {
  if (typeof tree === 'number') return tree;
  if (typeof tree === 'string') return Number(values.get(tree));
  const [left, right] = [resultOf(tree[0]), resultOf(tree[2])];
  return tree[1] === '+' ? left + right : tree[1] === '-' ? left - right : left * right;
}

describe('a template', () => {
  test('puts the values of parameters, computes whole numbers, and has braces', () => {
    for (const [text, expected] of [
      ['', ''],
      ['plain', 'plain'],
      ['{pump}_speed', 'p1_speed'],
      ['{ pump }', 'p1'],
      ['hr{base+3}', 'hr43'],
      ['{base+2*i}', '34'],
      ['{(base+2)*i}', '-126'],
      ['{-(base - -2)*-1}', '42'],
      ['{base-10-5}', '25'],
      ['{7}', '7'],
      ['{{{pump}}}', '{p1}'],
      ['{{pump}}', '{pump}'],
      ['{note}', '{x}'],
    ] as const) {
      assert.equal(expand(text), expected, text);
    }
  });

  test('says what is wrong, and what to write', () => {
    for (const [text, message] of [
      ['{pump', /"\{pump" is not closed: write \{name\}, or \{\{ for a brace/],
      ['a}b', /"\}b" closes nothing: write \}\} for a brace/],
      ['{}', /is no placeholder: write \{name\}/],
      ['{base/2}', /is no placeholder/],
      ['{base+}', /is no placeholder/],
      ['{a b}', /is no placeholder/],
      ['{(base}', /bracket that is not closed/],
      ['{process.exit()}', /is no placeholder/],
      ['{99999999999999999}', /too large/],
      [`{${'('.repeat(60)}1${')'.repeat(60)}}`, /deeper than 16/],
      [`{${'1+'.repeat(200)}1}`, /longer than 200/],
    ] as const) {
      const isFault = (error: unknown) => error instanceof TemplateFault && message.test(error.message);
      assert.throws(() => new Template(text), isFault, text);
    }
    const isOfPump = (error: unknown) => error instanceof TemplateFault && error.parameter === 'pump';
    assert.throws(() => expand('{pump+1}'), isOfPump);
    const large = new Map([['base', '9007199254740991']]);
    assert.throws(() => new Template('{base+1}').expand(large), /too large/);
    const long = new Map([['base', 'x'.repeat(2000)]]);
    assert.throws(() => new Template('{base}'.repeat(1000)).expand(long), /longer than/);
  });

  test('computes sums, differences and products exactly', () => {
    const { tree } = fc.letrec<{ tree: Tree }>((tie) => ({
      tree: fc.oneof(
        { maxDepth: 4 },
        fc.nat(99),
        fc.constantFrom('base' as const, 'i' as const),
        fc.tuple(tie('tree'), fc.constantFrom('+' as const, '-' as const, '*' as const), tie('tree')),
      ),
    }));
    fc.assert(
      fc.property(tree, (each) => {
        const text = textOf(each);
        fc.pre(text.length <= 200 && Number.isSafeInteger(resultOf(each)));
        assert.equal(Number(expand(`{${text}}`)), resultOf(each) + 0);
      }),
    );
  });
});
