import assert from 'node:assert/strict';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { archiveFolder } from '../../../test/archive-records.ts';
import type { Series, SeriesKey } from '../records.ts';
import { NewerVersion } from './damage.ts';
import { systemDisk } from './disk.ts';
import { framedFile } from './frames.ts';
import { SeriesCatalogue } from './series-catalogue.ts';

const keys: readonly SeriesKey[] = [
  { kind: 'measurements', name: 'level', datatype: 'd' },
  { kind: 'commands', name: 'level', datatype: 'd' },
  { kind: 'measurements', name: '__proto__', datatype: 'b' },
  { kind: 'alarms', name: 'constructor', datatype: 's' },
  { kind: 'measurements', name: 'level', datatype: 'f' },
];
const series: readonly Series[] = keys.map((key, number) => ({ number, ...key }));
const never = () => assert.fail('the file is good');
const nothing = () => [];

function made(folder: string): string {
  const catalogue = SeriesCatalogue.open(folder, { recover: nothing });
  for (const key of keys) {
    catalogue.add(key);
    catalogue.commit();
  }
  return join(folder, 'series.ttc');
}

describe('the catalogue', () => {
  test('gives each series a number, once and for ever', (t) => {
    const folder = archiveFolder(t);
    made(folder);
    for (let opening = 0; opening < 2; opening++) {
      const catalogue = SeriesCatalogue.open(folder, { recover: never });
      assert.deepEqual([...catalogue.all()], series);
      assert.deepEqual(catalogue.add(keys[2] as SeriesKey), series[2]);
      assert.deepEqual(catalogue.byNumber(3), series[3]);
      assert.equal(catalogue.byNumber(5), undefined);
      assert.deepEqual(catalogue.damages, []);
      catalogue.commit();
    }
  });

  test('finds every series of a name, one a datatype', (t) => {
    const folder = archiveFolder(t);
    made(folder);
    const catalogue = SeriesCatalogue.open(folder, { recover: never });
    assert.deepEqual(catalogue.find('measurements', 'level'), [series[0], series[4]]);
    assert.deepEqual(catalogue.find('measurements', '__proto__'), [series[2]]);
    assert.deepEqual(catalogue.find('alarms', 'toString'), []);
    assert.equal(catalogue.get({ kind: 'alarms', name: 'level', datatype: 's' }), undefined);
  });

  test('keeps what was not committed to itself', (t) => {
    const folder = archiveFolder(t);
    made(folder);
    const catalogue = SeriesCatalogue.open(folder, { recover: never });
    catalogue.add({ kind: 'commands', name: 'valve', datatype: 'b' });
    assert.equal(SeriesCatalogue.open(folder, { recover: never }).size, 5);
  });

  test('with any byte changed is made whole from what journals and blocks say, and knows nothing wrong', (t) => {
    const folder = archiveFolder(t);
    const path = made(folder);
    const bytes = readFileSync(path);
    for (let at = 0; at < bytes.length; at++) {
      const changed = Buffer.from(bytes);
      changed[at] = (changed[at] as number) ^ (1 << (at % 8));
      writeFileSync(path, changed);
      const alone = SeriesCatalogue.open(folder, { recover: nothing });
      for (const found of alone.all()) assert.deepEqual(found, series[found.number]);
      assert.ok(alone.size >= 4);
      const catalogue = SeriesCatalogue.open(folder, { recover: () => series });
      const byNumber = [...catalogue.all()].sort((a, b) => a.number - b.number);
      assert.deepEqual(byNumber, series, `byte ${at}`);
      if (at % 8 > 0) continue;
      catalogue.commit();
      assert.equal(SeriesCatalogue.open(folder, { recover: never }).size, 5);
    }
    assert.ok(existsSync(`${path}.damaged`));
  });

  test('cut off anywhere, or gone, is made whole again', (t) => {
    const folder = archiveFolder(t);
    const path = made(folder);
    const bytes = readFileSync(path);
    for (let length = 0; length < bytes.length; length++) {
      writeFileSync(path, bytes.subarray(0, length));
      const catalogue = SeriesCatalogue.open(folder, { recover: () => series, highest: 4 });
      assert.deepEqual([...catalogue.all()], series, `cut at ${length}`);
      if (length % 8 > 0) continue;
      catalogue.add({ kind: 'commands', name: 'valve', datatype: 'b' });
      catalogue.commit();
      assert.equal(SeriesCatalogue.open(folder, { recover: never }).byNumber(5)?.name, 'valve');
    }
    rmSync(path);
    assert.deepEqual([...SeriesCatalogue.open(folder, { recover: () => series }).all()], series);
  });

  test('never gives a number again that records may have', (t) => {
    const folder = archiveFolder(t);
    const catalogue = SeriesCatalogue.open(folder, { recover: nothing, highest: 41 });
    assert.equal(catalogue.add({ kind: 'commands', name: 'valve', datatype: 'b' }).number, 42);
    assert.equal(catalogue.limit, 43);
  });

  test('reports where others know a number by another name, and keeps its own', (t) => {
    const folder = archiveFolder(t);
    made(folder);
    const other: Series = { number: 1, kind: 'alarms', name: 'other', datatype: 's' };
    const catalogue = SeriesCatalogue.open(folder, { recover: () => [other], highest: 9 });
    assert.deepEqual(catalogue.byNumber(1), series[1]);
    assert.match(catalogue.damages[0]?.reason ?? '', /commands\/d\/level here, and alarms\/s\/other elsewhere/);
  });

  test('on a full disk keeps what waits, and writes all of it when there is room', (t) => {
    const folder = archiveFolder(t);
    made(folder);
    let isFull = true;
    let taken = 10;
    const disk = {
      ...systemDisk,
      write(file: number, bytes: Uint8Array, from: number, length: number, at: number): number {
        if (isFull && taken === 0) throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
        const written = systemDisk.write(file, bytes, from, isFull ? taken : length, at);
        taken = 0;
        return written;
      },
    };
    const catalogue = SeriesCatalogue.open(folder, { recover: never, disk });
    catalogue.add({ kind: 'commands', name: 'valve', datatype: 'b' });
    assert.throws(() => catalogue.commit(), { code: 'ENOSPC' });
    assert.throws(() => catalogue.commit(), { code: 'ENOSPC' });
    isFull = false;
    catalogue.commit();
    catalogue.add({ kind: 'commands', name: 'pump', datatype: 'b' });
    catalogue.commit();
    const again = SeriesCatalogue.open(folder, { recover: never });
    assert.deepEqual([...again.all()].map(({ name }) => name).slice(5), ['valve', 'pump']);
  });

  test('of a newer version is refused', (t) => {
    const folder = archiveFolder(t);
    const path = made(folder);
    const magic = readFileSync(path).readUInt32LE(0);
    writeFileSync(path, framedFile({ magic, version: 2 }, 1, []));
    assert.throws(() => SeriesCatalogue.open(folder, { recover: nothing }), NewerVersion);
  });
});
