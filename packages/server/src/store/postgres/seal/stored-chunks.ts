// The chunks that the store has, as far as sealing needs them: where they are, what is in them, and how they are removed.
import { Columns } from '../../../archive/index.ts';
import { CopyReader } from '../../read/copy-reader.ts';
import type { Place } from '../../read/place.ts';
import { appendArrays, arrayColumns, readRowArrays } from '../../read/row-arrays.ts';
import { sinceOfWeek, untilOfWeek } from '../../read/weeks.ts';
import type { Connection } from '../connection.ts';
import type { SealedSeries } from './chunk-rows.ts';
import type { Stretch } from './stretch.ts';

export interface StoredChunk extends Place {
  readonly series: number;
  readonly firstUs: number;
  readonly lastUs: number;
  readonly part: number;
  readonly count: number;
  readonly flags: number;
}

/** Of a series, both times included. */
export interface SeriesSpan {
  readonly series: number;
  readonly firstUs: number;
  readonly lastUs: number;
}

/** Of the chunks that may be extended, so many are looked at: each but the first is that many times larger than what follows it. */
const tailLength = 6;
const endOfTimeUs = 2 ** 53;
const columns = 'c.first_us, c.last_us, c.epoch, c.place, c.part, c.n, c.flags';

/** By span, those of the stretch that begin no later than it ends: the latest first, a few of them. */
export async function tailsOf(
  connection: Connection,
  week: number,
  spans: readonly SeriesSpan[],
  { epoch, since }: Stretch,
): Promise<StoredChunk[][]> {
  const sql = `select w.at, c.* from ${spanTable(spans)}, lateral (
      select ${columns} from telltale.chunk c
      where c.series = w.series and c.first_us <= w.last_us and ${inWeek(week)} and c.epoch = ${epoch} and c.place > ${since}
      order by c.first_us desc, c.epoch desc, c.place desc, c.part desc limit ${tailLength}
    ) c`;
  return readSpans(connection, sql, spans);
}

/** By span, those that have records of it, as far as their first and last times tell. */
export async function overlapping(
  connection: Connection,
  week: number,
  spans: readonly SeriesSpan[],
): Promise<StoredChunk[][]> {
  const sql = `select w.at, ${columns} from ${spanTable(spans)} join telltale.chunk c on c.series = w.series
    where c.first_us <= w.last_us and c.last_us >= w.first_us and ${inWeek(week)}`;
  return readSpans(connection, sql, spans);
}

/** Of a week, the records of each; `of` has the series of each. */
export async function readChunks(
  connection: Connection,
  week: number,
  chunks: readonly StoredChunk[],
  of: readonly { readonly series: SealedSeries }[],
): Promise<Columns[]> {
  const sql = `select k.at, n, ${arrayColumns} from ${keyTable(chunks)} join telltale.chunk c on ${isKey} where ${inWeek(week)}`;
  const rows = new CopyReader(await copied(connection, sql));
  const all = chunks.map(() => new Columns());
  while (rows.nextRow()) {
    const [at, count] = [rows.int4(), rows.int4()];
    const chunk = chunks[at] as StoredChunk;
    const { datatype } = (of[at] as { series: SealedSeries }).series;
    appendArrays(datatype, { firstUs: chunk.firstUs, count }, readRowArrays(rows), all[at] as Columns);
  }
  return all;
}

export async function removeChunks(
  connection: Connection,
  week: number,
  chunks: readonly StoredChunk[],
): Promise<void> {
  await connection.query(`delete from telltale.chunk c using ${keyTable(chunks)} where ${isKey} and ${inWeek(week)}`);
}

const isKey =
  'c.series = k.series and c.first_us = k.first_us and c.epoch = k.epoch and c.place = k.place and c.part = k.part';

/** As literals, so that partitions are chosen when the statement is planned, and COPY takes it. */
function inWeek(week: number): string {
  return `c.first_us >= ${sinceOfWeek(week)} and c.first_us < ${Math.min(untilOfWeek(week), endOfTimeUs)}`;
}

function spanTable(spans: readonly SeriesSpan[]): string {
  const lists = [
    spans.map(({ series }) => series),
    spans.map(({ firstUs }) => firstUs),
    spans.map(({ lastUs }) => lastUs),
  ];
  return `unnest(${lists.map(bigints).join()}) with ordinality as w(series, first_us, last_us, at)`;
}

function keyTable(chunks: readonly StoredChunk[]): string {
  const of = (take: (chunk: StoredChunk) => number) => bigints(chunks.map(take));
  const [series, firstUs] = [of((chunk) => chunk.series), of((chunk) => chunk.firstUs)];
  const [epoch, place, part] = [of((chunk) => chunk.epoch), of((chunk) => chunk.place), of((chunk) => chunk.part)];
  return `(select series, first_us, epoch, place, part, at::integer - 1 as at
    from unnest(${series}, ${firstUs}, ${epoch}, ${place}, ${part}) with ordinality as k(series, first_us, epoch, place, part, at)) k`;
}

function bigints(numbers: readonly number[]): string {
  return `'{${numbers.join()}}'::bigint[]`;
}

async function readSpans(connection: Connection, sql: string, spans: readonly SeriesSpan[]): Promise<StoredChunk[][]> {
  const rows = new CopyReader(await copied(connection, sql));
  const found: StoredChunk[][] = spans.map(() => []);
  while (rows.nextRow()) {
    const at = rows.int8() - 1;
    const [firstUs, lastUs, epoch, place] = [rows.int8(), rows.int8(), rows.int8(), rows.int8()];
    const [part, count, flags] = [rows.int4(), rows.int4(), rows.int2()];
    const { series } = spans[at] as SeriesSpan;
    found[at]?.push({ series, firstUs, lastUs, epoch, place, part, count, flags });
  }
  return found;
}

async function copied(connection: Connection, select: string): Promise<Buffer> {
  const [bytes] = await connection.copyOut(`copy (${select}) to stdout (format binary)`);
  if (bytes === undefined) throw new Error('COPY gave nothing');
  return bytes;
}
