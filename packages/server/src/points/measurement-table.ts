// The measurements by handle, in typed arrays: what the chain needs of their definition, and the value that came out of
// it last. The arrays are replaced when they grow: read them again after every put.
import {
  type Datatype,
  datatypes,
  form,
  type Measurement,
  parseText,
  quality,
  type StoredValue,
  type Traits,
  traitsOf,
  type Value,
} from '@telltale/schema';
import { cell, cellShift, connectorShift, flag, word, wordShift } from './measurement-layout.ts';
import { type Scaling, scalingOf, stage } from './scaling.ts';
import { grown } from './wire-slots.ts';

/** By position in `datatypes`, which is how the table has a datatype. */
const traitsByCode = datatypes.map(traitsOf);

const flagBits = (1 << connectorShift) - 1;
const qualityBits = 0xffff;
const statusShift = 6;

/** What a measurement's configuration says of the chain. */
export interface ChainSettings {
  readonly datatype: Datatype;
  readonly rawDatatype: Datatype;
  readonly flags: number;
  /** Whether the link of its connector counts for it. */
  readonly isWatched: boolean;
  readonly scaling: Scaling | undefined;
  /** What a value must differ by, where that is no 64-bit integer. */
  readonly threshold: number;
  readonly longDeadband: bigint | undefined;
}

export class MeasurementTable {
  capacity = 0;
  cells = new Float64Array(0);
  /** The same bytes. */
  longs = new BigInt64Array(0);
  words = new Uint32Array(0);
  types = new Uint8Array(0);
  rawTypes = new Uint8Array(0);
  readonly texts = new Map<number, string>();
  /** The engineering value at the end of the raw range. */
  euHi = new Float64Array(0);
  /** Measurements whose quality may have changed since it was asked for: a mark each, and the list of them. */
  #isMarked = new Uint8Array(0);
  #marked = new Uint32Array(0);
  #markedCount = 0;
  /** Of 64-bit integers. */
  readonly longDeadbands = new Map<number, bigint>();

  /** The value stays. No connector reads it until `connect`. */
  define(handle: number, settings: ChainSettings): void {
    this.#reserve(handle);
    const { datatype, rawDatatype, flags, scaling, threshold, longDeadband } = settings;
    this.words[(handle << wordShift) + word.flags] = flags | (this.flagsOf(handle) & flag.simulated);
    this.types[handle] = datatypes.indexOf(datatype);
    this.rawTypes[handle] = datatypes.indexOf(rawDatatype);
    this.#defineScaling(handle, rawDatatype, scaling);
    this.cells[(handle << cellShift) + cell.threshold] = threshold;
    if (longDeadband === undefined) this.longDeadbands.delete(handle);
    else this.longDeadbands.set(handle, longDeadband);
  }

  /** `isWatched`: the link of the connector counts for it. */
  connect(handle: number, connector: number, isWatched: boolean): void {
    const linked = connector !== 0 && isWatched ? flag.linked : 0;
    const at = (handle << wordShift) + word.flags;
    this.words[at] = (this.words[at] as number) | linked | (connector << connectorShift);
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
    this.longDeadbands.delete(handle);
  }

  flagsOf(handle: number): number {
    return (this.words[(handle << wordShift) + word.flags] as number) & flagBits;
  }

  setFlag(handle: number, bit: number, isSet: boolean): void {
    const at = (handle << wordShift) + word.flags;
    const flags = this.words[at] as number;
    this.words[at] = isSet ? flags | bit : flags & ~bit;
    if (bit === flag.simulated) this.markQuality(handle);
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
    const before = this.words[at] as number;
    if ((before & qualityBits) !== status) this.markQuality(handle);
    this.words[at] = (before & ~qualityBits) | status;
  }

  /** Its quality is another one, or comes from elsewhere. */
  markQuality(handle: number): void {
    if (this.#isMarked[handle] === 1) return;
    this.#isMarked[handle] = 1;
    this.#marked[this.#markedCount++] = handle;
  }

  /** Those that were marked since the last call. */
  takeQualityChanges(): Uint32Array {
    const marked = this.#marked.slice(0, this.#markedCount);
    for (const handle of marked) this.#isMarked[handle] = 0;
    this.#markedCount = 0;
    return marked;
  }

  datatypeOf(handle: number): Datatype {
    return datatypes[this.types[handle] as number] as Datatype;
  }

  rawDatatypeOf(handle: number): Datatype {
    return datatypes[this.rawTypes[handle] as number] as Datatype;
  }

  traitsOf(handle: number): Traits {
    return traitsByCode[this.types[handle] as number] as Traits;
  }

  rawTraitsOf(handle: number): Traits {
    return traitsByCode[this.rawTypes[handle] as number] as Traits;
  }

  /**
   * How many measurements of each connector have each status of quality, by what the chain gave last: four counts a
   * connector, at four times its number, in the order of the two bits. Numbers are at most `highest`.
   */
  countQualities(highest: number): Uint32Array {
    const { words } = this;
    const counts = new Uint32Array(4 * (highest + 1));
    for (let at = 0; at < words.length; at += 1 << wordShift) {
      const connector = (words[at + word.flags] as number) >>> connectorShift;
      const index = 4 * connector + (((words[at + word.quality] as number) >>> statusShift) & 3);
      counts[index] = (counts[index] as number) + 1;
    }
    return counts;
  }

  /** Undefined where there is none. */
  deadbandOf(handle: number): number | bigint | undefined {
    if ((this.flagsOf(handle) & flag.deadband) === 0) return undefined;
    return this.longDeadbands.get(handle) ?? this.cells[(handle << cellShift) + cell.threshold];
  }

  /** Undefined where the scaler is off. */
  scalingOf(handle: number): Scaling | undefined {
    const flags = this.flagsOf(handle);
    if ((flags & flag.scaled) === 0) return undefined;
    const at = handle << cellShift;
    const [low = 0, high = 0] = [this.cells[at + cell.low], this.cells[at + cell.high]];
    const [euLo = 0, euHi = 0] = [this.cells[at + cell.euLo], this.euHi[handle]];
    const isFalling = (flags & flag.falling) !== 0;
    return { rawLo: isFalling ? high : low, rawHi: isFalling ? low : high, euLo, euHi };
  }

  numberOf(handle: number): number {
    return this.cells[(handle << cellShift) + cell.value] as number;
  }

  valueOf(handle: number): StoredValue {
    switch (this.traitsOf(handle).form) {
      case form.long:
        return this.longs[(handle << cellShift) + cell.value] as bigint;
      case form.text:
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

  #defineScaling(handle: number, rawDatatype: Datatype, scaling: Scaling | undefined): void {
    const at = handle << cellShift;
    if (scaling === undefined) {
      const { precision, lowest, highest } = traitsOf(rawDatatype);
      const isWhole = precision === 'whole';
      this.cells[at + cell.low] = isWhole ? Number(lowest) - 1 : Number.NEGATIVE_INFINITY;
      this.cells[at + cell.high] = isWhole ? Number(highest) + 1 : Number.POSITIVE_INFINITY;
      return;
    }
    const { rawLo, rawHi, euLo, euHi } = scaling;
    this.cells[at + cell.low] = Math.min(rawLo, rawHi);
    this.cells[at + cell.high] = Math.max(rawLo, rawHi);
    this.cells[at + cell.euLo] = euLo;
    this.cells[at + cell.gain] = (euHi - euLo) / (rawHi - rawLo);
    this.euHi[handle] = euHi;
  }

  #reserve(handle: number): void {
    if (handle < this.capacity) return;
    const capacity = Math.max(64, 2 ** Math.ceil(Math.log2(handle + 1)));
    this.longs = grown(this.longs, new BigInt64Array(capacity << cellShift));
    this.cells = new Float64Array(this.longs.buffer);
    this.words = new Uint32Array(this.longs.buffer);
    this.euHi = grown(this.euHi, new Float64Array(capacity));
    this.types = grown(this.types, new Uint8Array(capacity));
    this.rawTypes = grown(this.rawTypes, new Uint8Array(capacity));
    this.#isMarked = grown(this.#isMarked, new Uint8Array(capacity));
    this.#marked = grown(this.#marked, new Uint32Array(capacity));
    this.capacity = capacity;
  }
}

export function chainSettings(point: Measurement): ChainSettings {
  const { datatype, rawDatatype = datatype, stackUmask = 0 } = point;
  const scaling = scalingOf(point);
  const deadband = deadbandOf(point);
  const isDeduplicated = (stackUmask & stage.deduplicator) === 0;
  const least = isDeduplicated ? Number.MIN_VALUE : 0;
  let flags: number = flag.live;
  if (isDeduplicated) flags |= flag.deduplicated;
  if (scaling !== undefined) flags |= flag.scaled | (scaling.rawLo > scaling.rawHi ? flag.falling : 0);
  if (isPlain(datatype, rawDatatype, scaling)) {
    flags |= flag.plain;
    const { precision } = traitsOf(rawDatatype);
    if (precision === 'single') flags |= flag.single;
    else if (precision === 'whole') flags |= flag.int32;
  }
  if (deadband !== undefined) flags |= flag.deadband;
  return {
    datatype,
    rawDatatype,
    flags,
    isWatched: (stackUmask & stage.watchdog) === 0,
    scaling,
    threshold: Math.max(least, Number(deadband ?? 0)),
    longDeadband: typeof deadband === 'bigint' ? deadband : undefined,
  };
}

/** Undefined where there is none, or where the stage is switched off. */
function deadbandOf({ datatype, deadband, euRangeLo, euRangeHi, stackUmask = 0 }: Measurement): Value | undefined {
  if (deadband === undefined || (stackUmask & stage.deadband) !== 0) return undefined;
  if (!deadband.endsWith('%')) return parseText(datatype, deadband);
  const span = Number(euRangeHi) - Number(euRangeLo);
  return Math.abs((Number(deadband.slice(0, -1)) / 100) * span);
}

/** Numbers that stay, or become doubles: the raw range rises, and no value inside it leaves the doubles. */
function isPlain(datatype: Datatype, rawDatatype: Datatype, scaling: Scaling | undefined): boolean {
  const raw = traitsOf(rawDatatype);
  if (raw.form !== form.number) return false;
  if (scaling === undefined && datatype === rawDatatype) return true;
  if (traitsOf(datatype).precision !== 'double' || !raw.isQuantity) return false;
  if (scaling === undefined) return true;
  const { rawLo, rawHi, euLo, euHi } = scaling;
  const widths = [rawHi - rawLo, euHi - euLo, (euHi - euLo) / (rawHi - rawLo)];
  return rawLo < rawHi && widths.every(Number.isFinite);
}
