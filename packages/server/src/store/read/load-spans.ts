// Loads what the store has of some series in a span of time, all of one moment: rows without their arrays, the arrays of the first of
// them, and what is not sealed. Where there are very many rows, only whole weeks of them are given, those at the begin.
import type { Datatype } from '@telltale/schema/values';
import type { Kind, Series } from '../../archive/query/index.ts';
import type { CopyReader } from './copy-reader.ts';
import type { DecodedParcels } from './decoded-parcels.ts';
import { readParcelKeys, readSeriesNumbers, readUnsealed } from './read-unsealed.ts';
import { type RowArrays, readRowArrays } from './row-arrays.ts';
import { type Erased, layersOf } from './section-layers.ts';
import type { SiteName } from './site-name.ts';
import { type SpanChunk, spanChunks } from './span-chunks.ts';
import {
  arraysOfSpan,
  erasuresOfSpan,
  type Interval,
  idsByName,
  idsOf,
  parcelKeys,
  rowsOfSpan,
  type SpanQuery,
  seriesByName,
  seriesNumbers,
} from './span-sql.ts';
import type { Copy } from './store-snapshot.ts';
import { compareRanks, readStoredRow, type StoredRow } from './stored-row.ts';
import type { UnsealedRecords } from './unsealed-records.ts';
import { sinceOfWeek, untilOfWeek, weekOf } from './weeks.ts';

/** The number of the series is its id in the store. */
export interface StoredSeries {
  readonly site: string;
  readonly series: Series;
}

/** Of each series. */
export interface LoadLimits {
  readonly rows: number;
  readonly arrays: number;
}

/** What there is of a series in this interval: all of it. */
export interface LoadedSpan extends Interval {
  readonly weeks: ReadonlyMap<number, readonly SpanChunk[]>;
}

/** By key of the row. */
export type KeyedArrays = Map<string, RowArrays>;

export interface LoadedSeries extends StoredSeries {
  /** Undefined: there are too many rows in the first week for the limit. */
  readonly span: LoadedSpan | undefined;
  readonly arrays: KeyedArrays;
  /** Those in which something is not sealed, in all of the span that was asked for; and before it, where that matters. */
  readonly unsealedWeeks: ReadonlySet<number>;
}

export async function loadNames(
  copy: Copy,
  parcels: DecodedParcels,
  kind: Kind,
  names: readonly SiteName[],
  query: SpanQuery,
  limits: LoadLimits,
): Promise<LoadedSeries[]> {
  if (names.length === 0) return [];
  const sites = [...new Set(names.map(({ site }) => site))];
  const ids = idsByName(kind, names);
  const [found, ...rest] = await copy(seriesByName(kind, names), ...statements(ids, sites, query, limits));
  const series = readSeries(found as CopyReader, kind);
  return loaded(copy, parcels, series, rest, query, limits);
}

export async function loadSeries(
  copy: Copy,
  parcels: DecodedParcels,
  series: StoredSeries,
  query: SpanQuery,
  limits: LoadLimits,
): Promise<LoadedSeries> {
  const answers = await copy(...statements(idsOf([series.series.number]), [series.site], query, limits));
  const [only] = await loaded(copy, parcels, [series], answers, query, limits);
  return only as LoadedSeries;
}

function statements(ids: string, sites: readonly string[], query: SpanQuery, limits: LoadLimits): string[] {
  return [
    rowsOfSpan(ids, query, limits.rows),
    arraysOfSpan(ids, query, limits.arrays),
    parcelKeys(sites),
    seriesNumbers(sites, ids),
    erasuresOfSpan(sites, ids, query),
  ];
}

async function loaded(
  copy: Copy,
  parcels: DecodedParcels,
  all: readonly StoredSeries[],
  answers: readonly CopyReader[],
  query: SpanQuery,
  limits: LoadLimits,
): Promise<LoadedSeries[]> {
  const [rows, arrays, keys, numbers, sealedErasures] = answers as [
    CopyReader,
    CopyReader,
    CopyReader,
    CopyReader,
    CopyReader,
  ];
  const names = new Map(all.map(({ series: { number, name } }) => [number, name]));
  const rowsOf = bySeries(rows, (series) => readStoredRow(rows, query.hasSummaries, names.get(series) ?? ''));
  const arraysOf = bySeries(arrays, () => readKeyed(arrays));
  const erasuresOf = bySeries(sealedErasures, (): Erased => readErased(sealedErasures));
  const unsealedSpan = { sinceUs: query.looksBack ? 0 : query.sinceUs, untilUs: query.untilUs };
  const unsealedOf = await readUnsealed(copy, parcels, readParcelKeys(keys), readSeriesNumbers(numbers), unsealedSpan);
  return all.map((stored) => {
    const { site, series } = stored;
    const found = rowsOf.get(series.number) ?? [];
    const erased = erasuresOf.get(series.number) ?? [];
    const unsealed = unsealedOf.get(site);
    const interval = found.length < limits.rows ? query : wholeWeeks(found.at(-1) as StoredRow, query);
    return {
      ...stored,
      span: interval && spanOf(series, found, unsealed, erased, interval),
      arrays: new Map(arraysOf.get(series.number)),
      unsealedWeeks: unsealed?.weeksOf(series.number) ?? new Set(),
    };
  });
}

/** Those of which there are all rows, where there may be more behind this one; undefined: there are none. */
function wholeWeeks({ firstUs }: StoredRow, { sinceUs, untilUs, isBackward }: SpanQuery): Interval | undefined {
  const week = weekOf(firstUs);
  const [since, until] = [sinceOfWeek(week), untilOfWeek(week)];
  if (isBackward) return until < untilUs ? { sinceUs: until, untilUs } : undefined;
  return since > sinceUs ? { sinceUs, untilUs: since } : undefined;
}

function spanOf(
  { number, datatype }: Series,
  rows: readonly StoredRow[],
  unsealed: UnsealedRecords | undefined,
  sealedErasures: readonly Erased[],
  { sinceUs, untilUs }: Interval,
): LoadedSpan {
  const ranked = rows.toSorted(compareRanks);
  const erasures = unsealed?.erasuresOf(number) ?? [];
  const sections = unsealed?.sectionsOf(number) ?? [];
  const layers = layersOf(datatype, sections, [...erasures, ...sealedErasures], ranked);
  const rowsByWeek = Map.groupBy(ranked, ({ firstUs }) => weekOf(firstUs));
  const weeks = new Map<number, SpanChunk[]>();
  for (const week of new Set([...rowsByWeek.keys(), ...(unsealed?.weeksOf(number) ?? [])])) {
    const [since, until] = [Math.max(sinceUs, sinceOfWeek(week)), Math.min(untilUs, untilOfWeek(week))];
    if (since >= until) continue;
    weeks.set(week, spanChunks({ rows: rowsByWeek.get(week) ?? [], layers, erasures }, since, until));
  }
  return { sinceUs, untilUs, weeks };
}

function readSeries(rows: CopyReader, kind: Kind): StoredSeries[] {
  const all: StoredSeries[] = [];
  while (rows.nextRow()) {
    const [number, site, name] = [rows.int8(), rows.text(), rows.text()];
    all.push({ site, series: { number, kind, name, datatype: rows.text() as Datatype } });
  }
  return all;
}

function readErased(rows: CopyReader): Erased {
  const [sinceUs, untilUs, epoch, place] = [rows.int8(), rows.int8(), rows.int8(), rows.int8()];
  return { sinceUs, untilUs, epoch, place };
}

/** As `arraysBetween` gives them. */
export function readKeyedArrays([rows]: readonly CopyReader[]): KeyedArrays {
  const arrays: KeyedArrays = new Map();
  while (rows?.nextRow()) arrays.set(...readKeyed(rows));
  return arrays;
}

function readKeyed(rows: CopyReader): [string, RowArrays] {
  const [firstUs, epoch, place, part] = [rows.int8(), rows.int8(), rows.int8(), rows.int4()];
  const key = keyOf({ firstUs, epoch, place, part, version: rows.int4() });
  return [key, readRowArrays(rows)];
}

export function keyOf({
  firstUs,
  epoch,
  place,
  part,
  version,
}: Pick<StoredRow, 'firstUs' | 'epoch' | 'place' | 'part' | 'version'>): string {
  return `${firstUs} ${epoch} ${place} ${part} ${version}`;
}

/** Each row begins with the id of the series. */
function bySeries<T>(rows: CopyReader, read: (series: number) => T): Map<number, T[]> {
  const all = new Map<number, T[]>();
  while (rows.nextRow()) {
    const series = rows.int8();
    const some = all.get(series);
    if (some === undefined) all.set(series, [read(series)]);
    else some.push(read(series));
  }
  return all;
}
