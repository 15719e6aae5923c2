// Resamples: for each time of a grid the record in force there, the last one at or before it, restamped to it.
import { type Datatype, form, traitsOf } from '@telltale/schema/values';
import { Columns } from '../records.ts';
import type { Chunk } from './block.ts';
import { ChunkStage } from './chunk-stage.ts';
import { type Grid, gridFrom } from './grid.ts';
import type { Head } from './head-search.ts';
import { type atEnd, atNothing, copyRecord, type RecordRuns } from './record-runs.ts';
import { firstFrom } from './time-search.ts';

export class Resampling extends ChunkStage {
  readonly #grid: Grid;
  #head: Head | undefined;
  /** The record in force, where there is one. */
  readonly #held = new Columns(1);
  #heldDatatype: Datatype | undefined;
  #gridUs: number;

  /** `head` looks for the record in force at the start. The input gives chunks. */
  constructor(input: RecordRuns, head: Head, grid: Grid) {
    super(input);
    this.#head = head;
    this.#grid = grid;
    this.#gridUs = grid.sinceUs;
  }

  protected override work(): typeof atEnd | typeof atNothing {
    if (this.#head !== undefined) {
      if (!this.#head.step()) return atNothing;
      if (this.#head.datatype !== undefined) this.#hold(this.#head.datatype, this.#head.record, 0);
      this.#head = undefined;
    }
    return super.work();
  }

  protected take(columns: Columns, from: number, to: number): number {
    if (!this.#giveBefore(columns.times[from] as number)) return from;
    // All up to the next time of the grid but the last one are in force at none.
    const next = firstFrom(columns.times, from, to, this.#gridUs + 1);
    this.#hold(this.input.datatype, columns, next - 1);
    return next;
  }

  /** A chunk between two times of the grid: only its last record matters. */
  protected takeChunk({ firstUs, lastUs, summary }: Chunk): boolean {
    const last = summary?.last;
    if (last === undefined || gridFrom(this.#grid, firstUs) < lastUs || !this.#giveBefore(firstUs)) return false;
    const { datatype } = this.input;
    this.#heldDatatype = datatype;
    this.#held.times[0] = last.time;
    this.#held.qualities[0] = last.quality;
    if (traitsOf(datatype).form === form.long) this.#held.longs[0] = BigInt(last.value);
    else this.#held.numbers[0] = last.value;
    return true;
  }

  protected finish(): boolean {
    return this.#giveBefore(this.#grid.untilUs);
  }

  /** Gives the record in force for each time of the grid before `timeUs`. False: not for all of them yet. */
  #giveBefore(timeUs: number): boolean {
    const datatype = this.#heldDatatype;
    if (datatype === undefined) {
      if (this.#gridUs < timeUs) this.#gridUs = gridFrom(this.#grid, timeUs);
      return true;
    }
    while (this.#gridUs < timeUs) {
      if (!this.put(datatype, this.#held, 0)) return false;
      this.stamp(this.#gridUs);
      this.#gridUs = this.#grid.after(this.#gridUs);
    }
    return true;
  }

  #hold(datatype: Datatype, columns: Columns, at: number): void {
    this.#heldDatatype = datatype;
    copyRecord(datatype, columns, at, this.#held, 0);
  }
}
