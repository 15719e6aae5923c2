// The registers and bits that a provider serves: which point lies where, what a client reads there, and what a write by a
// client asks of commands. It answers exceptions as the specification has them; sending and writing are the provider's.
import { fitValue, isBad, isGood, quality, type Value } from '@telltale/schema';
import type { ServedPoint } from '@telltale/stack-kit';
import { type Area, addressName } from './address.ts';
import { exceptionCodes, ModbusException } from './pdu.ts';
import { type Order, readValue, writeValue } from './registers.ts';
import { parseServedAddress, type ServedAddress } from './served-address.ts';

interface ImagePoint {
  readonly served: ServedPoint;
  readonly address: ServedAddress;
  /** A value in its registers, null if it does not fit; cached from the last request. */
  encoded: { readonly value: Value | undefined; readonly bytes: Uint8Array | null };
}

export interface ImageOptions {
  readonly unit: number;
  /** Units of which nothing is served are answered as `unit` is. */
  readonly anyUnit: boolean;
  readonly order: Order;
  readonly badQuality: 'exception' | 'last-value';
  readonly unmapped: 'exception' | 'zeros';
}

export interface CommandWrite {
  readonly target: ServedPoint;
  readonly value: Value;
}

interface ServedBit {
  readonly kind: 'value' | 'good';
  readonly of: ImagePoint;
}

type ServedRegister =
  | { readonly kind: 'word'; readonly of: ImagePoint; readonly offset: number }
  | { readonly kind: 'quality'; readonly of: ImagePoint }
  | { readonly kind: 'bits'; readonly bits: Map<number, ServedBit> };

/** What lies in the areas of one unit. */
interface UnitImage {
  readonly co: Map<number, ServedBit>;
  readonly di: Map<number, ServedBit>;
  readonly hr: Map<number, ServedRegister>;
  readonly ir: Map<number, ServedRegister>;
}

/** Not named by the specification, and what stands for the only unit there is on TCP. */
const anyUnits: readonly number[] = [0, 255];

export class ServedImage {
  readonly #options: ImageOptions;
  readonly #units = new Map<number, UnitImage>();

  /** Points that cannot be served are reported to `warn`. */
  constructor(points: readonly ServedPoint[], options: ImageOptions, warn: (text: string) => void) {
    this.#options = options;
    for (const served of points) {
      const fault = this.#add(served);
      if (fault !== undefined) warn(`${served.point.name} is not served: ${fault}`);
    }
  }

  /** Whether it is one of those that are served. */
  serves(unit: number): boolean {
    return this.#options.anyUnit || unit === this.#options.unit || anyUnits.includes(unit) || this.#units.has(unit);
  }

  /** The bytes of the registers. Throws a `ModbusException`. */
  readRegisters(unit: number, area: 'hr' | 'ir', start: number, count: number): Uint8Array {
    const bytes = new Uint8Array(2 * count);
    const entries = this.#imageOf(unit)[area];
    let isFailed = false;
    for (let at = 0; at < count; at++) {
      const entry = entries.get(start + at);
      if (entry === undefined) this.#refuseUnmapped();
      else if (!this.#putRegister(entry, bytes, 2 * at)) isFailed = true;
    }
    if (isFailed) throw new ModbusException(exceptionCodes.serverDeviceFailure);
    return bytes;
  }

  /** The bits, eight a byte, the first the least significant. Throws a `ModbusException`. */
  readBits(unit: number, area: 'co' | 'di', start: number, count: number): Uint8Array {
    const bytes = new Uint8Array(Math.ceil(count / 8));
    const entries = this.#imageOf(unit)[area];
    let isFailed = false;
    for (let at = 0; at < count; at++) {
      const entry = entries.get(start + at);
      if (entry === undefined) this.#refuseUnmapped();
      else if (!this.#isReadable(entry)) isFailed = true;
      else if (bitOf(entry)) bytes[at >> 3] = (bytes[at >> 3] ?? 0) | (1 << (at & 7));
    }
    if (isFailed) throw new ModbusException(exceptionCodes.serverDeviceFailure);
    return bytes;
  }

  /** Throws a `ModbusException` where a read of these registers would for want of a point, whatever their quality. */
  refuseUnmapped(unit: number, area: 'hr' | 'ir', start: number, count: number): void {
    const entries = this.#imageOf(unit)[area];
    for (let at = 0; at < count; at++) if (!entries.has(start + at)) this.#refuseUnmapped();
  }

  /** The register as a mask write finds it, whatever its quality. */
  presentRegister(unit: number, at: number): number {
    const entry = this.#imageOf(unit).hr.get(at);
    if (entry === undefined) throw new ModbusException(exceptionCodes.illegalDataAddress);
    const bytes = new Uint8Array(2);
    this.#putRegister(entry, bytes, 0);
    return ((bytes[0] ?? 0) << 8) | (bytes[1] ?? 0);
  }

  /** Throws a `ModbusException`: then nothing is to be written. */
  coilWrites(unit: number, start: number, values: readonly boolean[]): CommandWrite[] {
    const entries = this.#imageOf(unit).co;
    return values.map((value, at) => {
      const entry = entries.get(start + at);
      if (entry?.kind !== 'value' || !entry.of.served.isCommand)
        throw new ModbusException(exceptionCodes.illegalDataAddress);
      return { target: entry.of.served, value: fitted(entry.of, value) };
    });
  }

  /** As `coilWrites`. Values of several registers are written whole; of bits, those that change or are masked. */
  registerWrites(unit: number, start: number, bytes: Uint8Array, mask?: number): CommandWrite[] {
    const entries = this.#imageOf(unit).hr;
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    const writes: CommandWrite[] = [];
    for (let at = 0; at < bytes.length / 2; ) {
      const entry = entries.get(start + at);
      if (entry === undefined || entry.kind === 'quality') throw new ModbusException(exceptionCodes.illegalDataAddress);
      if (entry.kind === 'bits') {
        writes.push(...bitWrites(entry.bits, view.getUint16(2 * at), mask));
        at++;
        continue;
      }
      const { of, offset } = entry;
      const { layout, length } = of.address.address;
      if (!of.served.isCommand || layout === undefined) throw new ModbusException(exceptionCodes.illegalDataAddress);
      if (offset !== 0 || 2 * (at + length) > bytes.length) throw new ModbusException(exceptionCodes.illegalDataValue);
      const value = readValue(layout, view, 2 * at);
      if (value === undefined) throw new ModbusException(exceptionCodes.illegalDataValue);
      writes.push({ target: of.served, value: fitted(of, value) });
      at += length;
    }
    return writes;
  }

  #add(served: ServedPoint): string | undefined {
    const { served: address, fault } = parseServedAddress(served.point.address, this.#options.order);
    if (address === undefined) return fault;
    const entry: ImagePoint = { served, address, encoded: { value: undefined, bytes: null } };
    const { quality: qualityPlace } = address;
    const claims = [
      ...claimsOf(entry, address.address, 'value', this.#options.unit),
      ...(qualityPlace === undefined
        ? []
        : claimsOf(entry, qualityPlace.address, qualityPlace.kind, this.#options.unit)),
    ];
    for (const { unit, area, at, bit } of claims) {
      if (this.#isTaken(unit, area, at, bit))
        return `${addressName(area, at)} of unit ${unit} is another point's already`;
    }
    for (const claim of claims) this.#take(claim);
    return undefined;
  }

  #isTaken(unit: number, area: Area, at: number, bit: number | undefined): boolean {
    const entries = this.#units.get(unit)?.[area].get(at);
    if (entries === undefined) return false;
    return bit === undefined || entries.kind !== 'bits' || entries.bits.has(bit);
  }

  #take({ unit, area, at, bit, entry }: Claim): void {
    const entries = this.#units.get(unit) ?? { co: new Map(), di: new Map(), hr: new Map(), ir: new Map() };
    this.#units.set(unit, entries);
    if (area === 'co' || area === 'di') entries[area].set(at, entry as ServedBit);
    else if (bit === undefined) entries[area].set(at, entry as ServedRegister);
    else {
      const register = entries[area].get(at);
      if (register?.kind === 'bits') register.bits.set(bit, entry as ServedBit);
      else entries[area].set(at, { kind: 'bits', bits: new Map([[bit, entry as ServedBit]]) });
    }
  }

  #imageOf(unit: number): UnitImage {
    const isOwn = !this.#units.has(unit) && (this.#options.anyUnit || anyUnits.includes(unit));
    const own = isOwn ? this.#options.unit : unit;
    const entries = this.#units.get(own);
    // Nothing of this unit is served: not even zeros are.
    if (entries === undefined) throw new ModbusException(exceptionCodes.illegalDataAddress);
    return entries;
  }

  #refuseUnmapped(): void {
    if (this.#options.unmapped === 'exception') throw new ModbusException(exceptionCodes.illegalDataAddress);
  }

  /** Whether the value may be served: always if the quality is served beside it. */
  #isReadable({
    of,
    kind,
  }: {
    readonly of: ImagePoint;
    readonly kind: 'word' | 'value' | 'good' | 'quality';
  }): boolean {
    if (kind === 'good' || kind === 'quality' || of.address.quality !== undefined) return true;
    return isFit(of) && (this.#options.badQuality === 'last-value' || !isBad(of.served.quality));
  }

  /** False if the point must not be served. */
  #putRegister(entry: ServedRegister, to: Uint8Array, at: number): boolean {
    if (entry.kind === 'bits') {
      let isReadable = true;
      for (const [bit, of] of entry.bits) {
        if (!this.#isReadable(of)) isReadable = false;
        if (bitOf(of)) to[at + (bit > 7 ? 0 : 1)] = (to[at + (bit > 7 ? 0 : 1)] ?? 0) | (1 << (bit & 7));
      }
      return isReadable;
    }
    if (entry.kind === 'quality') {
      const { served } = entry.of;
      to[at] = served.quality >> 8;
      const isUnfit = served.value !== undefined && !isFit(entry.of);
      to[at + 1] = isUnfit ? quality.bad.configurationError : served.quality;
      return true;
    }
    if (!this.#isReadable(entry)) return false;
    const bytes = bytesOf(entry.of);
    to[at] = bytes?.[2 * entry.offset] ?? 0;
    to[at + 1] = bytes?.[2 * entry.offset + 1] ?? 0;
    return true;
  }
}

interface Claim {
  readonly unit: number;
  readonly area: Area;
  readonly at: number;
  readonly bit: number | undefined;
  readonly entry: ServedBit | ServedRegister;
}

function claimsOf(
  of: ImagePoint,
  { unit: named, area, start, length, bit, layout }: ServedAddress['address'],
  kind: 'value' | 'good' | 'quality',
  ownUnit: number,
): Claim[] {
  const unit = named ?? ownUnit;
  if (kind === 'quality') return [{ unit, area, at: start, bit: undefined, entry: { kind, of } }];
  if (layout === undefined) return [{ unit, area, at: start, bit, entry: { kind, of } }];
  return Array.from({ length }, (_, offset) => {
    return { unit, area, at: start + offset, bit: undefined, entry: { kind: 'word' as const, of, offset } };
  });
}

function bitOf({ kind, of }: ServedBit): boolean {
  return kind === 'good' ? isGood(of.served.quality) && isFit(of) : Boolean(of.served.value);
}

function isFit(of: ImagePoint): boolean {
  return of.address.address.layout === undefined ? of.served.value !== undefined : bytesOf(of) !== null;
}

/** Null where there is no value, or it does not fit the layout. */
function bytesOf(of: ImagePoint): Uint8Array | null {
  const { layout } = of.address.address;
  const { value } = of.served;
  if (of.encoded.value === value) return of.encoded.bytes;
  of.encoded = { value, bytes: null };
  if (layout === undefined || value === undefined) return null;
  try {
    of.encoded = { value, bytes: writeValue(layout, value) };
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
  }
  return of.encoded.bytes;
}

function bitWrites(bits: ReadonlyMap<number, ServedBit>, register: number, mask: number | undefined): CommandWrite[] {
  const writes: CommandWrite[] = [];
  for (let bit = 0; bit < 16; bit++) {
    const entry = bits.get(bit);
    const value = ((register >> bit) & 1) === 1;
    if (entry === undefined) {
      // Nobody could carry it out.
      if (value) throw new ModbusException(exceptionCodes.illegalDataValue);
      continue;
    }
    const isWanted = mask === undefined ? value !== bitOf(entry) : ((mask >> bit) & 1) === 1;
    if (!isWanted) continue;
    if (entry.kind !== 'value' || !entry.of.served.isCommand)
      throw new ModbusException(exceptionCodes.illegalDataAddress);
    writes.push({ target: entry.of.served, value: fitted(entry.of, value) });
  }
  return writes;
}

function fitted({ served: { point } }: ImagePoint, value: Value): Value {
  const fit = fitValue(point.datatype, value);
  if (fit === undefined) throw new ModbusException(exceptionCodes.illegalDataValue);
  return fit;
}
