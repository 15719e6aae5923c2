// Writes values with their times and qualities as the bytes of JSON, straight into a buffer. Most values of a plant are
// short decimals and whole numbers, and come many with the same time: for these nothing is made that is thrown away.
import { type Datatype, formatText, type Value } from '@telltale/schema';

const comma = 0x2c;
const quote = 0x22;
const minus = 0x2d;
const point = 0x2e;
const zero = 0x30;
const space = 0x20;

/** What most values of a datatype need, with its letter and all around them. */
export const usualRoom: Readonly<Record<Datatype, number>> = { b: 32, q: 32, i: 42, l: 51, f: 47, d: 50, s: 56 };

/** The most bytes of a number that is written digit by digit: a sign, ten digits, a point, four digits. */
const shortBytes = 16;

/** The most bytes of what stands around a value: `["` before it, `",[seconds,microseconds],quality]` behind it. */
function bytesAround(timeUs: number): number {
  return 2 + 2 + (timeUs < 1e16 ? 10 : 16) + 9 + 1 + 5 + 1;
}

export class TimedWriter {
  #timeUs = -1;
  readonly #time = Buffer.alloc(32);
  #timeLength = 0;

  /**
   * A vtq, or without a quality a vt: `["d21.5",[1700000000,0],192]`. Answers where it ends, or minus the bytes that it
   * needs where there is not so much room.
   */
  write(
    bytes: Buffer,
    start: number,
    room: number,
    datatype: Datatype,
    value: Value,
    timeUs: number,
    quality?: number,
  ): number {
    const around = bytesAround(timeUs);
    bytes[start] = 0x5b;
    bytes[start + 1] = quote;
    bytes[start + 2] = datatype.charCodeAt(0);
    let at = around + shortBytes + 1 > room ? -1 : writeShort(bytes, start + 3, datatype, value);
    if (at < 0) {
      const text = datatype === 's' ? JSON.stringify(value).slice(1, -1) : formatText(datatype, value);
      const length = datatype === 's' ? Buffer.byteLength(text) : text.length;
      if (around + 1 + length > room) return -(around + 1 + length);
      at = length === text.length ? writeAscii(bytes, start + 3, text) : start + 3 + bytes.write(text, start + 3);
    }
    bytes[at++] = quote;
    bytes[at++] = comma;
    at = this.#writeTime(bytes, at, timeUs);
    if (quality !== undefined) {
      bytes[at++] = comma;
      at = writeWhole(bytes, at, quality);
    }
    bytes[at++] = 0x5d;
    return at;
  }

  /** `[seconds,microseconds]` */
  #writeTime(bytes: Buffer, at: number, timeUs: number): number {
    const time = this.#time;
    if (timeUs !== this.#timeUs) {
      const seconds = Math.floor(timeUs / 1_000_000);
      time[0] = 0x5b;
      let end = writeWhole(time, 1, seconds);
      time[end++] = comma;
      end = writeWhole(time, end, timeUs - seconds * 1_000_000);
      time[end++] = 0x5d;
      this.#timeUs = timeUs;
      this.#timeLength = end;
    }
    const length = this.#timeLength;
    for (let index = 0; index < length; index++) bytes[at + index] = time[index] as number;
    return at + length;
  }
}

/** Fewer bytes than a call into the system's fill is worth. */
export function pad(bytes: Buffer, from: number, to: number): void {
  for (let at = from; at < to; at++) bytes[at] = space;
}

/** Each of these returns the position behind what it wrote; the caller has made room. */
function writeAscii(bytes: Buffer, at: number, text: string): number {
  const { length } = text;
  for (let index = 0; index < length; index++) bytes[at + index] = text.charCodeAt(index);
  return at + length;
}

/** Numbers whose digits are at hand; of others a negative number. */
function writeShort(bytes: Buffer, at: number, datatype: Datatype, value: Value): number {
  if (datatype === 'b') {
    bytes[at] = value === true ? zero + 1 : zero;
    return at + 1;
  }
  if (typeof value !== 'number') return -1;
  if (datatype === 'd') return writeDecimal(bytes, at, value, 1e13);
  if (datatype !== 'f')
    return value < 0 ? writeWhole(bytes, writeMinus(bytes, at), -value) : writeWhole(bytes, at, value);
  return writeDecimal(bytes, at, value, 1e6);
}

function writeMinus(bytes: Buffer, at: number): number {
  bytes[at] = minus;
  return at + 1;
}

const scale = 10_000;

/**
 * A number that is exactly what a decimal of up to four places reads as. With fewer significant digits than its kind tells
 * apart (15 of a double, 6 of a single; `limit` is above the digits without their point) there is no shorter one.
 */
function writeDecimal(bytes: Buffer, start: number, value: number, limit: number): number {
  const size = Math.abs(value);
  const scaled = Math.round(size * scale);
  const isExact = limit === 1e6 ? Math.fround(scaled / scale) === size : scaled / scale === size;
  if (!isExact || scaled >= limit || (value === 0 && Object.is(value, -0))) return -1;
  let at = value < 0 ? writeMinus(bytes, start) : start;
  const whole = Math.floor(scaled / scale);
  at = writeWhole(bytes, at, whole);
  let rest = (scaled - whole * scale) | 0;
  if (rest === 0) return at;
  bytes[at++] = point;
  for (let unit = 1000; rest > 0; unit = (unit / 10) | 0) {
    const digit = (rest / unit) | 0;
    bytes[at++] = zero + digit;
    rest -= digit * unit;
  }
  return at;
}

/** A whole number from 0 to 2^53. */
function writeWhole(bytes: Buffer, at: number, value: number): number {
  if (value < 10) {
    bytes[at] = zero + value;
    return at + 1;
  }
  if (value < 1000) return writeHundreds(bytes, at, value | 0);
  let end = at + digitsOf(value);
  const behind = end;
  let rest = value;
  while (rest > 0x7fff_ffff) {
    const next = Math.floor(rest / 10);
    bytes[--end] = zero + (rest - next * 10);
    rest = next;
  }
  // From here on it is a small integer to the machine.
  let small = rest | 0;
  while (end > at) {
    const next = (small / 10) | 0;
    bytes[--end] = zero + (small - next * 10);
    small = next;
  }
  return behind;
}

/** From 10 to 999: most whole parts of engineering values, and every quality that is not simulated. */
function writeHundreds(bytes: Buffer, start: number, value: number): number {
  let at = start;
  const hundreds = (value / 100) | 0;
  const below = value - hundreds * 100;
  const tens = (below / 10) | 0;
  if (hundreds > 0) bytes[at++] = zero + hundreds;
  bytes[at++] = zero + tens;
  bytes[at++] = zero + below - tens * 10;
  return at;
}

function digitsOf(value: number): number {
  let digits = 1;
  for (let limit = 10; value >= limit && digits < 17; limit *= 10) digits++;
  return digits;
}
