// What a query is given: the records that are still in memory, and the files with the rest. Plain data, so that it
// crosses to another thread as it is.
import { Columns, type Series } from '../records.ts';

/** Records in order of time, then of arrival; what was erased, replaced by another of them or has expired is left out. */
export interface Tail {
  readonly times: Float64Array;
  /** Eight bytes a record: doubles or 64-bit integers; of texts nothing that counts. */
  readonly numbers: ArrayBuffer;
  /** The low byte, `replaces` and `simulated`. */
  readonly qualities: Uint16Array;
  /** Of s; empty otherwise. */
  readonly texts: string[];
}

/** Of a block, the records in [sinceUs, untilUs) where its header's `tombstonesApplied` is less than `seq`. */
export interface AppliedTombstone {
  readonly seq: number;
  readonly sinceUs: number;
  readonly untilUs: number;
}

/** A block, as far as it is known without opening it: whether it has records of a series shows in its file alone. */
export interface SnapshotBlock {
  readonly path: string;
  readonly firstUs: number;
  readonly lastUs: number;
}

export interface SeriesSnapshot {
  readonly series: Series;
  /** Newer than every block; undefined: nothing of it is in memory. */
  readonly tail: Tail | undefined;
  /**
   * The blocks that may have records of the interval, oldest first: a record that replaces another is in the same block
   * as the older one, before it, or in a later block of this list. With the head requested, also earlier blocks.
   */
  readonly blocks: readonly SnapshotBlock[];
  readonly tombstones: readonly AppliedTombstone[];
  /** Times, ascending, from which on records are missing with a file that is gone. */
  readonly gaps?: readonly number[];
  /** Records from 2000 on and before this are not shown; 0: all are. */
  readonly cutOffUs: number;
  /** Of what is in there; what is of a higher one came later. Where it is missing, 0. */
  readonly epoch?: number;
  /** Of series of several archives, those of the same number are one, and go in the order of it; where it is missing, that of the series. */
  readonly identity?: number;
}

export interface Snapshot {
  readonly series: readonly SeriesSnapshot[];
}

/** The memory of the tails: not shared, so that it goes to the thread that reads without a copy. */
export function buffersOf(snapshots: readonly (Snapshot | undefined)[]): ArrayBuffer[] {
  const tails = snapshots.flatMap((snapshot) => snapshot?.series.map(({ tail }) => tail) ?? []);
  const buffers = tails.flatMap((tail) => tail && [tail.times.buffer, tail.numbers, tail.qualities.buffer]);
  return buffers.filter((buffer) => buffer instanceof ArrayBuffer);
}

/** Of the same memory. */
export function columnsOf({ times, numbers, qualities, texts }: Tail): Columns {
  const columns = new Columns();
  columns.count = times.length;
  columns.times = times;
  columns.numbers = new Float64Array(numbers);
  columns.longs = new BigInt64Array(numbers);
  columns.qualities = qualities;
  columns.texts = texts;
  return columns;
}
