// Flushes a frozen generation to block files, one per partition. A generator, so that it runs in slices: its yields
// only allow a pause. The table is not changed and can be read meanwhile.

import { form, traitsOf } from '@telltale/schema/values';
import { BlockWriter } from '../files/block-writer.ts';
import { type Disk, syncFolder } from '../files/disk.ts';
import { astray } from '../files/file-names.ts';
import { Columns, oldestPlausibleUs, type Series } from '../records.ts';
import { type ErasedRange, isErased, type Memtable, mark } from './memtable.ts';
import { partitionOf, partitionUs } from './partition.ts';
import { dropReplaced } from './tail.ts';
import { sortByTime } from './time-order.ts';

export interface Flush {
  readonly folder: string;
  readonly disk: Disk;
  readonly table: Memtable;
  /** Times after this are those of a wrong clock. The same at each try, so that a second one replaces the first. */
  readonly aheadUs: number;
  readonly seriesOf: (number: number) => Series;
  readonly erasedOf: (series: number) => readonly ErasedRange[];
  /** The last tombstone that `erasedOf` knows. */
  readonly tombstonesApplied: number;
}

/** Records between two chances to stop. A multiple of a chunk's. */
const sliceRecords = 8 * 1024;
const sortedRecords = 64 * 1024;

/** Positions of one series in `order`: those of a right clock are from `start` to `end`, the others around them. */
interface Segment {
  readonly series: Series;
  readonly from: number;
  readonly start: number;
  readonly end: number;
  readonly to: number;
  /** Those of a right clock before this are written. */
  next: number;
}

/** Answers with the paths of the blocks, whose names are on disk then. An error leaves none of them unfinished. */
export function* flushTable(flush: Flush): Generator<void, string[]> {
  const { folder, table, tombstonesApplied } = flush;
  const order = yield* orderBySeries(table);
  const segments = yield* segmentsOf(flush, order);
  const { generation } = table;
  const paths: string[] = [];
  for (const partition of partitionsOf(flush, order, segments)) {
    const header = { partition, genFrom: generation, genTo: generation, rewrite: 0, tombstonesApplied };
    const writer = new BlockWriter(folder, header, flush.disk);
    let isFinished = false;
    try {
      yield* writePartition(table, order, segments, partition, writer);
      const path = writer.finish();
      isFinished = true;
      if (path !== undefined) paths.push(path);
    } finally {
      if (!isFinished) writer.abort();
    }
    yield;
  }
  syncFolder(folder);
  return paths;
}

/** The positions of all records by number of the series, then arrival. */
function* orderBySeries(table: Memtable): Generator<void, Uint32Array> {
  const { count, counts, series } = table;
  const order = new Uint32Array(count);
  const next = new Uint32Array(counts.length);
  let start = 0;
  for (const number of Uint32Array.from(table.used).sort()) {
    next[number] = start;
    start += counts[number] as number;
  }
  for (let from = 0; from < count; from += sortedRecords) {
    scatter(series, from, Math.min(from + sortedRecords, count), next, order);
    yield;
  }
  return order;
}

function scatter(series: Uint32Array, from: number, to: number, next: Uint32Array, order: Uint32Array): void {
  for (let at = from; at < to; at++) {
    const number = series[at] as number;
    const place = next[number] as number;
    order[place] = at;
    next[number] = place + 1;
  }
}

/** Brings each series into the order of time, and leaves out what was erased or replaced. */
function* segmentsOf(flush: Flush, order: Uint32Array): Generator<void, Segment[]> {
  const { times, qualities, counts, marks, used } = flush.table;
  const segments: Segment[] = [];
  let [from, looked] = [0, 0];
  for (const number of Uint32Array.from(used).sort()) {
    const count = counts[number] as number;
    let to = from + count;
    const marked = marks[number] as number;
    if ((marked & mark.unordered) !== 0) yield* sortByTime(order, from, to, times);
    const erased = flush.erasedOf(number);
    if (erased.length > 0) to = dropErased(order, from, to, times, erased);
    if ((marked & mark.replacing) !== 0) to = dropReplaced(order, from, to, times, qualities);
    const start = firstNotBefore(order, from, to, times, oldestPlausibleUs);
    const end = firstNotBefore(order, start, to, times, flush.aheadUs + 1);
    if (from < to) segments.push({ series: flush.seriesOf(number), from, start, end, to, next: start });
    from += count;
    looked += 1 + count / 64;
    if (looked > sliceRecords) {
      looked = 0;
      yield;
    }
  }
  return segments;
}

function dropErased(
  order: Uint32Array,
  from: number,
  to: number,
  times: Float64Array,
  erased: readonly ErasedRange[],
): number {
  let out = from;
  for (let i = from; i < to; i++) {
    const at = order[i] as number;
    if (!isErased(erased, times[at] as number, at)) order[out++] = at;
  }
  return out;
}

function partitionsOf({ table, aheadUs }: Flush, order: Uint32Array, segments: readonly Segment[]): number[] {
  const partitions = new Set<number>();
  for (const { from, start, end, to } of segments) {
    if (from < start || end < to) partitions.add(astray);
    for (let at = start; at < end; ) {
      const partition = partitionOf(table.times[order[at] as number] as number, aheadUs);
      partitions.add(partition);
      at = firstNotBefore(order, at, end, table.times, (partition + 1) * partitionUs);
    }
  }
  return [...partitions].sort((a, b) => a - b);
}

function* writePartition(
  table: Memtable,
  order: Uint32Array,
  segments: readonly Segment[],
  partition: number,
  writer: BlockWriter,
): Generator<void, void> {
  const columns = new Columns(sliceRecords);
  let written = 0;
  for (const segment of segments) {
    const { series, from, start, end, to, next } = segment;
    if (partition === astray) {
      if (from === start && end === to) continue;
      writer.begin(series);
      yield* append(table, order, from, start, series, columns, writer);
      yield* append(table, order, end, to, series, columns, writer);
      writer.end();
    } else {
      const until = firstNotBefore(order, next, end, table.times, (partition + 1) * partitionUs);
      written += until - next;
      segment.next = until;
      if (next === until) continue;
      writer.begin(series);
      yield* append(table, order, next, until, series, columns, writer);
      writer.end();
    }
    if (written > sliceRecords) {
      written = 0;
      yield;
    }
  }
}

function* append(
  table: Memtable,
  order: Uint32Array,
  from: number,
  to: number,
  series: Series,
  columns: Columns,
  writer: BlockWriter,
): Generator<void, void> {
  for (let at = from; at < to; at += sliceRecords) {
    columns.clear();
    table.copy(order, at, Math.min(at + sliceRecords, to), traitsOf(series.datatype).form === form.text, columns);
    writer.append(columns, 0, columns.count);
    if (to - from > sliceRecords) yield;
  }
}

/** Of positions in order of time, where those at or after `timeUs` begin. */
function firstNotBefore(order: Uint32Array, from: number, to: number, times: Float64Array, timeUs: number): number {
  let [low, high] = [from, to];
  if (low < high && (times[order[high - 1] as number] as number) < timeUs) return high;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((times[order[middle] as number] as number) < timeUs) low = middle + 1;
    else high = middle;
  }
  return low;
}
