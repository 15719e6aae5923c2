// The state of one bucket of a trend: the number of its records, and the first, last, least and greatest.
import { type Datatype, form, qualityMask, traitsOf } from '@telltale/schema/values';
import type { Summary } from '../codec/summary.ts';
import { Columns, type Kind } from '../records.ts';
import { copyRecord } from './record-runs.ts';

const statusMask = qualityMask.status;

/** Of all records, */
export const firstSlot = 0;
export const lastSlot = 1;
/** and of the numbers that are not bad. */
export const minSlot = 2;
export const maxSlot = 3;
const slots = 4;

export class Tally {
  count = 0;
  /** Whether one of them is a number that is not bad. */
  hasExtremes = false;
  readonly records = new Columns(slots);
  readonly datatypes: Datatype[] = new Array(slots).fill('d');
  /** Commands and alarms have no quality: none of theirs is bad. */
  readonly #hasQuality: boolean;
  #min: number | bigint = 0;
  #max: number | bigint = 0;

  constructor(kind: Kind) {
    this.#hasQuality = kind === 'measurements';
  }

  clear(): void {
    this.count = 0;
    this.hasExtremes = false;
  }

  add(datatype: Datatype, columns: Columns, from: number, to: number): void {
    if (from >= to) return;
    if (this.count === 0) this.#keep(firstSlot, datatype, columns, from);
    this.#keep(lastSlot, datatype, columns, to - 1);
    this.count += to - from;
    const { form: held } = traitsOf(datatype);
    if (held === form.long) this.#addLongs(datatype, columns, from, to);
    else if (held === form.number) this.#addNumbers(datatype, columns, from, to);
  }

  /** All records of a chunk at once. */
  addSummary(datatype: Datatype, { count, first, last, min, max }: Summary): void {
    if (this.count === 0) this.#note(firstSlot, datatype, first);
    this.#note(lastSlot, datatype, last);
    this.count += count;
    if (min === undefined || max === undefined) return;
    if (!this.hasExtremes || min.value < this.#min) {
      this.#min = min.value;
      this.#note(minSlot, datatype, min);
    }
    if (!this.hasExtremes || max.value > this.#max) {
      this.#max = max.value;
      this.#note(maxSlot, datatype, max);
    }
    this.hasExtremes = true;
  }

  #addNumbers(datatype: Datatype, columns: Columns, from: number, to: number): void {
    const { numbers, qualities } = columns;
    const badStatus = this.#hasQuality ? 0 : -1;
    let min = Number.POSITIVE_INFINITY;
    let max = Number.NEGATIVE_INFINITY;
    let minAt = -1;
    let maxAt = -1;
    for (let at = from; at < to; at++) {
      if (((qualities[at] as number) & statusMask) === badStatus) continue;
      const value = numbers[at] as number;
      if (value < min) {
        min = value;
        minAt = at;
      }
      if (value > max) {
        max = value;
        maxAt = at;
      }
    }
    if (minAt >= 0) this.#addExtremes(datatype, columns, min, minAt, max, maxAt);
  }

  #addLongs(datatype: Datatype, columns: Columns, from: number, to: number): void {
    const { longs, qualities } = columns;
    const badStatus = this.#hasQuality ? 0 : -1;
    let minAt = -1;
    let maxAt = -1;
    for (let at = from; at < to; at++) {
      if (((qualities[at] as number) & statusMask) === badStatus) continue;
      const value = longs[at] as bigint;
      if (minAt < 0 || value < (longs[minAt] as bigint)) minAt = at;
      if (maxAt < 0 || value > (longs[maxAt] as bigint)) maxAt = at;
    }
    if (minAt < 0) return;
    this.#addExtremes(datatype, columns, longs[minAt] as bigint, minAt, longs[maxAt] as bigint, maxAt);
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
    if (!this.hasExtremes || min < this.#min) {
      this.#min = min;
      this.#keep(minSlot, datatype, columns, minAt);
    }
    if (!this.hasExtremes || max > this.#max) {
      this.#max = max;
      this.#keep(maxSlot, datatype, columns, maxAt);
    }
    this.hasExtremes = true;
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
