// Merges the records of one series from several blocks by time, chunk by chunk: of each block at most one chunk is in
// memory. A chunk that nothing else touches is copied as bytes.
import type { BlockFile, ChunkInfo } from '../files/block-file.ts';
import type { BlockWriter } from '../files/block-writer.ts';
import { Columns, replaces, type Series } from '../records.ts';

/** Half-open. */
export interface Interval {
  readonly sinceUs: number;
  readonly untilUs: number;
}

/** The records of a series in a block, without the dropped intervals; one record or chunk after the other. */
export class SeriesCursor {
  /** Of the current record; infinite at the end. */
  headUs = Number.POSITIVE_INFINITY;
  /** Of the block, dropped ones included. */
  passed = 0;
  readonly #block: BlockFile;
  readonly #series: Series;
  readonly #chunks: readonly ChunkInfo[];
  readonly #dropped: readonly Interval[];
  readonly #columns = new Columns();
  #next = 0;
  #at = 0;
  /** The current chunk, where it is not read yet. */
  #unread: ChunkInfo | undefined;

  /** The `dropped` intervals do not overlap. */
  constructor(block: BlockFile, series: Series, dropped: readonly Interval[]) {
    this.#block = block;
    this.#series = series;
    this.#dropped = dropped;
    this.#chunks = block.chunksOf(series.number);
    this.#advance();
  }

  /** Whether the current record replaces older ones at its time. */
  get isReplacing(): boolean {
    this.#load();
    return ((this.#columns.qualities[this.#at] as number) & replaces) !== 0;
  }

  /** Writes some records before `boundUs`; there is at least one. */
  give(boundUs: number, writer: BlockWriter): void {
    const chunk = this.#unread;
    if (chunk !== undefined && chunk.lastUs < boundUs && writer.copy(this.#block, chunk)) {
      this.#advance();
      return;
    }
    this.#load();
    const from = this.#at;
    this.#at = this.#firstNotBefore(boundUs);
    writer.append(this.#columns, from, this.#at);
    this.#settle();
  }

  /** Leaves out the records at `timeUs`, at which the current one is. */
  skip(timeUs: number): void {
    while (this.headUs === timeUs) {
      this.#load();
      this.#at = this.#firstNotBefore(timeUs + 1);
      this.#settle();
    }
  }

  #settle(): void {
    if (this.#at < this.#columns.count) this.headUs = this.#columns.times[this.#at] as number;
    else this.#advance();
  }

  /** To the next chunk of which something is left. */
  #advance(): void {
    this.#unread = undefined;
    while (this.#next < this.#chunks.length) {
      const chunk = this.#chunks[this.#next++] as ChunkInfo;
      this.passed += chunk.count;
      const { firstUs, lastUs } = chunk;
      const dropped = this.#dropped.filter(({ sinceUs, untilUs }) => sinceUs <= lastUs && untilUs > firstUs);
      if (dropped.some(({ sinceUs, untilUs }) => sinceUs <= firstUs && untilUs > lastUs)) continue;
      this.#unread = chunk;
      this.headUs = firstUs;
      if (dropped.length === 0) return;
      this.#load();
      dropFrom(this.#columns, dropped);
      if (this.#columns.count === 0) continue;
      this.headUs = this.#columns.times[0] as number;
      return;
    }
    this.headUs = Number.POSITIVE_INFINITY;
  }

  #load(): void {
    const chunk = this.#unread;
    if (chunk === undefined) return;
    this.#columns.clear();
    this.#block.read(this.#series, chunk, this.#columns);
    this.#unread = undefined;
    this.#at = 0;
  }

  #firstNotBefore(timeUs: number): number {
    const { times, count } = this.#columns;
    if ((times[count - 1] as number) < timeUs) return count;
    let [low, high] = [this.#at, count];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((times[middle] as number) < timeUs) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/**
 * Writes the records of the cursors, oldest first, in order of time; of those at the same time the older cursor's come
 * first, and none that a newer cursor replaces. In each cursor a record that replaces is the first of its time.
 * `onStep` is called between chunks; false ends it, and so says the answer.
 */
export function mergeSeries(cursors: readonly SeriesCursor[], writer: BlockWriter, onStep: () => boolean): boolean {
  for (;;) {
    let cursor: SeriesCursor | undefined;
    let [headUs, boundUs] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
    for (const each of cursors) {
      if (each.headUs < headUs) {
        boundUs = headUs;
        headUs = each.headUs;
        cursor = each;
      } else if (each.headUs < boundUs) boundUs = each.headUs;
    }
    if (cursor === undefined) return true;
    if (headUs < boundUs) cursor.give(boundUs, writer);
    else giveSameTime(cursors, headUs, writer);
    if (!onStep()) return false;
  }
}

function giveSameTime(cursors: readonly SeriesCursor[], timeUs: number, writer: BlockWriter): void {
  const same = cursors.filter(({ headUs }) => headUs === timeUs);
  const replacing = Math.max(
    0,
    same.findLastIndex((cursor) => cursor.isReplacing),
  );
  for (const [index, cursor] of same.entries()) {
    if (index < replacing) cursor.skip(timeUs);
    else while (cursor.headUs === timeUs) cursor.give(timeUs + 1, writer);
  }
}

function dropFrom(columns: Columns, dropped: readonly Interval[]): void {
  const { times, longs, qualities, texts } = columns;
  let out = 0;
  for (let at = 0; at < columns.count; at++) {
    const time = times[at] as number;
    if (dropped.some(({ sinceUs, untilUs }) => time >= sinceUs && time < untilUs)) continue;
    times[out] = time;
    longs[out] = longs[at] as bigint;
    qualities[out] = qualities[at] as number;
    if (at < texts.length) texts[out] = texts[at] as string;
    out++;
  }
  columns.count = out;
  if (texts.length > out) texts.length = out;
}
