// Where records of one series come from: a block file, or what is in memory. Reads chunk by chunk, as late as it can,
// and gives what is in the interval, not erased, and not replaced within what it has read.
import { Columns, replaces, type Series } from '../records.ts';
import type { Block, Chunk } from './block.ts';
import { Erased, type ErasedInterval } from './erased.ts';
import { copyRecord } from './record-runs.ts';
import { firstFrom } from './time-search.ts';

/** What a source is given by the reading that it belongs to. */
export interface SourceContext {
  /** Called with what could not be read and is left out. Throws where the error is no damage. */
  readonly onUnreadable: (error: unknown, block: Block, series: Series, chunk?: Chunk) => void;
}

const noChunks: readonly Chunk[] = [];

export class Source {
  readonly series: Series;
  /** Records at the same time come in this order; a series of a name is behind the other. */
  readonly order: number;
  /** The time of the next record, or before it where that is not known yet; Infinity at the end. */
  headUs: number;
  isOpen: boolean;
  /** Whether the records of the chunk are in `columns`, from `at` to `end`. */
  isLoaded: boolean;
  columns: Columns;
  at = 0;
  end = 0;
  readonly #context: SourceContext;
  readonly #block: Block | undefined;
  readonly #untilUs: number;
  readonly #erased: Erased;
  #sinceUs: number;
  #chunks = noChunks;
  #index = 0;
  /** Of the chunks from here on none is in the interval. */
  #lastIndex = 0;
  /** Behind the chunks that are still to be looked at for a replacement; -1 where that has not begun. */
  #peekIndex = -1;

  private constructor(
    context: SourceContext,
    series: Series,
    order: number,
    block: Block | undefined,
    tail: Columns | undefined,
    interval: { readonly sinceUs: number; readonly untilUs: number },
    erasures: readonly ErasedInterval[],
  ) {
    this.#context = context;
    this.series = series;
    this.order = order;
    this.#block = block;
    this.#sinceUs = interval.sinceUs;
    this.#untilUs = interval.untilUs;
    this.#erased = new Erased(erasures, block?.header.erasuresApplied ?? 0);
    this.columns = tail ?? noRecords;
    this.isOpen = this.isLoaded = block === undefined;
    this.headUs = Number.POSITIVE_INFINITY;
    if (block !== undefined && block.lastUs >= interval.sinceUs && block.firstUs < interval.untilUs) {
      this.headUs = Math.max(block.firstUs, interval.sinceUs);
    }
    if (tail !== undefined) {
      this.at = firstFrom(tail.times, 0, tail.count, interval.sinceUs);
      this.end = firstFrom(tail.times, this.at, tail.count, interval.untilUs);
      this.#settle();
    }
  }

  static ofBlock(
    context: SourceContext,
    series: Series,
    order: number,
    block: Block,
    interval: { readonly sinceUs: number; readonly untilUs: number },
    erasures: readonly ErasedInterval[],
  ): Source {
    return new Source(context, series, order, block, undefined, interval, erasures);
  }

  /** Of records in memory, in time order, of which none is erased or replaced by another. */
  static ofTail(
    context: SourceContext,
    series: Series,
    order: number,
    tail: Columns,
    interval: { readonly sinceUs: number; readonly untilUs: number },
  ): Source {
    return new Source(context, series, order, undefined, tail, interval, []);
  }

  /** Reads the index: from here on `headUs` is that of a chunk. */
  open(): void {
    this.isOpen = true;
    try {
      this.#chunks = (this.#block as Block).chunksOf(this.series.number);
    } catch (error) {
      this.#context.onUnreadable(error, this.#block as Block, this.series);
    }
    this.#lastIndex = this.#chunks.length;
    while (this.#lastIndex > 0 && (this.#chunks[this.#lastIndex - 1] as Chunk).firstUs >= this.#untilUs) {
      this.#lastIndex--;
    }
    this.#goTo(firstEndingFrom(this.#chunks, this.#lastIndex, this.#sinceUs));
  }

  /** The first time behind the chunk at hand in this source; Infinity where there is none. */
  get nextChunkUs(): number {
    const next = this.#index + 1;
    return next < this.#lastIndex ? (this.#chunks[next] as Chunk).firstUs : Number.POSITIVE_INFINITY;
  }

  /** The chunk at hand, where nothing of it has been read and all of it is in the interval and not erased. */
  get wholeChunk(): Chunk | undefined {
    if (this.isLoaded) return undefined;
    const chunk = this.#chunks[this.#index] as Chunk;
    const { firstUs, lastUs } = chunk;
    if (firstUs < this.#sinceUs || lastUs >= this.#untilUs || this.#erased.touches(firstUs, lastUs)) return undefined;
    return chunk;
  }

  passChunk(): void {
    this.#goTo(this.#index + 1);
  }

  /** Reads the chunk at hand; where nothing of it is left, the next one is at hand, unread. */
  load(): void {
    const chunk = this.#chunks[this.#index] as Chunk;
    if (this.columns === noRecords) this.columns = new Columns(chunk.count);
    this.at = 0;
    this.end = this.#read(chunk, this.columns);
    if (chunk.firstUs < this.#sinceUs) this.at = firstFrom(this.columns.times, 0, this.end, this.#sinceUs);
    this.isLoaded = true;
    this.#settle();
  }

  /** The records at hand before `at` have been given. */
  advance(at: number): void {
    this.at = at;
    this.#settle();
  }

  /** What is before `timeUs` is not wanted any more. */
  startAt(timeUs: number): void {
    this.#sinceUs = timeUs;
    if (this.isLoaded) this.advance(firstFrom(this.columns.times, this.at, this.end, timeUs));
    if (!this.isLoaded && this.#index < this.#lastIndex) {
      let index = this.#index;
      while (index < this.#lastIndex && (this.#chunks[index] as Chunk).lastUs < timeUs) index++;
      this.#goTo(index);
    }
  }

  /**
   * Whether a record at `timeUs`, the time of the record at hand, replaces others; those of this source before it are
   * passed over. Undefined: it is to be asked again, since many chunks have records at that time.
   */
  findReplacement(timeUs: number): boolean | undefined {
    if (this.#peekIndex < 0) {
      this.#peekIndex = this.#index + 1;
      while (this.#peekIndex < this.#lastIndex && (this.#chunks[this.#peekIndex] as Chunk).firstUs <= timeUs) {
        this.#peekIndex++;
      }
    }
    if (this.#peekIndex === this.#index + 1) {
      this.#peekIndex = -1;
      return ((this.columns.qualities[this.at] as number) & replaces) !== 0;
    }
    this.#peekIndex--;
    const chunk = this.#chunks[this.#peekIndex] as Chunk;
    const peeked = new Columns(chunk.count);
    const isReplaced = this.#read(chunk, peeked) > 0 && ((peeked.qualities[0] as number) & replaces) !== 0;
    if (!isReplaced) return undefined;
    this.#goTo(this.#peekIndex);
    return true;
  }

  #goTo(index: number): void {
    this.#peekIndex = -1;
    this.#index = index;
    while (this.#index < this.#lastIndex) {
      const { firstUs, lastUs } = this.#chunks[this.#index] as Chunk;
      if (!this.#erased.covers(firstUs, lastUs)) break;
      this.#index++;
    }
    this.isLoaded = false;
    if (this.#index < this.#lastIndex) {
      this.headUs = Math.max((this.#chunks[this.#index] as Chunk).firstUs, this.#sinceUs);
    } else {
      this.headUs = Number.POSITIVE_INFINITY;
      this.columns = noRecords;
    }
  }

  #settle(): void {
    if (this.at < this.end) this.headUs = this.columns.times[this.at] as number;
    else this.#goTo(this.#index + 1);
  }

  /** Answers how many records there are in the end, from the first on. Those before the interval are among them. */
  #read(chunk: Chunk, columns: Columns): number {
    columns.clear();
    try {
      (this.#block as Block).read(this.series, chunk, columns);
    } catch (error) {
      this.#context.onUnreadable(error, this.#block as Block, this.series, chunk);
      return 0;
    }
    const { times, qualities, count } = columns;
    let lastUs = chunk.firstUs;
    let flags = 0;
    for (let at = 0; at < count; at++) {
      const timeUs = times[at] as number;
      // What is not in order would stop the merge.
      if (!(timeUs >= lastUs)) return this.#refuse(chunk);
      lastUs = timeUs;
      flags |= qualities[at] as number;
    }
    if (lastUs > chunk.lastUs) return this.#refuse(chunk);
    let end = lastUs < this.#untilUs ? count : firstFrom(times, 0, count, this.#untilUs);
    end = this.#erased.takeOut(this.series.datatype, columns, 0, end);
    return (flags & replaces) === 0 ? end : hideReplaced(this.series.datatype, columns, end);
  }

  #refuse(chunk: Chunk): number {
    this.#context.onUnreadable(new OutOfOrder(), this.#block as Block, this.series, chunk);
    return 0;
  }
}

/** The times of a chunk are not what its index says, though its checksum is right. */
export class OutOfOrder extends Error {
  override readonly name = 'OutOfOrder';

  constructor() {
    super('The times of a chunk are not in order');
  }
}

/** Takes out what a later record at the same time replaces. Of the records at one time the first may still replace others. */
export function hideReplaced(datatype: Series['datatype'], columns: Columns, count: number): number {
  const { times, qualities } = columns;
  let end = 0;
  for (let at = 0; at < count; at++) {
    if (((qualities[at] as number) & replaces) !== 0) {
      while (end > 0 && times[end - 1] === times[at]) end--;
    }
    if (end < at) copyRecord(datatype, columns, at, columns, end);
    end++;
  }
  return end;
}

const noRecords = new Columns();

function firstEndingFrom(chunks: readonly Chunk[], count: number, timeUs: number): number {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((chunks[middle] as Chunk).lastUs < timeUs) low = middle + 1;
    else high = middle;
  }
  return low;
}
