import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Batch, type Value } from '@telltale/schema';
import fc from 'fast-check';
import { NewestReadings } from './newest-readings.ts';

interface Reading {
  readonly point: number;
  readonly value: Value | undefined;
  readonly quality: number;
  readonly timeUs: number;
}

const readings = fc.array(
  fc.record({
    point: fc.nat(20),
    value: fc.oneof(
      fc.double({ noNaN: true }),
      fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n),
      fc.string(),
      fc.constant(undefined),
    ),
    quality: fc.nat(0xffff),
    timeUs: fc.nat(),
  }),
  { maxLength: 40 },
);

function batchOf(list: readonly Reading[]): Batch {
  const batch = new Batch(0);
  for (const { point, value, quality, timeUs } of list) {
    if (value === undefined) batch.none(point, quality, timeUs);
    else batch.value(point, value, quality, timeUs);
  }
  return batch;
}

function listOf(batch: Batch): Reading[] {
  return Array.from({ length: batch.count }, (_, at) => ({
    point: batch.points[at] ?? -1,
    value: batch.valueAt(at),
    quality: batch.qualities[at] ?? -1,
    timeUs: batch.times[at] ?? -1,
  }));
}

test('the newest reading of each known point stays, in the order of arrival; the others are counted', () => {
  fc.assert(
    fc.property(fc.array(readings, { maxLength: 8 }), (lists) => {
      const newest = new NewestReadings();
      const expected = new Map<number, Reading>();
      const isKnown = (point: number) => point !== 13;
      let [passedOver, all] = [0, 0];
      for (const list of lists) {
        passedOver += newest.add(batchOf(list), isKnown);
        for (const reading of list) {
          all++;
          if (!isKnown(reading.point)) continue;
          const older = expected.get(reading.point);
          expected.delete(reading.point);
          expected.set(reading.point, { ...reading, value: reading.value ?? older?.value });
        }
      }
      assert.equal(newest.size, expected.size);
      assert.deepEqual(listOf(newest.take()), [...expected.values()]);
      assert.equal(all, passedOver + expected.size);
      assert.equal(newest.take().count, 0);
    }),
  );
});

test('a reading without a value keeps the value that it supersedes, since the point would', () => {
  const newest = new NewestReadings();
  newest.add(batchOf([{ point: 1, value: 5, quality: 192, timeUs: 1 }]), () => true);
  newest.add(batchOf([{ point: 1, value: undefined, quality: 24, timeUs: 2 }]), () => true);
  assert.deepEqual(listOf(newest.take()), [{ point: 1, value: 5, quality: 24, timeUs: 2 }]);
});

test('a flood over few points does not grow', () => {
  const newest = new NewestReadings();
  for (let i = 0; i < 5000; i++) {
    newest.add(batchOf([{ point: i % 3, value: `${i}`, quality: 192, timeUs: i }]), () => true);
  }
  const batch = newest.take();
  assert.deepEqual(
    listOf(batch).map(({ value }) => value),
    ['4997', '4998', '4999'],
  );
  assert.ok(batch.take().capacity <= 8);
});

test('a point that is read again and again changes nothing of the others, however long that goes on', () => {
  const newest = new NewestReadings();
  const known = () => true;
  newest.add(batchOf([{ point: 1, value: 'first', quality: 192, timeUs: 0 }]), known);
  newest.add(batchOf([{ point: 2, value: 'kept', quality: 192, timeUs: 1 }]), known);
  for (let at = 0; at < 3000; at++) newest.add(batchOf([{ point: 1, value: at, quality: 192, timeUs: at }]), known);
  newest.add(batchOf([{ point: 2, value: undefined, quality: 0, timeUs: 9 }]), known);
  assert.deepEqual(listOf(newest.take()), [
    { point: 1, value: 2999, quality: 192, timeUs: 2999 },
    { point: 2, value: 'kept', quality: 0, timeUs: 9 },
  ]);
});
