import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { mostDigits, writeDouble, writeInteger, writeLong, writeSingle, writeWhole } from './digits.ts';
import { formatText } from './value.ts';

const bytes = Buffer.from(new ArrayBuffer(mostDigits));
const view = new DataView(bytes.buffer);

function text(end: number): string {
  return bytes.toString('latin1', 0, end);
}

const decimal = fc
  .tuple(fc.integer({ min: -1e9, max: 1e9 }), fc.integer({ min: 0, max: 12 }))
  .map(([digits, places]) => Number(`${digits}e-${places}`));
const extremes = [
  0,
  -0,
  Number.MAX_VALUE,
  -Number.MAX_VALUE,
  5e-324,
  -5e-324,
  1e-7,
  1e21,
  123_456_789.5,
  999_999_999.9999,
];
const double = fc.oneof(
  decimal,
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.constantFrom(...extremes),
  fc.integer({ min: -(2 ** 53), max: 2 ** 53 }),
);

test('a double is written by its shortest digits, without an exponent', () => {
  fc.assert(
    fc.property(double, (value) => assert.equal(text(writeDouble(view, 0, value)), formatText('d', value))),
    { numRuns: 20_000 },
  );
});

test('a single is written by the shortest digits that read back as the same single', () => {
  const single = fc.oneof(decimal.map(Math.fround), fc.float({ noNaN: true, noDefaultInfinity: true }));
  fc.assert(
    fc.property(single, (value) => assert.equal(text(writeSingle(view, 0, value)), formatText('f', value))),
    { numRuns: 20_000 },
  );
});

test('integers are written whole over their whole range', () => {
  const edges = Array.from({ length: 16 }, (_, digits) => [10 ** digits - 1, 10 ** digits, 10 ** digits + 1]).flat();
  for (const edge of edges) assert.equal(text(writeWhole(view, 0, edge)), String(edge));
  fc.assert(fc.property(fc.maxSafeNat(), (value) => assert.equal(text(writeWhole(view, 0, value)), String(value))));
  fc.assert(fc.property(fc.integer(), (value) => assert.equal(text(writeInteger(view, 0, value)), String(value))));
  const long = fc.oneof(
    fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n),
    fc.bigInt(2n ** 53n - 4n, 2n ** 53n + 4n).chain((size) => fc.constantFrom(size, -size)),
    fc.constantFrom(-(2n ** 63n), 2n ** 63n - 1n),
  );
  fc.assert(fc.property(long, (value) => assert.equal(text(writeLong(view, 0, value)), String(value))));
});
