import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ArchiveStats } from '../../archive/index.ts';
import { diskLastsS, growthOf, retentionOnWire } from './archive-growth.ts';

const dayS = 86_400;
const nowUs = 1_700_000_000_000_000;

/** A million records, of two bytes each in blocks; a tenth of them came in the last day. */
const stats: ArchiveStats = {
  series: 10,
  records: 1_000_000,
  bytes: 1_900_000 + 1_000_000,
  journalBytes: 1_000_000,
  blocks: 3,
  unmerged: 0,
  firstUs: nowUs - 10 * dayS * 1e6,
  lastUs: nowUs,
  astray: 0,
  damages: [],
  recent: { records: 100_000, journalRecords: 50_000 },
};
const growth = { 'bytes-per-day': 200_000, 'records-per-day': 100_000, seconds: dayS };
const disk = { sizeBytes: 1e9, freeBytes: 20_000_000 };
const storage = { maxBytes: undefined, retentionUs: undefined, disk };
const forEver = { seconds: null, own: [] };

test('what came in the last day grows the archive by the size that it has in blocks', () => {
  assert.deepEqual(growthOf(stats, nowUs), growth);
});

test('an archive younger than a day grows by what there is of it; nothing is concluded from less than ten minutes', () => {
  const halfDay = { ...stats, firstUs: nowUs - (dayS / 2) * 1e6 };
  assert.deepEqual(growthOf(halfDay, nowUs), {
    'bytes-per-day': 400_000,
    'records-per-day': 200_000,
    seconds: dayS / 2,
  });
  assert.equal(growthOf({ ...stats, firstUs: nowUs - 599e6 }, nowUs), null);
  assert.equal(growthOf({ ...stats, firstUs: undefined }, nowUs), null);
});

test('where nothing is in blocks yet, records grow it by what they take in the journal', () => {
  const fresh = { ...stats, records: 100_000, bytes: 3_000_000, journalBytes: 3_000_000 };
  const recent = { records: 100_000, journalRecords: 100_000 };
  assert.equal(growthOf({ ...fresh, recent }, nowUs)?.['bytes-per-day'], 3_000_000);
});

test('the disk lasts as long as its free space at this rate', () => {
  assert.equal(diskLastsS(stats, storage, growth, forEver), 100 * dayS);
  assert.equal(diskLastsS(stats, { ...storage, disk: undefined }, growth, forEver), null);
  assert.equal(diskLastsS(stats, storage, null, forEver), null);
  assert.equal(diskLastsS(stats, storage, { ...growth, 'bytes-per-day': 0 }, forEver), null);
});

test('it does not fill where the oldest records go before, by age or by size', () => {
  const ages = (seconds: number, ...own: number[]) => {
    return { seconds, own: own.map((each) => ({ seconds: each, objects: 1 })) };
  };
  assert.equal(diskLastsS(stats, storage, growth, ages(100 * dayS)), null);
  assert.equal(diskLastsS(stats, storage, growth, ages(200 * dayS)), 100 * dayS);
  assert.equal(diskLastsS(stats, storage, growth, ages(30 * dayS, 400 * dayS)), 100 * dayS);
  assert.equal(diskLastsS(stats, { ...storage, maxBytes: 10_000_000 }, growth, forEver), null);
  assert.equal(diskLastsS(stats, { ...storage, maxBytes: 100_000_000 }, growth, forEver), 100 * dayS);
});

test('ages of their own are told with how many objects have them, the longest first', () => {
  const own = new Map([
    ['measurements/a', 30 * dayS * 1e6],
    ['alarms/b', 365 * dayS * 1e6],
    ['measurements/c', 30 * dayS * 1e6],
  ]);
  assert.deepEqual(retentionOnWire(90 * dayS * 1e6, own), {
    seconds: 90 * dayS,
    own: [
      { seconds: 365 * dayS, objects: 1 },
      { seconds: 30 * dayS, objects: 2 },
    ],
  });
  assert.deepEqual(retentionOnWire(undefined, new Map()), forEver);
});
