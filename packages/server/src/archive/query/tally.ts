// The state of one bucket: number and sum of its records, and the first, last, least and greatest.
import { type Datatype, form, qualityMask, quality as qualityOf, traitsOf } from '@telltale/schema/values';
import type { Summary } from '../codec/summary.ts';
import { Columns, type Kind, marksGap, simulated } from '../records.ts';
import { copyRecord } from './record-runs.ts';

const statusMask = qualityMask.status;
const goodStatus = qualityOf.good;

/** Of all records, */
export const firstSlot = 0;
export const lastSlot = 1;
/** and of those that are not bad. */
export const firstSoundSlot = 2;
export const lastSoundSlot = 3;
export const minSlot = 4;
export const maxSlot = 5;
const slots = 6;

/** Sums beyond the greatest double are also stored scaled down by this. */
const small = 2 ** -80;

export class Tally {
  count = 0;
  /** How many of these are no records, but mark where some are missing. */
  gaps = 0;
  /** How many are not bad. */
  sound = 0;
  isAllGood = true;
  /** One of them is marked as simulated. */
  hasSimulated = false;
  readonly records = new Columns(slots);
  readonly datatypes: Datatype[] = new Array(slots).fill('d');
  /** Commands and alarms have no quality: none of theirs is bad. */
  readonly #hasQuality: boolean;
  readonly #needsEnds: boolean;
  #sum = 0;
  #smallSum = 0;
  #min: number | bigint = 0;
  #max: number | bigint = 0;
  /** How many of the sound ones are numbers. */
  #numbers = 0;

  /** `needsEnds`: the first and the last that are not bad will be asked for; else a summary need not have them. */
  constructor(kind: Kind, needsEnds: boolean) {
    this.#needsEnds = needsEnds;
    this.#hasQuality = kind === 'measurements';
  }

  clear(): void {
    this.count = this.gaps = this.sound = this.#sum = this.#smallSum = this.#numbers = 0;
    this.isAllGood = true;
    this.hasSimulated = false;
  }

  get hasExtremes(): boolean {
    return this.#numbers > 0;
  }

  /** Of the numbers that are not bad, of which there must be one. */
  get average(): number {
    const mean = this.#sum / this.#numbers;
    if (Number.isFinite(mean)) return mean;
    const scaled = (this.#smallSum / this.#numbers) * (1 / small);
    return Math.max(-Number.MAX_VALUE, Math.min(Number.MAX_VALUE, scaled));
  }

  /** The value of the last record, where it is a number. */
  get newestNumber(): number {
    const { numbers, longs } = this.records;
    const { form: held } = traitsOf(this.datatypes[lastSlot] as Datatype);
    return held === form.long ? Number(longs[lastSlot]) : (numbers[lastSlot] as number);
  }

  add(datatype: Datatype, columns: Columns, from: number, to: number): void {
    if (from >= to) return;
    if (this.count === 0) this.#keep(firstSlot, datatype, columns, from);
    this.#keep(lastSlot, datatype, columns, to - 1);
    this.count += to - from;
    const sound = this.#addQualities(datatype, columns, from, to);
    const { form: held } = traitsOf(datatype);
    if (sound === 0 || held === form.text) return;
    if (held === form.long) this.#addLongs(datatype, columns, from, to);
    else this.#addNumbers(datatype, columns, from, to);
  }

  /** All records of a chunk at once. False: its summary does not say enough, and nothing was added. */
  addSummary(datatype: Datatype, summary: Summary, hasSimulated: boolean): boolean {
    const { count, good, first, last, min, max } = summary;
    // Which one is the first that is not bad is known where it is the first of all.
    if (this.#needsEnds && good > 0 && !(this.#isSound(first.quality) && this.#isSound(last.quality))) return false;
    if (this.count === 0) this.#note(firstSlot, datatype, first);
    this.#note(lastSlot, datatype, last);
    this.count += count;
    if (!summary.isAllGood) this.isAllGood = false;
    if (hasSimulated) this.hasSimulated = true;
    if (min === undefined || max === undefined) return true;
    if (this.sound === 0) this.#note(firstSoundSlot, datatype, first);
    this.#note(lastSoundSlot, datatype, last);
    this.sound += good;
    if (this.#numbers === 0 || min.value < this.#min) {
      this.#min = min.value;
      this.#note(minSlot, datatype, min);
    }
    if (this.#numbers === 0 || max.value > this.#max) {
      this.#max = max.value;
      this.#note(maxSlot, datatype, max);
    }
    this.#sum += summary.sum;
    this.#smallSum += summary.sum * small;
    this.#numbers += good;
    return true;
  }

  /** Answers how many of them are not bad. */
  #addQualities(datatype: Datatype, columns: Columns, from: number, to: number): number {
    const { qualities } = columns;
    let sound = to - from;
    let first = from;
    let last = to - 1;
    if (this.#hasQuality) {
      let others = 0;
      let marks = 0;
      sound = 0;
      first = -1;
      for (let at = from; at < to; at++) {
        const quality = qualities[at] as number;
        const status = quality & statusMask;
        marks |= quality;
        others |= status ^ goodStatus;
        if (status === 0) {
          if ((quality & marksGap) !== 0) this.gaps++;
          continue;
        }
        sound++;
        if (first < 0) first = at;
        last = at;
      }
      if (others !== 0) this.isAllGood = false;
      if ((marks & simulated) !== 0) this.hasSimulated = true;
    }
    if (sound === 0) return 0;
    if (this.sound === 0) this.#keep(firstSoundSlot, datatype, columns, first);
    this.#keep(lastSoundSlot, datatype, columns, last);
    this.sound += sound;
    return sound;
  }

  #addNumbers(datatype: Datatype, columns: Columns, from: number, to: number): void {
    const { numbers, qualities } = columns;
    const badStatus = this.#hasQuality ? 0 : -1;
    let sum = 0;
    let smallSum = 0;
    let count = 0;
    let min = Number.POSITIVE_INFINITY;
    let max = Number.NEGATIVE_INFINITY;
    let minAt = from;
    let maxAt = from;
    for (let at = from; at < to; at++) {
      if (((qualities[at] as number) & statusMask) === badStatus) continue;
      const value = numbers[at] as number;
      sum += value;
      smallSum += value * small;
      count++;
      if (value < min) {
        min = value;
        minAt = at;
      }
      if (value > max) {
        max = value;
        maxAt = at;
      }
    }
    this.#addExtremes(datatype, columns, min, minAt, max, maxAt);
    this.#sum += sum;
    this.#smallSum += smallSum;
    this.#numbers += count;
  }

  #addLongs(datatype: Datatype, columns: Columns, from: number, to: number): void {
    const { longs, qualities } = columns;
    const badStatus = this.#hasQuality ? 0 : -1;
    let minAt = -1;
    let maxAt = -1;
    let count = 0;
    for (let at = from; at < to; at++) {
      if (((qualities[at] as number) & statusMask) === badStatus) continue;
      const value = longs[at] as bigint;
      this.#sum += Number(value);
      if (minAt < 0 || value < (longs[minAt] as bigint)) minAt = at;
      if (maxAt < 0 || value > (longs[maxAt] as bigint)) maxAt = at;
      count++;
    }
    this.#addExtremes(datatype, columns, longs[minAt] as bigint, minAt, longs[maxAt] as bigint, maxAt);
    this.#numbers += count;
  }

  /** Of equal ones the earliest stays. */
  #addExtremes(
    datatype: Datatype,
    columns: Columns,
    min: number | bigint,
    minAt: number,
    max: number | bigint,
    maxAt: number,
  ): void {
    if (this.#numbers === 0 || min < this.#min) {
      this.#min = min;
      this.#keep(minSlot, datatype, columns, minAt);
    }
    if (this.#numbers === 0 || max > this.#max) {
      this.#max = max;
      this.#keep(maxSlot, datatype, columns, maxAt);
    }
  }

  #isSound(quality: number): boolean {
    return !this.#hasQuality || (quality & statusMask) !== 0;
  }

  #keep(slot: number, datatype: Datatype, columns: Columns, at: number): void {
    this.datatypes[slot] = datatype;
    copyRecord(datatype, columns, at, this.records, slot);
  }

  #note(slot: number, datatype: Datatype, { time, value, quality }: Summary['first']): void {
    const { records } = this;
    this.datatypes[slot] = datatype;
    records.times[slot] = time;
    records.qualities[slot] = quality;
    if (traitsOf(datatype).form === form.long) records.longs[slot] = BigInt(value);
    else records.numbers[slot] = value;
  }
}
