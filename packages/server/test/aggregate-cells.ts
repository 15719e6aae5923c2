// Answers with aggregates as cells, in whichever form they came, and those of plain arrays to compare them with.
import assert from 'node:assert/strict';
import {
  type AggregateRow,
  type Datatype,
  formatText,
  fromTimestamp,
  type Timestamp,
  type Value,
} from '@telltale/schema';
import type { Aggregate, ReadRequest } from '../src/archive/archive-access.ts';
import { bucketsOf, isNear } from './aggregate-model.ts';
import { parseCsv } from './parse-answers.ts';
import { edgesOf, judgedOf, type PlainRecord, wanted } from './query-model.ts';

/** One value of one bucket. Of commands the quality is empty. */
export type Cell = readonly [time: number, aggregate: Aggregate, value: string, quality: string];

export function plainCells(all: readonly PlainRecord[], request: ReadRequest, some: readonly Aggregate[]): Cell[] {
  const hasQuality = request.kind === 'measurements';
  const judged = wanted(all, request).map((record) => judgedOf(record, hasQuality));
  const buckets = bucketsOf(judged, edgesOf(request), some).slice(0, request.limit);
  return buckets.flatMap(({ time, quality, values }) =>
    some.flatMap((each, at): Cell[] => {
      const typed = values[at];
      // In rows of CSV an empty text looks like none.
      if (typed === undefined || (request.form === 'csv' && some.length > 1 && typed.value === '')) return [];
      return [[time, each, formatText(typed.datatype, typed.value), hasQuality ? String(quality) : '']];
    }),
  );
}

/** The list of one name. */
export function cellsOfJson(list: readonly unknown[], some: readonly Aggregate[]): Cell[] {
  if (some.length === 1) {
    const records = list as [string, Timestamp, number?][];
    return records.map(([value, t, q = '']) => [fromTimestamp(t), some[0] as Aggregate, value.slice(1), String(q)]);
  }
  return (list as AggregateRow[]).flatMap(({ t, q = '', ...values }) => {
    assert.deepEqual(Object.keys(values), some);
    return some.flatMap((each): Cell[] => {
      const value = values[each];
      return typeof value === 'string' ? [[fromTimestamp(t), each, value.slice(1), String(q)]] : [];
    });
  });
}

/** By name. */
export function cellsOfCsv(text: string, some: readonly Aggregate[]): Map<string, Cell[]> {
  const [header = [], ...rows] = parseCsv(text);
  const hasQuality = header.at(-1) === 'quality';
  const columns = some.length > 1 ? some : ['value'];
  assert.deepEqual(header, ['name', 'time', ...columns, ...(hasQuality ? ['quality'] : [])]);
  const found = new Map<string, Cell[]>();
  for (const [name = '', time = '', ...fields] of rows) {
    const quality = hasQuality ? (fields.at(-1) as string) : '';
    const cells = some.flatMap((each, at): Cell[] => {
      const field = fields[at] as string;
      return field === '' && some.length > 1 ? [] : [[usOf(time), each, field, quality]];
    });
    found.getOrInsertComputed(name, () => []).push(...cells);
  }
  return found;
}

/** Of ISO 8601 with six decimals. */
function usOf(text: string): number {
  const [, seconds = '', us = ''] = /^(.*)\.(\d{6})Z$/.exec(text) ?? assert.fail(text);
  return Date.parse(`${seconds}Z`) * 1000 + Number(us);
}

export interface CellColumns {
  readonly datatype: Datatype;
  readonly aggregate?: Aggregate;
  readonly times: ArrayLike<number>;
  readonly values: ArrayLike<Value>;
  readonly qualities: ArrayLike<number>;
}

export function cellsOfColumns(
  { datatype, aggregate, times, values, qualities }: CellColumns,
  some: readonly Aggregate[],
  hasQuality: boolean,
): Cell[] {
  const which = aggregate ?? (some[0] as Aggregate);
  return Array.from(times, (time, at): Cell => {
    const value = datatype === 'b' ? Number(values[at]) === 1 : (values[at] as Value);
    return [time, which, formatText(datatype, value), hasQuality ? String(qualities[at]) : ''];
  });
}

/** Sums may differ in their last digits with the order of adding; frames of columns have one aggregate after the other. */
export function assertCells(given: readonly Cell[], wanted: readonly Cell[], what = 'what is computed'): void {
  const inOrder = (cells: readonly Cell[]) =>
    [...cells].sort(([a, b], [c, d]) => a - c || (b < d ? -1 : b > d ? 1 : 0)).map((cell) => [...cell]);
  const [ours, theirs] = [inOrder(given), inOrder(wanted)];
  for (const [at, cell] of ours.entries()) {
    const value = theirs[at]?.[2];
    if (cell[2] !== value && isNear(Number(cell[2] || 'x'), Number(value || 'x'))) cell[2] = value as string;
  }
  assert.deepEqual([what, ours], [what, theirs]);
}
