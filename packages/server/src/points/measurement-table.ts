// The measurements by handle, in typed arrays: what the chain needs of their definition, and the value that came out of
// it last. The arrays are replaced when they grow: read them anew after every put.
import { type Datatype, datatypes, type Measurement, parseText, quality } from '@telltale/schema';
import type { StoredValue } from './convert.ts';
import { scalingOf, stage } from './scaling.ts';
import { grown } from './wire-slots.ts';

/** What a measurement is and has, as bits. */
export const flag = {
  live: 1,
  /** Numbers in and numbers out: all but 64-bit integers and texts. */
  plain: 2,
  scaled: 4,
  deduplicated: 8,
  deadband: 16,
  /** Turns bad when the link of its connector is lost. */
  linked: 32,
  simulated: 64,
  /** A raw double needs no look at its datatype, but whether it is finite. */
  rawDouble: 128,
  double: 256,
} as const;

/** By position in `datatypes`. */
export const code = { b: 0, q: 1, i: 2, l: 3, f: 4, d: 5, s: 6 } as const;

const plainCodes: ReadonlySet<Datatype> = new Set<Datatype>(['b', 'q', 'i', 'f', 'd']);

export class MeasurementTable {
  capacity = 0;
  flags = new Uint16Array(0);
  types = new Uint8Array(0);
  rawTypes = new Uint8Array(0);
  /** The number of the connector that reads it; 0: none. */
  connectors = new Uint32Array(0);
  numbers = new Float64Array(0);
  /** The same bytes as `numbers`, of 64-bit integers. */
  longs = new BigInt64Array(0);
  readonly texts = new Map<number, string>();
  qualities = new Uint16Array(0);
  times = new Float64Array(0);
  rawLo = new Float64Array(0);
  rawHi = new Float64Array(0);
  euLo = new Float64Array(0);
  euHi = new Float64Array(0);
  deadbands = new Float64Array(0);
  /** Of 64-bit integers. */
  readonly longDeadbands = new Map<number, bigint>();
  /** In which round of changes it stands already. */
  rounds = new Uint32Array(0);

  /** What `point` says of the chain; the value stays. */
  define(handle: number, point: Measurement, connector: number): void {
    this.#reserve(handle);
    const { datatype, rawDatatype = datatype, stackUmask = 0 } = point;
    let flags = flag.live;
    if (plainCodes.has(datatype) && plainCodes.has(rawDatatype)) flags |= flag.plain;
    if (rawDatatype === 'd') flags |= flag.rawDouble;
    if (datatype === 'd') flags |= flag.double;
    if ((stackUmask & stage.deduplicator) === 0) flags |= flag.deduplicated;
    if (connector !== 0 && (stackUmask & stage.watchdog) === 0) flags |= flag.linked;
    const scaling = scalingOf(point);
    if (scaling !== undefined) {
      flags |= flag.scaled;
      this.rawLo[handle] = scaling.rawLo;
      this.rawHi[handle] = scaling.rawHi;
      this.euLo[handle] = scaling.euLo;
      this.euHi[handle] = scaling.euHi;
    }
    if (this.#defineDeadband(handle, point)) flags |= flag.deadband;
    this.flags[handle] = flags | ((this.flags[handle] ?? 0) & flag.simulated);
    this.types[handle] = code[datatype];
    this.rawTypes[handle] = code[rawDatatype];
    this.connectors[handle] = connector;
  }

  /** As before its first value. */
  reset(handle: number): void {
    this.longs[handle] = 0n;
    this.texts.delete(handle);
    this.times[handle] = 0;
    this.qualities[handle] = quality.bad.notConnected;
  }

  remove(handle: number): void {
    this.reset(handle);
    this.flags[handle] = 0;
    this.longDeadbands.delete(handle);
  }

  datatypeOf(handle: number): Datatype {
    return datatypes[this.types[handle] as number] as Datatype;
  }

  rawDatatypeOf(handle: number): Datatype {
    return datatypes[this.rawTypes[handle] as number] as Datatype;
  }

  valueOf(handle: number): StoredValue {
    switch (this.types[handle]) {
      case code.l:
        return this.longs[handle] as bigint;
      case code.s:
        return this.texts.get(handle) ?? '';
      default:
        return this.numbers[handle] as number;
    }
  }

  setValue(handle: number, value: StoredValue): void {
    if (typeof value === 'number') this.numbers[handle] = value;
    else if (typeof value === 'bigint') this.longs[handle] = value;
    else this.texts.set(handle, value);
  }

  #defineDeadband(handle: number, { datatype, deadband, euRangeLo, euRangeHi, stackUmask = 0 }: Measurement): boolean {
    this.longDeadbands.delete(handle);
    if (deadband === undefined || (stackUmask & stage.deadband) !== 0) return false;
    if (deadband.endsWith('%')) {
      const span = Number(euRangeHi) - Number(euRangeLo);
      this.deadbands[handle] = Math.abs((Number(deadband.slice(0, -1)) / 100) * span);
    } else {
      const absolute = parseText(datatype, deadband);
      this.deadbands[handle] = Number(absolute);
      if (typeof absolute === 'bigint') this.longDeadbands.set(handle, absolute);
    }
    return true;
  }

  #reserve(handle: number): void {
    if (handle < this.capacity) return;
    const capacity = Math.max(64, 2 ** Math.ceil(Math.log2(handle + 1)));
    this.flags = grown(this.flags, new Uint16Array(capacity));
    this.types = grown(this.types, new Uint8Array(capacity));
    this.rawTypes = grown(this.rawTypes, new Uint8Array(capacity));
    this.connectors = grown(this.connectors, new Uint32Array(capacity));
    this.longs = grown(this.longs, new BigInt64Array(capacity));
    this.numbers = new Float64Array(this.longs.buffer);
    this.qualities = grown(this.qualities, new Uint16Array(capacity));
    this.times = grown(this.times, new Float64Array(capacity));
    this.rawLo = grown(this.rawLo, new Float64Array(capacity));
    this.rawHi = grown(this.rawHi, new Float64Array(capacity));
    this.euLo = grown(this.euLo, new Float64Array(capacity));
    this.euHi = grown(this.euHi, new Float64Array(capacity));
    this.deadbands = grown(this.deadbands, new Float64Array(capacity));
    this.rounds = grown(this.rounds, new Uint32Array(capacity));
    this.capacity = capacity;
  }
}
