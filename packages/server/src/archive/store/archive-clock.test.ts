// What a wrong clock may do to stored records: hide them for a while, and no more.
import assert from 'node:assert/strict';
import { utimesSync } from 'node:fs';
import { describe, test } from 'node:test';
import { ManualClock } from '@telltale/schema/testing';
import { read } from '../../../test/store-model.ts';
import {
  blocksIn,
  commit,
  dayUs,
  flush,
  levels,
  mergeAll,
  type OpenedArchive,
  openArchive,
  startUs,
} from '../../../test/temporary-archives.ts';
import type { ArchiveStore } from './archive-store.ts';

const hourMs = 3_600_000;
const dayMs = dayUs / 1000;
const yearMs = 365 * dayMs;
const tenDays = { defaultUs: 10 * dayUs, ofSeries: new Map<string, number>() };

/** All that the store does by itself. */
function keepInOrder(store: ArchiveStore): void {
  while (store.maintain(5));
  mergeAll(store, false);
  mergeAll(store, true);
  while (store.maintain(5));
  store.unlink(store.obsolete());
}

/** A block of each of so many days, up to the start. */
function openWithDays(days: number): OpenedArchive {
  const opened = openArchive();
  for (let day = days - 1; day >= 0; day--) {
    commit(opened.store, levels(100, startUs - day * dayUs));
    flush(opened.store);
  }
  return opened;
}

describe('a clock that jumps ahead', () => {
  test('AR-20: hides what it makes old, and all of it is back when the clock is set right', () => {
    const { store, clock } = openWithDays(8);
    store.setRetention(tenDays);
    keepInOrder(store);
    clock.jump(10 * yearMs);
    keepInOrder(store);
    clock.advance(hourMs / 2);
    keepInOrder(store);
    assert.equal(read(store, 0).length, 0);
    clock.jump(-10 * yearMs);
    assert.equal(read(store, 0).length, 800);
    keepInOrder(store);
    assert.equal(read(store, 0).length, 800);
    store.close();
  });

  test('AR-20: keeps in merges what is old, and leaves blocks alone that were to be written again', () => {
    const { store, clock } = openArchive();
    commit(store, levels(86_400, startUs));
    flush(store);
    store.setRetention({ defaultUs: dayUs, ofSeries: new Map() });
    clock.advance(12 * hourMs);
    while (store.maintain(5));
    clock.jump(hourMs);
    assert.equal(store.planCompaction(false), undefined);
    commit(store, levels(10, clock.now()));
    flush(store);
    assert.equal(mergeAll(store, true), 1);
    assert.equal(store.stats().records, 86_410);
    clock.advance(hourMs);
    assert.equal(mergeAll(store, true), 1);
    assert.equal(store.stats().records, 10 * 3600 + 10);
    store.close();
  });

  test('AR-20: and stays there deletes after an hour', () => {
    const { store, folder, clock } = openWithDays(8);
    store.setRetention(tenDays);
    clock.jump(20 * dayMs);
    keepInOrder(store);
    clock.advance(hourMs - 1);
    keepInOrder(store);
    assert.ok(blocksIn(folder).length > 0);
    clock.advance(1);
    keepInOrder(store);
    assert.equal(blocksIn(folder).length, 0);
    store.close();
  });

  test('AR-20: does not keep the archive from being held to its size', () => {
    const { store, folder, clock } = openWithDays(8);
    store.setRetention({ ...tenDays, maxBytes: 1 });
    clock.jump(20 * dayMs);
    keepInOrder(store);
    assert.equal(blocksIn(folder).length, 0);
    store.close();
  });
});

describe('an archive that is opened', () => {
  test('AR-20: more than a day after its newest record deletes after an hour, and at once where it is sooner', () => {
    for (const [days, left] of [
      [0.9, 0],
      [1.1, 1],
    ] as const) {
      const { store, folder } = openArchive();
      commit(store, levels(10, startUs - 20 * dayUs));
      flush(store);
      commit(store, levels(10, startUs));
      store.close();
      const clock = new ManualClock(startUs + days * dayUs);
      const again = openArchive({ folder, clock });
      again.store.setRetention(tenDays);
      flush(again.store);
      keepInOrder(again.store);
      assert.equal(blocksIn(folder).length, 1 + left);
      clock.advance(hourMs);
      keepInOrder(again.store);
      assert.equal(blocksIn(folder).length, 1);
      again.store.close();
    }
  });

  test('AR-20: does not take records that are ahead of the clock for a sign that the clock is right', () => {
    const { store, folder } = openArchive({ clock: new ManualClock(startUs + 100 * dayUs) });
    commit(store, [...levels(10, startUs), ...levels(10, startUs + 100 * dayUs)]);
    flush(store);
    store.close();
    const again = openArchive({ folder, clock: new ManualClock(startUs + 20 * dayUs) });
    again.store.setRetention(tenDays);
    keepInOrder(again.store);
    assert.equal(blocksIn(folder).length, 2);
    again.store.close();
  });
});

describe('a start with the clock behind', () => {
  const timeUs = startUs - dayUs;
  const record = (value: number, isReplacing = true) => ({ key: 0, time: timeUs, value, quality: 0xc0, isReplacing });
  const values = (store: ArchiveStore) => read(store, 0).map(({ value }) => value);

  /** What is not in blocks yet gets there while the clock is behind. */
  function startBehind({ store, folder }: OpenedArchive): OpenedArchive {
    store.close();
    const behind = openArchive({ folder, clock: new ManualClock(5_000_000) });
    flush(behind.store);
    behind.store.close();
    return openArchive({ folder });
  }

  test('leaves what was replaced replaced, merged or not', () => {
    const opened = openArchive();
    commit(opened.store, [record(1, false)]);
    flush(opened.store);
    commit(opened.store, [record(2)]);
    const again = startBehind(opened);
    assert.equal(again.store.stats().astray, 1);
    assert.deepEqual(values(again.store), [2]);
    commit(again.store, [record(3), ...levels(3, timeUs)]);
    flush(again.store);
    assert.equal(values(again.store).at(-1), 3);
    mergeAll(again.store);
    assert.deepEqual(values(again.store), [...levels(3, timeUs).map(({ value }) => value), 3]);
    again.store.close();
  });

  test('keeps merges from taking a block behind one that has replaced its records', () => {
    const opened = openArchive();
    commit(opened.store, [record(1, false)]);
    flush(opened.store);
    commit(opened.store, [record(2)]);
    const { store, folder } = startBehind(opened);
    for (let round = 0; round < 4; round++) {
      commit(store, levels(3, startUs + round * 3_000_000));
      flush(store);
    }
    mergeAll(store);
    assert.deepEqual([values(store)[0], blocksIn(folder).length], [2, 3]);
    store.close();
  });

  test('does not keep merges apart where records are far ahead and before 2000 as well', () => {
    const { store, folder } = openArchive();
    for (let round = 0; round < 4; round++) {
      const wrong = [5, startUs + 1000 * dayUs].map((time) => ({ ...record(round, false), time: time + round }));
      commit(store, [...wrong, ...levels(3, startUs + round * 3_000_000)]);
      flush(store);
    }
    mergeAll(store);
    assert.equal(blocksIn(folder).length, 2);
    assert.equal(read(store, 0).length, 20);
    store.close();
  });

  test('AR-21: deletes no block of that time before one that it has replaced records of', () => {
    const opened = openArchive();
    commit(opened.store, [record(1, false), { key: 2, time: timeUs, value: 'x', quality: 0xc0 }]);
    flush(opened.store);
    const wrong = [5, startUs + 1000 * dayUs].map((time) => ({ ...record(0, false), time }));
    commit(opened.store, [record(2), ...wrong]);
    const { store, folder, clock } = startBehind(opened);
    for (const path of store.blockPaths()) if (path.includes('astray')) utimesSync(path, 5, 5);
    store.close();
    const again = openArchive({ folder, clock });
    again.store.setRetention(tenDays);
    keepInOrder(again.store);
    assert.deepEqual(values(again.store), [0, 2, 0]);
    again.store.close();
  });
});

describe('records of a wrong clock', () => {
  const old = [5, 6].map((time) => ({ key: 0, time, value: time, quality: 0xc0 }));
  const future = { key: 0, time: startUs + 5 * dayUs, value: 1, quality: 0xc0 };

  test('AR-21: from before 2000 are shown whatever the retention, and do not pass for what is in force later', () => {
    const { store, clock } = openArchive();
    store.setRetention(tenDays);
    commit(store, [...old, ...levels(3, startUs - 11 * dayUs), ...levels(3, startUs)]);
    const check = () => {
      assert.deepEqual(
        read(store, 0).map(({ time }) => time),
        [5, 6, ...levels(3, startUs).map(({ time }) => time)],
      );
      assert.deepEqual(
        read(store, 0, 6, 100, true).map(({ time }) => time),
        [5, 6],
      );
      assert.deepEqual(read(store, 0, startUs - 5 * dayUs, startUs - 4 * dayUs, true), []);
    };
    check();
    flush(store);
    check();
    commit(store, [{ key: 2, time: 5, value: 'x', quality: 0xc0 }]);
    flush(store);
    clock.advance(hourMs);
    assert.equal(mergeAll(store), 1);
    keepInOrder(store);
    check();
    store.close();
  });

  test('AR-21: go with their block, as long after it was made as the longest retention in it says', () => {
    const { store, folder, clock } = openArchive();
    commit(store, [...old, future, { key: 2, time: 7, value: 'x', quality: 0xc0 }]);
    flush(store);
    store.setRetention({ defaultUs: 8 * dayUs, ofSeries: new Map([['measurements/level', dayUs]]) });
    clock.advance(7 * dayMs);
    keepInOrder(store);
    assert.deepEqual([read(store, 0).length, read(store, 2).length, store.stats().astray], [2, 1, 4]);
    clock.advance(dayMs + 1);
    keepInOrder(store);
    assert.deepEqual([read(store, 0).length, read(store, 2).length, blocksIn(folder).length], [0, 0, 0]);
    store.close();
  });

  test('AR-21: do not get young by being merged, nor by a restart', () => {
    const { store, folder, clock } = openArchive();
    const weeks = 4;
    for (let week = 0; week < weeks; week++) {
      for (const value of [1, 2]) {
        commit(store, [{ key: 0, time: 5 + week, value, quality: 0xc0 }]);
        flush(store);
      }
      clock.advance(7 * dayMs);
      mergeAll(store, true);
    }
    assert.equal(blocksIn(folder).length, weeks);
    store.close();
    const again = openArchive({ folder, clock });
    again.store.setRetention({ defaultUs: 15 * dayUs, ofSeries: new Map() });
    clock.advance(hourMs);
    keepInOrder(again.store);
    assert.deepEqual(
      read(again.store, 0).map(({ time }) => time),
      [7, 7, 8, 8],
    );
    again.store.close();
  });

  test('AR-21: leave in the order of their blocks, so that nothing comes back that was replaced', () => {
    const { store, clock } = openArchive();
    commit(store, [
      { key: 0, time: 5, value: 1, quality: 0xc0 },
      { key: 2, time: 5, value: 'kept for longer', quality: 0xc0 },
    ]);
    flush(store);
    commit(store, [{ key: 0, time: 5, value: 2, quality: 0xc0, isReplacing: true }]);
    flush(store);
    store.setRetention({ defaultUs: 30 * dayUs, ofSeries: new Map([['measurements/level', dayUs]]) });
    clock.advance(2 * dayMs);
    while (store.maintain(5));
    assert.deepEqual(
      read(store, 0).map(({ value }) => value),
      [2],
    );
    store.close();
  });

  test("AR-21: are none where the server's own clock was behind: they last as long as they would have", () => {
    const { store, folder } = openArchive();
    commit(store, levels(10, startUs));
    store.close();
    const behind = openArchive({ folder, clock: new ManualClock(5_000_000) });
    flush(behind.store);
    for (const path of behind.store.blockPaths()) utimesSync(path, 5, 5);
    assert.equal(behind.store.stats().astray, 10);
    behind.store.close();
    const clock = new ManualClock(startUs + dayUs);
    const again = openArchive({ folder, clock });
    again.store.setRetention(tenDays);
    clock.advance(hourMs);
    keepInOrder(again.store);
    assert.equal(read(again.store, 0).length, 10);
    clock.advance(9 * dayMs);
    keepInOrder(again.store);
    assert.equal(blocksIn(folder).length, 0);
    again.store.close();
  });
});
