// Which readings of the past become records: those that a device has kept while nobody listened. They touch nothing but the archive.
// SPEC.md has the rules.
import type { StoredValue } from '@telltale/schema';
import { replaces, storedQuality } from '../records.ts';
import type { LivePoints } from './point-rules.ts';
import type { Recorder } from './recorder.ts';
import { flag, layout, type RuleTable } from './rule-table.ts';

const { cell, cellShift } = layout;

interface Last {
  readonly value: StoredValue;
  readonly quality: number;
  readonly timeUs: number;
}

export interface PastReadingsOptions {
  readonly live: LivePoints;
  readonly table: RuleTable;
  readonly recorder: Recorder;
}

export class PastReadings {
  readonly #options: PastReadingsOptions;
  /** What was archived last of the past of a point, by handle. */
  readonly #last = new Map<number, Last>();

  constructor(options: PastReadingsOptions) {
    this.#options = options;
  }

  /** The point is another one now, or none. */
  forget(handle: number): void {
    this.#last.delete(handle);
  }

  /** Without a value, that of the reading before it or of the live one counts. */
  offer(handle: number, given: StoredValue | undefined, status: number, timeUs: number): void {
    const { live, table, recorder } = this.#options;
    const { counts } = recorder;
    counts.offered++;
    const isArchived = (table.flagsOf(handle) & flag.change) !== 0;
    if (!isArchived || live.datatypeOf(handle) !== table.datatypes[handle]) {
      counts.suppressed.notArchived++;
      return;
    }
    if (!(timeUs > 0 && timeUs <= recorder.nowUs)) {
      counts.suppressed.notPast++;
      return;
    }
    const last = this.#last.get(handle);
    const value = given ?? last?.value ?? live.valueOf(handle);
    const quality = storedQuality(status);
    if (last !== undefined && quality === last.quality && timeUs >= last.timeUs) {
      const elapsedUs = timeUs - last.timeUs;
      const at = handle << cellShift;
      if (elapsedUs > 0 && elapsedUs < (table.cells[at + cell.timeDeadbandUs] as number)) {
        counts.suppressed.timeDeadband++;
        return;
      }
      if (this.#isNear(handle, last.value, value)) {
        counts.suppressed.valueDeadband++;
        return;
      }
    }
    this.#last.set(handle, { value, quality, timeUs });
    recorder.record('measurements', live.nameOf(handle), table.seriesRefOf(handle), value, quality | replaces, timeUs);
  }

  /** As `RuleTable.isNear`, of the past. */
  #isNear(handle: number, last: StoredValue, value: StoredValue): boolean {
    const { table } = this.#options;
    if (typeof value === 'string') return false;
    if (typeof value === 'number') {
      return Math.abs(value - Number(last)) < (table.cells[(handle << cellShift) + cell.valueDeadband] as number);
    }
    const move = value - BigInt(last);
    return (move < 0n ? -move : move) < (table.longDeadbands.get(handle) ?? 0n);
  }
}
