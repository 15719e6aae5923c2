// What a block has, as sections of parcels, one after the other: series by series, as many records as fit.
import { basename } from 'node:path';
import { BlockFile } from '../files/block-file.ts';
import { type Damage, Damaged } from '../files/damage.ts';
import { everySeries } from '../files/tombstones-file.ts';
import { parcelLimits, placeOf, type Section } from '../parcel/parcel.ts';
import { copyRecord } from '../query/record-runs.ts';
import { TombstoneFilter } from '../query/tombstone-filter.ts';
import { Columns, replaces, type Series } from '../records.ts';
import type { BlockToSend } from './outgoing-piece.ts';
import { allOfBlock, type BlockPosition } from './position.ts';

export interface BlockSection {
  /** Undefined: there was nothing left. */
  readonly section: Section | undefined;
  readonly position: BlockPosition;
}

export interface BlockSectionsOptions {
  readonly block: BlockToSend;
  readonly seriesOf: (number: number) => Series | undefined;
  /** What cannot be read is left out. */
  readonly onDamage: (damage: Damage) => void;
}

export class BlockSections {
  readonly #options: BlockSectionsOptions;
  readonly #file: BlockFile;
  readonly #numbers: Uint32Array;
  #at: { readonly series: number; readonly timeUs: number } | undefined;

  /** Throws `Damaged`, and the system's error where the file is gone: then another has what it had. */
  constructor(options: BlockSectionsOptions) {
    this.#options = options;
    this.#file = BlockFile.open(options.block.path);
    this.#at = options.block.after;
    try {
      this.#numbers = this.#file.seriesNumbers;
    } catch (error) {
      this.#file.close();
      throw error;
    }
  }

  get path(): string {
    return this.#file.path;
  }

  /** Whether it goes on behind this, and nothing of it was erased meanwhile. */
  isAt({ path, after, erased }: BlockToSend): boolean {
    const { block } = this.#options;
    if (path !== this.path || erased.at(-1)?.seq !== block.erased.at(-1)?.seq) return false;
    return after?.series === this.#at?.series && after?.timeUs === this.#at?.timeUs;
  }

  /** The next records, at least one where there are any, and at most `most` but for more of one time. */
  next(most: number): BlockSection {
    const { block } = this.#options;
    const columns = new Columns(most);
    const [series, ends]: [number[], number[]] = [[], []];
    const after = this.#at;
    const first = after === undefined ? 0 : this.#numbers.findIndex((number) => number >= after.series);
    let isWhole = true;
    for (let at = first; at >= 0 && at < this.#numbers.length && isWhole; at++) {
      if (columns.count >= most) {
        isWhole = false;
        break;
      }
      const number = this.#numbers[at] as number;
      const start = columns.count;
      isWhole = this.#take(number, after?.series === number ? after.timeUs : -1, columns, most);
      if (columns.count === start) continue;
      series.push(number);
      ends.push(columns.count);
      this.#at = { series: number, timeUs: columns.times[columns.count - 1] as number };
    }
    const { partition, genFrom, genTo, isRepeated } = block;
    const reached = isWhole ? { series: allOfBlock, timeUs: 0 } : (this.#at ?? { series: 0, timeUs: 0 });
    const position = { partition, genFrom, genTo, ...reached };
    if (columns.count === 0) return { section: undefined, position };
    const laid = { series: Uint32Array.from(series), ends: Uint32Array.from(ends), columns };
    const places = { from: placeOf(genFrom, 0), to: placeOf(genTo + 1, 0) };
    return { section: { ...places, isRepeated, superseded: 0, ...laid }, position };
  }

  close(): void {
    this.#file.close();
  }

  /** Adds the records of a series behind a time. False: there are more of them. */
  #take(number: number, afterUs: number, columns: Columns, most: number): boolean {
    const series = this.#options.seriesOf(number);
    if (series === undefined) return true;
    const erased = this.#options.block.erased.filter((each) => each.series === number || each.series === everySeries);
    const filter = new TombstoneFilter(erased, 0);
    const limit = Math.min(most, parcelLimits.records / 2);
    for (const chunk of this.#chunksOf(number, afterUs + 1)) {
      // A time is never parted: where the chunk before ended with it, this one is added all the same.
      const isSameTime = columns.count > 0 && columns.times[columns.count - 1] === chunk.firstUs;
      if (columns.count >= limit && !isSameTime) return false;
      const start = columns.count;
      if (start + chunk.count > parcelLimits.records) {
        const { firstUs, lastUs } = chunk;
        const reason = 'there are more records of one time than a parcel may have: the rest is not sent';
        this.#options.onDamage({ file: basename(this.path), series: number, firstUs, lastUs, reason });
        continue;
      }
      columns.reserve(start + chunk.count);
      try {
        this.#file.read(series, chunk, columns);
      } catch (error) {
        this.#note(error);
        columns.count = start;
        continue;
      }
      let end = filter.takeOut(series.datatype, columns, start, columns.count);
      end = dropUpTo(series, columns, start, end, afterUs);
      if (this.#options.block.isRepeated) markFirsts(columns, start, end);
      const kept = isSameTime ? behindTimes(columns, start, end, limit) : wholeTimes(columns, start, end, limit);
      columns.count = kept;
      if (columns.texts.length > kept) columns.texts.length = kept;
      if (kept < end) return false;
    }
    return true;
  }

  #chunksOf(number: number, sinceUs: number): ReturnType<BlockFile['chunksOf']> {
    try {
      return this.#file.chunksOf(number, sinceUs);
    } catch (error) {
      this.#note(error);
      return [];
    }
  }

  #note(error: unknown): void {
    if (!(error instanceof Damaged)) throw error;
    this.#options.onDamage(error.damage);
  }
}

/** Of records in order of time those behind a time; answers the new end. */
function dropUpTo({ datatype }: Series, columns: Columns, from: number, to: number, afterUs: number): number {
  let first = from;
  while (first < to && (columns.times[first] as number) <= afterUs) first++;
  if (first === from) return to;
  for (let at = first; at < to; at++) copyRecord(datatype, columns, at, columns, from + at - first);
  return to - (first - from);
}

/** Where to part the records from `start` on, so that there are at most so many: between two times, or in front of them. */
function wholeTimes(columns: Columns, start: number, end: number, most: number): number {
  if (end <= most) return end;
  const { times } = columns;
  for (let at = most; at > start; at--) if (times[at] !== times[at - 1]) return at;
  return start > 0 ? start : behindTimes(columns, start, end, most);
}

/** The same, where the records of a time are more than that, or the first ones must not be parted from what is before them. */
function behindTimes({ times }: Columns, start: number, end: number, most: number): number {
  let at = Math.min(end, Math.max(start, most) + 1);
  while (at < end && times[at] === times[at - 1]) at++;
  return at;
}

/** The first record of each time replaces what came before. */
function markFirsts({ times, qualities }: Columns, from: number, to: number): void {
  for (let at = from; at < to; at++) {
    if (at > from && times[at] === times[at - 1]) continue;
    qualities[at] = (qualities[at] as number) | replaces;
  }
}
