import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Datatype, datatypes } from '@telltale/schema';
import fc from 'fast-check';
import { Columns } from '../records.ts';
import { ByteReader } from './byte-reader.ts';
import { ByteWriter } from './byte-writer.ts';
import { longForm } from './long-column.ts';
import { numberForm } from './number-column.ts';
import { decodeValues, encodeValues } from './value-column.ts';

type Values = readonly (number | bigint | string)[];

function columnsOf(datatype: Datatype, values: Values): Columns {
  const columns = new Columns(values.length);
  values.forEach((value, index) => {
    if (datatype === 's') columns.texts[index] = value as string;
    else if (datatype === 'l') columns.longs[index] = value as bigint;
    else columns.numbers[index] = value as number;
  });
  return columns;
}

function valuesOf(datatype: Datatype, columns: Columns, from: number, to: number): Values {
  if (datatype === 's') return columns.texts.slice(from, to);
  return [...(datatype === 'l' ? columns.longs : columns.numbers).subarray(from, to)];
}

function encoded(datatype: Datatype, values: Values): Uint8Array {
  const out = new ByteWriter(16);
  encodeValues(datatype, columnsOf(datatype, values), 0, values.length, out);
  return out.written().slice();
}

/** Between records that are there already and room that stays free. */
function decoded(datatype: Datatype, bytes: Uint8Array, count: number): Values {
  const reader = new ByteReader(bytes);
  const into = new Columns(count + 4);
  if (datatype === 's') into.texts = ['', ''];
  decodeValues(datatype, reader, count, into, 2);
  assert.equal(reader.left, 0);
  assert.ok(valuesOf(datatype, into, 0, 2).every((value) => !value));
  assert.ok(valuesOf(datatype, into, count + 2, count + 4).every((value) => !value));
  return valuesOf(datatype, into, 2, count + 2);
}

function assertSame(datatype: Datatype, values: Values): void {
  const found = decoded(datatype, encoded(datatype, values), values.length);
  assert.equal(found.length, values.length);
  found.forEach((value, index) => {
    assert.ok(Object.is(value, values[index]), `${index}: ${value} is not ${values[index]}`);
  });
}

const finite = fc.double({ noNaN: true, noDefaultInfinity: true });
const extremeDoubles = fc.constantFrom(-0, 0, 5e-324, -5e-324, Number.MAX_VALUE, -Number.MAX_VALUE, 2 ** 53, 1e22, 0.1);
const decimal = fc.tuple(fc.maxSafeInteger(), fc.nat(14)).map(([whole, places]) => whole / 10 ** places);
const reading = fc.tuple(fc.integer({ min: -9999, max: 9999 }), fc.nat(3)).map(([n, places]) => n / 10 ** places);
const singles = fc.float({ noNaN: true, noDefaultInfinity: true });
const extremeLongs = fc.constantFrom(
  0n,
  -1n,
  2n ** 63n - 1n,
  -(2n ** 63n),
  2n ** 52n,
  -(2n ** 52n) - 1n,
  2n ** 53n + 1n,
);
/** Around which the forms of longs change. */
const nearForms = fc
  .tuple(fc.constantFrom(-1n, 1n), fc.constantFrom(51n, 52n, 53n, 54n), fc.bigInt({ min: -9n, max: 9n }))
  .map(([side, power, off]) => side * 2n ** power + off);
const anyText = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('', '\ud800', 'a\udc00b', '\ufeffbom', '\0'));

const anyOf: Record<Datatype, fc.Arbitrary<number | bigint | string>> = {
  b: fc.nat(1),
  q: fc.nat(3),
  i: fc.oneof(fc.integer(), fc.integer({ min: -5, max: 5 }), fc.constantFrom(-(2 ** 31), 2 ** 31 - 1)),
  l: fc.oneof(
    fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
    fc.bigInt({ min: -9n, max: 9n }),
    extremeLongs,
    nearForms,
  ),
  f: fc.oneof(singles, reading.map(Math.fround), fc.constantFrom(-0, 2 ** -149, 3.4028234663852886e38)),
  d: fc.oneof(finite, extremeDoubles, decimal, reading, singles),
  s: anyText,
};

/** Most series are of one sort, some change it on the way, and values repeat. */
function series(datatype: Datatype): fc.Arbitrary<Values> {
  const any = anyOf[datatype];
  const alike: Partial<Record<Datatype, fc.Arbitrary<number | bigint>[]>> = {
    d: [reading, decimal, singles, fc.constantFrom(0.1, 1 / 3, 2 / 3), fc.constantFrom(0, -0, 1.25)],
    f: [reading.map(Math.fround), singles],
    l: [nearForms, fc.bigInt({ min: 2n ** 60n, max: 2n ** 60n + 1000n }), fc.bigInt({ min: -1000n, max: 1000n })],
  };
  const sorts = [any, ...(alike[datatype] ?? [])];
  const piece = fc.oneof(
    ...sorts.map((sort) => fc.array(sort, { maxLength: 200 })),
    fc.tuple(any, fc.nat(200)).map(([value, length]) => Array.from({ length }, () => value)),
  );
  return fc.array(piece, { minLength: 1, maxLength: 3 }).map((lists) => lists.flat());
}

function pseudoRandom(count = 1024): number[] {
  let seed = 1;
  return Array.from({ length: count }, () => {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
    return seed / 2 ** 32;
  });
}

describe('a column of values', () => {
  for (const datatype of datatypes) {
    test(`of ${datatype} comes back bit by bit`, () => {
      fc.assert(
        fc.property(series(datatype), (values) => assertSame(datatype, values)),
        { numRuns: 300 },
      );
    });

    test(`of ${datatype} that was changed or cut is refused or read, within its bounds`, () => {
      const damage = fc.record({ at: fc.nat(), to: fc.nat(255), cut: fc.boolean(), count: fc.nat(600) });
      fc.assert(
        fc.property(series(datatype), damage, (values, { at, to, cut, count }) => {
          const bytes = encoded(datatype, values);
          if (bytes.length === 0) return;
          bytes[at % bytes.length] = to;
          const reader = new ByteReader(bytes, 0, cut ? at % bytes.length : bytes.length);
          const into = new Columns(count);
          try {
            decodeValues(datatype, reader, count, into, 0);
          } catch (error) {
            assert.ok(error instanceof RangeError, String(error));
          }
          assert.ok(reader.at <= reader.end);
          assert.ok(into.texts.length <= count && into.capacity === count);
        }),
        { numRuns: 500 },
      );
    });
  }

  test('random bytes are refused or read, within their bounds', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...datatypes),
        fc.uint8Array({ maxLength: 60 }),
        fc.nat(2000),
        (type, bytes, count) => {
          try {
            decodeValues(type, new ByteReader(bytes), count, new Columns(count), 0);
          } catch (error) {
            assert.ok(error instanceof RangeError, String(error));
          }
        },
      ),
      { numRuns: 3000 },
    );
  });

  test('cannot be read into too little room', () => {
    const bytes = encoded('d', [1, 2, 3]);
    assert.throws(() => decodeValues('d', new ByteReader(bytes), 3, new Columns(3), 1), RangeError);
  });

  test('a writer that has written others before writes the same', () => {
    const out = new ByteWriter(16);
    const noise = pseudoRandom();
    encodeValues('d', columnsOf('d', noise), 0, noise.length, out);
    encodeValues('d', columnsOf('d', [...noise, ...noise]), 0, 2 * noise.length, out);
    out.reset();
    encodeValues('d', columnsOf('d', noise), 0, noise.length, out);
    assert.deepEqual(out.written().slice(), encoded('d', noise));
  });

  test('numbers that their datatype cannot have are not changed either', () => {
    assertSame('i', [0.5, 2 ** 40, -1, Number.NaN, Number.POSITIVE_INFINITY]);
    assertSame('f', [0.1, 1]);
    assertSame('d', [Number.NaN, Number.NaN, 1, Number.NEGATIVE_INFINITY, Number.NaN, 1]);
  });

  const noise = pseudoRandom();
  let walk = 2000;
  const walked = noise.map((each) => {
    walk += Math.round(8 * each - 4);
    return walk;
  });
  const forms: [string, Datatype, Values, number, number][] = [
    ['states are whole numbers', 'b', noise.map((_, i) => (i % 256 < 100 ? 0 : 1)), numberForm.integers, 0.03],
    ['whole doubles are whole numbers', 'd', walked, numberForm.integers, 0.54],
    ['decimals of two places are scaled', 'd', walked.map((n) => n / 100), numberForm.decimals, 0.55],
    ['places may grow on the way', 'd', walked.map((n, i) => (i < 900 ? n / 10 : n / 1000)), numberForm.decimals, 1.1],
    [
      'a zero below zero costs little',
      'd',
      walked.map((n, i) => (i % 200 === 9 ? -0 : n / 100)),
      numberForm.decimals,
      1.7,
    ],
    ['decimals of singles are scaled', 'f', walked.map((n) => Math.fround(n / 100)), numberForm.decimalSingles, 0.55],
    ['singles among doubles are scaled', 'd', walked.map((n) => Math.fround(n / 100)), numberForm.decimalSingles, 0.55],
    ['noisy singles are their bits', 'f', noise.map((n) => Math.fround(20 + n)), numberForm.singles, 2.6],
    [
      'steps of a converter are a dictionary',
      'd',
      noise.map((n) => Math.floor(60 * n) / 27648),
      numberForm.dictionary,
      1.2,
    ],
    ['noisy doubles are halves', 'd', noise.map((n) => 20 + n + n * 1e-9), numberForm.halves, 6.6],
    ['small longs are whole numbers', 'l', walked.map(BigInt), longForm.integers, 0.54],
    ['large longs are offsets', 'l', walked.map((n) => 2n ** 62n + BigInt(n)), longForm.offsets, 0.56],
    [
      'longs far apart are halves',
      'l',
      noise.map((n) => BigInt(Math.floor((n - 0.5) * 2 ** 63))),
      longForm.halves,
      8.2,
    ],
    ['few texts are kept once', 's', noise.map((n) => (n < 0.5 ? 'ventilator is running' : 'off')), 2, 0.17],
  ];
  for (const [title, datatype, values, form, mostBytes] of forms) {
    test(`${title}, in at most ${mostBytes} bytes a record`, () => {
      const bytes = encoded(datatype, values);
      assert.equal(bytes[0], form);
      assert.ok(bytes.length / values.length <= mostBytes, String(bytes.length / values.length));
      assertSame(datatype, values);
    });
  }
});
