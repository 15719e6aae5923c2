// Merges the sources of a name by time: records come in time order, those at the same time in the order of their sources,
// and none that another one replaces. Where sources do not overlap it goes from chunk to chunk without comparing records.
import type { Datatype } from '@telltale/schema';
import type { Columns, Series } from '../records.ts';
import type { Chunk } from './block.ts';
import { atChunk, atEnd, atNothing, atRun, longestRun, type RecordRuns, type Step } from './record-runs.ts';
import type { Source } from './source.ts';
import { firstFrom } from './time-search.ts';

export class RecordMerge implements RecordRuns {
  declare datatype: Datatype;
  declare columns: Columns;
  from = 0;
  to = 0;
  chunk: Chunk | undefined;
  readonly #givesChunks: boolean;
  /** Not opened yet, the earliest last. */
  readonly #waiting: Source[];
  /** Opened and not at their end, by order. */
  readonly #active: Source[] = [];
  /** That of the run or chunk at hand. */
  #current: Source | undefined;
  #opensChunk = false;
  /** Of this series at this time everything that is replaced has been passed over. */
  #settledSeries: Series | undefined;
  #settledUs = -1;

  constructor(sources: readonly Source[], givesChunks: boolean) {
    this.#givesChunks = givesChunks;
    this.#waiting = sources.filter(({ headUs }) => headUs < Number.POSITIVE_INFINITY);
    this.#waiting.sort((a, b) => b.headUs - a.headUs || b.order - a.order);
  }

  openChunk(): void {
    this.#opensChunk = true;
  }

  next(): Step {
    this.#leave();
    const waiting = this.#waiting.at(-1);
    let source: Source | undefined;
    let boundUs = waiting === undefined ? Number.POSITIVE_INFINITY : waiting.headUs;
    for (const each of this.#active) {
      if (source === undefined) source = each;
      else if (each.headUs < source.headUs) {
        boundUs = Math.min(boundUs, source.headUs);
        source = each;
      } else boundUs = Math.min(boundUs, each.headUs);
    }
    if (waiting !== undefined && (source === undefined || waiting.headUs <= source.headUs)) {
      this.#activate();
      return atNothing;
    }
    if (source === undefined) return atEnd;
    if (source.headUs < boundUs) return this.#giveBefore(source, boundUs);
    if (source.headUs === this.#settledUs && source.series === this.#settledSeries) {
      return this.#giveBefore(source, source.headUs + 1);
    }
    return this.#settle(source.series, source.headUs);
  }

  /** What was at hand has been taken. */
  #leave(): void {
    const source = this.#current;
    if (source === undefined) return;
    this.#current = undefined;
    if (this.chunk === undefined) source.advance(this.to);
    else if (this.#opensChunk) source.load();
    else source.passChunk();
    this.chunk = undefined;
    this.#opensChunk = false;
    this.#drop(source);
  }

  #giveBefore(source: Source, boundUs: number): Step {
    if (!source.isLoaded) {
      const chunk = this.#givesChunks ? source.wholeChunk : undefined;
      if (chunk !== undefined && chunk.lastUs < boundUs) {
        this.datatype = source.series.datatype;
        this.chunk = chunk;
        this.#current = source;
        return atChunk;
      }
      source.load();
      this.#drop(source);
      return atNothing;
    }
    this.datatype = source.series.datatype;
    this.columns = source.columns;
    this.from = source.at;
    this.to = firstFrom(source.columns.times, source.at, Math.min(source.end, source.at + longestRun), boundUs);
    this.#current = source;
    return atRun;
  }

  /** Several have records at this time: passes over those that are replaced, from the newest source back. */
  #settle(series: Series, timeUs: number): Step {
    const active = this.#active;
    for (const source of active) {
      if (source.series === series && source.headUs === timeUs && !source.isLoaded) {
        source.load();
        this.#drop(source);
        return atNothing;
      }
    }
    let isReplaced = false;
    for (let at = active.length - 1; at >= 0; at--) {
      const source = active[at] as Source;
      if (source.series !== series || source.headUs !== timeUs) continue;
      if (isReplaced) {
        source.startAt(timeUs + 1);
        this.#drop(source);
        continue;
      }
      isReplaced = source.isReplacing;
    }
    this.#settledSeries = series;
    this.#settledUs = timeUs;
    return atNothing;
  }

  #activate(): void {
    const source = this.#waiting.pop() as Source;
    if (!source.isOpen) source.open();
    if (source.headUs === Number.POSITIVE_INFINITY) return;
    let at = this.#active.length;
    while (at > 0 && (this.#active[at - 1] as Source).order > source.order) at--;
    this.#active.splice(at, 0, source);
  }

  #drop(source: Source): void {
    if (source.headUs === Number.POSITIVE_INFINITY) this.#active.splice(this.#active.indexOf(source), 1);
  }
}
