// Puts the record that is in force at the start of the interval before the others, restamped to the start. Where there
// is a record at the start itself, that one is in force, and is added only where the interval is empty and has it not.
import type { Datatype } from '@telltale/schema';
import type { Columns } from '../records.ts';
import type { Chunk } from './block.ts';
import type { Head } from './head-search.ts';
import type { Interval } from './record-cursor.ts';
import { atNothing, atRun, type RecordRuns, type Step } from './record-runs.ts';

export class WarpedHead implements RecordRuns {
  readonly #input: RecordRuns;
  readonly #head: Head;
  readonly #interval: Interval;
  #isFound = false;
  /** Whether the current run is the head. */
  #isHead = false;

  constructor(input: RecordRuns, head: Head, interval: Interval) {
    this.#input = input;
    this.#head = head;
    this.#interval = interval;
  }

  get datatype(): Datatype {
    return this.#isHead ? (this.#head.datatype as Datatype) : this.#input.datatype;
  }

  get columns(): Columns {
    return this.#isHead ? this.#head.record : this.#input.columns;
  }

  get from(): number {
    return this.#isHead ? 0 : this.#input.from;
  }

  get to(): number {
    return this.#isHead ? 1 : this.#input.to;
  }

  get chunk(): Chunk | undefined {
    return this.#input.chunk;
  }

  openChunk(): void {
    this.#input.openChunk();
  }

  next(): Step {
    this.#isHead = false;
    if (this.#isFound) return this.#input.next();
    if (!this.#head.step()) return atNothing;
    this.#isFound = true;
    const { datatype, record, foundUs } = this.#head;
    const { sinceUs, untilUs } = this.#interval;
    if (datatype === undefined || (foundUs === sinceUs && sinceUs < untilUs)) return atNothing;
    record.times[0] = sinceUs;
    this.#isHead = true;
    return atRun;
  }
}
