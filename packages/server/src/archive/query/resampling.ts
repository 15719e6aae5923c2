// Resamples: for each time of a grid the record in force there, the last one at or before it, restamped to it.
import type { Datatype } from '@telltale/schema';
import { Columns } from '../records.ts';
import type { Chunk } from './block.ts';
import { type Grid, gridFrom } from './grid.ts';
import type { HeadSearch } from './head-search.ts';
import { MadeRuns } from './made-runs.ts';
import { atChunk, atEnd, atNothing, atRun, copyRecord, type RecordRuns } from './record-runs.ts';
import { firstFrom } from './time-search.ts';

export class Resampling extends MadeRuns {
  readonly #input: RecordRuns;
  readonly #grid: Grid;
  #head: HeadSearch | undefined;
  /** The record in force, where there is one. */
  readonly #held = new Columns(1);
  #heldDatatype: Datatype | undefined;
  /** The next time of the grid. */
  #gridUs: number;
  /** Of the run of the input that is at hand; from the end on the next one is wanted. */
  #at = 0;
  #end = 0;
  #isOver = false;

  /** `head` looks for the record in force at the start. The input gives chunks. */
  constructor(input: RecordRuns, head: HeadSearch, grid: Grid) {
    super();
    this.#input = input;
    this.#head = head;
    this.#grid = grid;
    this.#gridUs = grid.sinceUs;
  }

  protected work(): typeof atEnd | typeof atNothing {
    if (this.#head !== undefined) {
      if (!this.#head.step()) return atNothing;
      if (this.#head.datatype !== undefined) this.#hold(this.#head.datatype, this.#head.record, 0);
      this.#head = undefined;
    }
    if (this.#isOver) return this.#giveBefore(this.#grid.untilUs) ? atEnd : atNothing;
    if (this.#at < this.#end) return this.#takeRun();
    const step = this.#input.next();
    if (step === atEnd) this.#isOver = true;
    else if (step === atChunk) this.#takeChunk(this.#input.chunk as Chunk);
    else if (step === atRun) {
      this.#at = this.#input.from;
      this.#end = this.#input.to;
    }
    return atNothing;
  }

  #takeRun(): typeof atNothing {
    const { datatype, columns } = this.#input;
    while (this.#at < this.#end) {
      if (!this.#giveBefore(columns.times[this.#at] as number)) break;
      // All up to the next time of the grid but the last one are in force at none.
      const next = firstFrom(columns.times, this.#at, this.#end, this.#gridUs + 1);
      this.#hold(datatype, columns, next - 1);
      this.#at = next;
    }
    return atNothing;
  }

  /** A chunk between two times of the grid: only its last record matters. */
  #takeChunk({ firstUs, lastUs, summary }: Chunk): void {
    const last = summary?.last;
    const { datatype } = this.#input;
    if (last === undefined || gridFrom(this.#grid, firstUs) < lastUs || !this.#giveBefore(firstUs)) {
      this.#input.openChunk();
      return;
    }
    this.#heldDatatype = datatype;
    this.#held.times[0] = last.time;
    this.#held.qualities[0] = last.quality;
    if (datatype === 'l') this.#held.longs[0] = BigInt(last.value);
    else this.#held.numbers[0] = last.value;
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
      this.#gridUs += this.#grid.stepUs;
    }
    return true;
  }

  #hold(datatype: Datatype, columns: Columns, at: number): void {
    this.#heldDatatype = datatype;
    copyRecord(datatype, columns, at, this.#held, 0);
  }
}
