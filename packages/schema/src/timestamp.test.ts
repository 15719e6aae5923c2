// Promises of timestamps in memory, on the wire and for people.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Compile } from 'typebox/compile';
import { formatTimestamp, fromTimestamp, parseIsoMs, toTimestamp } from './timestamp.ts';
import { Timestamp } from './wire-schemas.ts';

const fits = Compile(Timestamp);
const anyTime = fc.oneof(
  fc.maxSafeNat(),
  fc.integer({ min: 0, max: 9_007_199_253 }).map((s) => s * 1e6 + 999_999),
);

test('every microsecond from 1970 to 2255 survives the way over the wire', () => {
  fc.assert(
    fc.property(anyTime, (us) => {
      const wire = toTimestamp(us);
      assert.ok(fits.Check(wire));
      assert.deepEqual(wire.map(BigInt), [BigInt(us) / 1_000_000n, BigInt(us) % 1_000_000n]);
      assert.equal(fromTimestamp(wire), us);
    }),
    { numRuns: 2000 },
  );
  for (const us of [0, 1, 999_999, 1_000_000, Number.MAX_SAFE_INTEGER])
    assert.equal(fromTimestamp(toTimestamp(us)), us);
});

test('a timestamp for people is ISO 8601 with all six digits of its microseconds', () => {
  assert.equal(formatTimestamp(0), '1970-01-01T00:00:00.000000Z');
  assert.equal(formatTimestamp(1_700_000_000_250_007), '2023-11-14T22:13:20.250007Z');
  assert.equal(formatTimestamp(Number.MAX_SAFE_INTEGER), '2255-06-05T23:47:34.740991Z');
  fc.assert(
    fc.property(anyTime, (us) => {
      const spoken = formatTimestamp(us);
      assert.match(spoken, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
      assert.equal(BigInt(Date.parse(`${spoken.slice(0, 19)}Z`)) * 1000n + BigInt(spoken.slice(20, 26)), BigInt(us));
    }),
  );
});

test('what is no timestamp is refused with the reason', () => {
  for (const us of [-1, 0.5, NaN, Infinity, -Infinity, Number.MAX_SAFE_INTEGER + 1]) {
    assert.throws(() => toTimestamp(us), {
      name: 'RangeError',
      message: /is not a timestamp: whole microseconds from 0/,
    });
    assert.throws(() => formatTimestamp(us), { name: 'RangeError', message: /is not a timestamp/ });
  }
  for (const seconds of [-1, 0.5, NaN, Infinity, 2 ** 53]) {
    assert.throws(() => fromTimestamp([seconds, 0]), { name: 'RangeError', message: /seconds of a timestamp are/ });
  }
  for (const us of [-1, 0.5, NaN, 1_000_000]) {
    assert.throws(() => fromTimestamp([0, us]), { name: 'RangeError', message: /microseconds of a timestamp are/ });
  }
  assert.throws(() => fromTimestamp([9_007_199_254, 740_992]), { name: 'RangeError', message: /later than 2255/ });
  assert.throws(() => fromTimestamp([Number.MAX_SAFE_INTEGER, 0]), { name: 'RangeError', message: /later than 2255/ });
});

test('on the wire a timestamp is exactly two whole numbers in their ranges', () => {
  assert.ok(fits.Check([0, 0]) && fits.Check([1_700_000_000, 999_999]));
  const wrong = [
    [],
    [0],
    [0, 0, 0],
    [-1, 0],
    [0, -1],
    [0, 1_000_000],
    [0.5, 0],
    [0, 0.5],
    ['0', 0],
    [null, 0],
    0,
    null,
    {},
  ];
  for (const bad of wrong) assert.ok(!fits.Check(bad), JSON.stringify(bad));
});

test('a day that its month does not have is no time, and does not count on into the next month', () => {
  assert.equal(parseIsoMs('2028-02-29T12:00:00Z'), Date.UTC(2028, 1, 29, 12));
  assert.equal(parseIsoMs('2026-03-01T00:30:00+01:00'), Date.UTC(2026, 1, 28, 23, 30));
  assert.equal(parseIsoMs('2026-01-31'), Date.UTC(2026, 0, 31));
  for (const text of ['2026-02-29', '2026-02-31T00:00:00Z', '2026-04-31T12:00+02:00', '2026-00-10', '', 'no time']) {
    assert.ok(Number.isNaN(parseIsoMs(text)), text);
  }
});
