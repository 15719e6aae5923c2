// The interface between the stages of a query: runs of records, in time order. A stage has the current run in its own
// fields, so that runs allocate nothing.
import { type Datatype, form, traitsOf } from '@telltale/schema/values';
import type { Columns } from '../records.ts';
import type { Chunk } from './block.ts';

/** What `next` came to: everything was given, */
export const atEnd = 0;
/** a run is current, from `from` to `to`, neither empty nor longer than `longestRun`, */
export const atRun = 1;
/** some work was done, and it is to be called again, */
export const atNothing = 2;
/** or a whole chunk is current as `chunk`, unread: the following `next` goes on behind it, or into it after `openChunk`. */
export const atChunk = 3;
export type Step = typeof atEnd | typeof atRun | typeof atNothing | typeof atChunk;

/** No step looks at many more records than this, so that other queries have their turns. */
export const longestRun = 4096;

export interface RecordRuns {
  readonly datatype: Datatype;
  readonly columns: Columns;
  readonly from: number;
  readonly to: number;
  /** All its records are in the interval, and none is hidden by, or interleaved with, records of others. */
  readonly chunk: Chunk | undefined;
  /** Of the current chunk: its records are wanted one by one. */
  openChunk(): void;
  next(): Step;
}

/** A copy of one record into another column set, bit for bit. */
export function copyRecord(datatype: Datatype, from: Columns, at: number, into: Columns, to: number): void {
  into.times[to] = from.times[at] as number;
  into.qualities[to] = from.qualities[at] as number;
  const { form: held } = traitsOf(datatype);
  if (held === form.text) into.texts[to] = from.texts[at] as string;
  else if (held === form.long) into.longs[to] = from.longs[at] as bigint;
  else into.numbers[to] = from.numbers[at] as number;
}
