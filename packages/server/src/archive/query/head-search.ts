// Finds the record of a name that is in force at a time, the last one at or before it, or that was so just before it. Looks back from there, opens no
// block behind the one that has it, and reads no chunk that cannot have it.
import type { Datatype } from '@telltale/schema';
import { Columns } from '../records.ts';
import { headCutOff } from '../store/retention.ts';
import type { Chunk } from './block.ts';
import { firstStartingFrom } from './chunk-search.ts';
import type { NameSnapshot } from './name-snapshot.ts';
import type { RecordLocation } from './record-cursor.ts';
import { copyRecord } from './record-runs.ts';
import { firstFrom } from './time-search.ts';
import { TombstoneFilter } from './tombstone-filter.ts';

/** The search for the record in force at a time. */
export interface Head {
  /** Of the record that was found, where there is one. */
  readonly datatype: Datatype | undefined;
  readonly record: Columns;
  /** Its time; -1 where none was found. */
  readonly foundUs: number;
  /** True: that was all. */
  step(): boolean;
}

export class HeadSearch implements Head {
  datatype: Datatype | undefined;
  readonly record = new Columns(1);
  readonly #snapshot: NameSnapshot;
  /** The last one at or before this is looked for. */
  readonly #timeUs: number;
  /** Of which time it is asked: what has expired then is not in force. */
  readonly #askedUs: number;
  /** Those that may have it, the most promising last. */
  readonly #locations: RecordLocation[];
  /** Of the last of them, once they are known; and which one is looked at. */
  #chunks: readonly Chunk[] | undefined;
  #at = 0;
  readonly #read = new Columns();
  #bestUs = -1;
  #bestOrder = -1;

  /** `isBefore`: of what was in force until then, and not of a record at the time itself. */
  constructor(snapshot: NameSnapshot, askedUs: number, isBefore = false) {
    const timeUs = isBefore ? askedUs - 1 : askedUs;
    this.#snapshot = snapshot;
    this.#timeUs = timeUs;
    this.#askedUs = askedUs;
    this.#locations = snapshot.locations.filter(({ firstUs, lastUs, part }) => {
      return firstUs <= timeUs && lastUs >= headCutOff(askedUs, part.cutOffUs);
    });
    this.#locations.sort((a, b) => this.#reach(a) - this.#reach(b) || a.order - b.order);
  }

  get foundUs(): number {
    return this.#bestUs;
  }

  /** Looks at one location. True: that was all. */
  step(): boolean {
    const location = this.#locations.at(-1);
    if (location === undefined || this.#reach(location) < this.#bestUs) return true;
    if (location.tail !== undefined) this.#lookInto(location, location.tail, location.tail.count);
    else if (!this.#lookBack(location, location.path as string)) return false;
    this.#locations.pop();
    this.#chunks = undefined;
    return false;
  }

  /** What is found there is not later than this. */
  #reach({ lastUs }: RecordLocation): number {
    return Math.min(lastUs, this.#timeUs);
  }

  /** False: what it needs of the location is on its way. */
  #lookBack(location: RecordLocation, path: string): boolean {
    const { series, tombstones } = location.part;
    const cutOffUs = headCutOff(this.#askedUs, location.part.cutOffUs);
    const { context } = this.#snapshot;
    const block = context.blockOf(path);
    if (block === undefined) return true;
    const erased = new TombstoneFilter(tombstones, block.header.tombstonesApplied);
    const untilUs = this.#timeUs + 1;
    const chunks = this.#chunks ?? context.chunksIn(block, series, { sinceUs: 0, untilUs });
    if (chunks === undefined) return false;
    if (this.#chunks !== chunks) this.#at = firstStartingFrom(chunks, untilUs) - 1;
    this.#chunks = chunks;
    for (; this.#at >= 0; this.#at--) {
      const chunk = chunks[this.#at] as Chunk;
      const { firstUs, lastUs } = chunk;
      if (lastUs < this.#bestUs || lastUs < cutOffUs) return true;
      if (erased.covers(firstUs, lastUs)) continue;
      if (!context.read(block, series, chunk, this.#read)) return false;
      const end = erased.takeOut(series.datatype, this.#read, 0, this.#read.count);
      if (this.#lookInto(location, this.#read, end)) return true;
    }
    return true;
  }

  /** True: there is one at or before the time among them. */
  #lookInto({ part, order }: RecordLocation, columns: Columns, end: number): boolean {
    const at = firstFrom(columns.times, 0, end, this.#timeUs + 1) - 1;
    if (at < 0) return false;
    const timeUs = columns.times[at] as number;
    if (timeUs < headCutOff(this.#askedUs, part.cutOffUs) || timeUs < this.#bestUs) return true;
    if (timeUs === this.#bestUs && order < this.#bestOrder) return true;
    this.#bestUs = timeUs;
    this.#bestOrder = order;
    this.datatype = part.series.datatype;
    copyRecord(this.datatype, columns, at, this.record, 0);
    return true;
  }
}
