// What a limit of size deletes: the oldest times of all series, whole, wherever their records lie.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ManualClock } from '@telltale/schema/testing';
import fc from 'fast-check';
import { keys, type ModelRecord, plainOf, read, StoreModel } from '../../../test/store-model.ts';
import {
  blocksIn,
  commit,
  dayUs,
  flush,
  ignored,
  levels,
  mergeAll,
  never,
  openArchive,
  startUs,
  timesOf,
} from '../../../test/temporary-archives.ts';
import { systemDisk } from '../files/disk.ts';
import type { ArchiveStore } from './archive-store.ts';
import { runCompaction } from './run-compaction.ts';

const weekUs = 7 * dayUs;

/** Holds the archive to so many bytes less than it has. */
function shrink(store: ArchiveStore, byBytes: number): void {
  store.setRetention({ ofSeries: new Map(), maxBytes: Math.max(0, store.stats().bytes - byBytes) });
  while (store.maintain(5));
  store.unlink(store.obsolete());
}

describe('AR-22: a limit of size', () => {
  const records = levels(100, startUs);
  const corrected = { ...(records[40] as ModelRecord), value: -1, isReplacing: true };

  test('AR-22: brings nothing back that was replaced, merged and restarted or not', () => {
    const { store, folder, clock } = openArchive();
    commit(store, records);
    flush(store);
    commit(store, [corrected]);
    flush(store);
    shrink(store, 1);
    const left = timesOf(records.slice(41));
    assert.deepEqual(timesOf(read(store, 0)), left);
    store.close();
    const again = openArchive({ folder, clock });
    assert.deepEqual(timesOf(read(again.store, 0)), left);
    mergeAll(again.store, false);
    assert.deepEqual(timesOf(read(again.store, 0)), left);
    assert.equal(again.store.stats().records, left.length, 'space is given back');
    again.store.close();
  });

  test('AR-22: deletes at the same times of every series', () => {
    const { store } = openArchive();
    const others = records.map((record) => ({ ...record, key: 3, value: true }));
    commit(store, [...records.slice(50), ...others]);
    flush(store);
    commit(store, records.slice(0, 50));
    flush(store);
    shrink(store, 1);
    assert.deepEqual([read(store, 0).length, read(store, 3).length], [50, 50]);
    store.close();
  });

  test('AR-22: deletes nothing younger while the oldest is being merged', () => {
    const { store, folder } = openArchive();
    for (const weeks of [3, 3, 3, 3, 1]) {
      commit(store, levels(100, startUs - weeks * weekUs));
      flush(store);
    }
    const plan = store.planCompaction();
    assert.equal(plan?.inputs.length, 4);
    shrink(store, 1);
    assert.equal(blocksIn(folder).length, 5);
    store.compactionDone(plan, runCompaction(plan, ignored, never));
    shrink(store, 1);
    assert.deepEqual(timesOf(read(store, 0)), timesOf(levels(100, startUs - weekUs)));
    store.close();
  });

  test('AR-22: leaves what comes later, however old its time', () => {
    const { store } = openArchive();
    for (const weeks of [3, 1]) {
      commit(store, levels(100, startUs - weeks * weekUs));
      flush(store);
    }
    shrink(store, 1);
    store.setRetention({ ofSeries: new Map() });
    commit(store, levels(5, startUs - 3 * weekUs));
    assert.equal(read(store, 0).length, 105);
    flush(store);
    mergeAll(store);
    assert.equal(read(store, 0).length, 105);
    store.close();
  });
});

const aTime = fc.integer({ min: 0, max: 30 }).map((day) => startUs - day * dayUs);
const aRecord = fc.record({
  key: fc.constantFrom(0, 0, 3),
  time: aTime,
  number: fc.nat(100),
  isReplacing: fc.boolean(),
});
const aStep = fc.oneof(
  { weight: 4, arbitrary: fc.array(aRecord, { minLength: 1, maxLength: 20 }) },
  { weight: 1, arbitrary: fc.constantFrom('merge', 'mergeAll', 'startBehind', 'reopen', 'shrink', 'shrink') },
);

test('AR-22: whatever is done, what is left by a limit of size is all that is not before some time, and as it was', () => {
  const disk = { ...systemDisk, sync() {}, syncData() {} };
  fc.assert(
    fc.property(fc.array(aStep, { minLength: 2, maxLength: 30, size: 'max' }), (steps) => {
      const model = new StoreModel();
      const { folder, ...opened } = openArchive({ disk });
      let { store } = opened;
      const reopen = (clock: ManualClock) => {
        store.close();
        ({ store } = openArchive({ folder, clock, disk }));
        flush(store);
      };
      for (const step of steps) {
        if (typeof step !== 'string') {
          const records = step.map(({ number, ...rest }): ModelRecord => {
            return { ...rest, value: rest.key === 3 ? number % 2 === 1 : number, quality: 0xc0 };
          });
          commit(store, records);
          model.append(records);
          model.commit();
        } else if (step === 'startBehind') reopen(new ManualClock(5_000_000));
        else if (step === 'reopen') reopen(new ManualClock(startUs));
        else if (step !== 'shrink') mergeAll(store, step === 'mergeAll');
        else {
          reopen(new ManualClock(startUs));
          shrink(store, 200);
          const fromUs = Math.min(...[0, 3].flatMap((key) => timesOf(read(store, key))));
          for (const { kind, name } of keys) model.erase({ kind, name, datatype: 'd' }, 0, fromUs);
        }
        for (const key of [0, 3]) assert.deepEqual(read(store, key), model.shown(key, 0).map(plainOf));
      }
      store.close();
    }),
    { numRuns: Number(process.env.MODEL_RUNS ?? 25) },
  );
});
