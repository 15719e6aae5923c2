// Queries of real files, as the store makes them.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { Batch } from '@telltale/schema';
import { ManualClock } from '@telltale/schema/testing';
import { suiteCleanup, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { aggregates, type ReadRequest } from '../archive-access.ts';
import { BlockFile, type ChunkInfo } from '../files/block-file.ts';
import type { Damage } from '../files/damage.ts';
import { systemDisk } from '../files/disk.ts';
import { OpenBlocks } from '../open-blocks.ts';
import { replaces, type SeriesKey, simulated } from '../records.ts';
import { needsHead } from '../snapshot-request.ts';
import { ArchiveStore } from '../store/archive-store.ts';
import { runCompaction } from '../store/run-compaction.ts';
import { ArchiveQuery } from './archive-query.ts';
import type { Block, Chunk } from './block.ts';
import type { QueryOptions } from './query.ts';

const root = temporaryFolder(suiteCleanup());

const disk = { ...systemDisk, sync() {}, syncData() {} };
const startUs = 1_700_000_000_000_000;
const dayUs = 86_400_000_000;
const nowUs = startUs + 40 * dayUs;

function openStore(): ArchiveStore {
  return ArchiveStore.open(mkdtempSync(join(root, 'archive-')), {
    clock: new ManualClock(nowUs),
    onDamage: ({ reason }) => assert.fail(reason),
    limits: { records: 1_000_000, textUnits: 1_000_000 },
    disk,
  });
}

const level: SeriesKey = { kind: 'measurements', name: 'level', datatype: 'd' };
const total: SeriesKey = { kind: 'measurements', name: 'level', datatype: 'l' };
const note: SeriesKey = { kind: 'measurements', name: 'note', datatype: 's' };

/** So many records of each key, from `fromUs` on. */
function append(
  store: ArchiveStore,
  key: SeriesKey,
  count: number,
  { fromUs = startUs, stepUs = 1_000_000, flags = 0 } = {},
): void {
  const batch = new Batch(count);
  for (let at = 0; at < count; at++) {
    const timeUs = fromUs + at * stepUs;
    const quality = (at % 97 === 5 ? 0x18 : at % 53 === 7 ? 0x44 : 0xc0) | flags;
    if (key.datatype === 's') batch.text(0, `text ${at % 5}`, quality, timeUs);
    else if (key.datatype === 'l') batch.long(0, 2n ** 60n + BigInt(at), quality, timeUs);
    else batch.number(0, Math.round(1000 * Math.sin(at / 500)) / 4, quality, timeUs);
  }
  store.append(batch, Uint32Array.of(store.seriesOf(key).number));
  store.commit();
}

function flush(store: ArchiveStore): void {
  store.freeze();
  while (store.maintain(1000));
}

function merge(store: ArchiveStore): void {
  for (let plan = store.planCompaction(true); plan !== undefined; plan = store.planCompaction(true)) {
    const outcome = runCompaction(
      plan,
      () => {},
      () => false,
      disk,
    );
    store.compactionDone(plan, outcome);
  }
}

interface Looked {
  readonly bytes: Buffer;
  readonly pages: number;
  readonly chunks: number;
  /** That were opened. */
  readonly blocks: number;
  readonly damages: readonly Damage[];
}

/** Reads, and counts the chunks that were read for it. */
function look(
  store: ArchiveStore,
  options: Partial<ReadRequest>,
  more: Partial<QueryOptions> = {},
  pages = Number.POSITIVE_INFINITY,
): Looked {
  const request: ReadRequest = {
    kind: 'measurements',
    names: ['level'],
    known: [],
    sinceUs: startUs,
    untilUs: nowUs,
    form: 'json',
    ...options,
  };
  let blocks = 0;
  const opened = new OpenBlocks((path) => {
    blocks++;
    return BlockFile.open(path);
  });
  const damages: Damage[] = [];
  let chunks = 0;
  const blockOf = (path: string): Block => {
    const block = opened.get(path);
    const { header } = block;
    return {
      header,
      chunksOf: (number, sinceUs, untilUs) => block.chunksOf(number, sinceUs, untilUs),
      takeColumns: () => block.takeColumns(),
      giveBack: (columns) => block.giveBack(columns),
      read(series, chunk: Chunk, into) {
        chunks++;
        block.read(series, chunk as ChunkInfo, into);
      },
    };
  };
  const query = new ArchiveQuery(request, { blockOf, onDamage: (damage) => damages.push(damage), ...more });
  const taken: Uint8Array[] = [];
  while (taken.length < pages) {
    const { wanted } = query;
    if (wanted !== undefined) {
      const { kind, sinceUs, untilUs, simulated: which } = request;
      query.give(store.snapshot(store.find(kind, wanted), sinceUs, untilUs, needsHead(request), which));
    }
    const page = query.next();
    if (page === undefined) break;
    taken.push(page);
  }
  opened.close();
  return { bytes: Buffer.concat(taken), pages: taken.length, chunks, blocks, damages };
}

const asked: readonly Partial<ReadRequest>[] = [
  {},
  { names: ['note', 'level'], form: 'csv' },
  { form: 'binary' },
  { sinceUs: startUs + 5_000_500_000, untilUs: startUs + 5_100_500_000, warpHead: true },
  { sinceUs: startUs + 30 * dayUs, warpHead: true },
  { limit: 10 },
  { names: ['level', 'note'], resampleUs: 86_400_000_000 },
  { names: ['note'], resampleUs: 777_777_777 },
  { resampleUs: 3_600_000_000, aggregates: ['avg'] },
  { resampleUs: 3_600_000_000, aggregates: ['min'] },
  { resampleUs: 100_000_000, aggregates: ['max'] },
  { resampleUs: dayUs, aggregates: ['count'] },
  { names: ['note'], resampleUs: 3_600_000_000, aggregates: ['first'] },
  { simulated: 'only', flags: true },
  { simulated: 'exclude', resampleUs: 777_777_777 },
  { simulated: 'only', sinceUs: startUs + 30 * dayUs, warpHead: true },
  { simulated: 'exclude', sinceUs: startUs + 1_200_000_000, untilUs: startUs + 1_200_000_001, warpHead: true },
];

test('the same is read from memory, from blocks, and from what they are merged to', () => {
  const store = openStore();
  const same = (before: readonly Buffer[]) => {
    for (const [at, options] of asked.entries()) {
      const { bytes } = look(store, options);
      // Frames are cut where chunks are: only what they say is the same.
      if (options.form !== 'binary') assert.equal(bytes.toString(), before[at]?.toString(), JSON.stringify(options));
    }
  };
  const answers = () => asked.map((options) => look(store, options).bytes);
  append(store, level, 9000);
  append(store, note, 3000, { stepUs: 3_000_000 });
  append(store, level, 9000, { fromUs: startUs + 9 * dayUs });
  same(answers());
  let before = answers();
  flush(store);
  same(before);
  append(store, level, 500, { fromUs: startUs + 1_000_000_000, flags: replaces | simulated });
  append(store, level, 500, { fromUs: startUs + 2_000_500_000 });
  append(store, total, 2000, { fromUs: startUs + 8_000_000_000 });
  append(store, note, 100, { fromUs: startUs + 50, stepUs: 60_000_000 });
  before = answers();
  flush(store);
  same(before);
  store.erase('measurements', 'level', startUs + 3_000_000_000, startUs + 3_500_000_000);
  append(store, level, 100, { fromUs: startUs + 3_400_000_000, flags: replaces });
  before = answers();
  flush(store);
  same(before);
  merge(store);
  same(before);
  assert.ok(store.stats().blocks <= 3);
  store.close();
});

test('a window, a head and a first page read the chunks that they need and no more', () => {
  const store = openStore();
  for (let day = 0; day < 30; day += 5) {
    append(store, level, 20_480, { fromUs: startUs + day * dayUs });
    flush(store);
  }
  const window = look(store, { sinceUs: startUs + 10 * dayUs + 5e9, untilUs: startUs + 10 * dayUs + 5.5e9 });
  assert.ok(window.chunks <= 2, `${window.chunks} chunks`);
  const head = look(store, { sinceUs: startUs + 14 * dayUs, untilUs: startUs + 14 * dayUs + 1, warpHead: true });
  assert.equal(JSON.parse(head.bytes.toString()).level.length, 1);
  assert.deepEqual([head.chunks, head.blocks], [1, 1]);
  const page = look(store, {}, {}, 1);
  assert.ok(page.chunks <= 20, `${page.chunks} of 120 chunks`);
  const limited = look(store, { limit: 100 });
  assert.equal(limited.chunks, 1);
  store.close();
});

test('trends and aggregates over long intervals are made from summaries', () => {
  const store = openStore();
  append(store, level, 400_000);
  flush(store);
  const untilUs = startUs + 400_000_000_000;
  const all = JSON.parse(look(store, { untilUs }).bytes.toString()).level as [string, [number, number], number][];
  const trend = look(store, { untilUs, maxPoints: 200 });
  assert.equal(trend.chunks, 0);
  const thinned = JSON.parse(trend.bytes.toString()).level as typeof all;
  assert.ok(thinned.length > 100 && thinned.length <= 200);
  const extremes = (records: typeof all) => {
    const values = records.filter(([, , q]) => q >= 0x40).map(([value]) => Number(value.slice(1)));
    values.sort((a, b) => a - b);
    return [values[0], values.at(-1)];
  };
  assert.deepEqual(extremes(thinned), extremes(all));
  const whole = look(store, { untilUs, maxPoints: 400_000 });
  assert.deepEqual(whole.bytes, look(store, { untilUs }).bytes);
  const resampleUs = 40_960_000_000;
  const { level: buckets } = JSON.parse(look(store, { untilUs, resampleUs, aggregates: ['count'] }).bytes.toString());
  const sound = all.filter(([, , q]) => q >= 0x40).length;
  assert.equal(
    (buckets as [string][]).reduce((sum, [count]) => sum + Number(count.slice(1)), 0),
    sound,
  );
  // Of a chunk that has bad or uncertain records, the summary does not say how many are good.
  for (const aggregate of aggregates.filter((each) => each !== 'count-good')) {
    const { chunks } = look(store, { untilUs, resampleUs, aggregates: [aggregate] });
    assert.ok(chunks < 40, `${chunks} of 391 chunks for ${aggregate}`);
  }
  const several = look(store, { untilUs, resampleUs, aggregates: ['avg', 'min', 'max', 'percent-good'] });
  assert.ok(several.chunks < 40, `${several.chunks} of 391 chunks`);
  store.close();
});

test('AR-25: chunks without simulated records are passed over, or counted by their summaries', () => {
  const store = openStore();
  append(store, level, 100_000);
  append(store, level, 100, { fromUs: startUs + 100_000_000_000, flags: simulated });
  append(store, level, 100_000, { fromUs: startUs + 100_100_000_000 });
  flush(store);
  const untilUs = startUs + 200_100_000_000;
  const counted = (which: 'exclude' | 'only') => {
    const options = { untilUs, resampleUs: 200_100_000_000, aggregates: ['count'], simulated: which } as const;
    const { bytes, chunks } = look(store, options);
    return [JSON.parse(bytes.toString()).level[0][0], chunks <= 2];
  };
  assert.deepEqual(
    [counted('exclude'), counted('only')],
    [
      // Bad ones are not counted.
      ['l197938', true],
      ['l99', true],
    ],
  );
  assert.ok(look(store, { untilUs, simulated: 'only' }).chunks <= 2);
  const head = look(store, { sinceUs: untilUs, untilUs, warpHead: true, simulated: 'only', flags: true });
  assert.deepEqual(
    JSON.parse(head.bytes.toString()).level.map((record: number[]) => record[3]),
    [1],
  );
  assert.ok(head.chunks <= 2, `${head.chunks} of 196 chunks`);
  store.close();
});

test('a chunk that is damaged is left out and reported, and the rest is given', () => {
  const store = openStore();
  append(store, level, 4096);
  flush(store);
  const [path = ''] = store.blockPaths();
  const block = BlockFile.open(path);
  const chunk = block.chunksOf(store.seriesOf(level).number)[1] as Chunk & { chunk: { at: number } };
  block.close();
  const bytes = readFileSync(path);
  bytes[chunk.chunk.at + 3] = (bytes[chunk.chunk.at + 3] as number) ^ 1;
  writeFileSync(path, bytes);
  const { damages, bytes: answer } = look(store, {});
  const times = (JSON.parse(answer.toString()).level as [string, [number, number]][]).map(([, [seconds]]) => seconds);
  const expected = Array.from({ length: 4096 }, (_, at) => startUs / 1e6 + at);
  assert.deepEqual(times, [...expected.slice(0, 1024), ...expected.slice(2048)]);
  assert.equal(damages.length, 1);
  assert.deepEqual([damages[0]?.firstUs, damages[0]?.lastUs], [chunk.firstUs, chunk.lastUs]);
  rmSync(path);
  writeFileSync(path, bytes.subarray(0, 100));
  const gone = look(store, {});
  assert.equal(gone.bytes.toString(), '{"level":[]}');
  assert.equal(gone.damages.length, 1);
  store.close();
});

test('a query gives its turn away after some milliseconds, and loses nothing by it', () => {
  const store = openStore();
  append(store, level, 5000);
  append(store, note, 5000, { fromUs: startUs + 500_000 });
  flush(store);
  append(store, level, 5000, { fromUs: startUs + 250_000 });
  let [turns, pages] = [0, 0];
  for (const options of [...asked, { maxPoints: 100 }]) {
    let ms = 0;
    const nowMs = () => {
      ms += 10;
      return ms;
    };
    const slow = look(store, options, { nowMs });
    const quick = look(store, options, { nowMs: () => 0 });
    assert.deepEqual(slow.bytes, quick.bytes);
    turns += slow.pages;
    pages += quick.pages;
  }
  assert.ok(turns > 2 * pages, `${turns} turns for ${pages} pages`);
  store.close();
});
