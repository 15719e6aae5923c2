// Downsamples an answer for a plot: the interval in equal buckets, of each the first, least, greatest and last record,
// so that a line through them looks like one through all. An answer with no more records than requested is given whole.
import { type Datatype, form, traitsOf } from '@telltale/schema/values';
import { type Columns, type Kind, simulated } from '../records.ts';
import type { Chunk } from './block.ts';
import { ChunkStage } from './chunk-stage.ts';
import type { Interval } from './record-cursor.ts';
import { atChunk, atEnd, atNothing, atRun, type RecordRuns, type Step } from './record-runs.ts';
import { firstSlot, lastSlot, maxSlot, minSlot, Tally } from './tally.ts';
import { firstFrom } from './time-search.ts';

/** Of the quality of a record what an answer has of it. */
const shownBits = 0xff | simulated;

/** Counts first, by chunks where it can, and then starts again. */
export class Thinning implements RecordRuns {
  readonly #input: (givesChunks: boolean) => RecordRuns;
  readonly #kind: Kind;
  readonly #interval: Interval;
  readonly #maxPoints: number;
  #stage: RecordRuns;
  #isCounting = true;
  #count = 0;

  /** `input` restarts the records of the interval. */
  constructor(input: (givesChunks: boolean) => RecordRuns, kind: Kind, interval: Interval, maxPoints: number) {
    this.#input = input;
    this.#kind = kind;
    this.#interval = interval;
    this.#maxPoints = maxPoints;
    this.#stage = input(true);
  }

  get datatype(): Datatype {
    return this.#stage.datatype;
  }

  get columns(): Columns {
    return this.#stage.columns;
  }

  get from(): number {
    return this.#stage.from;
  }

  get to(): number {
    return this.#stage.to;
  }

  readonly chunk = undefined;

  openChunk(): void {}

  next(): Step {
    const stage = this.#stage;
    const step = stage.next();
    if (!this.#isCounting) return step;
    if (step === atChunk) this.#count += (stage.chunk as Chunk).count as number;
    else if (step === atRun) this.#count += stage.to - stage.from;
    if (this.#count > this.#maxPoints) {
      this.#isCounting = false;
      this.#stage = new Buckets(this.#input(true), this.#kind, this.#interval, Math.floor(this.#maxPoints / 4));
    } else if (step === atEnd) {
      this.#isCounting = false;
      this.#stage = this.#input(false);
    }
    return atNothing;
  }
}

class Buckets extends ChunkStage {
  readonly #interval: Interval;
  readonly #buckets: number;
  readonly #tally: Tally;
  #bucket = 0;
  /** The first time behind the bucket. */
  #endUs: number;
  /** Slots of the tally that are still to be put. */
  #pending: number[] = [];

  constructor(input: RecordRuns, kind: Kind, interval: Interval, buckets: number) {
    super(input);
    this.#interval = interval;
    this.#buckets = buckets;
    this.#tally = new Tally(kind);
    this.#endUs = this.#edge(1);
  }

  protected take(columns: Columns, from: number, to: number): number {
    if (!this.#goTo(columns.times[from] as number)) return from;
    const next = firstFrom(columns.times, from, to, this.#endUs);
    this.#tally.add(this.input.datatype, columns, from, next);
    return next;
  }

  /** A chunk that is no longer than half a bucket counts for the one in which it starts: no eye sees the difference. */
  protected takeChunk({ firstUs, lastUs, summary }: Chunk): boolean {
    if (summary === undefined || !this.#goTo(firstUs)) return false;
    const isWithin = lastUs < this.#endUs || (lastUs - firstUs) * 2 * this.#buckets <= this.#length;
    if (isWithin) this.#tally.addSummary(this.input.datatype, summary);
    return isWithin;
  }

  protected finish(): boolean {
    return this.#close();
  }

  get #length(): number {
    return this.#interval.untilUs - this.#interval.sinceUs;
  }

  #edge(bucket: number): number {
    return this.#interval.sinceUs + Math.ceil((this.#length / this.#buckets) * bucket);
  }

  /** False: there was no room for all of what the buckets before give. */
  #goTo(timeUs: number): boolean {
    if (timeUs < this.#endUs) return true;
    if (!this.#close()) return false;
    const guess = Math.floor(((timeUs - this.#interval.sinceUs) / this.#length) * this.#buckets) - 1;
    this.#bucket = Math.max(this.#bucket + 1, Math.min(guess, this.#buckets - 1));
    while (this.#bucket < this.#buckets - 1 && this.#edge(this.#bucket + 1) <= timeUs) this.#bucket++;
    this.#endUs = this.#bucket >= this.#buckets - 1 ? Number.POSITIVE_INFINITY : this.#edge(this.#bucket + 1);
    return true;
  }

  #close(): boolean {
    const tally = this.#tally;
    if (tally.count > 0 && this.#pending.length === 0) this.#pending = this.#chosen();
    while (this.#pending.length > 0) {
      const slot = this.#pending[0] as number;
      if (!this.put(tally.datatypes[slot] as Datatype, tally.records, slot)) return false;
      this.#pending.shift();
    }
    tally.clear();
    return true;
  }

  /** In time order, each once; whatever else is at its time, the last one comes last: it is in force from then on. */
  #chosen(): number[] {
    const { hasExtremes, records } = this.#tally;
    const [minUs, maxUs] = [records.times[minSlot] as number, records.times[maxSlot] as number];
    const extremes = !hasExtremes ? [] : minUs <= maxUs ? [minSlot, maxSlot] : [maxSlot, minSlot];
    const between: number[] = [];
    for (const slot of extremes) {
      if (![firstSlot, lastSlot, ...between].some((other) => this.#isSame(other, slot))) between.push(slot);
    }
    const isOnce = between.length === 0 && this.#isSame(firstSlot, lastSlot);
    return isOnce ? [firstSlot] : [firstSlot, ...between, lastSlot];
  }

  #isSame(a: number, b: number): boolean {
    const { datatypes, records } = this.#tally;
    const { times, qualities, longs, texts } = records;
    const isSameQuality = (((qualities[a] as number) ^ (qualities[b] as number)) & shownBits) === 0;
    if (times[a] !== times[b] || datatypes[a] !== datatypes[b] || !isSameQuality) return false;
    const isText = traitsOf(datatypes[a] as Datatype).form === form.text;
    return isText ? texts[a] === texts[b] : longs[a] === longs[b];
  }
}
