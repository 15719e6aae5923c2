// Merging, erasing for good and giving space back, as the store drives them.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { read } from '../../../test/store-model.ts';
import {
  blocksIn,
  bytesIn,
  commit,
  dayUs,
  flush,
  ignored,
  levels,
  mergeAll,
  never,
  openArchive,
  startUs,
} from '../../../test/temporary-archives.ts';
import { labelBytes } from '../files/block-format.ts';
import { systemDisk } from '../files/disk.ts';
import { runCompaction } from './run-compaction.ts';

describe('merging', () => {
  test('takes neighbours together and leaves every record as it was', () => {
    const { store, folder } = openArchive();
    for (let round = 0; round < 4; round++) {
      commit(store, [...levels(2500, startUs + round * 2_500_000_000, round), ...levels(10, startUs, -round)]);
      flush(store);
    }
    const before = read(store, 0);
    assert.equal(store.stats().unmerged, 4);
    assert.equal(mergeAll(store, false), 1);
    assert.equal(store.stats().unmerged, 0);
    assert.equal(blocksIn(folder).length, 1);
    assert.deepEqual(read(store, 0), before);
    store.close();
  });

  test('that is stopped leaves everything as it was', () => {
    const { store, folder } = openArchive();
    for (let round = 0; round < 4; round++) {
      commit(store, levels(10, startUs, round));
      flush(store);
    }
    const plan = store.planCompaction();
    assert.ok(plan);
    assert.equal(store.planCompaction(), undefined, 'its blocks are not merged twice at once');
    const outcome = runCompaction(plan, ignored, () => true);
    assert.deepEqual(outcome, { kind: 'stopped' });
    store.compactionDone(plan, outcome);
    assert.deepEqual([blocksIn(folder).length, readdirSync(folder).some((name) => name.endsWith('.tmp'))], [4, false]);
    assert.equal(mergeAll(store, false), 1);
    store.close();
  });

  test('that has failed is tried again after 30 s, whatever becomes of the time of day', () => {
    for (const byMs of [35_000, -3_600_000]) {
      const { store, clock } = openArchive();
      for (let round = 0; round < 4; round++) {
        commit(store, levels(10, startUs, round));
        flush(store);
      }
      const plan = store.planCompaction();
      assert.ok(plan);
      store.compactionDone(plan, { kind: 'failed', reason: 'the disk is full' });
      clock.jump(byMs);
      clock.advance(29_999);
      assert.equal(store.planCompaction(), undefined);
      clock.advance(1);
      assert.ok(store.planCompaction());
      store.close();
    }
  });

  test('reports how far it is', () => {
    const { store } = openArchive();
    for (let round = 0; round < 4; round++) {
      commit(store, [...levels(10, startUs, round), { key: 2, time: startUs, value: 'text', quality: 0xc0 }]);
      flush(store);
    }
    const plan = store.planCompaction();
    assert.ok(plan);
    const progress: number[] = [];
    runCompaction(plan, (doneBytes) => progress.push(doneBytes), never);
    assert.equal(progress.at(-1), plan.bytes);
    assert.deepEqual(
      [...progress].sort((a, b) => a - b),
      progress,
    );
    store.close();
  });

  test('removes no file before it is released, nor one before those that it took the place of', () => {
    const { store, folder } = openArchive();
    for (let round = 0; round < 4; round++) {
      commit(store, levels(10, startUs, round));
      flush(store);
    }
    const merge = () => {
      const plan = store.planCompaction();
      assert.ok(plan);
      store.compactionDone(plan, runCompaction(plan, ignored, never));
    };
    merge();
    const inputs = store.obsolete();
    assert.deepEqual([inputs.length, store.obsolete().length, blocksIn(folder).length], [4, 0, 5]);
    store.erase('measurements', 'level', 0, startUs - 5_000_000);
    merge();
    const outputs = store.obsolete();
    assert.equal(outputs.length, 1);
    store.unlink(outputs);
    assert.equal(blocksIn(folder).length, 6, 'the inputs would count again');
    store.unlink(inputs);
    assert.equal(blocksIn(folder).length, 1);
    store.close();
  });
});

describe('erasing', () => {
  test('is carried out for good, gives space back, and is forgotten then', () => {
    const { store, folder } = openArchive();
    commit(store, levels(100_000, startUs));
    flush(store);
    const before = bytesIn(folder);
    store.erase('measurements', 'level', 0, startUs - 10_000_000);
    const withTombstone = statSync(join(folder, 'erasures.tte')).size;
    assert.equal(read(store, 0).length, 10);
    assert.equal(mergeAll(store, false), 1);
    while (store.maintain(5));
    assert.ok(bytesIn(folder) < before / 10);
    assert.ok(statSync(join(folder, 'erasures.tte')).size < withTombstone);
    assert.equal(read(store, 0).length, 10);
    assert.equal(store.planCompaction(), undefined);
    store.close();
  });

  test('leaves records that come later at the same times', () => {
    const { store, folder, clock } = openArchive();
    commit(store, levels(3, startUs, 1));
    store.erase('measurements', 'level', 0, 2 ** 53);
    commit(store, levels(3, startUs, 2));
    store.close();
    const again = openArchive({ folder, clock });
    const values = () => read(again.store, 0).map(({ value }) => value);
    assert.deepEqual(values(), [2, 2.25, 2.5]);
    flush(again.store);
    assert.deepEqual(values(), [2, 2.25, 2.5]);
    again.store.close();
  });

  test('again and again does not make its file grow', () => {
    const { store, folder } = openArchive();
    commit(store, levels(10, startUs));
    store.erase('measurements', 'level', 5, startUs);
    const { size } = statSync(join(folder, 'erasures.tte'));
    for (let time = 4; time > 0; time--) store.erase('measurements', 'level', time, startUs);
    assert.equal(statSync(join(folder, 'erasures.tte')).size, size);
    store.close();
  });

  test('of what nobody knows does nothing', () => {
    const { store, folder } = openArchive();
    store.erase('alarms', 'nobody', 0, 2 ** 53);
    assert.ok(!readdirSync(folder).includes('erasures.tte'));
    store.close();
  });
});

describe('retention', () => {
  test('hides what has expired at once, and drops blocks of which nothing is left', () => {
    const { store, folder, clock } = openArchive();
    commit(store, levels(10, startUs - 20 * dayUs));
    commit(store, levels(10, startUs));
    flush(store);
    assert.equal(blocksIn(folder).length, 2);
    store.setRetention({ defaultUs: 10 * dayUs, ofSeries: new Map() });
    assert.equal(read(store, 0).length, 10);
    while (store.maintain(5));
    store.unlink(store.obsolete());
    assert.equal(blocksIn(folder).length, 1);
    clock.advance((10 * dayUs) / 1000 - 5000);
    assert.equal(read(store, 0).length, 5);
    clock.advance(5000);
    assert.equal(read(store, 0).length, 0);
    store.close();
  });

  test('drops a block of which entries of the directory are damaged when its longest retention has passed', () => {
    const { store, folder, clock } = openArchive();
    const others = levels(10, startUs - 5 * dayUs).map((record) => ({ ...record, key: 3, value: true }));
    commit(store, [...levels(10, startUs - 5 * dayUs), ...others]);
    flush(store);
    const path = join(folder, blocksIn(folder)[0] as string);
    const bytes = readFileSync(path);
    const at = bytes.readDoubleLE(bytes.length - labelBytes + 48); // the first entry
    bytes[at] = (bytes[at] as number) ^ 1;
    writeFileSync(path, bytes);
    store.setRetention({ defaultUs: 10 * dayUs, ofSeries: new Map([['measurements/level', 20 * dayUs]]) });
    for (const [days, left] of [
      [6, 1],
      [10, 0],
    ] as const) {
      clock.advance((days * dayUs) / 1000);
      while (store.maintain(5));
      store.unlink(store.obsolete());
      assert.equal(blocksIn(folder).length, left);
    }
    store.close();
  });

  test('of one name writes a block again without it, and leaves the others alone', () => {
    const { store, folder } = openArchive();
    const others = levels(10, startUs - 5 * dayUs).map((record) => ({ ...record, key: 3, value: true }));
    commit(store, [...levels(10_000, startUs - 5 * dayUs), ...others]);
    flush(store);
    const before = bytesIn(folder);
    store.setRetention({ defaultUs: 30 * dayUs, ofSeries: new Map([['measurements/level', dayUs]]) });
    while (store.maintain(5));
    assert.equal(mergeAll(store, false), 1);
    assert.ok(bytesIn(folder) < before / 2);
    assert.deepEqual([read(store, 0).length, read(store, 3).length], [0, 10]);
    assert.equal(mergeAll(store, false), 0);
    store.close();
  });

  test('leaves a block alone of which little has expired, unless all is to be given back', () => {
    const { store, clock } = openArchive();
    commit(store, levels(86_400, startUs));
    flush(store);
    store.setRetention({ defaultUs: dayUs, ofSeries: new Map() });
    clock.advance(2 * 3_600_000);
    while (store.maintain(5));
    assert.equal(store.planCompaction(), undefined);
    assert.equal(mergeAll(store, true), 1);
    assert.equal(store.stats().records, 22 * 3600);
    store.close();
  });

  test('by size drops the oldest blocks first and never what is not in a block yet', () => {
    const { store, folder } = openArchive();
    for (const weeks of [3, 1, 2]) {
      commit(store, levels(5000, startUs - weeks * 7 * dayUs));
      flush(store);
    }
    commit(store, levels(5000, startUs));
    const { bytes, journalBytes } = store.stats();
    const setMaxBytes = (maxBytes: number) => {
      store.setRetention({ ofSeries: new Map(), maxBytes });
      while (store.maintain(5));
      store.unlink(store.obsolete());
    };
    setMaxBytes(bytes - 1);
    assert.equal(read(store, 0, 0, startUs - 15 * dayUs).length, 0);
    assert.equal(read(store, 0).length, 15_000);
    assert.ok(bytesIn(folder) < bytes);
    setMaxBytes(journalBytes / 2);
    assert.equal(blocksIn(folder).length, 0);
    assert.equal(read(store, 0).length, 5000);
    store.close();
  });
});

test('weeks of generations keep files few', () => {
  const { store, folder, clock } = openArchive({ disk: { ...systemDisk, sync() {}, syncData() {} } });
  for (let day = 0; day < 60; day++) {
    clock.advance(dayUs / 1000);
    commit(store, levels(24, clock.now()));
    flush(store);
    mergeAll(store, false);
  }
  assert.equal(read(store, 0).length, 60 * 24);
  assert.ok(blocksIn(folder).length <= 40, `${blocksIn(folder).length} files`);
  mergeAll(store);
  assert.equal(blocksIn(folder).length, 10);
  assert.equal(read(store, 0).length, 60 * 24);
  store.close();
});
