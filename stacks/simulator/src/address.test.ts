import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { addressRegex, parseAddress } from './address.ts';
import { type AddressFunction, functionNames, functions } from './functions.ts';

const parsed = (text: string) => parseAddress(text).address ?? assert.fail(parseAddress(text).fault);

describe('an address', () => {
  test('names a function, and what is left out has its default', () => {
    assert.deepEqual(parsed('sine()'), { function: 'sine', arguments: { low: 0, high: 100, period: 60, phase: 0 } });
    assert.deepEqual(parsed('drop_link()'), { function: 'drop_link', arguments: {} });
    assert.deepEqual(parsed('walk(low=-1)').arguments, { low: -1, high: 100, step: 1, period: 1 });
    assert.deepEqual(parsed('echo(a.b)').arguments, { tag: 'a.b', delay: 0 });
  });

  test('has typed arguments', () => {
    const address = parsed('text(words="off|on, at last (really)", period=.5)');
    assert.ok(address.function === 'text');
    const words: string = address.arguments.words;
    const period: number = address.arguments.period;
    assert.deepEqual([words, period], ['off|on, at last (really)', 0.5]);
  });

  test('may have its arguments in any order, with spaces between them', () => {
    const value = fc.double({ noNaN: true, min: -1e6, max: 1e6 }).map((each) => Number(each.toFixed(3)) + 0);
    const spaces = fc.constantFrom('', ' ', '\t ', '  ');
    const order = fc.shuffledSubarray(['low', 'high', 'period', 'phase'] as const);
    fc.assert(
      fc.property(
        value,
        value,
        fc.integer({ min: 1, max: 1e6 }),
        value,
        order,
        spaces,
        (a, b, period, phase, names, _) => {
          const values = { low: Math.min(a, b), high: Math.max(a, b), period, phase };
          const given = names.map((name) => [name, values[name]] as const);
          const text = `sine(${_}${given.map(([name, each]) => `${name}${_}=${_}${each}`).join(`${_},${_}`)}${_})`;
          const expected = { low: 0, high: 100, period: 60, phase: 0, ...Object.fromEntries(given) };
          assert.match(text, new RegExp(addressRegex, 'u'));
          if (expected.low > expected.high) assert.match(parseAddress(text).fault ?? '', /low must not be above high/);
          else
            assert.deepEqual(parseAddress(text), { address: { function: 'sine', arguments: expected }, given: names });
        },
      ),
    );
  });

  test('of any text at all is either read or refused with a reason, and soon', () => {
    const pieces = fc.constantFrom(
      ...functionNames(true),
      'low',
      'tag',
      '__proto__',
      '(',
      ')',
      '=',
      ',',
      '"',
      ' ',
      '1',
      'x',
      '|',
      '\n',
    );
    const text = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 1024 }),
      fc.array(pieces, { maxLength: 100 }).map((parts) => parts.join('')),
      fc
        .tuple(fc.constantFrom(...functionNames(true)), fc.array(pieces, { maxLength: 60 }))
        .map(([f, p]) => `${f}(${p.join('')})`),
      fc
        .tuple(fc.constantFrom('sine(', 'echo('), pieces)
        .map(([f, piece]) => `${f}${piece.repeat(1000)}`.slice(0, 1023)),
    );
    const started = performance.now();
    fc.assert(
      fc.property(text, (each) => {
        const { address, fault } = parseAddress(each);
        assert.ok(address === undefined ? typeof fault === 'string' && fault !== '' : fault === undefined);
      }),
      { numRuns: 5000 },
    );
    assert.ok(performance.now() - started < 20_000);
  });

  test('that the parser reads has the outer form that the regex has', () => {
    const piece = fc.constantFrom('sine', 'echo', 'text', '(', ')', 'low=1', 'words="a(b"', 'x', ',', ' ', '"');
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
        const text = pieces.join('');
        if (parseAddress(text).address !== undefined) assert.match(text, new RegExp(addressRegex, 'u'));
      }),
      { numRuns: 5000 },
    );
  });
});

describe('what is wrong is reported precisely', () => {
  const cases: [string, string | RegExp][] = [
    ['sinus(low=1)', /^unknown function sinus: one of sine, ramp, square, walk, counter, text, echo, bus, /],
    ['constructor(low=1)', /^unknown function constructor: one of /],
    ['sine(period=0)', 'sine: period must be at least 0.001, not 0'],
    ['sine(period=-5)', 'sine: period must be at least 0.001, not -5'],
    ['sine(perod=5)', 'sine: perod is unknown: one of low, high, period, phase'],
    ['sine(__proto__=5)', 'sine: __proto__ is unknown: one of low, high, period, phase'],
    ['sine(low=1e3)', /^sine: low "1e3" is not a decimal number/],
    ['sine(low=x, period=0)', /^sine: low "x" is not .*; period must be at least/],
    ['sine(low=5, high=4)', 'sine: low must not be above high: 5 is above 4'],
    ['sine(low=5, low=4)', 'sine: low is given twice'],
    ['sine(5)', 'sine: 5 has no name before it: write it as in low=5'],
    ['sine(low="5")', 'sine: low is a number: write it without quotes'],
    ['sine(low=5,)', 'sine: cannot read "low=5,": argument=value is expected'],
    ['sine(low=5 high=6)', /^sine: cannot read "low=5 high=6"/],
    ['sine(low=)', /^sine: cannot read "low="/],
    ['sine', '"sine" is not of the form function(argument=value, …)'],
    ['ramp(period=10, fall=11)', 'ramp: fall must not be longer than period: 11 is longer than 10'],
    ['square(duty=1.1)', 'square: duty must be at most 1, not 1.1'],
    ['walk(start=101)', 'walk: start must be between low and high: 101 is not between 0 and 100'],
    ['counter(step=0)', 'counter: step must not be 0'],
    ['counter(low=3, high=2)', 'counter: low must not be above high: 3 is above 2'],
    ['text()', 'text: words is required'],
    ['text(words="a||b")', /^text: words must be texts separated by \|, none of them empty, not "a\|\|b"/],
    ['echo()', 'echo: tag is required'],
    ['echo(tag=a)', 'echo: write a first, without tag='],
    ['echo(a, b)', 'echo: b has no name before it: write it as in delay=b'],
    ['echo(a-b)', /^echo: tag must be 1 to 64 characters of .*, not "a-b"/],
    ['bad_quality(quality=192)', 'bad_quality: quality must be at most 191, not 192'],
    ['refuse_write(reason=a(b)', /^refuse_write: cannot read "reason=a\(b"/],
    ['drop_link(of=a)', 'drop_link: of is unknown: there are none'],
  ];
  for (const [text, expected] of cases) {
    test(text, () => {
      const { fault } = parseAddress(text);
      if (typeof expected === 'string') assert.equal(fault, expected);
      else assert.match(fault ?? '', expected);
    });
  }
});

test('every function serves a kind of point, and only arguments that it has are of one kind alone', () => {
  for (const name of functionNames(true)) {
    const { datatypes, only, parameters, positional }: AddressFunction<unknown> = functions[name];
    assert.ok(datatypes.measurement !== undefined || datatypes.command !== undefined, name);
    for (const argument of [...Object.keys(only), positional ?? []].flat()) assert.ok(argument in parameters, name);
  }
});
