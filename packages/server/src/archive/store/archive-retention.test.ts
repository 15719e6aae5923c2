// What goes for its age: nothing that was replaced is shown again when the retention gets longer, or the clock is set back.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ManualClock } from '@telltale/schema/testing';
import { type ModelRecord, plainOf, read } from '../../../test/store-model.ts';
import { commit, flush, levels, mergeAll, openArchive, startUs } from '../../../test/temporary-archives.ts';
import type { ArchiveStore } from './archive-store.ts';

const dayUs = 86_400_000_000;
const hundred = levels(100, startUs);
/** Of the first five. */
const corrections = hundred.slice(0, 5).map((record) => ({ ...record, value: -1, isReplacing: true }));

/** Keeps the records from this one on, for now. */
function keepFrom(store: ArchiveStore, { time }: ModelRecord): void {
  store.setRetention({ defaultUs: startUs - time, ofSeries: new Map() });
  while (store.maintain(5));
}

function assertNoneIsBack(store: ArchiveStore): void {
  mergeAll(store, false);
  store.setRetention({ ofSeries: new Map() });
  const left = new Map([...hundred, ...corrections].map((record) => [record.time, plainOf(record)]));
  for (const record of read(store, 0)) assert.deepEqual(record, left.get(record.time));
  store.close();
}

describe('AR-18: a record that has expired and replaced another', () => {
  test('AR-18: stays in its block as long as the other one is in an older block', () => {
    const { store } = openArchive();
    for (const records of [hundred, corrections]) {
      commit(store, records);
      flush(store);
    }
    keepFrom(store, hundred[10] as ModelRecord);
    assertNoneIsBack(store);
  });

  test('AR-18: stays when its block is merged, and the older one is not', () => {
    const { store } = openArchive();
    // Too large for a merge with the others.
    const many = levels(2000, startUs).map((record, at) => ({ ...record, key: 2, value: String(Math.sin(at)) }));
    commit(store, [...hundred, ...many]);
    flush(store);
    for (const record of corrections) {
      commit(store, [record, { ...(hundred[50] as ModelRecord), key: 3, value: true }]);
      flush(store);
    }
    store.setRetention({ defaultUs: startUs - (hundred[10] as ModelRecord).time, ofSeries: new Map() });
    assertNoneIsBack(store);
  });

  test('AR-18: stays as long as the other one is with those of a wrong clock', () => {
    const opened = openArchive({ clock: new ManualClock(5_000_000) });
    commit(opened.store, hundred);
    flush(opened.store);
    opened.store.close();
    const { store } = openArchive({ folder: opened.folder });
    commit(store, corrections);
    flush(store);
    keepFrom(store, hundred[10] as ModelRecord);
    assertNoneIsBack(store);
  });

  test('AR-18: goes with the other one', () => {
    const { store } = openArchive();
    for (const records of [hundred, corrections]) {
      commit(store, records);
      flush(store);
    }
    keepFrom(store, hundred[60] as ModelRecord);
    mergeAll(store);
    assert.equal(store.stats().records, 40);
    store.close();
  });
});

test('what came in the last day is counted, in memory and in blocks', () => {
  const clock = new ManualClock(startUs + 3 * dayUs);
  const { store } = openArchive({ clock });
  const hourly = levels(72, startUs).map((record, at) => ({ ...record, time: startUs + at * 3_600_000_000 }));
  commit(store, hourly);
  assert.deepEqual(store.stats().recent, { records: 24, journalRecords: 72 });
  flush(store);
  assert.deepEqual(store.stats().recent, { records: 24, journalRecords: 0 });
  store.close();
});
