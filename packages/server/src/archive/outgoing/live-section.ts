// Records as they came, as a section of a parcel: by series and time, without those that others of them replace.

import type { Section } from '../parcel/parcel.ts';
import { Columns } from '../records.ts';
import { dropReplaced } from '../store/tail.ts';
import { sortByTime } from '../store/time-order.ts';
import type { LiveRecords } from './outgoing-piece.ts';

export function liveSection(records: LiveRecords): Section {
  const { from, to, times, qualities } = records;
  const { numbers, starts, order } = bySeries(records);
  const series = new Uint32Array(numbers.length);
  const ends = new Uint32Array(numbers.length);
  let [kept, end] = [0, 0];
  for (const [at, number] of numbers.entries()) {
    const [first, behind] = [starts[at] as number, starts[at + 1] as number];
    for (const _ of sortByTime(order, first, behind, times));
    const left = dropReplaced(order, first, behind, times, qualities);
    order.copyWithin(end, first, left);
    if (left === first) continue;
    end += left - first;
    series[kept] = number;
    ends[kept++] = end;
  }
  const columns = columnsOf(records, order.subarray(0, end));
  const superseded = records.series.length - end;
  return { from, to, isRepeated: false, superseded, series: series.slice(0, kept), ends: ends.slice(0, kept), columns };
}

interface BySeries {
  /** Ascending. */
  readonly numbers: Uint32Array;
  /** Where each begins in the order; behind the last one the end. */
  readonly starts: Uint32Array;
  /** Positions by series, then arrival, without what was erased. */
  readonly order: Uint32Array;
}

function bySeries({ series, isErased }: LiveRecords): BySeries {
  const counts = new Map<number, number>();
  for (let at = 0; at < series.length; at++) {
    const number = series[at] as number;
    counts.set(number, (counts.get(number) ?? 0) + (isErased?.[at] === 1 ? 0 : 1));
  }
  const numbers = Uint32Array.from(counts.keys()).sort();
  const starts = new Uint32Array(numbers.length + 1);
  const next = new Map<number, number>();
  for (const [at, number] of numbers.entries()) {
    next.set(number, starts[at] as number);
    starts[at + 1] = (starts[at] as number) + (counts.get(number) as number);
  }
  const order = new Uint32Array(starts.at(-1) ?? 0);
  for (let at = 0; at < series.length; at++) {
    if (isErased?.[at] === 1) continue;
    const place = next.get(series[at] as number) as number;
    order[place] = at;
    next.set(series[at] as number, place + 1);
  }
  return { numbers, starts, order };
}

function columnsOf({ times, numbers, qualities, texts }: LiveRecords, order: Uint32Array): Columns {
  const columns = new Columns(order.length);
  columns.count = order.length;
  // As words, since a double with the bits of an integer may lose some of them on its way.
  const [from, into] = [new Int32Array(numbers.buffer), new Int32Array(columns.numbers.buffer)];
  for (let i = 0; i < order.length; i++) {
    const at = order[i] as number;
    columns.times[i] = times[at] as number;
    columns.qualities[i] = qualities[at] as number;
    into[2 * i] = from[2 * at] as number;
    into[2 * i + 1] = from[2 * at + 1] as number;
  }
  if (texts.length === 0) return columns;
  for (let i = 0; i < order.length; i++) {
    const text = texts[order[i] as number];
    if (text === undefined) continue;
    columns.texts[i] = text;
    columns.numbers[i] = 0;
  }
  return columns;
}
