// The measurements by handle, in typed arrays: what the chain needs of their definition, and the value that came out of
// it last. The arrays are replaced when they grow: read them anew after every put.
import { type Datatype, datatypes, type Measurement, parseText, quality } from '@telltale/schema';
import type { StoredValue } from './convert.ts';
import { type Scaling, scalingOf, stage } from './scaling.ts';
import { grown } from './wire-slots.ts';

/** What a measurement is and has, as bits. */
export const flag = {
  live: 1,
  scaled: 2,
  deduplicated: 4,
  deadband: 8,
  /** Turns bad when the link of its connector is lost. */
  linked: 16,
  simulated: 32,
  /** Doubles in, doubles out, never anything that is no finite number, and a raw range that rises, if there is one. */
  double: 64,
} as const;

/** By position in `datatypes`. */
export const code = { b: 0, q: 1, i: 2, l: 3, f: 4, d: 5, s: 6 } as const;

/**
 * Everything that the hot path needs of a measurement lies in eight doubles behind each other: one line of the
 * processor's cache. A 64-bit integer has its value in the same place, as bits. `low` and `high` are the ends of the
 * raw range in order, `euLo` belongs to `low`, and the last double is two words: flags and the number of the connector;
 * quality and the round of changes in which the measurement stands already.
 */
export const cell = { value: 0, time: 1, low: 2, high: 3, euLo: 4, gain: 5, deadband: 6 } as const;
export const cellShift = 3;
export const word = { flags: 14, quality: 15 } as const;
export const wordShift = 4;
export const connectorShift = 8;
export const roundShift = 16;

const flagBits = 0xff;
const qualityBits = 0xffff;

export class MeasurementTable {
  capacity = 0;
  cells = new Float64Array(0);
  /** The same bytes. */
  longs = new BigInt64Array(0);
  words = new Uint32Array(0);
  types = new Uint8Array(0);
  rawTypes = new Uint8Array(0);
  readonly texts = new Map<number, string>();
  readonly scalings = new Map<number, Scaling>();
  /** Of 64-bit integers. */
  readonly longDeadbands = new Map<number, bigint>();

  /** What `point` says of the chain; the value stays. */
  define(handle: number, point: Measurement, connector: number): void {
    this.#reserve(handle);
    const { datatype, rawDatatype = datatype, stackUmask = 0 } = point;
    let flags = flag.live | (this.flagsOf(handle) & flag.simulated);
    if ((stackUmask & stage.deduplicator) === 0) flags |= flag.deduplicated;
    if (connector !== 0 && (stackUmask & stage.watchdog) === 0) flags |= flag.linked;
    if (this.#defineScaling(handle, point)) flags |= flag.scaled;
    if (datatype === 'd' && rawDatatype === 'd' && this.#isPlain(handle)) flags |= flag.double;
    if (this.#defineDeadband(handle, point)) flags |= flag.deadband;
    this.words[(handle << wordShift) + word.flags] = flags | (connector << connectorShift);
    this.types[handle] = code[datatype];
    this.rawTypes[handle] = code[rawDatatype];
  }

  /** As before its first value. */
  reset(handle: number): void {
    this.longs[(handle << cellShift) + cell.value] = 0n;
    this.texts.delete(handle);
    this.setTime(handle, 0);
    this.setQuality(handle, quality.bad.notConnected);
  }

  remove(handle: number): void {
    this.reset(handle);
    this.words[(handle << wordShift) + word.flags] = 0;
    this.scalings.delete(handle);
    this.longDeadbands.delete(handle);
  }

  flagsOf(handle: number): number {
    return (this.words[(handle << wordShift) + word.flags] as number) & flagBits;
  }

  setFlag(handle: number, bit: number, isSet: boolean): void {
    const at = (handle << wordShift) + word.flags;
    const flags = this.words[at] as number;
    this.words[at] = isSet ? flags | bit : flags & ~bit;
  }

  /** The number of the connector that reads it; 0: none. */
  connectorOf(handle: number): number {
    return (this.words[(handle << wordShift) + word.flags] as number) >>> connectorShift;
  }

  qualityOf(handle: number): number {
    return (this.words[(handle << wordShift) + word.quality] as number) & qualityBits;
  }

  setQuality(handle: number, status: number): void {
    const at = (handle << wordShift) + word.quality;
    this.words[at] = ((this.words[at] as number) & ~qualityBits) | status;
  }

  datatypeOf(handle: number): Datatype {
    return datatypes[this.types[handle] as number] as Datatype;
  }

  rawDatatypeOf(handle: number): Datatype {
    return datatypes[this.rawTypes[handle] as number] as Datatype;
  }

  numberOf(handle: number): number {
    return this.cells[(handle << cellShift) + cell.value] as number;
  }

  valueOf(handle: number): StoredValue {
    switch (this.types[handle]) {
      case code.l:
        return this.longs[(handle << cellShift) + cell.value] as bigint;
      case code.s:
        return this.texts.get(handle) ?? '';
      default:
        return this.numberOf(handle);
    }
  }

  setValue(handle: number, value: StoredValue): void {
    if (typeof value === 'number') this.cells[(handle << cellShift) + cell.value] = value;
    else if (typeof value === 'bigint') this.longs[(handle << cellShift) + cell.value] = value;
    else this.texts.set(handle, value);
  }

  timeOf(handle: number): number {
    return this.cells[(handle << cellShift) + cell.time] as number;
  }

  setTime(handle: number, timeUs: number): void {
    this.cells[(handle << cellShift) + cell.time] = timeUs;
  }

  #defineScaling(handle: number, point: Measurement): boolean {
    const scaling = scalingOf(point);
    if (scaling === undefined) {
      this.scalings.delete(handle);
      return false;
    }
    const { rawLo, rawHi, euLo, euHi } = scaling;
    const at = handle << cellShift;
    this.cells[at + cell.low] = Math.min(rawLo, rawHi);
    this.cells[at + cell.high] = Math.max(rawLo, rawHi);
    this.cells[at + cell.euLo] = euLo;
    this.cells[at + cell.gain] = (euHi - euLo) / (rawHi - rawLo);
    this.scalings.set(handle, scaling);
    return true;
  }

  /** The raw range rises, and inside it no value leaves the doubles, as where a range is too wide for its own width. */
  #isPlain(handle: number): boolean {
    const scaling = this.scalings.get(handle);
    if (scaling === undefined) return true;
    const { rawLo, rawHi, euLo, euHi } = scaling;
    if (rawLo > rawHi) return false;
    const widths = [rawHi - rawLo, euHi - euLo, (euHi - euLo) / (rawHi - rawLo)];
    return widths.every(Number.isFinite);
  }

  #defineDeadband(handle: number, { datatype, deadband, euRangeLo, euRangeHi, stackUmask = 0 }: Measurement): boolean {
    this.longDeadbands.delete(handle);
    if (deadband === undefined || (stackUmask & stage.deadband) !== 0) return false;
    const at = (handle << cellShift) + cell.deadband;
    if (deadband.endsWith('%')) {
      const span = Number(euRangeHi) - Number(euRangeLo);
      this.cells[at] = Math.abs((Number(deadband.slice(0, -1)) / 100) * span);
    } else {
      const absolute = parseText(datatype, deadband);
      this.cells[at] = Number(absolute);
      if (typeof absolute === 'bigint') this.longDeadbands.set(handle, absolute);
    }
    return true;
  }

  #reserve(handle: number): void {
    if (handle < this.capacity) return;
    const capacity = Math.max(64, 2 ** Math.ceil(Math.log2(handle + 1)));
    this.longs = grown(this.longs, new BigInt64Array(capacity << cellShift));
    this.cells = new Float64Array(this.longs.buffer);
    this.words = new Uint32Array(this.longs.buffer);
    this.types = grown(this.types, new Uint8Array(capacity));
    this.rawTypes = grown(this.rawTypes, new Uint8Array(capacity));
    this.capacity = capacity;
  }
}
