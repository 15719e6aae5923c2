// The records of an interval from its end back. Looks at a window of time at a go: no more of it than one chunk of each location, so
// that the last few of very many records cost little.
import type { Datatype } from '@telltale/schema';
import { Columns, type SimulatedFilter } from '../records.ts';
import type { Chunk } from './block.ts';
import { firstStartingFrom } from './chunk-search.ts';
import type { NameSnapshot } from './name-snapshot.ts';
import type { Interval, RecordLocation } from './record-cursor.ts';
import { RecordMerge } from './record-merge.ts';
import { atEnd, atNothing, atRun, copyRecord, longestRun, type RecordRuns, type Step } from './record-runs.ts';
import { FilteredRuns } from './simulated-filter.ts';
import { firstFrom } from './time-search.ts';

/** Where records may be; chunks are known once the block is opened. */
interface Candidate {
  readonly location: RecordLocation;
  chunks: readonly Chunk[] | undefined;
}

/** Records of a window, in time order. */
interface Piece {
  readonly datatype: Datatype;
  readonly columns: Columns;
}

export class NewestFirst implements RecordRuns {
  declare datatype: Datatype;
  declare columns: Columns;
  readonly from = 0;
  to = 0;
  readonly chunk = undefined;
  readonly #snapshot: NameSnapshot;
  readonly #sinceUs: number;
  readonly #filter: SimulatedFilter | undefined;
  readonly #candidates: readonly Candidate[];
  /** Everything from here on was given. */
  #untilUs: number;
  /** What is read, the window from `#windowUs` on; and what was read of it. */
  #runs: RecordRuns | undefined;
  #windowUs = 0;
  #pieces: Piece[] = [];

  constructor(snapshot: NameSnapshot, { sinceUs, untilUs }: Interval, filter: SimulatedFilter | undefined) {
    this.#snapshot = snapshot;
    this.#sinceUs = sinceUs;
    this.#untilUs = untilUs;
    this.#filter = filter;
    this.#candidates = snapshot.locations.map((location) => ({ location, chunks: undefined }));
  }

  openChunk(): void {}

  next(): Step {
    if (this.#runs !== undefined) return this.#read(this.#runs);
    const piece = this.#pieces.pop();
    if (piece !== undefined) return this.#give(piece);
    return this.#untilUs <= this.#sinceUs ? atEnd : this.#look();
  }

  #give({ datatype, columns }: Piece): Step {
    const { count } = columns;
    const reversed = new Columns(count);
    for (let at = 0; at < count; at++) copyRecord(datatype, columns, at, reversed, count - 1 - at);
    reversed.count = this.to = count;
    this.datatype = datatype;
    this.columns = reversed;
    return atRun;
  }

  #read(runs: RecordRuns): Step {
    const step = runs.next();
    if (step === atRun) this.#gather(runs);
    else if (step === atEnd) {
      this.#runs = undefined;
      this.#untilUs = this.#windowUs;
    }
    return atNothing;
  }

  #gather({ datatype, columns, from, to }: RecordRuns): void {
    for (let at = from; at < to; at++) {
      let piece = this.#pieces.at(-1);
      if (piece === undefined || piece.datatype !== datatype || piece.columns.count === longestRun) {
        piece = { datatype, columns: new Columns(Math.min(longestRun, to - at)) };
        this.#pieces.push(piece);
      }
      piece.columns.reserve(piece.columns.count + 1);
      copyRecord(datatype, columns, at, piece.columns, piece.columns.count++);
    }
  }

  /** Opens a block that may have some of the window, or chooses the window. */
  #look(): Step {
    let windowUs = -1;
    let unopened: Candidate | undefined;
    for (const candidate of this.#candidates) {
      const { location, chunks } = candidate;
      if (location.firstUs >= this.#untilUs || location.lastUs < this.#sinceUs) continue;
      if (location.path !== undefined && chunks === undefined) {
        if (unopened === undefined || location.lastUs > unopened.location.lastUs) unopened = candidate;
      } else windowUs = Math.max(windowUs, this.#lastSpan(candidate));
    }
    if (unopened !== undefined && unopened.location.lastUs >= windowUs) {
      this.#open(unopened);
      return atNothing;
    }
    if (windowUs < 0) return atEnd;
    const window = { sinceUs: Math.max(windowUs, this.#sinceUs), untilUs: this.#untilUs };
    const merge = new RecordMerge(this.#snapshot.cursors(window), this.#filter !== undefined);
    this.#windowUs = window.sinceUs;
    this.#runs = this.#filter === undefined ? merge : new FilteredRuns(merge, this.#filter, false);
    return atNothing;
  }

  #open(candidate: Candidate): void {
    const { path, part } = candidate.location;
    const { context } = this.#snapshot;
    const interval = { sinceUs: this.#sinceUs, untilUs: this.#untilUs };
    candidate.chunks = context.chunksIn(context.blockOf(path as string), part.series, interval);
  }

  /** Where the last part before `#untilUs` begins that is no longer than a chunk; -1 where there is none. */
  #lastSpan({ location, chunks = [] }: Candidate): number {
    const { tail } = location;
    if (tail === undefined) return chunks[firstStartingFrom(chunks, this.#untilUs) - 1]?.firstUs ?? -1;
    const end = firstFrom(tail.times, 0, tail.count, this.#untilUs);
    return end === 0 ? -1 : (tail.times[Math.max(0, end - longestRun)] as number);
  }
}
