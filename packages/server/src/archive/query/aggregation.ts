// Aggregates: what was in force, and which records came, in each bucket of a grid. A chunk that is within one bucket
// counts by its summary. Several aggregates are given one behind the other: as many records a bucket as there are of them.
import type { Datatype } from '@telltale/schema/values';
import type { Aggregate } from '../archive-access.ts';
import { Columns, type Kind, lacksValue, simulated } from '../records.ts';
import { isAlwaysGiven, qualityOf, standInInto, valueInto } from './aggregates.ts';
import type { Chunk } from './block.ts';
import { Bucket } from './bucket.ts';
import { ChunkStage } from './chunk-stage.ts';
import type { Grid } from './grid.ts';
import type { Head } from './head-search.ts';
import { atEnd, atNothing, type RecordRuns } from './record-runs.ts';
import { firstFrom } from './time-search.ts';

export class Aggregation extends ChunkStage {
  readonly #grid: Grid;
  readonly #aggregates: readonly Aggregate[];
  readonly #isAlways: boolean;
  readonly #bucket: Bucket;
  #head: Head | undefined;
  /** The values of the bucket, one in each; those that have none are of the datatype before. */
  readonly #values: readonly Columns[];
  readonly #datatypes: Datatype[];
  /** The first time behind the bucket. */
  #endUs: number;
  /** Those of the bucket that were put; -1: it has not ended. */
  #put = -1;
  #isDone = false;

  /** `head` looks for the record that was in force before the start. The input gives chunks. */
  constructor(input: RecordRuns, head: Head, kind: Kind, aggregates: readonly Aggregate[], grid: Grid) {
    super(input);
    this.#grid = grid;
    this.#head = head;
    this.#aggregates = aggregates;
    this.#isAlways = aggregates.some(isAlwaysGiven);
    this.#values = aggregates.map(() => new Columns(1));
    this.#datatypes = aggregates.map(() => 'd');
    this.#bucket = new Bucket(kind, {
      ends: aggregates.some((each) => each === 'first' || each === 'last' || each === 'delta'),
      squares: aggregates.includes('stddev'),
      transitions: aggregates.includes('transitions'),
      certain: aggregates.includes('count-good'),
    });
    this.#bucket.begin(grid.sinceUs);
    this.#endUs = this.#endOf(grid.sinceUs);
  }

  /** An empty interval has no buckets, whatever is in force there. */
  protected override work(): typeof atEnd | typeof atNothing {
    if (this.#grid.sinceUs >= this.#grid.untilUs) return atEnd;
    if (this.#head !== undefined) {
      if (!this.#head.step()) return atNothing;
      if (this.#head.datatype !== undefined) this.#bucket.hold(this.#head.datatype, this.#head.record, 0);
      this.#head = undefined;
    }
    return super.work();
  }

  protected take(columns: Columns, from: number, to: number): number {
    if (!this.#goTo(columns.times[from] as number)) return from;
    const next = firstFrom(columns.times, from, to, this.#endUs);
    this.#bucket.add(this.input.datatype, columns, from, next);
    return next;
  }

  protected takeChunk({ firstUs, lastUs, summary, hasSimulated }: Chunk): boolean {
    if (summary === undefined || !this.#goTo(firstUs) || lastUs >= this.#endUs) return false;
    return this.#bucket.addSummary(this.input.datatype, summary, hasSimulated);
  }

  protected finish(): boolean {
    const { untilUs } = this.#grid;
    if (!this.#isDone) this.#isDone = this.#goTo(untilUs - 1) && this.#close();
    return this.#isDone;
  }

  /** Ends the buckets before the one with `timeUs` in it. False: not all of them yet. */
  #goTo(timeUs: number): boolean {
    while (this.#endUs <= timeUs) {
      if (!this.#close()) return false;
      // Where nothing is in force there is nothing to tell, but for some.
      const startUs = this.#bucket.isUnknown && !this.#isAlways ? this.#grid.by(timeUs) : this.#endUs;
      this.#bucket.begin(startUs);
      this.#endUs = this.#endOf(startUs);
      this.#put = -1;
    }
    return true;
  }

  #endOf(startUs: number): number {
    return Math.min(this.#grid.after(startUs), this.#grid.untilUs);
  }

  /** Emits the values of the bucket. False: there was no room for all of them. */
  #close(): boolean {
    if (this.#put < 0) this.#conclude();
    for (; this.#put < this.#aggregates.length; this.#put++) {
      const values = this.#values[this.#put] as Columns;
      if (!this.put(this.#datatypes[this.#put] as Datatype, values, 0)) return false;
      this.stamp(this.#bucket.startUs);
    }
    return true;
  }

  #conclude(): void {
    const bucket = this.#bucket;
    bucket.elapse(this.#endUs);
    const q = qualityOf(bucket) | (bucket.hasSimulated ? simulated : 0);
    let isGiven = false;
    for (const [at, aggregate] of this.#aggregates.entries()) {
      const values = this.#values[at] as Columns;
      const datatype = valueInto(values, aggregate, bucket);
      values.qualities[0] = datatype === undefined ? q | lacksValue : q;
      if (datatype !== undefined) this.#datatypes[at] = datatype;
      isGiven ||= datatype !== undefined;
    }
    // Not all of it unknown: then a record says that it is bad.
    const isBad = bucket.badUs === bucket.lengthUs && !bucket.isUnknown;
    const [only] = this.#values as readonly [Columns];
    if (this.#aggregates.length === 1 && !isGiven && isBad) {
      this.#datatypes[0] = standInInto(only, this.#aggregates[0] as Aggregate, bucket);
      only.qualities[0] = q;
    }
    this.#put = isGiven || isBad ? 0 : this.#aggregates.length;
  }
}
