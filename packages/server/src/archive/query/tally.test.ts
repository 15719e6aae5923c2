import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { summarize } from '../codec/summary.ts';
import { Columns } from '../records.ts';
import { firstSlot, lastSlot, maxSlot, minSlot, Tally } from './tally.ts';

const values = fc.array(fc.tuple(fc.integer({ min: -9, max: 9 }), fc.constantFrom(0xc0, 0xc0, 0x44, 0x18)), {
  minLength: 1,
  maxLength: 8,
});

function columnsOf(records: readonly (readonly [number, number])[], isLong: boolean): Columns {
  const columns = new Columns(records.length);
  for (const [value, quality] of records) {
    const at = columns.count++;
    columns.times[at] = at;
    columns.qualities[at] = quality;
    if (isLong) columns.longs[at] = BigInt(value);
    else columns.numbers[at] = value / 4;
  }
  return columns;
}

function told({ count, hasExtremes, records }: Tally): unknown[] {
  const slots = hasExtremes ? [firstSlot, lastSlot, minSlot, maxSlot] : [firstSlot, lastSlot];
  const { times, longs, qualities } = records;
  return [count, hasExtremes, slots.map((slot) => [times[slot], longs[slot], qualities[slot]])];
}

test('what a summary adds is what its records add, of whatever kind they are', () => {
  const kind = fc.constantFrom('measurements' as const, 'commands' as const);
  fc.assert(
    fc.property(kind, fc.boolean(), values, values, (ofKind, isLong, before, some) => {
      const datatype = isLong ? 'l' : 'd';
      const [byRecords, bySummary] = [new Tally(ofKind), new Tally(ofKind)];
      const earlier = columnsOf(before, isLong);
      for (const tally of [byRecords, bySummary]) tally.add(datatype, earlier, 0, earlier.count);
      const columns = columnsOf(some, isLong);
      const summary = summarize({ kind: ofKind, datatype }, columns, 0, columns.count) ?? assert.fail('no summary');
      bySummary.addSummary(datatype, summary);
      byRecords.add(datatype, columns, 0, columns.count);
      assert.deepEqual(told(bySummary), told(byRecords));
    }),
    { numRuns: 2000 },
  );
});

test('a tally that is cleared knows nothing of what was before', () => {
  const tally = new Tally('measurements');
  const columns = columnsOf(
    [
      [5, 0x18],
      [7, 0xc0],
    ],
    false,
  );
  tally.add('d', columns, 0, 2);
  tally.clear();
  tally.add('d', columns, 0, 1);
  assert.deepEqual([tally.count, tally.hasExtremes], [1, false]);
});
