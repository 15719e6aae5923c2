// The statements by which a span of some series is read, as COPY, which has no parameters.
import type { Kind } from '../../archive/query/index.ts';
import { arrayColumns } from './row-arrays.ts';
import type { SiteName } from './site-name.ts';
import { rowColumns } from './stored-row.ts';
import { sinceOfWeek, weekOf } from './weeks.ts';

/** Half-open. */
export interface Interval {
  readonly sinceUs: number;
  readonly untilUs: number;
}

export interface SpanQuery extends Interval {
  /** From its end back. */
  readonly isBackward: boolean;
  /** Most records are read; otherwise summaries do for most. */
  readonly readsAll: boolean;
  /** It matters as well what is before it. */
  readonly looksBack: boolean;
}

const rowOrder = ['first_us', 'epoch', 'place', 'part'];

export function copied(select: string): string {
  return `copy (${select}) to stdout (format binary)`;
}

/** Of each a row with its id, site, name and datatype, by id. */
export function seriesByName(kind: Kind, names: readonly SiteName[]): string {
  return `${seriesNamed('id, site, name, datatype', kind, names)} order by id`;
}

/** As a table for what follows. */
export function idsByName(kind: Kind, names: readonly SiteName[]): string {
  return seriesNamed('id', kind, names);
}

export function idsOf(ids: readonly number[]): string {
  return `select unnest('{${ids.join()}}'::bigint[]) as id`;
}

function seriesNamed(columns: string, kind: Kind, names: readonly SiteName[]): string {
  const wanted = names.map(({ site, name }) => `(${quoted(site)}, ${quoted(name)})`);
  return `select ${columns} from telltale.series where kind = ${quoted(kind)} and (site, name) in (${wanted.join()})`;
}

/** Of each series up to so many rows of the span, in order of their first times: its id, and what `readStoredRow` reads. */
export function rowsOfSpan(ids: string, query: SpanQuery, limit: number): string {
  return ofSpan(ids, query, rowColumns(!query.readsAll), limit);
}

/** With what `readRowArrays` reads behind it. */
export function rowsWithArrays(ids: string, query: SpanQuery, limit: number): string {
  return ofSpan(ids, query, `${rowColumns(false)}, ${arrayColumns}`, limit);
}

function ofSpan(ids: string, { sinceUs, untilUs, isBackward }: SpanQuery, columns: string, limit: number): string {
  const order = rowOrder.map((column) => `${column}${isBackward ? ' desc' : ''}`).join();
  // No row has records of two weeks.
  const firstUs = sinceOfWeek(weekOf(sinceUs));
  return `select wanted.id, found.* from (${ids}) wanted, lateral (
      select ${columns} from telltale.chunk
      where series = wanted.id and first_us >= ${firstUs} and first_us < ${untilUs} and last_us >= ${sinceUs}
      order by ${order} limit ${limit}
    ) found`;
}

/** All rows of a series with these first times, both included: what `readStoredRow` and `readRowArrays` read. */
export function rowsBetween(series: number, firstUs: number, lastUs: number): string {
  const span = `series = ${series} and first_us between ${firstUs} and ${lastUs}`;
  return `select ${rowColumns(false)}, ${arrayColumns} from telltale.chunk where ${span}`;
}

/** What identifies each parcel that is not sealed, and its bytes, in order. */
export function parcelKeys(sites: readonly string[]): string {
  return `select site, epoch, seq, (extract(epoch from received) * 1000000)::bigint, octet_length(bytes)
    from telltale.parcel where site in (${sites.map(quoted).join()}) order by site, epoch, seq`;
}

/** From one on as many as are asked for, in order. */
export function parcelBytes(site: string, epoch: number, seq: number, count: number): string {
  return `select epoch, seq, bytes from telltale.parcel
    where site = ${quoted(site)} and (epoch, seq) >= (${epoch}, ${seq}) order by epoch, seq limit ${count}`;
}

/** Which of these series the numbers of some epochs are. */
export function seriesNumbers(sites: readonly string[], epochs: readonly number[], ids: readonly number[]): string {
  return `select site, epoch, number, series from telltale.stream_series
    where site in (${sites.map(quoted).join()}) and epoch in (${epochs.join()}) and series in (${ids.join()})`;
}

/** Those that are sealed. */
export function erasuresOfSpan(ids: readonly number[], { sinceUs, untilUs }: Interval): string {
  return `select series, since_us, until_us, epoch, place from telltale.erasure
    where series in (${ids.join()}) and since_us < ${untilUs} and until_us > ${sinceUs}`;
}

/** The weeks that there are of all series, without those at the ends. */
export const weekNumbers = `select substr(relname, 8)::integer from pg_inherits join pg_class on pg_class.oid = inhrelid
  where inhparent = 'telltale.chunk'::regclass and relname ~ '^chunk_w[0-9]+$'`;

/** The text as a literal: whatever it is, it stays one. */
function quoted(text: string): string {
  return `E'${text.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;
}
