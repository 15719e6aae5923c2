// Finds the record in force at a time where only those count that were simulated, or were not. Looks back from there,
// chunk by chunk, at what all locations have of its time: a record of another kind may have replaced the one sought.
import type { Datatype } from '@telltale/schema';
import { Columns, isWanted, type SimulatedFilter } from '../records.ts';
import { headCutOff } from '../store/retention.ts';
import type { Chunk } from './block.ts';
import { firstStartingFrom } from './chunk-search.ts';
import type { Head } from './head-search.ts';
import type { NameSnapshot } from './name-snapshot.ts';
import { type Interval, RecordCursor, type RecordLocation } from './record-cursor.ts';
import { RecordMerge } from './record-merge.ts';
import { atEnd, atRun, copyRecord, type RecordRuns } from './record-runs.ts';
import { FilteredRuns } from './simulated-filter.ts';
import { firstFrom } from './time-search.ts';

/** Where a record that is wanted may be; chunks are known once the block is opened. */
interface Candidate {
  readonly location: RecordLocation;
  /** Records before this do not count. */
  readonly cutOffUs: number;
  chunks: readonly Chunk[] | undefined;
}

export class FilteredHead implements Head {
  datatype: Datatype | undefined;
  readonly record = new Columns(1);
  foundUs = -1;
  readonly #snapshot: NameSnapshot;
  readonly #filter: SimulatedFilter;
  readonly #candidates: readonly Candidate[];
  /** What is sought is before this. */
  #untilUs: number;
  /** What is looked at, and what there is of it. */
  #window: Interval | undefined;
  #runs: RecordRuns | undefined;
  #isDone = false;

  /** `isBefore`: of what was in force until then, and not of a record at the time itself. */
  constructor(snapshot: NameSnapshot, timeUs: number, filter: SimulatedFilter, isBefore = false) {
    this.#snapshot = snapshot;
    this.#filter = filter;
    this.#untilUs = isBefore ? timeUs : timeUs + 1;
    this.#candidates = snapshot.locations.map((location) => {
      return { location, cutOffUs: headCutOff(timeUs, location.part.cutOffUs), chunks: undefined };
    });
  }

  /** One step of the search. True: that was all. */
  step(): boolean {
    this.#isDone ||= this.#work();
    return this.#isDone;
  }

  #work(): boolean {
    if (this.#runs !== undefined) return this.#look(this.#runs);
    let latest: Interval | undefined;
    let unopened: Candidate | undefined;
    for (const candidate of this.#candidates) {
      const { location, cutOffUs } = candidate;
      if (location.firstUs >= this.#untilUs || location.lastUs < cutOffUs) continue;
      const isUnopened = location.path !== undefined && candidate.chunks === undefined;
      if (isUnopened) {
        if (unopened === undefined || location.lastUs > unopened.location.lastUs) unopened = candidate;
        continue;
      }
      const span = this.#lastSpan(candidate);
      if (span !== undefined && span.untilUs > (latest?.untilUs ?? -1)) latest = span;
    }
    if (unopened !== undefined && Math.min(unopened.location.lastUs + 1, this.#untilUs) >= (latest?.untilUs ?? 0)) {
      this.#open(unopened);
      return false;
    }
    if (latest === undefined) return true;
    this.#window = latest;
    this.#runs = new FilteredRuns(new RecordMerge(this.#cursors(latest), true), this.#filter, false);
    return false;
  }

  #look(runs: RecordRuns): boolean {
    const step = runs.next();
    if (step === atRun) {
      this.datatype = runs.datatype;
      copyRecord(runs.datatype, runs.columns, runs.to - 1, this.record, 0);
      this.foundUs = this.record.times[0] as number;
    }
    if (step !== atEnd) return false;
    this.#runs = undefined;
    this.#untilUs = (this.#window as Interval).sinceUs;
    return this.foundUs >= 0;
  }

  #open(candidate: Candidate): void {
    const { path, part } = candidate.location;
    const { context } = this.#snapshot;
    const interval = { sinceUs: 0, untilUs: this.#untilUs };
    candidate.chunks = context.chunksIn(context.blockOf(path as string), part.series, interval);
  }

  /** The last part of it before `#untilUs` that may have a record that is wanted. */
  #lastSpan({ location, chunks = [], cutOffUs }: Candidate): Interval | undefined {
    const { tail } = location;
    if (tail !== undefined) {
      let at = firstFrom(tail.times, 0, tail.count, this.#untilUs) - 1;
      while (at >= 0 && !isWanted(tail.qualities[at] as number, this.#filter)) at--;
      const timeUs = at < 0 ? -1 : (tail.times[at] as number);
      return timeUs < cutOffUs || timeUs < 0 ? undefined : { sinceUs: timeUs, untilUs: timeUs + 1 };
    }
    let at = firstStartingFrom(chunks, this.#untilUs) - 1;
    if (this.#filter === 'only') while (at >= 0 && !(chunks[at] as Chunk).hasSimulated) at--;
    const chunk = chunks[at];
    if (chunk === undefined || chunk.lastUs < cutOffUs) return undefined;
    return { sinceUs: chunk.firstUs, untilUs: Math.min(chunk.lastUs + 1, this.#untilUs) };
  }

  #cursors({ sinceUs, untilUs }: Interval): RecordCursor[] {
    return this.#candidates.map(({ location, cutOffUs }) => {
      return new RecordCursor(this.#snapshot.context, location, { sinceUs: Math.max(sinceUs, cutOffUs), untilUs });
    });
  }
}
