import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { parseExactJson } from './parse-json.ts';

describe('exact JSON', () => {
  test('has whole numbers as they were written, however large', () => {
    for (const text of ['9223372036854775807', '-9223372036854775808', '9007199254740993', '18446744073709551615']) {
      assert.equal(parseExactJson(text), BigInt(text));
      assert.deepEqual(parseExactJson(` {"a" : [ 1 , ${text} ] , "b":"x"}`), { a: [1, BigInt(text)], b: 'x' });
    }
    assert.equal(parseExactJson('9007199254740991'), 9007199254740991);
    assert.equal(parseExactJson('0.1234567890123456'), 0.1234567890123456);
    assert.equal(parseExactJson('1e300'), 1e300);
  });

  test('is what JSON.parse reads where no number is too large', () => {
    fc.assert(
      fc.property(fc.json(), fc.nat(4), (text, indent) => {
        const value: unknown = JSON.parse(text);
        const spaced = JSON.stringify(value, undefined, indent);
        // A long number beside it makes the text be read a second time.
        const [read, long] = parseExactJson(`[${spaced},1234567890123456789]`) as [unknown, bigint];
        assert.deepEqual(numbersOf(read), value);
        assert.equal(long, 1234567890123456789n);
      }),
    );
  });

  test('refuses what is no JSON, and what is nested beyond reason', () => {
    for (const text of ['', '{', '[1,]', '{"a":1,}', '01', 'NaN', '1234567890123456789,']) {
      assert.throws(() => parseExactJson(text), SyntaxError, text);
    }
    const deep = `${'['.repeat(100_000)}1234567890123456789${']'.repeat(100_000)}`;
    assert.throws(() => parseExactJson(deep));
  });

  test('keeps names that objects inherit as names', () => {
    const read = parseExactJson('{"__proto__": 1234567890123456789, "constructor": 1}') as object;
    assert.deepEqual(Object.keys(read), ['__proto__', 'constructor']);
    assert.equal(Object.getPrototypeOf(read), Object.prototype);
  });
});

/** Large whole numbers as JSON.parse has them. */
function numbersOf(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value);
  if (Array.isArray(value)) return value.map(numbersOf);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, numbersOf(each)]));
}
