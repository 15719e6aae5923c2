// Promises of the parser: it is JSON.parse, but for keys that V8 gets wrong.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseJson, parsingJson } from './parse-json.ts';

/** Objects of one shape whose last keys V8 takes for each other: `\` is what the others begin with as JSON. */
const confusing = ['\\', '"', '\n', '\u0001', '\\n', '\\"', 'a\\n', 'a\nb', 'a\\', 'a"', '\\\\', '\\u0041', 'A', '/'];

/** What was read, and after how many steps. */
function inSteps(text: string): { value: unknown; steps: number } {
  const steps = parsingJson(text);
  for (let count = 0; ; count++) {
    const { done, value } = steps.next();
    if (done === true) return { value, steps: count };
  }
}

test('what takes long can be read in steps, each of a few keys', () => {
  const long = Object.fromEntries(Array.from({ length: 10_000 }, (_, key) => [`"${key}`, 'text']));
  const { value, steps } = inSteps(JSON.stringify(long));
  assert.deepEqual(value, long);
  assert.ok(steps >= 10_000, `${steps} steps`);
});

test('a key is never taken for one that another object had at its place', () => {
  for (let round = 0; round < 3; round++) {
    for (const key of [...confusing, ...confusing.toReversed()]) {
      for (const shape of [(last: string) => ({ a: 1, [last]: 1 }), (last: string) => [{ h: [], [last]: 0 }]]) {
        const text = JSON.stringify(shape(key));
        assert.deepEqual(parseJson(text), shape(key));
      }
      const long = `{"a":1,"${Array.from(key, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`).join('')}":1}`;
      assert.deepEqual(Object.keys(parseJson(long) as object), ['a', key]);
    }
  }
});

test('whatever JSON there is, with any spaces, is read as it was written', () => {
  const text = fc.oneof(
    fc.constantFrom(...confusing, '', '__proto__', '10', '9', ':', '{', ']'),
    fc.string({ unit: 'binary' }),
  );
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 5 },
      fc.oneof(text, fc.double({ noNaN: true, noDefaultInfinity: true }), fc.boolean(), fc.constant(null)),
      fc.array(tie('value'), { maxLength: 4 }),
      fc.array(fc.tuple(text, tie('value')), { maxLength: 4 }).map(Object.fromEntries),
    ),
  }));
  fc.assert(
    fc.property(value, fc.constantFrom('', ' ', '\t', '\r\n  '), (wanted, indent) => {
      const written = `${indent}${JSON.stringify(wanted, undefined, indent)}${indent}`;
      const read = parseJson(written);
      assert.deepEqual(inSteps(written).value, read);
      assert.equal(JSON.stringify(read), JSON.stringify(wanted));
    }),
    { numRuns: 3000 },
  );
});

test('of a key that stands there twice the last value counts, as with JSON.parse', () => {
  assert.deepEqual(parseJson('{"\\"":1,"b":2,"\\u0022":3}'), { '"': 3, b: 2 });
});

test('a key such as __proto__ is an ordinary one, also beside keys with escapes', () => {
  const read = parseJson('{"__proto__":{"x":1},"\\"":1}') as { x?: number };
  assert.deepEqual(Object.keys(read), ['__proto__', '"']);
  assert.equal(read.x, undefined);
});

test('what is not JSON is refused as JSON.parse refuses it', () => {
  for (const text of ['', '{', '{"\\":1}', '{"\\"":1,}', '{"\\q":1}', '"\\"', '{"a":"\\u12"}', '[1 2]', '{"\\"" 1}']) {
    assert.throws(() => parseJson(text), SyntaxError, text);
  }
});
