// Loads what the store has of some series in a span of time, all of one moment: rows without their arrays, the arrays of the first of
// them, and what is not sealed. Where there are very many rows, only whole weeks of them are given, those at the begin.
import type { Datatype } from '@telltale/schema/values';
import type { Kind, Series } from '../../archive/query/index.ts';
import type { CopyReader } from './copy-reader.ts';
import type { DecodedParcels, ParcelKey } from './decoded-parcels.ts';
import type { ReadLimits } from './read-limits.ts';
import { type KeyedArrays, readRows } from './read-rows.ts';
import { readParcelKeys, readSeriesNumbers, readUnsealed } from './read-unsealed.ts';
import { type Erased, layersOf } from './section-layers.ts';
import type { SiteName } from './site-name.ts';
import { type SpanChunk, spanChunks } from './span-chunks.ts';
import {
  erasuresOfSpan,
  type Interval,
  idsByName,
  idsOf,
  parcelKeys,
  rowsOfSpan,
  rowsWithArrays,
  type SpanQuery,
  seriesByName,
  seriesNumbers,
} from './span-sql.ts';
import type { Copy } from './store-snapshot.ts';
import { compareRanks, type StoredRow } from './stored-row.ts';
import type { UnsealedRecords } from './unsealed-records.ts';
import { UnsealedRoom } from './unsealed-room.ts';
import { sinceOfWeek, untilOfWeek, weekOf } from './weeks.ts';

/** The number of the series is its id in the store. */
export interface StoredSeries {
  readonly site: string;
  readonly series: Series;
}

/** What there is of a series in this interval: all of it. */
export interface LoadedSpan extends Interval {
  readonly weeks: ReadonlyMap<number, readonly SpanChunk[]>;
}

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
  limits: ReadLimits,
): Promise<LoadedSeries[]> {
  if (names.length === 0) return [];
  const sites = [...new Set(names.map(({ site }) => site))];
  const first = firstRows(idsByName(kind, names), query, limits);
  const [found, rows, keys] = await copy(seriesByName(kind, names), first, parcelKeys(sites));
  return load({ copy, parcels, query, limits, all: readSeries(found, kind) }, rows, keys);
}

export async function loadSeries(
  copy: Copy,
  parcels: DecodedParcels,
  stored: StoredSeries,
  query: SpanQuery,
  limits: ReadLimits,
): Promise<LoadedSeries> {
  const first = firstRows(idsOf([stored.series.number]), query, limits);
  const [rows, keys] = await copy(first, parcelKeys([stored.site]));
  const [only] = await load({ copy, parcels, query, limits, all: [stored] }, rows, keys);
  return only as LoadedSeries;
}

interface Load {
  readonly copy: Copy;
  readonly parcels: DecodedParcels;
  readonly query: SpanQuery;
  readonly limits: ReadLimits;
  readonly all: readonly StoredSeries[];
}

/** With their arrays, where these are probably all. */
function firstRows(ids: string, query: SpanQuery, { rows, arrays }: ReadLimits): string {
  return query.readsAll ? rowsWithArrays(ids, query, arrays) : rowsOfSpan(ids, query, rows);
}

async function load(what: Load, first: CopyReader, keys: CopyReader): Promise<LoadedSeries[]> {
  const { query, limits, all } = what;
  const names = new Map(all.map(({ series: { number, name } }) => [number, name]));
  const { rows, arrays } = readRows(first, names, !query.readsAll, query.readsAll);
  const cut = (limit: number) => all.map(({ series }) => series.number).filter((id) => rows.get(id)?.length === limit);
  const long = query.readsAll ? cut(limits.arrays) : [];
  if (long.length > 0) {
    const [more] = await what.copy(rowsOfSpan(idsOf(long), query, limits.rows));
    for (const [id, own] of readRows(more, names, false, false).rows) rows.set(id, own);
  }
  const isCut = new Set(cut(limits.rows));
  const unsealed = await unsealedOf(what, readParcelKeys(keys));
  return all.map((stored) => {
    const { site, series } = stored;
    const found = rows.get(series.number) ?? [];
    const records = unsealed.records.get(site);
    const erased = unsealed.erasures.get(series.number) ?? [];
    const interval = isCut.has(series.number) ? wholeWeeks(found.at(-1) as StoredRow, query) : query;
    return {
      ...stored,
      span: interval && spanOf(series, found, records, erased, interval),
      arrays: arrays.get(series.number) ?? new Map(),
      unsealedWeeks: records?.weeksOf(series.number) ?? new Set(),
    };
  });
}

/** Of these series: what is not sealed, by site, and the erasures that are, by series. */
async function unsealedOf({ copy, parcels, query, limits, all }: Load, keys: readonly ParcelKey[]) {
  const nothing = { records: new Map<string, UnsealedRecords>(), erasures: new Map<number, Erased[]>() };
  if (keys.length === 0 || all.length === 0) return nothing;
  const [sites, epochs] = [new Set(keys.map(({ site }) => site)), new Set(keys.map(({ epoch }) => epoch))];
  const ids = all.map(({ series }) => series.number);
  const [numbers, sealed] = await copy(seriesNumbers([...sites], [...epochs], ids), erasuresOfSpan(ids, query));
  const room = new UnsealedRoom(limits.unsealedBytes);
  const span = { sinceUs: query.looksBack ? 0 : query.sinceUs, untilUs: query.untilUs };
  return {
    records: await readUnsealed(copy, parcels, keys, readSeriesNumbers(numbers), span, room),
    erasures: readErasures(sealed),
  };
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

/** By series. */
function readErasures(rows: CopyReader): Map<number, Erased[]> {
  const all = new Map<number, Erased[]>();
  while (rows.nextRow()) {
    const series = rows.int8();
    const [sinceUs, untilUs, epoch, place] = [rows.int8(), rows.int8(), rows.int8(), rows.int8()];
    all.set(series, [...(all.get(series) ?? []), { sinceUs, untilUs, epoch, place }]);
  }
  return all;
}
