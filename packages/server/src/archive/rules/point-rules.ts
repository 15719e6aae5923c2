// Which changes of measurements, or of commands, become records: deadbands, qualities, returns to an earlier value.
// SPEC.md has the rules. `apply` is the hot path: one loop, typed arrays by handle, no allocation per change.
import { type Datatype, quality, type StoredValue } from '@telltale/schema';
import type { Changes } from '../../points/index.ts';
import { farthestAheadUs, oldestPlausibleUs, replaces, storedQuality } from '../records.ts';
import type { Recorder } from './recorder.ts';
import { layout, type RuleTable } from './rule-table.ts';

// The engine folds constants of the same module, and loads imported ones again each time: the hot loop has its own names.
const { flag, qualityShift, cell, cellShift, word, wordShift } = layout;

/** Of a change that needs no closer look. */
const plain = flag.change | flag.number | flag.hasLast;
const plainBits = plain | flag.leads | flag.forced;

const communicationFailure = quality.bad.communicationFailure;
const simulated = quality.simulated;

export interface LivePoints {
  nameOf(handle: number): string;
  datatypeOf(handle: number): Datatype;
  /** Of a number; of other datatypes without a meaning. */
  numberOf(handle: number): number;
  valueOf(handle: number): StoredValue;
  qualityOf(handle: number): number;
  timeOf(handle: number): number;
}

export interface PointRulesOptions {
  readonly kind: 'measurements' | 'commands';
  readonly live: LivePoints;
  readonly table: RuleTable;
  readonly recorder: Recorder;
  /** At [0,0] with this quality, there is no value yet. */
  readonly emptyQuality: number;
  /** A point that leads was archived. */
  readonly onLead: (handle: number, timeUs: number) => void;
}

export class PointRules {
  readonly #options: PointRulesOptions;

  constructor(options: PointRulesOptions) {
    this.#options = options;
  }

  apply({ handles, doubles, count }: Changes): void {
    const { live, recorder, table } = this.#options;
    const { counts, nowMs, nowUs, sink } = recorder;
    const { cells, words, capacity } = table;
    const { batch } = sink;
    const oldestUs = oldestPlausibleUs;
    const latestUs = nowUs + farthestAheadUs;
    let offered = 0;
    let near = 0;
    let soon = 0;
    for (let at = 0; at < count; at++) {
      const handle = handles[at] as number;
      const wordAt = handle << wordShift;
      const flags = handle < capacity ? (words[wordAt + word.flags] as number) : 0;
      if ((flags & flag.change) === 0) continue;
      const timeUs = live.timeOf(handle);
      const status = live.qualityOf(handle);
      let value = doubles[at] as number;
      const cellAt = handle << cellShift;
      const lastUs = cells[cellAt + cell.timeUs] as number;
      if (
        (flags & plainBits) !== plain ||
        flags >>> qualityShift !== status ||
        !(timeUs > lastUs && timeUs >= oldestUs && timeUs <= latestUs && Math.floor(timeUs) === timeUs)
      ) {
        this.offer(handle);
        continue;
      }
      if (Number.isNaN(value)) {
        if (live.datatypeOf(handle) !== table.datatypes[handle]) continue; // it is put again, and offered then
        value = live.numberOf(handle);
      }
      offered++;
      cells[cellAt + cell.deviceUs] = timeUs;
      if (Math.abs(value - (cells[cellAt + cell.value] as number)) < (cells[cellAt + cell.valueDeadband] as number)) {
        near++;
      } else if (timeUs - lastUs < (cells[cellAt + cell.timeDeadbandUs] as number)) soon++;
      else {
        batch.number(words[wordAt + word.seriesRef] as number, value, status, timeUs);
        cells[cellAt + cell.value] = value;
        cells[cellAt + cell.timeUs] = timeUs;
        cells[cellAt + cell.recordedMs] = nowMs;
      }
    }
    counts.offered += offered;
    counts.handedOn += offered - near - soon;
    counts.suppressed.valueDeadband += near;
    counts.suppressed.timeDeadband += soon;
  }

  /** A change of any kind; the rules say whether it is archived. */
  offer(handle: number): void {
    const { live, recorder, table } = this.#options;
    if (live.datatypeOf(handle) !== table.datatypes[handle]) return; // it is put again, and offered then
    const { counts, nowUs } = recorder;
    const { suppressed } = counts;
    counts.offered++;
    if (this.#isEmpty(handle)) {
      suppressed.noValue++;
      return;
    }
    const value = live.valueOf(handle);
    const status = live.qualityOf(handle);
    const timeUs = live.timeOf(handle);
    const at = handle << cellShift;
    const deviceUs = table.cells[at + cell.deviceUs] as number;
    const lastUs = table.cells[at + cell.timeUs] as number;
    const flags = table.flagsOf(handle);
    if (!isForced(status)) table.cells[at + cell.deviceUs] = timeUs;
    const isSameQuality = (flags & flag.hasLast) !== 0 && flags >>> qualityShift === storedQuality(status);
    if (isSameQuality && timeUs === lastUs && table.isLast(handle, value)) suppressed.repeated++;
    else if (isSameQuality && table.isNear(handle, value)) suppressed.valueDeadband++;
    else if (isSameQuality && this.#isSoon(handle, timeUs - lastUs)) suppressed.timeDeadband++;
    else {
      const isBack = (flags & flag.forced) !== 0 && !isForced(status) && timeUs === deviceUs && timeUs < lastUs;
      this.#lead(handle, this.#hand(handle, value, status, isBack ? nowUs : timeUs, 0));
    }
  }

  /** The point is configured and nothing of it was archived yet: what it has counts, once for each time. */
  offerFirst(handle: number): void {
    const { live, recorder, table } = this.#options;
    if ((table.flagsOf(handle) & (flag.change | flag.hasLast)) !== flag.change) return;
    recorder.counts.offered++;
    if (this.#isEmpty(handle)) recorder.counts.suppressed.noValue++;
    else {
      const timeUs = live.timeOf(handle);
      if (!isForced(live.qualityOf(handle))) table.cells[(handle << cellShift) + cell.deviceUs] = timeUs;
      this.#hand(handle, live.valueOf(handle), live.qualityOf(handle), timeUs, replaces);
    }
  }

  /** Its leader was archived. Whether it was, too. */
  follow(handle: number, timeUs: number): boolean {
    const { live, recorder, table } = this.#options;
    if (live.datatypeOf(handle) !== table.datatypes[handle]) return false; // it is put again
    const { counts } = recorder;
    counts.offered++;
    if (this.#isEmpty(handle)) {
      counts.suppressed.noValue++;
      return false;
    }
    const value = live.valueOf(handle);
    const status = live.qualityOf(handle);
    const flags = table.flagsOf(handle);
    const isSame = (flags & flag.hasLast) !== 0 && flags >>> qualityShift === storedQuality(status);
    if (isSame && timeUs === table.cells[(handle << cellShift) + cell.timeUs] && table.isLast(handle, value)) {
      counts.suppressed.repeated++;
      return false;
    }
    this.#hand(handle, value, status, timeUs, 0);
    return true;
  }

  /** Its period is over without a record. */
  repeat(handle: number): void {
    const { recorder, table } = this.#options;
    table.cells[(handle << cellShift) + cell.recordedMs] = recorder.nowMs;
    if (this.follow(handle, recorder.nowUs)) this.#lead(handle, recorder.nowUs);
  }

  #isEmpty(handle: number): boolean {
    const { live, emptyQuality } = this.#options;
    return live.timeOf(handle) === 0 && (live.qualityOf(handle) & 0xff) === emptyQuality;
  }

  #isSoon(handle: number, elapsedUs: number): boolean {
    const deadbandUs = this.#options.table.cells[(handle << cellShift) + cell.timeDeadbandUs] as number;
    return elapsedUs >= 0 && elapsedUs < deadbandUs;
  }

  #hand(handle: number, value: StoredValue, status: number, givenUs: number, bits: number): number {
    const { kind, live, recorder, table } = this.#options;
    const stored = storedQuality(status);
    const ref = table.seriesRefOf(handle);
    const timeUs = recorder.record(kind, live.nameOf(handle), ref, value, stored | bits, givenUs);
    const at = handle << cellShift;
    table.setLast(handle, value);
    table.cells[at + cell.timeUs] = timeUs;
    table.cells[at + cell.recordedMs] = recorder.nowMs;
    const rules = table.flagsOf(handle) & (flag.change | flag.follows | flag.number | flag.leads);
    const forced = isForced(status) ? flag.forced : 0;
    table.words[(handle << wordShift) + word.flags] = rules | flag.hasLast | forced | (stored << qualityShift);
    return timeUs;
  }

  #lead(handle: number, timeUs: number): void {
    if ((this.#options.table.flagsOf(handle) & flag.leads) !== 0) this.#options.onLead(handle, timeUs);
  }
}

/** What a simulation says, or the loss of the link: at the server's time. */
function isForced(status: number): boolean {
  return (status & simulated) !== 0 || (status & 0xff) === communicationFailure;
}
