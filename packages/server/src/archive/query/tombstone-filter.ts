// The intervals that the tombstones of one series erase from one block, as a growing list without overlaps.
import type { Datatype } from '@telltale/schema';
import type { Columns } from '../records.ts';
import { copyRecord } from './record-runs.ts';

export interface ErasedInterval {
  readonly seq: number;
  /** Half-open. */
  readonly sinceUs: number;
  readonly untilUs: number;
}

export class TombstoneFilter {
  readonly #since: number[] = [];
  readonly #until: number[] = [];

  /** Of the tombstones those that came after `applied`. */
  constructor(tombstones: readonly ErasedInterval[], applied: number) {
    const open = tombstones.filter(({ seq, sinceUs, untilUs }) => seq > applied && sinceUs < untilUs);
    for (const { sinceUs, untilUs } of open.sort((a, b) => a.sinceUs - b.sinceUs)) {
      const last = this.#until.length - 1;
      if (last >= 0 && sinceUs <= (this.#until[last] as number)) {
        this.#until[last] = Math.max(untilUs, this.#until[last] as number);
      } else {
        this.#since.push(sinceUs);
        this.#until.push(untilUs);
      }
    }
  }

  /** Whether a record from `firstUs` to `lastUs`, both included, may be erased. */
  touches(firstUs: number, lastUs: number): boolean {
    const at = this.#firstEndingAfter(firstUs);
    return at < this.#since.length && (this.#since[at] as number) <= lastUs;
  }

  /** Whether every record from `firstUs` to `lastUs`, both included, is erased. */
  covers(firstUs: number, lastUs: number): boolean {
    const at = this.#firstEndingAfter(firstUs);
    return at < this.#since.length && (this.#since[at] as number) <= firstUs && (this.#until[at] as number) > lastUs;
  }

  /** Takes what is erased out of the records from `from` to `to`, which are in time order. Answers the new end. */
  takeOut(datatype: Datatype, columns: Columns, from: number, to: number): number {
    if (from >= to || !this.touches(columns.times[from] as number, columns.times[to - 1] as number)) return to;
    let interval = this.#firstEndingAfter(columns.times[from] as number);
    let end = from;
    for (let at = from; at < to; at++) {
      const timeUs = columns.times[at] as number;
      while (interval < this.#until.length && (this.#until[interval] as number) <= timeUs) interval++;
      if (interval < this.#since.length && (this.#since[interval] as number) <= timeUs) continue;
      if (end < at) copyRecord(datatype, columns, at, columns, end);
      end++;
    }
    return end;
  }

  #firstEndingAfter(timeUs: number): number {
    let low = 0;
    let high = this.#until.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#until[middle] as number) <= timeUs) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
