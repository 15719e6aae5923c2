// A cursor over the records of one series in a block file or in memory. Reads chunk by chunk, as late as possible, and gives
// what is in the interval and not erased. Within one cursor no record replaces another: the first of its time may replace
// those of older cursors.
import { Columns, replaces, type Series } from '../records.ts';
import type { SeriesSnapshot } from '../store/snapshot.ts';
import type { Block, Chunk } from './block.ts';
import { firstEndingFrom, firstStartingFrom } from './chunk-search.ts';
import { firstFrom } from './time-search.ts';
import { TombstoneFilter } from './tombstone-filter.ts';

export interface Interval {
  /** Half-open. */
  readonly sinceUs: number;
  readonly untilUs: number;
}

/** What the locations of a name are given by the query that they belong to. */
export interface NameContext {
  /** For the moment: the next call may close it. Undefined: it cannot be read, and that has been reported. */
  blockOf(path: string): Block | undefined;
  /** What it has of the series; undefined: that is on its way, and the same is to be asked again. */
  chunksIn(block: Block | undefined, series: Series, interval: Interval): readonly Chunk[] | undefined;
  /** Its records alone, none where it cannot be read. False: they are on their way, and the same is to be asked again. */
  read(block: Block, series: Series, chunk: Chunk, into: Columns): boolean;
}

/** Where records of a series are, or may be: a block is opened when it is its turn. */
export interface RecordLocation {
  readonly part: SeriesSnapshot;
  /** Records at the same time come in this order. */
  readonly order: number;
  /** Of a block; undefined: in memory. */
  readonly path: string | undefined;
  readonly tail: Columns | undefined;
  /** Of its records in memory, or of all records of the block. */
  readonly firstUs: number;
  readonly lastUs: number;
}

const noChunks: readonly Chunk[] = [];
const noRecords = new Columns();
const nothingErased = new TombstoneFilter([], 0);

export class RecordCursor {
  readonly series: Series;
  /** What is of another one is of another series, which replaces nothing of this one. */
  readonly identity: number;
  /** Records at the same time come in this order; a series of a name is behind the other. */
  readonly order: number;
  /** The time of the next record, or before it where that is not known yet; Infinity at the end. */
  headUs: number;
  isOpen: boolean;
  /** Whether the records of the chunk are in `columns`, from `at` to `end`. */
  isLoaded: boolean;
  columns = noRecords;
  at = 0;
  end = 0;
  readonly #context: NameContext;
  readonly #part: SeriesSnapshot;
  readonly #path: string | undefined;
  readonly #untilUs: number;
  /** What is in memory has been freed of it. */
  #erased: TombstoneFilter = nothingErased;
  #sinceUs: number;
  /** Who the columns are given back to. */
  #lender: Block | undefined;
  #chunks = noChunks;
  #index = 0;
  /** Of the chunks from here on none is in the interval. */
  #lastIndex = 0;

  constructor(context: NameContext, location: RecordLocation, { sinceUs, untilUs }: Interval) {
    const { part, path, tail } = location;
    this.#context = context;
    this.series = part.series;
    this.identity = part.identity ?? part.series.number;
    this.order = location.order;
    this.#part = part;
    this.#path = path;
    this.#sinceUs = sinceUs;
    this.#untilUs = untilUs;
    this.isOpen = this.isLoaded = path === undefined;
    this.headUs = Number.POSITIVE_INFINITY;
    if (path !== undefined && location.lastUs >= sinceUs && location.firstUs < untilUs) {
      this.headUs = Math.max(location.firstUs, sinceUs);
    }
    if (tail !== undefined) {
      this.columns = tail;
      this.at = firstFrom(tail.times, 0, tail.count, sinceUs);
      this.end = firstFrom(tail.times, this.at, tail.count, untilUs);
      this.#settle();
    }
  }

  /** Reads the index: from here on `headUs` is that of a chunk. False: it is on its way. */
  open(): boolean {
    const block = this.#context.blockOf(this.#path as string);
    const interval = { sinceUs: this.#sinceUs, untilUs: this.#untilUs };
    const chunks = this.#context.chunksIn(block, this.series, interval);
    if (chunks === undefined) return false;
    this.isOpen = true;
    this.#chunks = chunks;
    this.#erased = new TombstoneFilter(this.#part.tombstones, block?.header.tombstonesApplied ?? 0);
    this.#lastIndex = firstStartingFrom(this.#chunks, this.#untilUs);
    this.#goTo(firstEndingFrom(this.#chunks, this.#sinceUs));
    return true;
  }

  /** The current chunk, where nothing of it has been read and all of it is in the interval and not erased. */
  get wholeChunk(): Chunk | undefined {
    if (this.isLoaded) return undefined;
    const chunk = this.#chunks[this.#index] as Chunk;
    const { firstUs, lastUs, count } = chunk;
    if (
      count === undefined ||
      firstUs < this.#sinceUs ||
      lastUs >= this.#untilUs ||
      this.#erased.touches(firstUs, lastUs)
    )
      return undefined;
    return chunk;
  }

  passChunk(): void {
    this.#goTo(this.#index + 1);
  }

  /** Reads the current chunk; where nothing of it is left, the next one is current, unread. False: it is on its way. */
  load(): boolean {
    const chunk = this.#chunks[this.#index] as Chunk;
    const block = this.#context.blockOf(this.#path as string);
    if (this.columns === noRecords && block !== undefined) {
      this.columns = block.takeColumns();
      this.#lender = block;
    }
    const end = block === undefined ? 0 : this.#read(block, chunk, this.columns);
    if (end === undefined) return false;
    this.at = 0;
    this.end = end;
    if (chunk.firstUs < this.#sinceUs) this.at = firstFrom(this.columns.times, 0, this.end, this.#sinceUs);
    this.isLoaded = true;
    this.#settle();
    return true;
  }

  /** The records of the current run before `at` have been returned. */
  advance(at: number): void {
    this.at = at;
    this.#settle();
  }

  startAt(timeUs: number): void {
    this.#sinceUs = timeUs;
    if (this.isLoaded) this.advance(firstFrom(this.columns.times, this.at, this.end, timeUs));
    if (!this.isLoaded && this.#index < this.#lastIndex) {
      let index = this.#index;
      while (index < this.#lastIndex && (this.#chunks[index] as Chunk).lastUs < timeUs) index++;
      this.#goTo(index);
    }
  }

  /** Whether the current record, which must be loaded, replaces those of older cursors at its time. */
  get isReplacing(): boolean {
    return ((this.columns.qualities[this.at] as number) & replaces) !== 0;
  }

  #goTo(index: number): void {
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
      this.#lender?.giveBack(this.columns);
      this.#lender = undefined;
      this.columns = noRecords;
    }
  }

  #settle(): void {
    if (this.at < this.end) this.headUs = this.columns.times[this.at] as number;
    else this.#goTo(this.#index + 1);
  }

  /** Answers how many records there are in the end, from the first on. Those before the interval are among them. */
  #read(block: Block, chunk: Chunk, columns: Columns): number | undefined {
    if (!this.#context.read(block, this.series, chunk, columns)) return undefined;
    const end = firstFrom(columns.times, 0, columns.count, this.#untilUs);
    return this.#erased.takeOut(this.series.datatype, columns, 0, end);
  }
}
