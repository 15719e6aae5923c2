// What queries are held against: records in plain arrays, and what is to be read of them, by the words of the design
// alone; and queries of the same records, served as the thread that reads serves them.
import assert from 'node:assert/strict';
import { type Datatype, formatPrefixed, quality as qualities, toTimestamp, type Value } from '@telltale/schema';
import fc from 'fast-check';
import type { Aggregate, ReadRequest } from '../src/archive/archive-access.ts';
import { summarize } from '../src/archive/codec/summary.ts';
import { ArchiveQuery } from '../src/archive/query/archive-query.ts';
import type { Block, Chunk } from '../src/archive/query/block.ts';
import { PageBuffers } from '../src/archive/query/page.ts';
import { Columns, replaces, type Series, simulated } from '../src/archive/records.ts';
import type { SeriesSnapshot } from '../src/archive/store/snapshot.ts';
import { bucketsOf, type PlainRecord, writtenBucket } from './aggregate-model.ts';

export type { PlainRecord };

export interface Part {
  readonly series: Series;
  /** In arrival order; the last one is in memory. */
  readonly sources: readonly { readonly records: readonly PlainRecord[]; readonly tombstonesApplied: number }[];
  readonly tombstones: readonly { readonly seq: number; readonly sinceUs: number; readonly untilUs: number }[];
  readonly cutOffUs: number;
}

/** Of the same source nothing is left that another record of it replaces: the store writes none. */
function withoutReplaced(records: readonly PlainRecord[]): PlainRecord[] {
  const sorted = [...records].sort((a, b) => a.time - b.time);
  return sorted.filter(
    ({ time }, at) => !sorted.some((other, later) => later > at && other.time === time && other.quality & replaces),
  );
}

function columnsOf(records: readonly PlainRecord[]): Columns {
  const columns = new Columns(records.length);
  for (const { datatype, time, value, quality } of records) {
    const at = columns.count++;
    columns.times[at] = time;
    columns.qualities[at] = quality;
    if (datatype === 's') columns.texts[at] = value as string;
    else if (datatype === 'l') columns.longs[at] = value as bigint;
    else columns.numbers[at] = Number(value);
  }
  return columns;
}

interface ChunkOfRecords extends Chunk {
  readonly records: readonly PlainRecord[];
}

function blockOf(
  series: Series,
  records: readonly PlainRecord[],
  tombstonesApplied: number,
  cut: number,
  sums: boolean,
) {
  const chunks: ChunkOfRecords[] = [];
  for (let at = 0; at < records.length; at += cut) {
    const some = records.slice(at, at + cut);
    chunks.push({
      records: some,
      firstUs: some[0]?.time as number,
      lastUs: some.at(-1)?.time as number,
      count: some.length,
      hasSimulated: some.some(({ quality }) => (quality & simulated) !== 0),
      summary: sums ? summarize(series, columnsOf(some), 0, some.length) : undefined,
    });
  }
  const block: Block = {
    header: { tombstonesApplied },
    chunksOf: () => chunks,
    read(_series, chunk, into) {
      const from = columnsOf((chunk as ChunkOfRecords).records);
      into.reserve(into.count + from.count);
      into.times.set(from.times, into.count);
      into.longs.set(from.longs, into.count);
      into.qualities.set(from.qualities, into.count);
      into.texts.push(...from.texts);
      into.count += from.count;
    },
    takeColumns: () => new Columns(),
    // Who looks at them after this finds other records.
    giveBack({ times, longs, qualities, texts }) {
      times.fill(1);
      longs.fill(-1n);
      qualities.fill(0x1ff);
      texts.fill('gone');
    },
  };
  return block;
}

/** What there is to read, by the words of the design alone. */
export function visible(parts: readonly Part[]): PlainRecord[] {
  const all = parts.flatMap(({ sources, tombstones, cutOffUs }) => {
    const left = sources.flatMap(({ records, tombstonesApplied }, source) =>
      records.filter(
        ({ time }) =>
          time >= cutOffUs &&
          (source === sources.length - 1 ||
            !tombstones.some((each) => each.seq > tombstonesApplied && each.sinceUs <= time && time < each.untilUs)),
      ),
    );
    return withoutReplaced(left);
  });
  return all.sort((a, b) => a.time - b.time).map((record) => ({ ...record, quality: record.quality & ~replaces }));
}

export const isSimulated = ({ quality }: PlainRecord) => (quality & simulated) !== 0;
export const isBad = ({ quality }: PlainRecord) => (quality & 0xc0) === 0;

export function chosen(
  records: readonly PlainRecord[],
  which: 'first' | 'last' | 'min' | 'max',
): PlainRecord | undefined {
  if (which === 'first') return records[0];
  if (which === 'last') return records.at(-1);
  const isBetter = (a: Value, b: Value) => (which === 'min' ? a < b : a > b);
  if (records.length === 0) return undefined;
  return records.reduce((best, record) => (isBetter(record.value, best.value) ? record : best));
}

function thinned(records: readonly PlainRecord[], { sinceUs, untilUs }: ReadRequest, maxPoints: number): PlainRecord[] {
  if (records.length <= maxPoints) return [...records];
  const buckets = Math.floor(maxPoints / 4);
  const edge = (bucket: number) => sinceUs + Math.ceil(((untilUs - sinceUs) / buckets) * bucket);
  return Array.from({ length: buckets }, (_, bucket) => {
    const some = records.filter(({ time }) => edge(bucket) <= time && time < edge(bucket + 1));
    const sound = some.filter((record) => !isBad(record) && record.datatype !== 's');
    const [first, last] = [some[0], some.at(-1)];
    if (first === undefined || last === undefined) return [];
    const extremes = (['min', 'max'] as const).flatMap((which) => chosen(sound, which) ?? []);
    const between = new Map(extremes.sort((a, b) => a.time - b.time).map((record) => [written(record), record]));
    for (const end of [first, last]) between.delete(written(end));
    // Where the first and the last are the same, both are given only where another one is between.
    const isOnce = written(first) === written(last) && between.size === 0;
    return isOnce ? [first] : [first, ...between.values(), last];
  }).flat();
}

/** Of records that were thinned out by summaries: no more than are wanted, all of them true, the ends and extremes included. */
export function assertThinned(
  given: readonly string[],
  all: readonly PlainRecord[],
  maxPoints: number,
  write: (record: PlainRecord) => string = written,
): void {
  assert.ok(given.length <= maxPoints);
  if (all.length <= maxPoints) assert.deepEqual(given, all.map(write));
  const texts = new Set(all.map(write));
  for (const record of given) assert.ok(texts.has(record), `${record.slice(0, 200)} was never written`);
  const [first, last] = [all[0], all.at(-1)];
  if (first === undefined || last === undefined) return;
  assert.equal(given.at(-1), write(last), 'the last one is in force from then on');
  const sound = all.filter((record) => !isBad(record) && record.datatype !== 's');
  const extremes = sound.length > 0 ? [chosen(sound, 'min'), chosen(sound, 'max')] : [];
  for (const record of [first, ...extremes]) assert.ok(given.includes(write(record as PlainRecord)));
}

/** Of records those that the request is about. */
export function wanted(all: readonly PlainRecord[], { simulated: which }: ReadRequest): readonly PlainRecord[] {
  return which === undefined ? all : all.filter((record) => isSimulated(record) === (which === 'only'));
}

/** Where buckets begin, and where the last one ends; none of an empty interval. */
export function edgesOf({ sinceUs, untilUs, resampleUs = 1 }: ReadRequest): number[] {
  const edges: number[] = [];
  for (let time = sinceUs; time < untilUs; time += resampleUs) edges.push(time);
  return edges.length > 0 ? [...edges, untilUs] : [];
}

export function asked(every: readonly PlainRecord[], request: ReadRequest): PlainRecord[] {
  const { sinceUs, untilUs, resampleUs, warpHead, limit, maxPoints, newestFirst } = request;
  const all = wanted(every, request);
  let records = all.filter(({ time }) => sinceUs <= time && time < untilUs);
  const inForce = (at: number) => all.findLast(({ time }) => time <= at);
  const head = inForce(sinceUs);
  // Of an empty interval, what is in force at its time.
  const isAdded = warpHead && head !== undefined && (head.time < sinceUs || sinceUs === untilUs);
  if (isAdded && resampleUs === undefined) {
    records.unshift({ ...head, time: sinceUs });
  }
  if (resampleUs !== undefined) {
    records = edgesOf(request)
      .slice(0, -1)
      .flatMap((time) => {
        const held = inForce(time);
        return held === undefined ? [] : [{ ...held, time }];
      });
  }
  if (maxPoints !== undefined) records = thinned(records, request, maxPoints);
  if (newestFirst === true) records.reverse();
  return records.slice(0, limit);
}

/** The same of aggregates, as JSON without flags has it. */
export function aggregated(
  every: readonly PlainRecord[],
  request: ReadRequest,
  aggregates: readonly Aggregate[],
): string[] {
  const hasQuality = request.kind === 'measurements';
  const judged = wanted(every, request).map((record) => judgedOf(record, hasQuality));
  const buckets = bucketsOf(judged, edgesOf(request), aggregates).slice(0, request.limit);
  return buckets.map((bucket) => writtenBucket(bucket, aggregates, hasQuality));
}

/** Without marks; a command has no quality, and counts as good. */
export function judgedOf(record: PlainRecord, hasQuality: boolean): PlainRecord {
  return { ...record, quality: hasQuality ? record.quality & 0xff : qualities.good };
}

/** As a read with flags gives it. */
export function written(record: PlainRecord): string {
  const { datatype, time, value, quality } = record;
  return JSON.stringify([
    formatPrefixed(datatype, value),
    toTimestamp(time),
    quality & 0xff,
    isSimulated(record) ? 1 : 0,
  ]);
}

/** A block whose records are elsewhere: one part of it at a time is here, the one that was asked for last. */
class LateBlock implements Block {
  readonly header: Block['header'];
  readonly takeColumns: Block['takeColumns'];
  readonly giveBack: Block['giveBack'];
  readonly #block: Block;
  #here: unknown;
  #asked: unknown;

  constructor(block: Block) {
    this.#block = block;
    this.header = block.header;
    this.takeColumns = () => block.takeColumns();
    this.giveBack = (columns) => block.giveBack(columns);
  }

  chunksOf(series: number, sinceUs: number, untilUs: number): ReturnType<Block['chunksOf']> {
    return this.#has(this) ? this.#block.chunksOf(series, sinceUs, untilUs) : Promise.resolve();
  }

  read(series: Series, chunk: Chunk, into: Columns): ReturnType<Block['read']> {
    return this.#has(chunk) ? this.#block.read(series, chunk, into) : Promise.resolve();
  }

  arrive(): void {
    this.#here = this.#asked;
  }

  #has(part: unknown): boolean {
    this.#asked = part;
    return this.#here === part;
  }
}

export interface Reader {
  readonly parts: readonly Part[];
  readonly request: ReadRequest;
  /** Records of a chunk of its blocks. */
  readonly cut: number;
  /** Whether chunks have summaries. */
  readonly sums: boolean;
  /** Nothing of its blocks is here before it was asked for. */
  readonly isLate?: boolean;
}

export interface Serving {
  /** About so long are the pages. */
  readonly pageBytes?: number;
  /** Each query gives its turn away after so many steps. */
  readonly stepsATurn?: number;
}

/** What a query is made of: blocks cut into chunks of `cut`, the last source in memory. */
function readingOf(
  { parts, request, cut, sums, isLate = false }: Reader,
  buffers: PageBuffers,
  stepsATurn: number | undefined,
) {
  const blocks = new Map<string, Block>();
  const series = parts.map((part): SeriesSnapshot => {
    const all = part.sources.map(({ records }) => withoutReplaced(records));
    const tail = columnsOf((all.at(-1) ?? []).filter(({ time }) => time >= part.cutOffUs));
    const found = all.slice(0, -1).flatMap((records, at) => {
      const path = `${part.series.number}-${at}`;
      const applied = part.sources[at]?.tombstonesApplied as number;
      const block = blockOf(part.series, records, applied, cut, sums);
      blocks.set(path, isLate ? new LateBlock(block) : block);
      const times = records.map(({ time }) => time);
      // A block may have records of other series before and behind.
      const span = {
        firstUs: Math.min(...times) - 250_000 * (at % 3),
        lastUs: Math.max(...times) + 250_000 * (at % 2),
      };
      return records.length > 0 ? [{ path, ...span }] : [];
    });
    const { times, longs, qualities: all16, texts, count } = tail;
    const numbers = longs.slice(0, count).buffer;
    return { ...part, tail: count > 0 ? { times, numbers, qualities: all16, texts } : undefined, blocks: found };
  });
  let ms = 0;
  const query = new ArchiveQuery(request, {
    blockOf: (path) => blocks.get(path) as Block,
    onDamage: (damage) => assert.fail(damage.reason),
    buffers,
    ...(stepsATurn !== undefined && {
      stepsATime: stepsATurn,
      nowMs: () => {
        ms += 1000;
        return ms;
      },
    }),
  });
  const arrive = () => {
    for (const block of blocks.values()) if (block instanceof LateBlock) block.arrive();
  };
  return { query, snapshot: { series }, taken: [] as Buffer[], arrive };
}

/** The answers of queries that are served in turns. Pages go to another thread, and their buffers come back and serve again. */
export function readInTurns(readers: readonly Reader[], { pageBytes, stepsATurn }: Serving = {}): Buffer[] {
  const buffers = new PageBuffers(pageBytes);
  const all = readers.map((reader) => readingOf(reader, buffers, stepsATurn));
  while (all.some(({ query }) => !query.isOver)) {
    for (const { query, snapshot, taken, arrive } of all) {
      if (query.wanted !== undefined) query.give(snapshot);
      const page = query.next();
      if (query.awaited !== undefined) arrive();
      if (page === undefined || (page.length === 0 && !query.isOver)) continue;
      const bytes = page.length;
      const buffer = structuredClone(page.buffer, { transfer: [page.buffer] });
      taken.push(Buffer.from(buffer.slice(0, bytes)));
      new Uint8Array(buffer).fill(0xff);
      buffers.giveBack(buffer);
    }
  }
  return all.map(({ taken }) => Buffer.concat(taken));
}

const startUs = 1_700_000_000_000_000;

const valuesOf: Readonly<Record<Datatype, fc.Arbitrary<Value>>> = {
  b: fc.boolean(),
  q: fc.integer({ min: 0, max: 3 }),
  i: fc.integer({ min: -5, max: 5 }),
  l: fc.oneof(fc.bigInt(-5n, 5n), fc.bigInt(2n ** 53n, 2n ** 62n)),
  f: fc.integer({ min: -40, max: 40 }).map((value) => Math.fround(value / 10)),
  d: fc.integer({ min: -40, max: 40 }).map((value) => value / 4),
  s: fc.constantFrom('', 'a', 'open "wide"', 'ä\n'),
};

const time = fc.integer({ min: 0, max: 40 }).map((step) => startUs + 250_000 * step);
const quality = fc.oneof(
  { weight: 2, arbitrary: fc.constant<number>(qualities.good) },
  fc.constantFrom(0x00, 0x18, 0x44, 0xd8, qualities.good | replaces, 0x08 | replaces),
  fc.constantFrom(0xd8 | simulated, 0x44 | simulated, 0x00 | simulated, 0xd8 | simulated | replaces),
);

function partOf(number: number): fc.Arbitrary<Part> {
  return fc.constantFrom<Datatype>('b', 'q', 'i', 'l', 'f', 'd', 's').chain((datatype) => {
    const record = fc.record({ datatype: fc.constant(datatype), time, value: valuesOf[datatype], quality });
    const source = fc.record({ records: fc.array(record, { maxLength: 12 }), tombstonesApplied: fc.nat({ max: 3 }) });
    const tombstone = fc
      .tuple(fc.integer({ min: 1, max: 4 }), time, time)
      .map(([seq, one, other]) => ({ seq, sinceUs: Math.min(one, other), untilUs: Math.max(one, other) }));
    return fc.record({
      series: fc.constant({ kind: 'measurements' as const, name: 'level', datatype, number }),
      sources: fc.array(source, { minLength: 1, maxLength: 5 }),
      tombstones: fc.array(tombstone, { maxLength: 2 }),
      cutOffUs: fc.oneof({ weight: 4, arbitrary: fc.constant(0) }, time),
    });
  });
}

export const world = fc
  .oneof({ weight: 3, arbitrary: fc.tuple(partOf(3)) }, fc.tuple(partOf(3), partOf(7)))
  .map((parts) => parts as readonly Part[]);

export const interval = fc.tuple(time, time).map(([one, other]) => ({
  sinceUs: Math.min(one, other),
  untilUs: Math.max(one, other),
}));

const optional = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });
export const plainOptions = fc.record({
  warpHead: optional(fc.boolean()),
  limit: optional(fc.nat({ max: 12 })),
  simulated: optional(fc.constantFrom('exclude', 'only')),
});
export const cut = fc.integer({ min: 1, max: 6 });

export function requestOf(options: Partial<ReadRequest>): ReadRequest {
  return {
    kind: 'measurements',
    names: ['level'],
    known: [],
    flags: true,
    sinceUs: startUs,
    untilUs: startUs + 11_000_000,
    form: 'json',
    ...options,
  };
}
