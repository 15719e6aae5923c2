import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Batch, type Datatype, datatypes, formatText, quality, type Value } from '@telltale/schema';
import fc from 'fast-check';
import { convertValue, putNumberAs, putValueAs } from './convert-value.ts';

const number = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.integer({ min: -5, max: 5 }),
  fc.integer({ min: -(2 ** 40), max: 2 ** 40 }),
  fc.boolean(),
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
);
const anyDatatype = fc.constantFrom(...datatypes);

describe('a value in another datatype', () => {
  test('is a value of that datatype, and for all but singles the very same number', () => {
    fc.assert(
      fc.property(number, anyDatatype, (value, datatype) => {
        const converted = convertValue(value, datatype);
        if (converted === undefined) return;
        assert.doesNotThrow(() => formatText(datatype, converted));
        const exact = (of: Value) => (Number.isInteger(Number(of)) ? BigInt(of) : of);
        if (datatype !== 'f') assert.equal(exact(converted), exact(value));
        else assert.equal(converted, Math.fround(Number(value)));
      }),
    );
  });

  test('comes back unchanged by a wider one', () => {
    fc.assert(
      fc.property(fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }), (value) => {
        for (const wide of ['l', 'd'] as const) assert.equal(convertValue(convertValue(value, wide) ?? '', 'i'), value);
      }),
    );
  });

  const cases: [Value, Datatype, Value | undefined][] = [
    [2.5, 'i', undefined],
    [2 ** 31, 'i', undefined],
    [2 ** 31, 'l', 2n ** 31n],
    [2n ** 53n + 1n, 'd', undefined],
    [2n ** 24n + 1n, 'f', undefined],
    [1e39, 'f', undefined],
    [true, 'd', 1],
    [2, 'b', undefined],
    [1n, 'b', true],
    [4, 'q', undefined],
    [1e300, 'l', undefined],
    ['1', 'd', undefined],
    [1, 's', undefined],
    ['1', 's', '1'],
  ];
  for (const [value, datatype, expected] of cases) {
    test(`${typeof value} ${value} as ${datatype}: ${expected ?? 'does not fit'}`, () => {
      assert.equal(convertValue(value, datatype), expected);
    });
  }
});

test('a value that does not fit is bad, sensor failure, and carries none; the next one is good again', () => {
  const batch = new Batch();
  const put = putValueAs('i');
  for (const value of [7, 7.5, 8n]) put(batch, 1, value, quality.good, 5);
  assert.deepEqual(
    [0, 1, 2].map((at) => batch.valueAt(at)),
    [7, undefined, 8],
  );
  assert.deepEqual([...batch.qualities.slice(0, 3)], [0xc0, 0x10, 0xc0]);
});

test('what a function makes is rounded for the datatype, and never a negative zero', () => {
  const batch = new Batch();
  for (const datatype of ['i', 'q', 'b', 'l', 'f', 'd'] as const) putNumberAs(datatype)(batch, 1, 0.6, 5);
  putNumberAs('i')(batch, 1, -0.2, 5);
  const values = Array.from({ length: batch.count }, (_, at) => batch.valueAt(at));
  assert.deepEqual(values, [1, 1, 1, 1n, Math.fround(0.6), 0.6, 0]);
});
