// What a query needs of a block: of a file, or of a store that has its records elsewhere.
import type { Summary } from '../codec/summary.ts';
import type { Columns, Series } from '../records.ts';

/** Up to some thousand records of a series that are read together. */
export interface Chunk {
  readonly firstUs: number;
  readonly lastUs: number;
  /** Undefined: it is known when they are read; such a chunk is never given whole. */
  readonly count: number | undefined;
  /** Whether one of its records may be marked as simulated. */
  readonly hasSimulated: boolean;
  /** Of numbers. */
  readonly summary: Summary | undefined;
}

/** What is asked for is on its way: it is to be asked for again when this is settled. Rejects where it does not come. */
export type Arrival = Promise<void>;

export interface Block {
  readonly header: { readonly tombstonesApplied: number };
  /**
   * In time order, at least those with records in [sinceUs, untilUs); none where it has none of the series. Of the last
   * of one and the first of the next the times may be equal.
   */
  chunksOf(series: number, sinceUs: number, untilUs: number): readonly Chunk[] | Arrival;
  /** Appends its records: in time order, from its first to its last time. With an arrival, it has appended none yet. */
  read(series: Series, chunk: Chunk, into: Columns): Arrival | undefined;
  /** Empty ones, with room for a chunk. */
  takeColumns(): Columns;
  /** They are needed no more: who takes some next gets them. */
  giveBack(columns: Columns): void;
}
