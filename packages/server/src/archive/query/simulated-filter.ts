// Of records those that were simulated, or those that were not. Chunks without simulated records are given or passed over
// unread.
import type { Datatype } from '@telltale/schema';
import { type Columns, isWanted, type SimulatedFilter } from '../records.ts';
import type { Chunk } from './block.ts';
import { atChunk, atNothing, atRun, type RecordRuns, type Step } from './record-runs.ts';

export class FilteredRuns implements RecordRuns {
  from = 0;
  to = 0;
  chunk: Chunk | undefined;
  readonly #input: RecordRuns;
  readonly #filter: SimulatedFilter;
  readonly #givesChunks: boolean;
  /** Of the run of the input. */
  #at = 0;
  #end = 0;

  /** The input gives chunks. */
  constructor(input: RecordRuns, filter: SimulatedFilter, givesChunks: boolean) {
    this.#input = input;
    this.#filter = filter;
    this.#givesChunks = givesChunks;
  }

  get datatype(): Datatype {
    return this.#input.datatype;
  }

  get columns(): Columns {
    return this.#input.columns;
  }

  openChunk(): void {
    this.#input.openChunk();
  }

  next(): Step {
    this.chunk = undefined;
    if (this.#at < this.#end) return this.#nextRun();
    const step = this.#input.next();
    if (step === atChunk) return this.#takeChunk(this.#input.chunk as Chunk);
    if (step !== atRun) return step;
    this.#at = this.#input.from;
    this.#end = this.#input.to;
    return this.#nextRun();
  }

  #takeChunk(chunk: Chunk): Step {
    if (!chunk.hasSimulated && this.#filter === 'only') return atNothing;
    if (!chunk.hasSimulated && this.#givesChunks) {
      this.chunk = chunk;
      return atChunk;
    }
    this.#input.openChunk();
    return atNothing;
  }

  #nextRun(): Step {
    const { qualities } = this.#input.columns;
    const filter = this.#filter;
    let at = this.#at;
    while (at < this.#end && !isWanted(qualities[at] as number, filter)) at++;
    this.from = at;
    while (at < this.#end && isWanted(qualities[at] as number, filter)) at++;
    this.to = this.#at = at;
    return this.from < this.to ? atRun : atNothing;
  }
}
