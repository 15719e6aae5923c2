// Merges the cursors of a name by time: records come in time order, those at the same time in the order of their
// cursors, without replaced ones. Where cursors do not overlap it goes from chunk to chunk without comparing records.
import type { Datatype } from '@telltale/schema';
import type { Columns } from '../records.ts';
import type { Chunk } from './block.ts';
import type { RecordCursor } from './record-cursor.ts';
import { atChunk, atEnd, atNothing, atRun, longestRun, type RecordRuns, type Step } from './record-runs.ts';
import { firstFrom } from './time-search.ts';

export class RecordMerge implements RecordRuns {
  declare datatype: Datatype;
  declare columns: Columns;
  from = 0;
  to = 0;
  chunk: Chunk | undefined;
  readonly #givesChunks: boolean;
  /** Not opened yet, the earliest last. */
  readonly #pending: RecordCursor[];
  /** Opened and not at their end, by order. */
  readonly #active: RecordCursor[] = [];
  /** That of the current run or chunk. */
  #current: RecordCursor | undefined;
  #opensChunk = false;
  /** Of this series at this time everything that is replaced has been passed over. */
  #settledIdentity: number | undefined;
  #settledUs = -1;

  constructor(cursors: readonly RecordCursor[], givesChunks: boolean) {
    this.#givesChunks = givesChunks;
    this.#pending = cursors.filter(({ headUs }) => headUs < Number.POSITIVE_INFINITY);
    this.#pending.sort((a, b) => b.headUs - a.headUs || b.order - a.order);
  }

  openChunk(): void {
    this.#opensChunk = true;
  }

  next(): Step {
    if (!this.#leave()) return atNothing;
    const pending = this.#pending.at(-1);
    let cursor: RecordCursor | undefined;
    let boundUs = pending === undefined ? Number.POSITIVE_INFINITY : pending.headUs;
    for (const each of this.#active) {
      if (cursor === undefined) cursor = each;
      else if (each.headUs < cursor.headUs) {
        boundUs = Math.min(boundUs, cursor.headUs);
        cursor = each;
      } else boundUs = Math.min(boundUs, each.headUs);
    }
    if (pending !== undefined && (cursor === undefined || pending.headUs <= cursor.headUs)) {
      this.#activate();
      return atNothing;
    }
    if (cursor === undefined) return atEnd;
    if (cursor.headUs < boundUs) return this.#giveBefore(cursor, boundUs);
    if (cursor.headUs === this.#settledUs && cursor.identity === this.#settledIdentity) {
      return this.#giveBefore(cursor, cursor.headUs + 1);
    }
    return this.#settle(cursor.identity, cursor.headUs);
  }

  /** What was at hand has been taken. False: what is behind it is on its way. */
  #leave(): boolean {
    const cursor = this.#current;
    if (cursor === undefined) return true;
    if (this.chunk === undefined) cursor.advance(this.to);
    else if (!this.#opensChunk) cursor.passChunk();
    else if (!cursor.load()) return false;
    this.#current = this.chunk = undefined;
    this.#opensChunk = false;
    this.#drop(cursor);
    return true;
  }

  #giveBefore(cursor: RecordCursor, boundUs: number): Step {
    if (!cursor.isLoaded) {
      const chunk = this.#givesChunks ? cursor.wholeChunk : undefined;
      if (chunk !== undefined && chunk.lastUs < boundUs) {
        this.datatype = cursor.series.datatype;
        this.chunk = chunk;
        this.#current = cursor;
        return atChunk;
      }
      if (cursor.load()) this.#drop(cursor);
      return atNothing;
    }
    this.datatype = cursor.series.datatype;
    this.columns = cursor.columns;
    this.from = cursor.at;
    this.to = firstFrom(cursor.columns.times, cursor.at, Math.min(cursor.end, cursor.at + longestRun), boundUs);
    this.#current = cursor;
    return atRun;
  }

  /** Several have records at this time: passes over those that are replaced, from the newest cursor back. */
  #settle(identity: number, timeUs: number): Step {
    const active = this.#active;
    for (const cursor of active) {
      if (cursor.identity === identity && cursor.headUs === timeUs && !cursor.isLoaded) {
        if (cursor.load()) this.#drop(cursor);
        return atNothing;
      }
    }
    let isReplaced = false;
    for (let at = active.length - 1; at >= 0; at--) {
      const cursor = active[at] as RecordCursor;
      if (cursor.identity !== identity || cursor.headUs !== timeUs) continue;
      if (isReplaced) {
        cursor.startAt(timeUs + 1);
        this.#drop(cursor);
        continue;
      }
      isReplaced = cursor.isReplacing;
    }
    this.#settledIdentity = identity;
    this.#settledUs = timeUs;
    return atNothing;
  }

  #activate(): void {
    const cursor = this.#pending.at(-1) as RecordCursor;
    if (!cursor.isOpen && !cursor.open()) return;
    this.#pending.pop();
    if (cursor.headUs === Number.POSITIVE_INFINITY) return;
    let at = this.#active.length;
    while (at > 0 && (this.#active[at - 1] as RecordCursor).order > cursor.order) at--;
    this.#active.splice(at, 0, cursor);
  }

  #drop(cursor: RecordCursor): void {
    if (cursor.headUs === Number.POSITIVE_INFINITY) this.#active.splice(this.#active.indexOf(cursor), 1);
  }
}
