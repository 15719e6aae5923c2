// What one bucket of an aggregate comes to, while its records go by: how long values were in force and with which
// quality, and what the records themselves say. SPEC.md has the rules, AG-1 to AG-12.
import { type Datatype, form, qualityMask, quality as qualityOf, traitsOf } from '@telltale/schema/values';
import type { Summary, SummaryRecord } from '../codec/summary.ts';
import { Columns, type Kind, simulated } from '../records.ts';
import { copyRecord } from './record-runs.ts';

const statusMask = qualityMask.status;
const goodStatus = qualityOf.good;

/** Of the values in force that are not bad. */
export const firstSlot = 0;
export const lastSlot = 1;
export const minSlot = 2;
export const maxSlot = 3;
/** The value in force. */
export const heldSlot = 4;
const slots = 5;

/** Sums beyond the greatest double are also stored scaled down by this. */
const small = 2 ** -80;

/** Bad has the lowest rank. */
const goodRank = 2;
const noRank = 3;

/** There was no value that was not bad, or nobody knows what it was; else 0 or 1. */
const noState = -1;
const unknownState = 2;

/** What will be asked for, beyond what every summary says. */
export interface BucketNeeds {
  /** The first and the last value. */
  readonly ends: boolean;
  readonly squares: boolean;
  readonly transitions: boolean;
  /** How many records are good. */
  readonly certain: boolean;
}

export class Bucket {
  startUs = 0;
  goodUs = 0;
  badUs = 0;
  /** In which the value is not zero, and not bad. */
  trueUs = 0;
  /** Of the values that are not bad, times their microseconds. */
  integral = 0;
  smallIntegral = 0;
  /** Records that are not bad; their sum; the squares of their distances from the mean. */
  count = 0;
  sum = 0;
  smallSum = 0;
  squares = 0;
  transitions = 0;
  /** Records that are good, and that are bad. */
  certain = 0;
  bad = 0;
  /** Whether a value that is not bad was in force; and one that is a number. */
  hasSound = false;
  hasNumbers = false;
  /** Whether one that was in force, or a record, is marked as simulated. */
  hasSimulated = false;
  /** The first one of the worst status. */
  worst = 0;
  readonly records = new Columns(slots);
  readonly datatypes: Datatype[] = new Array(slots).fill('d');
  min: number | bigint = 0;
  max: number | bigint = 0;
  readonly #needs: BucketNeeds;
  /** Commands have no quality: none of theirs is bad. */
  readonly #hasQuality: boolean;
  #worstRank = noRank;
  /** Until here time has been counted. */
  #untilUs = 0;
  #isHeld = false;
  #heldNumber = 0;
  /** What is in force has not been seen by this bucket yet: it counts when some time passes. */
  #isCarried = false;
  /** Whether the last value that was not bad is other than zero. */
  #state = noState;
  #doubles = new Float64Array();

  constructor(kind: Kind, needs: BucketNeeds) {
    this.#hasQuality = kind === 'measurements';
    this.#needs = needs;
  }

  /** Nothing is in force. */
  get isUnknown(): boolean {
    return !this.#isHeld;
  }

  get lengthUs(): number {
    return this.#untilUs - this.startUs;
  }

  /** Not bad. */
  get soundUs(): number {
    return this.lengthUs - this.badUs;
  }

  get heldQuality(): number {
    if (!this.#isHeld) return qualityOf.bad.nonSpecific;
    return this.#hasQuality ? (this.records.qualities[heldSlot] as number) & qualityMask.archived : goodStatus;
  }

  /** Before the first bucket: what is in force there. */
  hold(datatype: Datatype, columns: Columns, at: number): void {
    const { form: held } = traitsOf(datatype);
    this.#keep(heldSlot, datatype, columns, at);
    this.#isHeld = true;
    this.#heldNumber = held === form.number ? (columns.numbers[at] as number) : 0;
    if (held === form.long) this.#heldNumber = Number(columns.longs[at]);
    const isBad = this.#statusOf(columns.qualities[at] as number) === 0;
    this.#state = isBad ? unknownState : stateOf(this.#heldNumber);
  }

  begin(startUs: number): void {
    this.startUs = startUs;
    this.#untilUs = startUs;
    this.goodUs = this.badUs = this.trueUs = this.integral = this.smallIntegral = 0;
    this.count = this.sum = this.smallSum = this.squares = this.transitions = this.certain = this.bad = 0;
    this.hasSound = this.hasNumbers = this.hasSimulated = false;
    this.#worstRank = noRank;
    this.#isCarried = true;
  }

  /** What is in force stays so until then. */
  elapse(untilUs: number): void {
    const us = untilUs - this.#untilUs;
    if (us <= 0) return;
    this.#untilUs = untilUs;
    const status = this.#isHeld ? this.#statusOf(this.records.qualities[heldSlot] as number) : 0;
    if (this.#isCarried) this.#seeCarried(status);
    if (status === 0) {
      this.badUs += us;
      return;
    }
    if (status === goodStatus) this.goodUs += us;
    const value = this.#heldNumber;
    this.integral += value * us;
    this.smallIntegral += value * small * us;
    if (value !== 0) this.trueUs += us;
  }

  /** Records of the bucket, in time order, behind those before. */
  add(datatype: Datatype, columns: Columns, from: number, to: number): void {
    if (from >= to) return;
    this.elapse(columns.times[from] as number);
    this.#isCarried = false;
    const { form: held } = traitsOf(datatype);
    const numbers = held === form.number ? columns.numbers : this.#asDoubles(held, columns, from, to);
    const count = this.#addRun(datatype, columns, numbers, from, to, held === form.number);
    if (count > 0 && held === form.long) this.#addLongExtremes(datatype, columns, from, to);
    this.#untilUs = columns.times[to - 1] as number;
    this.#keep(heldSlot, datatype, columns, to - 1);
    this.#isHeld = true;
    this.#heldNumber = numbers[to - 1] as number;
  }

  /** All records of a chunk at once. False: its summary does not say enough, and nothing was added. */
  addSummary(datatype: Datatype, summary: Summary, hasSimulated: boolean): boolean {
    const { first, last, min, max, times } = summary;
    if (times === undefined) return false;
    const isSound = min !== undefined && max !== undefined;
    // Which one is the first that is not bad is known where it is the first of all.
    const isEndBad = this.#statusOf(first.quality) === 0 || this.#statusOf(last.quality) === 0;
    if (isSound && isEndBad && (this.#needs.ends || this.#needs.transitions)) return false;
    if (isSound && !summary.isAllGood && this.#needs.certain) return false;
    this.elapse(first.time);
    this.#isCarried = false;
    this.#noteWorst(times.worst);
    if (hasSimulated) this.hasSimulated = true;
    this.bad += summary.count - summary.good;
    if (summary.isAllGood) this.certain += summary.count;
    this.goodUs += times.goodUs;
    this.badUs += times.badUs;
    this.trueUs += times.trueUs;
    this.integral += times.integral;
    this.smallIntegral += times.integral * small;
    if (isSound) {
      if (!this.hasSound) this.#note(firstSlot, datatype, first);
      this.#note(lastSlot, datatype, last);
      if (this.#isLeast(min.value)) this.#note(minSlot, datatype, min);
      if (this.#isGreatest(max.value)) this.#note(maxSlot, datatype, max);
      this.hasSound = this.hasNumbers = true;
      this.#join(summary.good, summary.sum, summary.sum * small, times.squares);
      this.transitions += times.transitions + (isTransition(this.#state, stateOf(first.value)) ? 1 : 0);
      this.#state = stateOf(last.value);
    }
    this.#untilUs = last.time;
    this.#note(heldSlot, datatype, last);
    this.#isHeld = true;
    this.#heldNumber = last.value;
    return true;
  }

  /** Answers how many of them are not bad. */
  #addRun(
    datatype: Datatype,
    columns: Columns,
    numbers: Float64Array,
    from: number,
    to: number,
    hasExtremes: boolean,
  ): number {
    const { times, qualities } = columns;
    const always = this.#hasQuality ? 0 : goodStatus;
    const end = to - 1;
    let { goodUs, badUs, trueUs, integral, smallIntegral, transitions } = this;
    let state = this.#state;
    let [count, certain, sum, smallSum] = [0, 0, 0, 0];
    let [low, high, lowAt, highAt] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, -1, -1];
    let [first, last, marks] = [-1, -1, 0];
    for (let at = from; at < to; at++) {
      const quality = (qualities[at] as number) | always;
      marks |= quality;
      const status = quality & statusMask;
      const us = at < end ? (times[at + 1] as number) - (times[at] as number) : 0;
      if (status !== goodStatus || this.#worstRank > goodRank) this.#noteWorst(quality);
      if (status === 0) {
        badUs += us;
        continue;
      }
      if (status === goodStatus) {
        goodUs += us;
        certain++;
      }
      const value = numbers[at] as number;
      integral += value * us;
      smallIntegral += value * small * us;
      if (value !== 0) trueUs += us;
      const nextState = stateOf(value);
      if (isTransition(state, nextState)) transitions++;
      state = nextState;
      count++;
      sum += value;
      smallSum += value * small;
      if (value < low) {
        low = value;
        lowAt = at;
      }
      if (value > high) {
        high = value;
        highAt = at;
      }
      if (first < 0) first = at;
      last = at;
    }
    if ((marks & simulated) !== 0) this.hasSimulated = true;
    this.goodUs = goodUs;
    this.badUs = badUs;
    this.trueUs = trueUs;
    this.integral = integral;
    this.smallIntegral = smallIntegral;
    this.transitions = transitions;
    this.certain += certain;
    this.bad += to - from - count;
    this.#state = state;
    if (count === 0) return 0;
    if (!this.hasSound) this.#keep(firstSlot, datatype, columns, first);
    this.#keep(lastSlot, datatype, columns, last);
    this.hasSound = true;
    if (hasExtremes) {
      if (this.#isLeast(low)) this.#keep(minSlot, datatype, columns, lowAt);
      if (this.#isGreatest(high)) this.#keep(maxSlot, datatype, columns, highAt);
      this.hasNumbers = true;
    }
    const squares = this.#needs.squares ? this.#squaresOf(columns, numbers, from, to, sum / count) : 0;
    this.#join(count, sum, smallSum, squares);
    return count;
  }

  #addLongExtremes(datatype: Datatype, columns: Columns, from: number, to: number): void {
    for (let at = from; at < to; at++) {
      if (this.#statusOf(columns.qualities[at] as number) === 0) continue;
      const value = columns.longs[at] as bigint;
      if (this.#isLeast(value)) this.#keep(minSlot, datatype, columns, at);
      if (this.#isGreatest(value)) this.#keep(maxSlot, datatype, columns, at);
      this.hasNumbers = true;
    }
  }

  #squaresOf({ qualities }: Columns, numbers: Float64Array, from: number, to: number, mean: number): number {
    let squares = 0;
    for (let at = from; at < to; at++) {
      if (this.#statusOf(qualities[at] as number) === 0) continue;
      const distance = (numbers[at] as number) - mean;
      squares += distance * distance;
    }
    return squares;
  }

  /** Records that are not bad, by what they come to. */
  #join(count: number, sum: number, smallSum: number, squares: number): void {
    const distance = this.count > 0 ? sum / count - this.sum / this.count : 0;
    this.squares += squares + ((distance * distance * this.count) / (this.count + count)) * count;
    this.count += count;
    this.sum += sum;
    this.smallSum += smallSum;
  }

  /** What was in force before the bucket is so in it as well: it is no record of it. */
  #seeCarried(status: number): void {
    this.#isCarried = false;
    if (this.#isHeld) {
      this.#noteWorst(this.heldQuality);
      if (((this.records.qualities[heldSlot] as number) & simulated) !== 0) this.hasSimulated = true;
    } else {
      this.#worstRank = 0;
      this.worst = qualityOf.bad.nonSpecific;
    }
    if (status === 0) return;
    const { records, datatypes } = this;
    const datatype = datatypes[heldSlot] as Datatype;
    const { form: held } = traitsOf(datatype);
    this.#keep(firstSlot, datatype, records, heldSlot);
    this.#keep(lastSlot, datatype, records, heldSlot);
    this.hasSound = true;
    if (held === form.text) return;
    const value = held === form.long ? (records.longs[heldSlot] as bigint) : this.#heldNumber;
    if (this.#isLeast(value)) this.#keep(minSlot, datatype, records, heldSlot);
    if (this.#isGreatest(value)) this.#keep(maxSlot, datatype, records, heldSlot);
    this.hasNumbers = true;
  }

  /** Of equal ones the earliest stays. */
  #isLeast(value: number | bigint): boolean {
    if (this.hasNumbers && !(value < this.min)) return false;
    this.min = value;
    return true;
  }

  #isGreatest(value: number | bigint): boolean {
    if (this.hasNumbers && !(value > this.max)) return false;
    this.max = value;
    return true;
  }

  #noteWorst(quality: number): void {
    const status = this.#statusOf(quality);
    const rank = status === 0 ? 0 : status === goodStatus ? goodRank : 1;
    if (rank >= this.#worstRank) return;
    this.#worstRank = rank;
    this.worst = quality & qualityMask.archived;
  }

  #statusOf(quality: number): number {
    return this.#hasQuality ? quality & statusMask : goodStatus;
  }

  /** Longs as doubles; texts as zeroes. */
  #asDoubles(held: number, { longs }: Columns, from: number, to: number): Float64Array {
    if (this.#doubles.length < to) this.#doubles = new Float64Array(2 * to);
    if (held === form.long) for (let at = from; at < to; at++) this.#doubles[at] = Number(longs[at]);
    return this.#doubles;
  }

  #keep(slot: number, datatype: Datatype, columns: Columns, at: number): void {
    this.datatypes[slot] = datatype;
    copyRecord(datatype, columns, at, this.records, slot);
  }

  #note(slot: number, datatype: Datatype, { time, value, quality }: SummaryRecord): void {
    const { records } = this;
    this.datatypes[slot] = datatype;
    records.times[slot] = time;
    records.qualities[slot] = quality;
    if (traitsOf(datatype).form === form.long) records.longs[slot] = BigInt(value);
    else records.numbers[slot] = value;
  }
}

function stateOf(value: number): number {
  return value === 0 ? 0 : 1;
}

function isTransition(state: number, next: number): boolean {
  return next !== state && state !== unknownState;
}
