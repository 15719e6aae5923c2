// Damages every file of an archive: what is read is intact, or damage was reported.
import assert from 'node:assert/strict';
import {
  closeSync,
  cpSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { ManualClock } from '@telltale/schema/testing';
import { suiteCleanup, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { append, keys } from '../../../test/store-model.ts';
import { blocksIn, dayUs, flush, levels, mergeAll, startUs } from '../../../test/temporary-archives.ts';
import type { ArchiveDamage, ReadRequest } from '../archive-access.ts';
import { systemDisk } from '../files/disk.ts';
import { inventoryName } from '../files/file-names.ts';
import { readRetentions, writeRetentions } from '../files/retentions-file.ts';
import { OpenBlocks } from '../open-blocks.ts';
import { ArchiveQuery } from '../query/archive-query.ts';
import { needsHead } from '../snapshot-request.ts';
import { ArchiveStore } from './archive-store.ts';
import { openBlock } from './block-list.ts';

const cleanup = suiteCleanup();
const root = temporaryFolder(cleanup);

const disk = { ...systemDisk, sync() {}, syncData() {} };
let copies = 0;

interface Opened {
  readonly store: ArchiveStore;
  readonly damages: ArchiveDamage[];
}

function open(folder: string): Opened {
  const damages: ArchiveDamage[] = [];
  const clock = new ManualClock(startUs + 100 * dayUs);
  return { store: ArchiveStore.open(folder, { clock, disk, onDamage: (damage) => damages.push(damage) }), damages };
}

function answer({ store }: Opened, more: Partial<ReadRequest> = {}): string {
  const names = [...new Set(keys.map(({ name }) => name))];
  const request = { kind: 'measurements', names, known: [], sinceUs: 0, untilUs: 2 ** 53 - 1, form: 'json' } as const;
  const asked: ReadRequest = { ...request, ...more };
  const blocks = new OpenBlocks(openBlock);
  const query = new ArchiveQuery(asked, {
    blockOf: (path) => blocks.get(path),
    onDamage: (damage) => store.noteDamage(damage),
  });
  const pages: Buffer[] = [];
  for (;;) {
    const { wanted } = query;
    if (wanted !== undefined) {
      const series = store.find('measurements', wanted);
      query.give(store.snapshot(series, asked.sinceUs, asked.untilUs, needsHead(asked)));
    }
    const page = query.next();
    if (page === undefined) break;
    pages.push(Buffer.from(page));
  }
  blocks.close();
  return Buffer.concat(pages).toString();
}

/** Blocks of two weeks, a journal, a tombstone and a retention, closed in order. */
function makeArchive(): string {
  const folder = mkdtempSync(join(root, 'whole-'));
  const opened = open(folder);
  const { store } = opened;
  for (const week of [1, 2]) {
    append(store, levels(300, startUs + week * 7 * dayUs, week));
    flush(store);
  }
  append(store, [{ key: 2, time: startUs + 20 * dayUs, value: 'open', quality: 0xc0 }]);
  append(store, levels(50, startUs + 21 * dayUs));
  store.erase('measurements', 'level', startUs + 14 * dayUs - 5_000_000, startUs + 14 * dayUs - 2_000_000);
  writeRetentions(folder, new Map([['measurements/level', 300 * dayUs]]), disk);
  store.close();
  return folder;
}

function copyOf(folder: string): string {
  const copy = join(root, `copy-${copies++}`);
  cpSync(folder, copy, { recursive: true });
  return copy;
}

const harms: Readonly<Record<string, (path: string) => void>> = {
  'is gone': (path) => rmSync(path),
  'is empty': (path) => truncateSync(path, 0),
  ...Object.fromEntries(
    [0, 0.1, 0.3, 0.5, 0.7, 0.9, 1].flatMap((part) => {
      const at = (bytes: number) => Math.min(bytes - 1, Math.floor(part * bytes));
      return [
        [`has a flipped bit at ${part}`, (path: string) => flip(path, at)],
        [`is cut at ${part}`, (path: string) => truncateSync(path, at(statSync(path).size))],
      ];
    }),
  ),
};

function flip(path: string, at: (bytes: number) => number): void {
  const bytes = readFileSync(path);
  const place = at(bytes.length);
  bytes[place] = (bytes[place] as number) ^ 4;
  writeFileSync(path, bytes);
}

describe('an archive of which a file', () => {
  const whole = makeArchive();
  const intact = open(copyOf(whole));
  const expected = answer(intact);
  intact.store.close();
  assert.deepEqual(intact.damages, []);
  assert.ok(readdirSync(whole).length >= 7, readdirSync(whole).join());

  for (const [what, harm] of Object.entries(harms)) {
    test(`${what} opens, and is whole or says what is not`, () => {
      for (const name of readdirSync(whole)) {
        const folder = copyOf(whole);
        harm(join(folder, name));
        const early = readRetentions(folder).damages;
        const opened = open(folder);
        const given = answer(opened);
        opened.store.close();
        const isWhole = given === expected && readRetentions(folder).ofSeries.size === 1;
        if (!isWhole) assert.notDeepEqual([...early, ...opened.damages], [], `${name} ${what}`);
      }
    });
  }

  test('is a block says so with its records and times, at each start, until it is back', () => {
    const folder = copyOf(whole);
    const [name = ''] = blocksIn(folder);
    const lost = join(root, 'lost');
    cpSync(join(folder, name), lost);
    rmSync(join(folder, name));
    for (let start = 0; start < 3; start++) {
      const opened = open(folder);
      while (opened.store.maintain(5));
      const [damage] = opened.damages;
      assert.equal(damage?.file, name);
      assert.match(damage?.reason ?? '', /^the file is missing, with 300 records$/);
      const lastUs = startUs + 7 * dayUs - 1_000_000;
      assert.deepEqual([damage?.firstUs, damage?.lastUs], [lastUs - 299_000_000, lastUs]);
      assert.deepEqual(opened.store.stats().damages, opened.damages);
      opened.store.close();
    }
    cpSync(lost, join(folder, name));
    const back = open(folder);
    assert.deepEqual(back.damages, []);
    assert.equal(answer(back), expected);
    back.store.close();
  });

  test('is a journal says so', () => {
    const folder = copyOf(whole);
    const name = readdirSync(folder).find((each) => each.endsWith('.ttj')) as string;
    rmSync(join(folder, name));
    const opened = open(folder);
    assert.match(
      opened.damages.map(({ file, reason }) => `${file}: ${reason}`).join(),
      /ttj: the file is missing, with 51/,
    );
    opened.store.close();
  });

  test('is gone while it is open says so, and answers show it from then on', () => {
    const opened = open(copyOf(whole));
    const [path = ''] = opened.store.blockPaths();
    rmSync(path);
    answer(opened);
    assert.match(opened.damages[0]?.reason ?? '', /missing/);
    assert.match(answer(opened), /\["d0",\[\d+,0\],0\]/);
    opened.store.close();
  });

  test('was made before there was an inventory opens as it is, and has one afterwards', () => {
    const folder = copyOf(whole);
    rmSync(join(folder, 'inventory.tti'));
    const opened = open(folder);
    assert.deepEqual([opened.damages, answer(opened)], [[], expected]);
    while (opened.store.maintain(5));
    assert.ok(readdirSync(folder).includes('inventory.tti'));
    opened.store.close();
  });
});

test('an archive in which nothing happens leaves its inventory alone, and one that grows does not', () => {
  const folder = mkdtempSync(join(root, 'quiet-'));
  const clock = new ManualClock(startUs + 100 * dayUs);
  const store = ArchiveStore.open(folder, { clock, disk, onDamage: () => undefined });
  cleanup.defer(() => store.close());
  const written = () => statSync(join(folder, inventoryName)).ino;
  const look = () => {
    clock.advance(10_000);
    while (store.maintain(5));
    return written();
  };
  look();
  const first = openSync(join(folder, inventoryName), 'r'); // so that no other file gets its number
  cleanup.defer(() => closeSync(first));
  const quiet = written();
  assert.deepEqual([look(), look()], [quiet, quiet]);
  append(store, levels(50, startUs));
  store.commit();
  assert.notEqual(look(), quiet);
});

describe('an archive whose inventory is older than its files misses nothing', () => {
  const make = () => {
    const folder = mkdtempSync(join(root, 'older-'));
    const opened = open(folder);
    for (const part of [1, 2]) {
      append(opened.store, levels(300, startUs + 7 * dayUs + part * 1_000_000_000));
      flush(opened.store);
    }
    return { folder, opened, inventory: join(folder, inventoryName) };
  };
  const foundIn = (folder: string) => {
    const opened = open(folder);
    const { level = [] } = JSON.parse(answer(opened, { names: ['level'] })) as { level?: unknown[] };
    opened.store.close();
    return [opened.damages, level.length];
  };

  test('of blocks that were merged into another', () => {
    const { folder, opened, inventory } = make();
    const before = readFileSync(inventory);
    const blocks = blocksIn(folder);
    mergeAll(opened.store);
    opened.store.close();
    assert.deepEqual([blocks.length, blocksIn(folder).length], [2, 1]);
    writeFileSync(inventory, before);
    assert.deepEqual(foundIn(folder), [[], 600]);
  });

  test('of the block of a flush that did not end: its journal is there', () => {
    const { folder, opened } = make();
    append(opened.store, levels(50, startUs + 8 * dayUs));
    opened.store.commit();
    const journal = readdirSync(folder).find((name) => name.endsWith('.ttj')) as string;
    const [bytes, blocks] = [readFileSync(join(folder, journal)), blocksIn(folder)];
    flush(opened.store);
    opened.store.close();
    writeFileSync(join(folder, journal), bytes);
    for (const name of blocksIn(folder)) if (!blocks.includes(name)) rmSync(join(folder, name));
    assert.deepEqual(foundIn(folder), [[], 650]);
  });
});

describe('where a block is lost, a measurement', () => {
  const folder = makeArchive();
  const [first = '', second = ''] = blocksIn(folder).sort();
  rmSync(join(folder, second));
  const whole = copyOf(folder);
  const opened = open(folder);
  const lostUs = startUs + 14 * dayUs - 300_000_000;
  const lastUs = startUs + 14 * dayUs - 1_000_000;
  const stamp = (us: number) => [Math.floor(us / 1e6), us % 1e6];
  const level = (more: Partial<ReadRequest>, of = opened) =>
    (JSON.parse(answer(of, { names: ['level'], ...more })) as { level: unknown[][] }).level;
  cleanup.defer(() => opened.store.close());

  test('is bad from its start on, until there is a record again', () => {
    assert.ok(first < second);
    const records = level({ sinceUs: startUs + 8 * dayUs });
    assert.deepEqual(records[0], ['d0', stamp(lostUs), 0]);
    assert.deepEqual(records[1]?.[2], 0xc0);
    assert.equal(records.length, 51);
  });

  test('is bad in an interval that begins in it, and behind it until there is a record', () => {
    assert.deepEqual(level({ sinceUs: lostUs + 7, untilUs: lastUs }), [['d0', stamp(lostUs + 7), 0]]);
    assert.deepEqual(level({ sinceUs: lastUs + 7, untilUs: lastUs + 8, warpHead: true }), [
      ['d0', stamp(lastUs + 7), 0],
    ]);
    assert.deepEqual(level({ sinceUs: lastUs + 7, untilUs: lastUs + 8 }), []);
  });

  test('is bad in what is resampled, and uncertain in aggregates that have other records', () => {
    const resampled = level({ sinceUs: lostUs, untilUs: lastUs, resampleUs: 100_000_000 });
    assert.deepEqual(
      resampled.map(([, , quality]) => quality),
      [0, 0, 0],
    );
    const untilUs = startUs + 22 * dayUs;
    const [greatest] = level({ sinceUs: lostUs, untilUs, resampleUs: untilUs - lostUs, aggregates: ['max'] });
    assert.equal(greatest?.[2], 0x58);
  });

  test('is bad from the first record on that would not have expired', () => {
    const { store } = opened;
    const marks = (cutOffUs: number) => {
      const ageUs = startUs + 100 * dayUs - cutOffUs;
      store.setRetention({ ofSeries: new Map([['measurements/level', ageUs]]) });
      return level({ sinceUs: startUs }).filter(([, , quality]) => quality === 0);
    };
    assert.deepEqual(marks(lostUs + 100_000_000), [['d0', stamp(lostUs + 100_000_000), 0]]);
    assert.deepEqual(marks(lastUs + 1), []);
    store.setRetention({ ofSeries: new Map() });
  });

  test('is bad also where some of it was erased, before and after the tombstone is carried out', () => {
    const erased = open(whole);
    cleanup.defer(() => erased.store.close());
    erased.store.erase('measurements', 'level', lostUs, lostUs + 5_000_000);
    const look = () => level({ sinceUs: startUs + 8 * dayUs }, erased)[0];
    assert.deepEqual(look(), ['d0', stamp(lostUs), 0]);
    while (erased.store.maintain(5));
    assert.deepEqual(look(), ['d0', stamp(lostUs), 0]);
  });

  test('is counted by its records alone, and the count is uncertain, or bad where there are none', () => {
    const untilUs = startUs + 22 * dayUs;
    const count = (sinceUs: number, untilUs: number, more: Partial<ReadRequest> = {}) =>
      level({ sinceUs, untilUs, resampleUs: untilUs - sinceUs, aggregates: ['count'], ...more }).map((each) => [
        each[0],
        each[2],
      ]);
    assert.deepEqual(count(lostUs, untilUs), [['l50', 0x58]]);
    assert.deepEqual(count(lostUs, lastUs), [['l0', 0]]);
    assert.deepEqual(count(lastUs + 7, untilUs, { warpHead: true }), [['l50', 0x58]]);
    assert.deepEqual(count(lastUs + 7, untilUs), [['l50', 0x58]]);
  });
});
