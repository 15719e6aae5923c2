// The archiving rules of points by handle, in typed arrays, and what of each was archived last. The arrays are replaced
// when they grow: read them again after every put.
import {
  type Command,
  type Datatype,
  form,
  type Measurement,
  parseText,
  type StoredValue,
  traitsOf,
  ValueError,
} from '@telltale/schema';
import { simulated } from '../records.ts';

export type Point = Measurement | Command;

/** The rules of a point, and the state of its last record. */
export const flag = {
  change: 1,
  follows: 2,
  /** Its values are numbers: not 64-bit integers, not texts. */
  number: 4,
  /** Others are archived with it. */
  leads: 8,
  hasLast: 16,
  /** The last record is of a simulation or of a lost link: its time is not the device's. */
  forced: 32,
} as const;

/**
 * Eight doubles a point: one line of the processor's cache. `value` is that of the last record; a 64-bit integer as its
 * bits. The last double is two words: flags with the quality of the last record above them; the number of the series.
 */
const cell = {
  value: 0,
  timeUs: 1,
  valueDeadband: 2,
  timeDeadbandUs: 3,
  /** The time of the last change that was the device's own. */
  deviceUs: 4,
  /** When the last record was made, by the monotonic clock. */
  recordedMs: 5,
  periodMs: 6,
} as const;
const cellShift = 3;
const word = { flags: 14, seriesRef: 15 } as const;
const wordShift = 4;
const qualityShift = 8;

/** For the loop over changes, which works on the arrays. */
export const layout = { flag, qualityShift, cell, cellShift, word, wordShift } as const;

/** What stays when a point is configured otherwise. */
const savedBits = flag.hasLast | flag.forced | ((0xff | simulated) << qualityShift);

export class RuleTable {
  capacity = 0;
  cells = new Float64Array(0);
  /** The same bytes. */
  longs = new BigInt64Array(0);
  words = new Uint32Array(0);
  /** By handle; undefined where there are no rules. */
  readonly datatypes: (Datatype | undefined)[] = [];
  readonly texts = new Map<number, string>();
  /** Value deadbands of 64-bit integers. */
  readonly longDeadbands = new Map<number, bigint>();

  /** What is known of the last record stays where the datatype does. What is answered is for `begin`: from then on it counts. */
  define(handle: number, point: Point, ref: number): number {
    this.#reserve(handle);
    const { datatype, archMode, archPeriod = 0, archTimeDeadband = 0, leader } = point;
    const isSame = this.datatypes[handle] === datatype;
    if (!isSame) this.clear(handle);
    let flags = isSame ? this.flagsOf(handle) & savedBits : 0;
    if (archMode === 'change') flags |= flag.change;
    if (leader !== undefined) flags |= flag.follows;
    if (traitsOf(datatype).form === form.number) flags |= flag.number;
    this.words[(handle << wordShift) + word.seriesRef] = ref;
    const at = handle << cellShift;
    this.cells[at + cell.periodMs] = archPeriod;
    this.cells[at + cell.timeDeadbandUs] = archTimeDeadband * 1000;
    const deadband = valueDeadbandOf(point);
    this.longDeadbands.delete(handle);
    this.cells[at + cell.valueDeadband] = Number(deadband);
    if (typeof deadband === 'bigint') this.longDeadbands.set(handle, deadband);
    return flags;
  }

  begin(handle: number, datatype: Datatype, flags: number, nowMs: number): void {
    this.words[(handle << wordShift) + word.flags] = flags;
    if (this.datatypes[handle] === datatype) return;
    this.datatypes[handle] = datatype;
    this.cells[(handle << cellShift) + cell.recordedMs] = nowMs;
  }

  clear(handle: number): void {
    if (handle >= this.capacity) return; // there is nothing of it
    this.cells.fill(0, handle << cellShift, (handle + 1) << cellShift);
    this.datatypes[handle] = undefined;
    this.texts.delete(handle);
    this.longDeadbands.delete(handle);
  }

  /** Whether there is a rule that can make records of it. */
  hasRules(handle: number): boolean {
    return handle < this.capacity && this.datatypes[handle] !== undefined;
  }

  flagsOf(handle: number): number {
    return handle < this.capacity ? (this.words[(handle << wordShift) + word.flags] as number) : 0;
  }

  setFlag(handle: number, bit: number, isSet: boolean): void {
    const at = (handle << wordShift) + word.flags;
    const flags = this.words[at] as number;
    this.words[at] = isSet ? flags | bit : flags & ~bit;
  }

  seriesRefOf(handle: number): number {
    return this.words[(handle << wordShift) + word.seriesRef] as number;
  }

  /** When it must be archived though nothing changed, by the monotonic clock. */
  dueMsOf(handle: number): number {
    const at = handle << cellShift;
    const periodMs = this.hasRules(handle) ? (this.cells[at + cell.periodMs] as number) : 0;
    return periodMs > 0 ? (this.cells[at + cell.recordedMs] as number) + periodMs : Number.POSITIVE_INFINITY;
  }

  setLast(handle: number, value: StoredValue): void {
    const at = (handle << cellShift) + cell.value;
    if (typeof value === 'number') this.cells[at] = value;
    else if (typeof value === 'bigint') this.longs[at] = value;
    else this.texts.set(handle, value);
  }

  isLast(handle: number, value: StoredValue): boolean {
    const at = (handle << cellShift) + cell.value;
    if (typeof value === 'number') return Object.is(this.cells[at], value);
    return value === (typeof value === 'bigint' ? this.longs[at] : this.texts.get(handle));
  }

  /** Whether the value has moved by less than the value deadband. Texts have none. */
  isNear(handle: number, value: StoredValue): boolean {
    const at = handle << cellShift;
    if (typeof value === 'number') {
      const move = Math.abs(value - (this.cells[at + cell.value] as number));
      return move < (this.cells[at + cell.valueDeadband] as number);
    }
    const deadband = this.longDeadbands.get(handle);
    if (typeof value === 'string' || deadband === undefined) return false;
    const move = value - (this.longs[at + cell.value] as bigint);
    return (move < 0n ? -move : move) < deadband;
  }

  #reserve(handle: number): void {
    if (handle < this.capacity) return;
    const capacity = Math.max(64, 2 ** Math.ceil(Math.log2(handle + 1)));
    const before = this.longs;
    this.longs = new BigInt64Array(capacity << cellShift);
    this.longs.set(before);
    this.cells = new Float64Array(this.longs.buffer);
    this.words = new Uint32Array(this.longs.buffer);
    while (this.datatypes.length < capacity) this.datatypes.push(undefined);
    this.capacity = capacity;
  }
}

/** Without a mode, a period or a leader counts: it was configured explicitly. */
export function isArchived({ archMode, archPeriod = 0, leader }: Point): boolean {
  return archMode === 'change' || (archMode !== 'none' && (archPeriod > 0 || leader !== undefined));
}

/** A text that is no number of the datatype was refused at rendering; here it counts as none. */
function valueDeadbandOf({ datatype, archValueDeadband }: Point): number | bigint {
  if (archValueDeadband === undefined || !traitsOf(datatype).isQuantity) return 0;
  try {
    return parseText(datatype, archValueDeadband) as number | bigint;
  } catch (error) {
    if (error instanceof ValueError) return 0;
    throw error;
  }
}
