import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { Batch, ManualClock } from '@telltale/schema';
import type { ArchiveDamage } from '../archive-access.ts';
import { type Disk, systemDisk } from '../files/disk.ts';
import { ArchiveStore, type ArchiveStoreOptions } from './archive-store.ts';
import { runMerge } from './run-merge.ts';
import { append, type ModelRecord, read } from './store-model.ts';

const root = mkdtempSync(join(tmpdir(), 'telltale-archive-store-'));
after(() => rmSync(root, { recursive: true }));

const startUs = 1_700_000_000_000_000;
const dayUs = 86_400_000_000;

interface Opened {
  readonly store: ArchiveStore;
  readonly folder: string;
  readonly clock: ManualClock;
  readonly damages: ArchiveDamage[];
}

function open(options: Partial<ArchiveStoreOptions> & { folder?: string } = {}): Opened {
  const folder = options.folder ?? mkdtempSync(join(root, 'archive-'));
  const clock = (options.clock as ManualClock | undefined) ?? new ManualClock(startUs);
  const damages: ArchiveDamage[] = [];
  const store = ArchiveStore.open(folder, { clock, onDamage: (damage) => damages.push(damage), ...options });
  return { store, folder, clock, damages };
}

/** Numbers of the series `level`, a second apart, up to `untilUs`. */
function levels(count: number, untilUs: number, value = 0): ModelRecord[] {
  return Array.from({ length: count }, (_, at) => {
    return { key: 0, time: untilUs - (count - at) * 1_000_000, value: value + at / 4, quality: 0xc0 };
  });
}

function commit(store: ArchiveStore, records: readonly ModelRecord[]): void {
  append(store, records);
  store.commit();
}

/** Into blocks with all that is in memory. */
function flush(store: ArchiveStore): void {
  store.freeze();
  while (store.maintain(5));
}

function mergeAll(store: ArchiveStore, all = true): number {
  let merges = 0;
  for (let plan = store.planMerge(all); plan !== undefined; plan = store.planMerge(all), merges++) {
    store.mergeDone(plan, runMerge(plan, ignored, never));
  }
  store.unlink(store.obsolete());
  return merges;
}

function ignored(): void {}

function never(): boolean {
  return false;
}

function blocksIn(folder: string): string[] {
  return readdirSync(folder).filter((name) => name.endsWith('.ttb'));
}

function bytesIn(folder: string): number {
  return readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
}

function timesOf(records: readonly { readonly time: number }[]): number[] {
  return records.map(({ time }) => time);
}

describe('records', () => {
  test('are shown once they are committed, and not before', () => {
    const { store } = open();
    append(store, levels(2, startUs));
    assert.equal(store.waiting, 2);
    assert.deepEqual(read(store, 0), []);
    store.commit();
    assert.equal(store.waiting, 0);
    assert.deepEqual(timesOf(read(store, 0)), [startUs - 2_000_000, startUs - 1_000_000]);
    store.close();
  });

  test('are taken as a whole batch or not at all', () => {
    const { store } = open();
    const numbers = Uint32Array.of(store.seriesOf({ kind: 'measurements', name: 'level', datatype: 'd' }).number, 9);
    const refused: ((batch: Batch) => void)[] = [
      (batch) => batch.text(0, 'no number', 0xc0, startUs),
      (batch) => batch.none(0, 0xc0, startUs),
      (batch) => batch.number(0, 1, 0xc0, -1),
      (batch) => batch.number(0, 1, 0xc0, 0.5),
      (batch) => batch.number(0, 1, 0xc0, Number.NaN),
      (batch) => batch.number(0, 1, 0xc0, 2 ** 53),
      (batch) => batch.number(1, 1, 0xc0, startUs),
      (batch) => batch.number(2, 1, 0xc0, startUs),
    ];
    for (const addOther of refused) {
      const batch = new Batch();
      batch.number(0, 1, 0xc0, startUs);
      addOther(batch);
      assert.throws(() => store.append(batch, numbers), RangeError);
    }
    store.commit();
    assert.deepEqual([store.waiting, store.stats().records], [0, 0]);
    store.close();
  });

  test('keep the low byte of their quality', () => {
    const { store } = open();
    commit(store, [{ key: 0, time: startUs, value: 1, quality: 0x80d8 }]);
    assert.equal(read(store, 0)[0]?.quality, 0xd8);
    store.close();
  });

  test('are found by names that are also those of every object', () => {
    const { store } = open();
    assert.deepEqual(store.find('measurements', 'constructor'), []);
    commit(store, [{ key: 2, time: startUs, value: 'text', quality: 0xc0 }]);
    flush(store);
    assert.deepEqual(store.names('measurements'), ['__proto__', 'level']);
    assert.deepEqual(read(store, 2), [{ time: startUs, value: 'text', quality: 0xc0 }]);
    store.close();
  });

  test('are all there at every moment of a flush, and commits go on meanwhile', () => {
    const { store, folder } = open({ limits: { records: 30_000, textUnits: 1e6 } });
    const records = levels(30_000, startUs);
    commit(store, records);
    let slices = 0;
    for (; store.maintain(0); slices++) {
      commit(store, levels(1, startUs + (slices + 1) * 1_000_000, slices));
      assert.equal(read(store, 0).length, records.length + slices + 1);
    }
    assert.ok(slices > 3, `${slices} slices`);
    assert.equal(blocksIn(folder).length, 1);
    assert.equal(read(store, 0).length, records.length + slices);
    store.close();
  });

  test('that come faster than they are flushed do not pile up in memory', () => {
    const { store, folder } = open({ limits: { records: 10, textUnits: 1e6 } });
    for (let round = 1; round <= 20; round++) commit(store, levels(10, startUs + round * 10_000_000));
    assert.ok(readdirSync(folder).filter((name) => name.endsWith('.ttj')).length <= 4);
    assert.equal(read(store, 0).length, 200);
    store.close();
  });

  test('of wrong clocks make one file and widen no range, however wrong they are', () => {
    const { store, folder } = open();
    const wrong = Array.from({ length: 200 }, (_, at) => {
      const time = at % 2 === 0 ? at * 1_000_000 : startUs + (at + 2) * 40 * dayUs;
      return { key: 0, time, value: at, quality: 0xc0 };
    });
    commit(store, [...wrong, ...levels(3, startUs)]);
    assert.equal(store.stats().astray, 200);
    flush(store);
    assert.deepEqual(
      blocksIn(folder)
        .map((name) => name.split('-')[1])
        .sort(),
      ['2810', 'astray'],
    );
    assert.equal(read(store, 0).length, 203);
    const { astray, firstUs, lastUs } = store.stats();
    assert.deepEqual([astray, firstUs, lastUs], [200, startUs - 3_000_000, startUs - 1_000_000]);
    store.close();
  });
});

test('a record of a wrong clock is replaced as any other, also when its time has come', () => {
  const { store, clock } = open();
  const at = (value: number, isReplacing: boolean) => [
    { key: 0, time: startUs + 3 * dayUs, value, quality: 0xc0, isReplacing },
  ];
  commit(store, at(1, false));
  flush(store);
  clock.advance((3 * dayUs) / 1000);
  commit(store, at(2, true));
  flush(store);
  assert.deepEqual(
    read(store, 0).map(({ value }) => value),
    [2],
  );
  store.close();
});

describe('a disk', () => {
  /** A disk on which a call can be made to fail. */
  function failing(): { readonly disk: Disk; fails: 'write' | 'syncData' | undefined } {
    const state: { disk: Disk; fails: 'write' | 'syncData' | undefined } = { disk: systemDisk, fails: undefined };
    const fail = (call: string) => {
      if (state.fails === call) throw Object.assign(new Error(`${call} failed`), { code: 'EIO' });
    };
    state.disk = {
      ...systemDisk,
      write(...args) {
        fail('write');
        return systemDisk.write(...args);
      },
      syncData(file) {
        fail('syncData');
        systemDisk.syncData(file);
      },
    };
    return state;
  }

  for (const call of ['write', 'syncData'] as const) {
    test(`whose ${call} fails gets what waits when it works again, once`, () => {
      const state = failing();
      const { store, folder, clock } = open({ disk: state.disk });
      const records = [...levels(5, startUs), { key: 2, time: startUs, value: 'text', quality: 0xc0 }];
      commit(store, records.slice(0, 2));
      state.fails = call;
      append(store, records.slice(2, 4));
      assert.throws(() => store.commit(), { message: new RegExp(`${call} failed`) });
      append(store, records.slice(4));
      assert.throws(() => store.commit());
      assert.equal(store.waiting, 4);
      assert.equal(read(store, 0).length, 2, 'what is not on disk is not shown');
      state.fails = undefined;
      store.commit();
      assert.equal(store.waiting, 0);
      const copy = `${folder}-copy`;
      cpSync(folder, copy, { recursive: true });
      const again = open({ folder: copy, clock });
      for (const each of [store, again.store]) {
        assert.deepEqual(timesOf(read(each, 0)), timesOf(records.slice(0, 5)));
        assert.deepEqual(read(each, 2), [{ time: startUs, value: 'text', quality: 0xc0 }]);
        flush(each);
        assert.deepEqual(timesOf(read(each, 0)), timesOf(records.slice(0, 5)));
        each.close();
      }
      assert.deepEqual(again.damages, []);
    });
  }

  test('that is full when a generation is flushed keeps all of it, and the next try brings it into blocks', () => {
    const state = failing();
    const { store, folder } = open({ disk: state.disk });
    commit(store, levels(100, startUs));
    store.freeze();
    state.fails = 'write';
    assert.throws(() => {
      while (store.maintain(0));
    });
    assert.equal(read(store, 0).length, 100);
    assert.deepEqual(blocksIn(folder), []);
    state.fails = undefined;
    while (store.maintain(5));
    assert.equal(blocksIn(folder).length, 1);
    assert.equal(read(store, 0).length, 100);
    store.close();
  });
});

describe('damage', () => {
  test('to a block that cannot be read sets it aside, and the rest is there', () => {
    const { store, folder, clock } = open();
    for (const count of [10, 20]) {
      commit(store, levels(count, startUs));
      flush(store);
    }
    store.close();
    const [first = ''] = blocksIn(folder).sort();
    writeFileSync(join(folder, first), 'no block at all');
    const again = open({ folder, clock });
    assert.equal(read(again.store, 0).length, 20);
    assert.deepEqual(
      again.damages.map(({ file }) => file),
      [first],
    );
    assert.equal(readFileSync(join(folder, `${first}.damaged`), 'utf8'), 'no block at all');
    again.store.close();
  });

  test('to some records of a block keeps it from being merged, so that nothing that can be read is lost', () => {
    const { store, folder, damages } = open();
    for (let round = 0; round < 5; round++) {
      commit(store, [...levels(3000, startUs, round), { key: 3, time: startUs, value: true, quality: 0xc0 }]);
      flush(store);
    }
    const path = join(folder, blocksIn(folder).find((name) => name.includes('-1-1-')) ?? '');
    const bytes = readFileSync(path);
    // In the first chunk, behind the label.
    bytes[200] = (bytes[200] as number) ^ 0xff;
    writeFileSync(path, bytes);
    assert.equal(mergeAll(store), 2);
    assert.equal(damages.length, 1);
    assert.equal(damages[0]?.name, 'level');
    assert.equal(blocksIn(folder).length, 2);
    assert.deepEqual(readFileSync(path), bytes);
    assert.equal(read(store, 3).length, 5);
    store.close();
  });

  test('by somebody who removed a block is reported, and the others are merged', () => {
    const { store, folder, damages } = open();
    for (let round = 0; round < 5; round++) {
      commit(store, levels(10, startUs + round * 10_000_000));
      flush(store);
    }
    const first = blocksIn(folder).find((name) => name.includes('-1-1-')) ?? '';
    rmSync(join(folder, first));
    assert.equal(mergeAll(store), 2);
    assert.deepEqual(damages, [{ file: first, reason: 'the file is gone' }]);
    assert.equal(read(store, 0, startUs).length, 40);
    store.close();
  });

  test('to the catalogue is mended from blocks and journals', () => {
    const { store, folder, clock } = open();
    commit(store, levels(10, startUs));
    flush(store);
    commit(store, [{ key: 2, time: startUs, value: 'text', quality: 0xc0 }]);
    const series = store.find('measurements', 'level');
    store.close();
    rmSync(join(folder, 'series.ttc'));
    const again = open({ folder, clock });
    assert.deepEqual(again.store.find('measurements', 'level')[0], series[0]);
    assert.equal(read(again.store, 0).length, 10);
    assert.equal(read(again.store, 2).length, 1);
    again.store.close();
  });

  test('to a journal is reported, the records around it are there, and the file is kept', () => {
    const { store, folder, clock } = open();
    for (const value of [1, 2, 3]) commit(store, levels(100, startUs + value * dayUs, value));
    store.close();
    const [name = ''] = readdirSync(folder).filter((each) => each.endsWith('.ttj'));
    const bytes = readFileSync(join(folder, name));
    const middle = Math.floor(bytes.length / 2);
    bytes[middle] = (bytes[middle] as number) ^ 0xff;
    writeFileSync(join(folder, name), bytes);
    const again = open({ folder, clock });
    assert.equal(read(again.store, 0).length, 200);
    assert.equal(again.damages.length, 1);
    flush(again.store);
    assert.equal(read(again.store, 0).length, 200);
    assert.deepEqual(readFileSync(join(folder, `${name}.damaged`)), bytes);
    again.store.close();
  });
});

describe('merging', () => {
  test('takes neighbours together and leaves every record as it was', () => {
    const { store, folder } = open();
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
    const { store, folder } = open();
    for (let round = 0; round < 4; round++) {
      commit(store, levels(10, startUs, round));
      flush(store);
    }
    const plan = store.planMerge();
    assert.ok(plan);
    assert.equal(store.planMerge(), undefined, 'its blocks are not merged twice at once');
    const outcome = runMerge(plan, ignored, () => true);
    assert.deepEqual(outcome, { kind: 'stopped' });
    store.mergeDone(plan, outcome);
    assert.deepEqual([blocksIn(folder).length, readdirSync(folder).some((name) => name.endsWith('.tmp'))], [4, false]);
    assert.equal(mergeAll(store, false), 1);
    store.close();
  });

  test('tells how far it is', () => {
    const { store } = open();
    for (let round = 0; round < 4; round++) {
      commit(store, [...levels(10, startUs, round), { key: 2, time: startUs, value: 'text', quality: 0xc0 }]);
      flush(store);
    }
    const plan = store.planMerge();
    assert.ok(plan);
    const progress: number[] = [];
    runMerge(plan, (doneBytes) => progress.push(doneBytes), never);
    assert.equal(progress.at(-1), plan.bytes);
    assert.deepEqual(
      [...progress].sort((a, b) => a - b),
      progress,
    );
    store.close();
  });

  test('removes no file before it is released, nor one before those that it took the place of', () => {
    const { store, folder } = open();
    for (let round = 0; round < 4; round++) {
      commit(store, levels(10, startUs, round));
      flush(store);
    }
    const merge = () => {
      const plan = store.planMerge();
      assert.ok(plan);
      store.mergeDone(plan, runMerge(plan, ignored, never));
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
    const { store, folder } = open();
    commit(store, levels(100_000, startUs));
    flush(store);
    const before = bytesIn(folder);
    store.erase('measurements', 'level', 0, startUs - 10_000_000);
    const withErasure = statSync(join(folder, 'erasures.tte')).size;
    assert.equal(read(store, 0).length, 10);
    assert.equal(mergeAll(store, false), 1);
    while (store.maintain(5));
    assert.ok(bytesIn(folder) < before / 10);
    assert.ok(statSync(join(folder, 'erasures.tte')).size < withErasure);
    assert.equal(read(store, 0).length, 10);
    assert.equal(store.planMerge(), undefined);
    store.close();
  });

  test('leaves records that come later at the same times', () => {
    const { store, folder, clock } = open();
    commit(store, levels(3, startUs, 1));
    store.erase('measurements', 'level', 0, 2 ** 53);
    commit(store, levels(3, startUs, 2));
    store.close();
    const again = open({ folder, clock });
    const values = () => read(again.store, 0).map(({ value }) => value);
    assert.deepEqual(values(), [2, 2.25, 2.5]);
    flush(again.store);
    assert.deepEqual(values(), [2, 2.25, 2.5]);
    again.store.close();
  });

  test('again and again does not make its file grow', () => {
    const { store, folder } = open();
    commit(store, levels(10, startUs));
    store.erase('measurements', 'level', 5, startUs);
    const { size } = statSync(join(folder, 'erasures.tte'));
    for (let time = 4; time > 0; time--) store.erase('measurements', 'level', time, startUs);
    assert.equal(statSync(join(folder, 'erasures.tte')).size, size);
    store.close();
  });

  test('of what nobody knows does nothing', () => {
    const { store, folder } = open();
    store.erase('alarms', 'nobody', 0, 2 ** 53);
    assert.ok(!readdirSync(folder).includes('erasures.tte'));
    store.close();
  });
});

describe('retention', () => {
  test('hides what has expired at once, and drops blocks of which nothing is left', () => {
    const { store, folder, clock } = open();
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

  test('of one name writes a block anew without it, and leaves the others alone', () => {
    const { store, folder } = open();
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
    const { store, clock } = open();
    commit(store, levels(86_400, startUs));
    flush(store);
    store.setRetention({ defaultUs: dayUs, ofSeries: new Map() });
    clock.advance(2 * 3_600_000);
    while (store.maintain(5));
    assert.equal(store.planMerge(), undefined);
    assert.equal(mergeAll(store, true), 1);
    assert.equal(store.stats().records, 22 * 3600);
    store.close();
  });

  test('by size drops the oldest blocks first and never what is not in a block yet', () => {
    const { store, folder } = open();
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
  const { store, folder, clock } = open({ disk: { ...systemDisk, sync() {}, syncData() {} } });
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
