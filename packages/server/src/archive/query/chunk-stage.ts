// What the stages have in common that make records out of stretches of others, and take whole chunks by their summary
// where they can.
import type { Columns } from '../records.ts';
import type { Chunk } from './block.ts';
import { MadeRuns } from './made-runs.ts';
import { atChunk, atEnd, atNothing, atRun, type RecordRuns } from './record-runs.ts';

export abstract class ChunkStage extends MadeRuns {
  /** Gives chunks. */
  protected readonly input: RecordRuns;
  /** Of the run of the input that is at hand; from the end on the next one is wanted. */
  #at = 0;
  #end = 0;
  #isOver = false;

  constructor(input: RecordRuns) {
    super();
    this.input = input;
  }

  protected work(): typeof atEnd | typeof atNothing {
    if (this.#isOver) return this.finish() ? atEnd : atNothing;
    if (this.#at < this.#end) {
      this.#takeRun();
      return atNothing;
    }
    const step = this.input.next();
    if (step === atEnd) this.#isOver = true;
    else if (step === atChunk) {
      if (!this.takeChunk(this.input.chunk as Chunk)) this.input.openChunk();
    } else if (step === atRun) {
      this.#at = this.input.from;
      this.#end = this.input.to;
    }
    return atNothing;
  }

  /** Takes records of one stretch, and answers where the next one begins; `from`: there is no room to end the one before. */
  protected abstract take(columns: Columns, from: number, to: number): number;

  /** False: its records are wanted. */
  protected abstract takeChunk(chunk: Chunk): boolean;

  /** After the last record. False: there was no room for all of it yet. */
  protected abstract finish(): boolean;

  #takeRun(): void {
    const { columns } = this.input;
    while (this.#at < this.#end) {
      const next = this.take(columns, this.#at, this.#end);
      if (next === this.#at) return;
      this.#at = next;
    }
  }
}
