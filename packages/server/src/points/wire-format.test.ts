import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Datatype, formatPrefixed, toTimestamp, type Value } from '@telltale/schema';
import fc from 'fast-check';
import { TimedWriter } from './wire-format.ts';

const decimal = fc
  .tuple(fc.integer(), fc.integer({ min: 0, max: 6 }))
  .map(([digits, places]) => Number(`${digits}e-${places}`));
const double = fc.oneof(decimal, fc.double({ noNaN: true, noDefaultInfinity: true }), fc.constantFrom(0, -0, 0.1, 1e9));
const single = fc.oneof(decimal.map(Math.fround), fc.float({ noNaN: true, noDefaultInfinity: true }));

const typed: fc.Arbitrary<[Datatype, Value]> = fc.oneof(
  fc.boolean().map((value): [Datatype, Value] => ['b', value]),
  fc.integer({ min: 0, max: 3 }).map((value): [Datatype, Value] => ['q', value]),
  fc.integer().map((value): [Datatype, Value] => ['i', value]),
  fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n).map((value): [Datatype, Value] => ['l', value]),
  single.map((value): [Datatype, Value] => ['f', value]),
  double.map((value): [Datatype, Value] => ['d', value]),
  fc.string({ unit: 'grapheme' }).map((value): [Datatype, Value] => ['s', value]),
);

const time = fc.oneof(fc.constantFrom(0, 1, 999_999, 1_000_000), fc.maxSafeNat());

test('any value, time and quality is written as the plain codecs write it, one after the other', () => {
  const values = fc.array(fc.tuple(typed, time, fc.option(fc.nat({ max: 0xffff }), { nil: undefined })));
  fc.assert(
    fc.property(values, (written) => {
      const writer = new TimedWriter();
      for (const [[datatype, value], timeUs, quality] of written) {
        const plain = [
          formatPrefixed(datatype, value),
          toTimestamp(timeUs),
          ...(quality === undefined ? [] : [quality]),
        ];
        const bytes = Buffer.alloc(2000, '.');
        const end = writer.write(bytes, 7, 1900, datatype, value, timeUs, quality);
        assert.equal(bytes.toString('utf8', 7, end), JSON.stringify(plain));
        assert.equal(bytes.toString('latin1', end), '.'.repeat(2000 - end));
      }
    }),
    { numRuns: 2000 },
  );
});

test('where there is not enough room it says how much would be, which then is', () => {
  fc.assert(
    fc.property(typed, time, fc.nat({ max: 60 }), ([datatype, value], timeUs, room) => {
      const writer = new TimedWriter();
      const small = Buffer.alloc(100, '.');
      const end = writer.write(small, 0, room, datatype, value, timeUs, 192);
      if (end >= 0) {
        assert.ok(end <= room);
        return;
      }
      assert.ok(-end > room);
      const large = Buffer.alloc(-end);
      assert.ok(writer.write(large, 0, -end, datatype, value, timeUs, 192) <= -end);
    }),
  );
});
