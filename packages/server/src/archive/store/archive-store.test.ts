import assert from 'node:assert/strict';
import { cpSync, fstatSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { Batch } from '@telltale/schema';
import { append, read } from '../../../test/store-model.ts';
import {
  blocksIn,
  commit,
  dayUs,
  flush,
  levels,
  mergeAll,
  openArchive,
  startUs,
  timesOf,
} from '../../../test/temporary-archives.ts';
import { type Disk, systemDisk } from '../files/disk.ts';

describe('records', () => {
  test('are shown once they are committed, and not before', () => {
    const { store } = openArchive();
    append(store, levels(2, startUs));
    assert.equal(store.pending, 2);
    assert.deepEqual(read(store, 0), []);
    store.commit();
    assert.equal(store.pending, 0);
    assert.deepEqual(timesOf(read(store, 0)), [startUs - 2_000_000, startUs - 1_000_000]);
    store.close();
  });

  test('are taken as a whole batch or not at all', () => {
    const { store } = openArchive();
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
    assert.deepEqual([store.pending, store.stats().records], [0, 0]);
    store.close();
  });

  test('keep the low byte of their quality', () => {
    const { store } = openArchive();
    commit(store, [{ key: 0, time: startUs, value: 1, quality: 0x80d8 }]);
    assert.equal(read(store, 0)[0]?.quality, 0xd8);
    store.close();
  });

  test('are found by names that are also those of every object', () => {
    const { store } = openArchive();
    assert.deepEqual(store.find('measurements', 'constructor'), []);
    commit(store, [{ key: 2, time: startUs, value: 'text', quality: 0xc0 }]);
    flush(store);
    assert.deepEqual(store.names('measurements'), ['__proto__', 'level']);
    assert.deepEqual(read(store, 2), [{ time: startUs, value: 'text', quality: 0xc0 }]);
    store.close();
  });

  test('are all there at every moment of a flush, and commits go on meanwhile', () => {
    const { store, folder } = openArchive({ limits: { records: 30_000, textUnits: 1e6 } });
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
    const { store, folder } = openArchive({ limits: { records: 10, textUnits: 1e6 } });
    for (let round = 1; round <= 20; round++) commit(store, levels(10, startUs + round * 10_000_000));
    assert.ok(readdirSync(folder).filter((name) => name.endsWith('.ttj')).length <= 4);
    assert.equal(read(store, 0).length, 200);
    store.close();
  });

  test('of wrong clocks make one file and widen no range, however wrong they are', () => {
    const { store, folder } = openArchive();
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
  const { store, clock } = openArchive();
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
  test('that does not confirm once that a damaged journal was set aside has it flushed by the next try', () => {
    const { store: first, folder } = openArchive();
    commit(first, levels(10, startUs));
    commit(first, levels(10, startUs + dayUs));
    first.close();
    const name = readdirSync(folder).find((each) => each.startsWith('journal-')) as string;
    const bytes = readFileSync(join(folder, name));
    bytes[bytes.length - 1] = (bytes[bytes.length - 1] as number) ^ 1;
    writeFileSync(join(folder, name), bytes);
    const aside = () => readdirSync(folder).filter((each) => each.endsWith('.damaged'));
    let failures = 0;
    const sync = (file: number) => {
      if (aside().length > 0 && fstatSync(file).isDirectory() && failures++ === 0) throw new Error('EIO: sync');
      systemDisk.sync(file);
    };
    const { store } = openArchive({ folder, disk: { ...systemDisk, sync } });
    const records = read(store, 0);
    assert.throws(() => flush(store), /EIO/);
    flush(store);
    assert.deepEqual([aside().length, store.stats().journalBytes < bytes.length], [1, true]);
    assert.deepEqual(read(store, 0), records);
    store.close();
  });

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
      const { store, folder, clock } = openArchive({ disk: state.disk });
      const records = [...levels(5, startUs), { key: 2, time: startUs, value: 'text', quality: 0xc0 }];
      commit(store, records.slice(0, 2));
      state.fails = call;
      append(store, records.slice(2, 4));
      assert.throws(() => store.commit(), { message: new RegExp(`${call} failed`) });
      append(store, records.slice(4));
      assert.throws(() => store.commit());
      assert.equal(store.pending, 4);
      assert.equal(read(store, 0).length, 2, 'what is not on disk is not shown');
      state.fails = undefined;
      store.commit();
      assert.equal(store.pending, 0);
      const copy = `${folder}-copy`;
      cpSync(folder, copy, { recursive: true });
      const again = openArchive({ folder: copy, clock });
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
    const { store, folder } = openArchive({ disk: state.disk });
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

  test('that is full when a block is removed that has expired does not miss it later', () => {
    const state = failing();
    const { store, folder, clock } = openArchive({ disk: state.disk });
    for (const timeUs of [startUs - 20 * dayUs, startUs]) commit(store, levels(10, timeUs));
    flush(store);
    state.fails = 'write';
    store.setRetention({ defaultUs: 10 * dayUs, ofSeries: new Map() });
    assert.throws(() => {
      while (store.maintain(5));
    });
    store.unlink(store.obsolete());
    assert.equal(blocksIn(folder).length, 1);
    const killed = `${folder}-killed`;
    cpSync(folder, killed, { recursive: true });
    const again = openArchive({ folder: killed, clock });
    assert.deepEqual(again.damages, []);
    again.store.close();
    state.fails = undefined;
    store.close();
    const last = openArchive({ folder, clock });
    assert.deepEqual([last.damages, read(last.store, 0).length], [[], 10]);
    last.store.close();
  });

  test('that is full gives back the oldest block all the same, unless what it replaced would come back', () => {
    for (const isReplacing of [false, true]) {
      const state = failing();
      const { store, folder } = openArchive({ disk: state.disk });
      const [long, short] = [levels(20, startUs), levels(10, startUs - 8_000_000, 5)];
      const corrections = short.map((record) => ({ ...record, isReplacing }));
      for (const records of isReplacing ? [long, corrections] : [short, long]) {
        commit(store, records);
        flush(store);
      }
      state.fails = 'write';
      store.setRetention({ ofSeries: new Map(), maxBytes: store.stats().bytes - 1 });
      assert.throws(() => {
        while (store.maintain(5));
      });
      store.unlink(store.obsolete());
      assert.equal(blocksIn(folder).length, isReplacing ? 2 : 1);
      state.fails = undefined;
      while (store.maintain(5));
      store.unlink(store.obsolete());
      assert.equal(blocksIn(folder).length, 1);
      assert.deepEqual(timesOf(read(store, 0)), timesOf(isReplacing ? long.slice(12) : long));
      store.close();
    }
  });
});

describe('damage', () => {
  test('to a block that cannot be read sets it aside, and the rest is there', () => {
    const { store, folder, clock } = openArchive();
    for (const count of [10, 20]) {
      commit(store, levels(count, startUs));
      flush(store);
    }
    store.close();
    const [first = ''] = blocksIn(folder).sort();
    writeFileSync(join(folder, first), 'no block at all');
    const again = openArchive({ folder, clock });
    assert.equal(read(again.store, 0).length, 20);
    assert.deepEqual(
      again.damages.map(({ file }) => file),
      [first],
    );
    assert.equal(readFileSync(join(folder, `${first}.damaged`), 'utf8'), 'no block at all');
    again.store.close();
  });

  test('to some records of a block keeps it from being merged, so that nothing that can be read is lost', () => {
    const { store, folder, damages } = openArchive();
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
    const { store, folder, damages } = openArchive();
    for (let round = 0; round < 5; round++) {
      commit(store, levels(10, startUs + round * 10_000_000));
      flush(store);
    }
    const first = blocksIn(folder).find((name) => name.includes('-1-1-')) ?? '';
    rmSync(join(folder, first));
    assert.equal(mergeAll(store), 2);
    assert.deepEqual(damages, [{ file: first, reason: 'the file is missing' }]);
    assert.equal(read(store, 0, startUs).length, 40);
    store.close();
  });

  test('to the catalogue is repaired from blocks and journals', () => {
    const { store, folder, clock } = openArchive();
    commit(store, levels(10, startUs));
    flush(store);
    commit(store, [{ key: 2, time: startUs, value: 'text', quality: 0xc0 }]);
    const series = store.find('measurements', 'level');
    store.close();
    rmSync(join(folder, 'series.ttc'));
    const again = openArchive({ folder, clock });
    assert.deepEqual(again.store.find('measurements', 'level')[0], series[0]);
    assert.equal(read(again.store, 0).length, 10);
    assert.equal(read(again.store, 2).length, 1);
    again.store.close();
  });

  test('to a journal is reported, the records around it are there, and the file is kept', () => {
    const { store, folder, clock } = openArchive();
    for (const value of [1, 2, 3]) commit(store, levels(100, startUs + value * dayUs, value));
    store.close();
    const [name = ''] = readdirSync(folder).filter((each) => each.endsWith('.ttj'));
    const bytes = readFileSync(join(folder, name));
    const middle = Math.floor(bytes.length / 2);
    bytes[middle] = (bytes[middle] as number) ^ 0xff;
    writeFileSync(join(folder, name), bytes);
    const again = openArchive({ folder, clock });
    assert.equal(read(again.store, 0).length, 200);
    assert.equal(again.damages.length, 1);
    flush(again.store);
    assert.equal(read(again.store, 0).length, 200);
    assert.deepEqual(readFileSync(join(folder, `${name}.damaged`)), bytes);
    again.store.close();
  });
});
