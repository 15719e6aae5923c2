// The memtable: the records of one generation in memory, as columns in order of arrival, and for each series a chain from
// its newest record to its oldest, so that those of one series are found without looking at the others.
import { Batch, form } from '@telltale/schema/values';
import { type Columns, isWanted, oldestPlausibleUs, replaces, type SimulatedFilter, storedBits } from '../records.ts';

/** What is said of the records of one series. */
export const mark = { unordered: 1, replacing: 2 } as const;

/** The most series of an archive: arrays by series are as long as the highest number. */
export const maxSeries = 2 ** 24;

const savedBits = storedBits;
const replacesBit = replaces;

/** Records of one series that were erased while they were in memory. */
export interface ErasedRange {
  readonly sinceUs: number;
  readonly untilUs: number;
  /** Of the records in order of arrival, those before this position. */
  readonly before: number;
}

export class Memtable {
  readonly generation: number;
  count = 0;
  /** So many are on disk, and therefore shown. */
  committed = 0;
  times: Float64Array;
  numbers: Float64Array;
  /** Two a record: the same bytes as `numbers`, which 64-bit integers are copied by. */
  words: Int32Array;
  qualities: Uint16Array;
  series: Uint32Array;
  /** Position of the record before in the same series, plus one; 0: none. */
  previous: Uint32Array;
  /** Of s: the number of a record is its position in here. */
  texts: string[] = [];
  textUnits = 0;
  /** Numbers of the series that have records, in order of their first. */
  readonly used: number[] = [];
  // By number of the series. `newest`: position plus one; 0: none.
  newest = new Uint32Array(0);
  counts = new Uint32Array(0);
  marks = new Uint8Array(0);
  firstUs = new Float64Array(0);
  lastUs = new Float64Array(0);
  /** Of the records of a right clock. */
  minUs = Number.POSITIVE_INFINITY;
  maxUs = Number.NEGATIVE_INFINITY;
  astray = 0;

  /** `old` is a table that is no longer needed: its memory is taken over. */
  constructor(generation: number, capacity: number, old?: Memtable) {
    this.generation = generation;
    if (old !== undefined) {
      for (const series of old.used) old.newest[series] = 0;
      ({ times: this.times, numbers: this.numbers, words: this.words, qualities: this.qualities } = old);
      ({ series: this.series, previous: this.previous } = old);
      ({ newest: this.newest, counts: this.counts, marks: this.marks } = old);
      ({ firstUs: this.firstUs, lastUs: this.lastUs } = old);
      return;
    }
    this.times = new Float64Array(capacity);
    this.numbers = new Float64Array(capacity);
    this.words = new Int32Array(this.numbers.buffer);
    this.qualities = new Uint16Array(capacity);
    this.series = new Uint32Array(capacity);
    this.previous = new Uint32Array(capacity);
  }

  /**
   * Takes the records of a batch whose points are series by `seriesOf`. `isText` is indexed by the number of the series
   * and has an element for each. Times after `aheadUs` are those of a wrong clock.
   */
  append(batch: Batch, seriesOf: Uint32Array, isText: Uint8Array, aheadUs: number): void {
    const { count } = batch;
    const at = this.count;
    this.#reserve(at + count);
    this.#reserveSeries(isText.length);
    this.times.set(batch.times.subarray(0, count), at);
    this.numbers.set(batch.numbers.subarray(0, count), at);
    this.qualities.set(batch.qualities.subarray(0, count), at);
    resolve(batch.points, seriesOf, count, this.series, at);
    this.#take(at, at + count, batch.texts, isText, aheadUs);
  }

  /** As `append`, of records that were read from a journal. */
  replay(numbers: Uint32Array, columns: Columns, count: number, isText: Uint8Array, aheadUs: number): void {
    const at = this.count;
    this.#reserve(at + count);
    this.#reserveSeries(isText.length);
    this.times.set(columns.times.subarray(0, count), at);
    this.numbers.set(columns.numbers.subarray(0, count), at);
    this.qualities.set(columns.qualities.subarray(0, count), at);
    this.series.set(numbers.subarray(0, count), at);
    this.#take(at, at + count, columns.texts, isText, aheadUs);
  }

  has(series: number): boolean {
    return (this.newest[series] ?? 0) !== 0;
  }

  /** Whether a record of the series may be in [sinceUs, untilUs). */
  hasIn(series: number, sinceUs: number, untilUs: number): boolean {
    return this.has(series) && (this.firstUs[series] as number) < untilUs && (this.lastUs[series] as number) >= sinceUs;
  }

  /** Some records as a batch, whose points are those of the array beside it. `formOf` is by number of the series. */
  batch(from: number, to: number, formOf: Uint8Array): [Batch, Uint32Array] {
    const count = to - from;
    const batch = new Batch(count);
    batch.count = count;
    batch.times.set(this.times.subarray(from, to));
    batch.numbers.set(this.numbers.subarray(from, to));
    batch.qualities.set(this.qualities.subarray(from, to));
    for (let i = 0; i < count; i++) {
      const kind = formOf[this.series[from + i] as number] as number;
      batch.points[i] = i;
      batch.forms[i] = kind;
      if (kind === form.text) batch.texts[i] = this.texts[this.numbers[from + i] as number] as string;
    }
    return [batch, this.series.slice(from, to)];
  }

  /** Records of a right clock from this time on. */
  countSince(sinceUs: number): number {
    if (this.minUs >= sinceUs) return this.count - this.astray;
    let count = 0;
    for (let at = 0; at < this.count; at++) {
      const time = this.times[at] as number;
      if (time >= sinceUs && time <= this.maxUs) count++;
    }
    return count;
  }

  /** Forgets the records that are not committed. */
  cutBack(aheadUs: number): void {
    while (this.count > this.committed) {
      const at = --this.count;
      const time = this.times[at] as number;
      if (time < oldestPlausible || time > aheadUs) this.astray--;
      const series = this.series[at] as number;
      this.newest[series] = this.previous[at] as number;
      this.counts[series] = (this.counts[series] as number) - 1;
      if (this.newest[series] === 0) this.used.splice(this.used.indexOf(series), 1);
    }
  }

  /** Forgets what is behind so many records. */
  cutTo(records: number, aheadUs: number): void {
    this.committed = Math.min(this.committed, records);
    this.cutBack(aheadUs);
  }

  /** Positions of the committed records of a series in [sinceUs, untilUs), in order of arrival. */
  positions(series: number, sinceUs: number, untilUs: number, erased: readonly ErasedRange[]): Uint32Array {
    let found = new Uint32Array(64);
    if (!this.hasIn(series, sinceUs, untilUs)) return found.subarray(0, 0);
    const { times, previous, committed } = this;
    const isOrdered = ((this.marks[series] as number) & mark.unordered) === 0;
    let count = 0;
    for (let next = this.newest[series] as number; next !== 0; next = previous[next - 1] as number) {
      const at = next - 1;
      const time = times[at] as number;
      if (time < sinceUs) {
        if (isOrdered) break;
      } else if (time < untilUs && at < committed && (erased.length === 0 || !isErased(erased, time, at))) {
        if (count === found.length) found = doubled(found);
        found[count++] = at;
      }
    }
    return found.subarray(0, count).reverse();
  }

  /**
   * Position of the newest committed record of a series before `untilUs`, of several at that time the last; or -1. With a
   * filter, of those that are wanted.
   */
  positionBefore(
    series: number,
    untilUs: number,
    erased: readonly ErasedRange[],
    filter?: SimulatedFilter | undefined,
  ): number {
    if (!this.has(series) || (this.firstUs[series] as number) >= untilUs) return -1;
    const { times, previous, committed } = this;
    const isOrdered = ((this.marks[series] as number) & mark.unordered) === 0;
    let [best, bestUs] = [-1, Number.NEGATIVE_INFINITY];
    for (let next = this.newest[series] as number; next !== 0; next = previous[next - 1] as number) {
      const at = next - 1;
      const time = times[at] as number;
      if (time >= untilUs || time <= bestUs || at >= committed) continue;
      if (filter !== undefined && !isWanted(this.qualities[at] as number, filter)) continue;
      if (erased.length > 0 && isErased(erased, time, at)) continue;
      [best, bestUs] = [at, time];
      if (isOrdered) break;
    }
    return best;
  }

  /** Appends the records of one series at the positions `order[from]` to `order[to - 1]`. */
  copy(order: Uint32Array, from: number, to: number, isText: boolean, into: Columns): void {
    const start = into.count;
    into.reserve(start + to - from);
    const { times, words, qualities } = this;
    const target = new Int32Array(into.numbers.buffer, into.numbers.byteOffset, 2 * into.capacity);
    const [intoTimes, intoQualities] = [into.times, into.qualities];
    for (let i = from, out = start; i < to; i++, out++) {
      const at = order[i] as number;
      intoTimes[out] = times[at] as number;
      // As words, since a double with the bits of an integer may lose some of them on its way.
      target[2 * out] = words[2 * at] as number;
      target[2 * out + 1] = words[2 * at + 1] as number;
      intoQualities[out] = qualities[at] as number;
    }
    if (isText) this.#copyTexts(order, from, to, into);
    into.count = start + to - from;
  }

  #copyTexts(order: Uint32Array, from: number, to: number, into: Columns): void {
    for (let i = from, out = into.count; i < to; i++, out++) {
      into.texts[out] = this.texts[this.numbers[order[i] as number] as number] as string;
      into.numbers[out] = 0;
    }
  }

  #take(from: number, to: number, texts: readonly string[], isText: Uint8Array, aheadUs: number): void {
    const { times, qualities, series, previous, newest, counts, marks, firstUs, lastUs } = this;
    let { minUs, maxUs } = this;
    let astray = 0;
    for (let at = from; at < to; at++) {
      const number = series[at] as number;
      const time = times[at] as number;
      const quality = (qualities[at] as number) & savedBits;
      qualities[at] = quality;
      const before = newest[number] as number;
      previous[at] = before;
      newest[number] = at + 1;
      if (before === 0) {
        this.used.push(number);
        marks[number] = 0;
        counts[number] = 1;
        firstUs[number] = time;
        lastUs[number] = time;
      } else {
        counts[number] = (counts[number] as number) + 1;
        if (time >= (lastUs[number] as number)) lastUs[number] = time;
        else {
          marks[number] = (marks[number] as number) | mark.unordered;
          if (time < (firstUs[number] as number)) firstUs[number] = time;
        }
      }
      if ((quality & replacesBit) !== 0) marks[number] = (marks[number] as number) | mark.replacing;
      if (isText[number] === 1) this.#takeText(at, texts[at - from] as string);
      if (time < oldestPlausible || time > aheadUs) astray++;
      else {
        if (time < minUs) minUs = time;
        if (time > maxUs) maxUs = time;
      }
    }
    this.minUs = minUs;
    this.maxUs = maxUs;
    this.astray += astray;
    this.count = to;
  }

  #takeText(at: number, text: string): void {
    this.numbers[at] = this.texts.length;
    this.texts.push(text);
    this.textUnits += text.length;
  }

  #reserve(needed: number): void {
    if (needed <= this.times.length) return;
    const capacity = Math.max(needed, 2 * this.times.length);
    const { times, numbers, qualities, series, previous } = this;
    this.times = new Float64Array(capacity);
    this.times.set(times);
    this.numbers = new Float64Array(capacity);
    this.numbers.set(numbers);
    this.words = new Int32Array(this.numbers.buffer);
    this.qualities = new Uint16Array(capacity);
    this.qualities.set(qualities);
    this.series = new Uint32Array(capacity);
    this.series.set(series);
    this.previous = new Uint32Array(capacity);
    this.previous.set(previous);
  }

  #reserveSeries(needed: number): void {
    if (needed <= this.newest.length) return;
    const capacity = Math.max(needed, 2 * this.newest.length);
    const { newest, counts, marks, firstUs, lastUs } = this;
    this.newest = new Uint32Array(capacity);
    this.newest.set(newest);
    this.counts = new Uint32Array(capacity);
    this.counts.set(counts);
    this.marks = new Uint8Array(capacity);
    this.marks.set(marks);
    this.firstUs = new Float64Array(capacity);
    this.firstUs.set(firstUs);
    this.lastUs = new Float64Array(capacity);
    this.lastUs.set(lastUs);
  }
}

/** The engine folds constants of the same module alone. */
const oldestPlausible = oldestPlausibleUs;

function doubled(array: Uint32Array<ArrayBuffer>): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(2 * array.length);
  larger.set(array);
  return larger;
}

function resolve(points: Uint32Array, seriesOf: Uint32Array, count: number, into: Uint32Array, at: number): void {
  for (let i = 0; i < count; i++) into[at + i] = seriesOf[points[i] as number] as number;
}

export function isErased(erased: readonly ErasedRange[], time: number, at: number): boolean {
  for (const { sinceUs, untilUs, before } of erased) {
    if (at < before && time >= sinceUs && time < untilUs) return true;
  }
  return false;
}
