import assert from 'node:assert/strict';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { Batch } from '@telltale/schema';
import { ManualClock } from '@telltale/schema/testing';
import { temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { until } from '../../../../test/until.ts';
import { Archive, UnusableArchive } from './archive.ts';
import type { ReadRequest } from './archive-access.ts';
import type { Limits } from './store/generations.ts';

const level = { kind: 'measurements', name: 'level', datatype: 'd' } as const;
const startUs = 1_750_000_000_000_000;

let folder: string;
let warnings: string[];
const open: Archive[] = [];

beforeEach((t) => {
  folder = temporaryFolder(t);
  warnings = [];
});

afterEach(async () => {
  for (const archive of open.splice(0)) await archive.close(5000);
});

function make(limits: Partial<Limits> = {}): Archive {
  const archive = new Archive({
    folder,
    clock: new ManualClock(),
    commitMs: 50,
    maxPendingBytes: 1 << 20,
    retention: { ofSeries: new Map() },
    limits: { records: 4096, textUnits: 1 << 20, ...limits },
    onFailure: (error) => {
      throw error;
    },
    onFault: () => undefined,
    onWarning: (text) => warnings.push(text),
  });
  open.push(archive);
  return archive;
}

async function started(): Promise<Archive> {
  const archive = make();
  await archive.open();
  return archive;
}

async function write(archive: Archive, from: number, to: number, valueAt = (at: number) => at / 100): Promise<void> {
  const { records } = archive;
  const source = records.refOf(level);
  for (let at = from; at < to; at++) records.batch.number(source, valueAt(at), 0xc0, startUs + at * 1_000_000);
  records.added();
  await records.allStored();
}

const all: ReadRequest = {
  kind: 'measurements',
  names: ['level'],
  known: [],
  sinceUs: 0,
  untilUs: Number.MAX_SAFE_INTEGER,
  form: 'json',
};

async function read(archive: Archive, request: Partial<ReadRequest> = {}): Promise<Record<string, [string][]>> {
  const query = await archive.read({ ...all, ...request });
  const pages: Buffer[] = [];
  for await (const page of query) pages.push(Buffer.from(page));
  return JSON.parse(Buffer.concat(pages).toString());
}

const blocks = () => readdirSync(join(folder, 'archive')).filter((name) => name.endsWith('.ttb'));

describe('the archive', () => {
  test('shows what is stored, from memory, from blocks and after a restart', async () => {
    const archive = await started();
    await write(archive, 0, 3000);
    assert.equal((await read(archive)).level?.length, 3000);
    await write(archive, 3000, 9000);
    await until('it is flushed', async () => blocks().length > 0);
    const { level: found = [] } = await read(archive);
    assert.deepEqual(
      found.map(([value]) => value),
      Array.from({ length: 9000 }, (_, at) => `d${at / 100}`),
    );
    await archive.close(5000);
    assert.deepEqual((await read(await started())).level, found);
  });

  test('reports the value at a time, also where a record is at that very time, from memory and from blocks', async () => {
    const archive = await started();
    await write(archive, 1, 3);
    const at = async (sinceUs: number) => (await read(archive, { sinceUs, untilUs: sinceUs, warpHead: true })).level;
    const check = async () => {
      assert.deepEqual(await at(startUs), []);
      for (const [seconds, value] of [
        [1, 'd0.01'],
        [1.5, 'd0.01'],
        [2, 'd0.02'],
        [3, 'd0.02'],
      ] as const) {
        const whole = Math.floor(seconds);
        const time = [startUs / 1_000_000 + whole, (seconds - whole) * 1_000_000];
        assert.deepEqual(await at(startUs + seconds * 1_000_000), [[value, time, 192]]);
      }
    };
    await check();
    for await (const _ of archive.compact());
    assert.equal(blocks().length, 1);
    await check();
  });

  test('gives a long answer in pages, many queries in turns, and a short one as a whole', async () => {
    const archive = await started();
    await write(archive, 0, 60_000);
    const long = await archive.read(all);
    assert.equal(long.takeWhole(), undefined);
    const answers = await Promise.all([read(archive), read(archive, { limit: 5 }), read(archive)]);
    assert.deepEqual(
      answers.map((answer) => answer.level?.length),
      [60_000, 5, 60_000],
    );
    const short = await archive.read({ ...all, limit: 1 });
    const whole = short.takeWhole();
    assert.equal(whole?.bytes.toString(), '{"level":[["d0",[1750000000,0],192]]}');
    whole?.release();
    assert.equal(archive.queries.underWay, 1);
    long.cancel();
    assert.equal(archive.queries.underWay, 0);
  });

  test('reads on in blocks that a merge has replaced meanwhile, and unlinks them afterwards', async () => {
    const archive = await started();
    for (let from = 0; from < 40_000; from += 5000) await write(archive, from, from + 5000);
    const query = await archive.read(all);
    const pages = query[Symbol.asyncIterator]();
    const first = Buffer.from((await pages.next()).value as Uint8Array);
    for await (const _ of archive.compact());
    const rest: Buffer[] = [];
    for (let page = await pages.next(); !page.done; page = await pages.next()) rest.push(Buffer.from(page.value));
    assert.equal(JSON.parse(Buffer.concat([first, ...rest]).toString()).level.length, 40_000);
    await until('one block is left', async () => blocks().length === 1);
  });

  test('erases what waits as well, and lets imported records replace what is there', async () => {
    const archive = await started();
    await write(archive, 0, 10);
    archive.records.batch.number(archive.records.refOf(level), 5, 0xc0, startUs + 20_000_000);
    archive.records.added();
    await archive.erase('measurements', 'level', startUs + 2_000_000, startUs + 30_000_000);
    const batch = new Batch();
    batch.number(0, 7, 0xc0, startUs);
    batch.number(0, 8, 0x40, startUs + 500_000);
    await archive.backfill(level, batch.take());
    assert.deepEqual(
      (await read(archive)).level?.map(([value]) => value),
      ['d7', 'd8', 'd0.01'],
    );
  });

  test('knows its names and datatypes, the newest last', async () => {
    const archive = await started();
    await write(archive, 0, 1);
    assert.deepEqual(await archive.names('measurements'), ['level']);
    assert.deepEqual(await archive.names('alarms'), []);
    const batch = new Batch();
    batch.number(0, 7, 0xc0, startUs + 5);
    await archive.backfill({ ...level, datatype: 'i' }, batch.take());
    assert.equal(await archive.datatypeOf('measurements', 'level'), 'i');
    assert.equal(await archive.datatypeOf('commands', 'level'), undefined);
    assert.deepEqual([await archive.has('measurements', 'level'), await archive.has('alarms', 'level')], [true, false]);
    assert.deepEqual(
      (await read(archive)).level?.map(([value]) => value),
      ['d0', 'i7'],
    );
  });

  test('leaves out a damaged chunk, says so once, and reads the rest', async () => {
    let archive = await started();
    await write(archive, 0, 5000, Math.sin);
    for await (const _ of archive.compact());
    await archive.close(5000);
    const [name = ''] = blocks();
    const path = join(folder, 'archive', name);
    const bytes = readFileSync(path);
    bytes[300] = (bytes[300] as number) ^ 1;
    writeFileSync(path, bytes);
    archive = await started();
    const found = (await read(archive)).level?.length ?? 0;
    assert.ok(found > 3000 && found < 5000, `${found} records`);
    await read(archive);
    await until('it is told', async () => (await archive.stats()).damages.length === 1);
    const [damage] = (await archive.stats()).damages;
    assert.deepEqual([damage?.file, damage?.name], [name, 'level']);
    let last: unknown;
    for await (const progress of archive.check()) last = progress.damages;
    assert.deepEqual(last, [damage]);
    assert.equal(warnings.length, 1);
  });

  test('reports a block that somebody removed when it is checked', async () => {
    const archive = await started();
    await write(archive, 0, 4096);
    for await (const _ of archive.compact());
    const [name = ''] = blocks();
    rmSync(join(folder, 'archive', name));
    const progress = await Array.fromAsync(archive.check());
    assert.deepEqual(progress.at(-1)?.damages, [{ file: name, reason: 'the file is missing' }]);
  });

  test('compacts what is whole beside a damaged block, and says which one is damaged', async () => {
    const archive = await started();
    const week = 7 * 86_400;
    for (const from of [0, 5000, week, week + 5000]) await write(archive, from, from + 4096, Math.sin);
    await until('all are flushed', async () => blocks().length === 4);
    const names = blocks().sort();
    const path = join(folder, 'archive', names[0] as string);
    const bytes = readFileSync(path);
    bytes[200] = (bytes[200] as number) ^ 1;
    writeFileSync(path, bytes);
    const progress = await Array.fromAsync(archive.compact());
    assert.deepEqual(
      progress.at(-1)?.damages?.map(({ file }) => file),
      [names[0]],
    );
    await until('the others are merged', async () => blocks().length === 3);
  });

  test('counts records that are none of their series, and goes on', async () => {
    const archive = await started();
    archive.records.batch.text(archive.records.refOf(level), 'text', 0xc0, startUs);
    archive.records.added();
    await archive.records.allStored();
    await write(archive, 0, 3);
    assert.deepEqual([archive.records.stored, archive.records.invalid, warnings.length], [3, 1, 1]);
    assert.equal((await read(archive)).level?.length, 3);
  });

  test('with all the series that it takes counts and refuses records of others, and goes on with its own', async () => {
    const archive = make({ series: 2 });
    await archive.open();
    const { records } = archive;
    const sources = ['level', 'flow', 'more', 'most'].map((name) => records.refOf({ ...level, name }));
    for (const [at, source] of [...sources, ...sources].entries()) {
      records.batch.number(source, at, 0xc0, startUs + at);
    }
    records.added();
    await records.allStored();
    const batch = new Batch();
    batch.number(0, 7, 0xc0, startUs);
    await assert.rejects(archive.backfill({ ...level, name: 'other' }, batch.take()), { problem: 'storage-failed' });
    await write(archive, 5, 8);
    assert.deepEqual([records.stored, records.invalid], [7, 5]);
    assert.deepEqual(warnings, ['records of new series are discarded: the archive has 2 series and takes no more']);
    assert.deepEqual(await archive.names('measurements'), ['flow', 'level']);
    assert.equal((await read(archive)).level?.length, 5);
  });

  test('of a newer server is not touched', async () => {
    const archive = await started();
    await write(archive, 0, 1);
    await archive.close(5000);
    const path = join(folder, 'archive', 'series.ttc');
    const bytes = readFileSync(path);
    bytes.writeUInt16LE(99, 4);
    const { crc32 } = await import('node:zlib');
    bytes.writeUInt32LE(crc32(bytes.subarray(0, 12)), 12);
    writeFileSync(path, bytes);
    await assert.rejects(make().open(), UnusableArchive);
  });
});
