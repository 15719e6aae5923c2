// What there is of a series in a span of time, from wherever, as chunks that follow each other: a chunk of the store where nothing
// else is of its time, and otherwise pieces that are merged when they are read.
import type { Datatype } from '@telltale/schema';
import { type Chunk, Columns, dropReplaced, firstFrom, simulated, sortByTime } from '../../archive/query/index.ts';
import { appendRecords } from './append-records.ts';
import { comparePlaces, type Place } from './place.ts';
import { type Erased, type Layer, takeOut } from './section-layers.ts';
import type { StoredRow } from './stored-row.ts';

/** Records in order of time, then of arrival: those of a row of the store, or some that are in memory. */
interface Source extends Place {
  readonly firstUs: number;
  readonly lastUs: number;
  readonly row: StoredRow | undefined;
  readonly columns: Columns;
  readonly from: number;
  readonly to: number;
}

export interface SpanChunk extends Chunk {
  /** By their places: of records at the same time those of a later one are behind, and may replace. */
  readonly sources: readonly Source[];
  /** Of them. */
  readonly erasures: readonly Erased[];
}

export interface SpanContents {
  readonly rows: readonly StoredRow[];
  readonly layers: readonly Layer[];
  /** Those that are not sealed: what others erase is in no row. */
  readonly erasures: readonly Erased[];
}

const recordsOfPiece = 1024;
/** Of many that overlap, a piece begins with each of so many. */
const sourcesOfPiece = 4;
const noRecords = new Columns();

/** At least everything in [sinceUs, untilUs). */
export function spanChunks({ rows, layers, erasures }: SpanContents, sinceUs: number, untilUs: number): SpanChunk[] {
  const sources = [...rows.map(sourceOf), ...layers.flatMap((layer) => sourcesOfLayer(layer, sinceUs, untilUs))];
  // Stable: of the same place rows come before layers.
  const ranks = new Map(sources.toSorted(comparePlaces).map((source, rank) => [source, rank]));
  sources.sort((a, b) => a.firstUs - b.firstUs);
  const chunks: SpanChunk[] = [];
  for (let from = 0, to = 0; from < sources.length; from = to) {
    let { lastUs } = sources[from] as Source;
    for (to = from + 1; to < sources.length && (sources[to] as Source).firstUs <= lastUs; to++) {
      lastUs = Math.max(lastUs, (sources[to] as Source).lastUs);
    }
    const group = sources.slice(from, to).sort((a, b) => (ranks.get(a) as number) - (ranks.get(b) as number));
    addGroup(chunks, group, erasures);
  }
  return chunks;
}

function sourceOf(row: StoredRow): Source {
  const { epoch, place, firstUs, lastUs, count } = row;
  return { epoch, place, firstUs, lastUs, row, columns: noRecords, from: 0, to: count };
}

function sourcesOfLayer({ epoch, place, columns }: Layer, sinceUs: number, untilUs: number): Source[] {
  const { times, count } = columns;
  const end = firstFrom(times, 0, count, untilUs);
  const sources: Source[] = [];
  for (let from = firstFrom(times, 0, end, sinceUs), to = from; from < end; from = to) {
    to = Math.min(end, from + recordsOfPiece);
    const [firstUs, lastUs] = [times[from] as number, times[to - 1] as number];
    sources.push({ epoch, place, firstUs, lastUs, row: undefined, columns, from, to });
  }
  return sources;
}

/** All of them overlap, one the next. */
function addGroup(chunks: SpanChunk[], group: readonly Source[], erasures: readonly Erased[]): void {
  const only = group.length === 1 ? (group[0] as Source) : undefined;
  const erased = erasures.filter((each) => group.some((source) => erases(each, source)));
  if (only !== undefined && erased.length === 0) {
    const { firstUs, lastUs, from, to, row } = only;
    const hasSimulated = row?.hasSimulated ?? hasSimulatedIn(only);
    chunks.push({
      firstUs,
      lastUs,
      count: to - from,
      hasSimulated,
      summary: row?.summary,
      sources: group,
      erasures: [],
    });
    return;
  }
  const starts = [...new Set(group.map(({ firstUs }) => firstUs).sort((a, b) => a - b))].filter(
    (_, at) => at % sourcesOfPiece === 0,
  );
  const lastOfAllUs = Math.max(...group.map(({ lastUs }) => lastUs));
  for (const [at, firstUs] of starts.entries()) {
    const lastUs = at + 1 < starts.length ? (starts[at + 1] as number) - 1 : lastOfAllUs;
    const sources = group.filter((source) => source.firstUs <= lastUs && source.lastUs >= firstUs);
    const hasSimulated = sources.some((source) => source.row?.hasSimulated ?? hasSimulatedIn(source));
    chunks.push({ firstUs, lastUs, count: undefined, hasSimulated, summary: undefined, sources, erasures: erased });
  }
}

function erases(erased: Erased, { firstUs, lastUs, row, ...place }: Source): boolean {
  return row !== undefined && erased.sinceUs <= lastUs && erased.untilUs > firstUs && comparePlaces(erased, place) >= 0;
}

function hasSimulatedIn({ columns: { qualities }, from, to }: Source): boolean {
  return qualities.subarray(from, to).some((quality) => (quality & simulated) !== 0);
}

/** Appends the records of a chunk; `addRow` appends those of a row. */
export function readSpanChunk(
  datatype: Datatype,
  { sources, erasures, count, firstUs, lastUs }: SpanChunk,
  addRow: (row: StoredRow, into: Columns) => void,
  into: Columns,
): void {
  if (count !== undefined) {
    addSource(sources[0] as Source, addRow, into);
    return;
  }
  const all = new Columns();
  for (const source of sources) {
    const start = all.count;
    addSource(source, addRow, all);
    if (source.row !== undefined)
      takeOut(
        datatype,
        all,
        start,
        erasures.filter((each) => erases(each, source)),
      );
  }
  appendVisible(all, firstUs, lastUs, into);
}

function addSource(
  { row, columns, from, to }: Source,
  addRow: (row: StoredRow, into: Columns) => void,
  into: Columns,
): void {
  if (row === undefined) appendRecords(columns, from, to, into);
  else addRow(row, into);
}

/** Those from `firstUs` to `lastUs`, which are in the order in which they count. */
function appendVisible(all: Columns, firstUs: number, lastUs: number, into: Columns): void {
  const { count, times, qualities, texts } = all;
  const order = new Uint32Array(count);
  let found = 0;
  for (let at = 0; at < count; at++) {
    const timeUs = times[at] as number;
    if (timeUs >= firstUs && timeUs <= lastUs) order[found++] = at;
  }
  for (const _ of sortByTime(order, 0, found, times));
  const end = dropReplaced(order, 0, found, times, qualities);
  into.reserve(into.count + end);
  // As words, since a double with the bits of an integer may lose some of them on its way.
  const [from, words] = [new Int32Array(all.numbers.buffer), new Int32Array(into.numbers.buffer)];
  for (let i = 0; i < end; i++) {
    const [at, to] = [order[i] as number, into.count++];
    into.times[to] = times[at] as number;
    words[2 * to] = from[2 * at] as number;
    words[2 * to + 1] = from[2 * at + 1] as number;
    into.qualities[to] = qualities[at] as number;
    if (texts[at] !== undefined) into.texts[to] = texts[at] as string;
  }
}
