// Series that go on under another name: all of their records, in memory, journals and blocks, and through every restart.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { read } from '../../../test/store-model.ts';
import { commit, dayUs, flush, levels, mergeAll, openArchive, startUs } from '../../../test/temporary-archives.ts';
import type { ArchiveStore } from './archive-store.ts';

const away = { kind: 'measurements', from: 'level', to: 'basin' } as const;
const back = { kind: 'measurements', from: 'basin', to: 'level' } as const;
const long = levels(1, startUs, 7).map((record) => ({ ...record, key: 1, value: 7n }));

/** How many records there are under the old name. */
function countBack(store: ArchiveStore): number {
  store.rename([back]);
  return read(store, 0).length;
}

describe('AR-26: a series that is renamed', () => {
  test('AR-26: has its records of all datatypes under the new name alone, and those of other kinds stay', () => {
    const { store } = openArchive();
    commit(store, [...levels(3, startUs), ...long, { key: 3, time: startUs, value: true, quality: 0 }]);
    store.rename([away]);
    assert.deepEqual(read(store, 0), []);
    assert.deepEqual(store.names('measurements'), ['__proto__', 'basin']);
    assert.deepEqual(store.names('commands'), ['level']);
    assert.equal(store.find('measurements', 'basin').length, 2);
    store.rename([away]); // again: nothing happens
    assert.deepEqual([countBack(store), read(store, 1).length], [3, 1]);
    store.close();
  });

  test('AR-26: has them after a restart, from journals that know it by its old name, and nothing is damaged', () => {
    const opened = openArchive();
    commit(opened.store, levels(3, startUs));
    opened.store.rename([away]);
    // As after a kill: nothing is closed.
    const { store, damages } = openArchive({ folder: opened.folder });
    assert.deepEqual([damages, store.names('measurements'), countBack(store)], [[], ['__proto__', 'basin'], 3]);
    const again = openArchive({ folder: opened.folder });
    assert.deepEqual([again.damages, read(again.store, 0).length], [[], 3]);
    again.store.close();
  });

  test('AR-26: has them in blocks, which take its new name and its retention when they are merged', () => {
    const { store, folder } = openArchive();
    for (let block = 0; block < 5; block++) {
      commit(store, levels(10, startUs - block * 60_000_000));
      flush(store);
    }
    store.rename([away]);
    store.setRetention({ defaultUs: 1_000_000, ofSeries: new Map([['measurements/basin', 10 * dayUs]]) });
    while (store.maintain(5));
    assert.ok(mergeAll(store) > 0);
    store.setRetention({ ofSeries: new Map() });
    store.close();
    const opened = openArchive({ folder });
    assert.deepEqual([opened.damages, countBack(opened.store)], [[], 50]);
    opened.store.close();
  });

  test('AR-26: goes on with new records of its new name, beside those of an earlier object of that name', () => {
    const { store, folder } = openArchive();
    commit(store, levels(3, startUs));
    const earlier = store.seriesOf({ kind: 'measurements', name: 'basin', datatype: 'd' });
    store.rename([away]);
    assert.deepEqual(
      store.find('measurements', 'basin').map(({ number }) => number),
      [0, 1, earlier.number],
    );
    assert.equal(store.seriesOf({ kind: 'measurements', name: 'basin', datatype: 'd' }).number, 0);
    store.close();
    const opened = openArchive({ folder });
    assert.equal(opened.store.find('measurements', 'basin').length, 3);
    opened.store.close();
  });
});
