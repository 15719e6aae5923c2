// Writes values with their times and qualities as the bytes of JSON, straight into a buffer. Most values of a plant are
// short decimals and whole numbers, and come many with the same time: for these nothing is made that is thrown away.
import { type Datatype, form, type Traits, traitsOf, type Value } from '@telltale/schema';
import {
  mostShortDigits,
  writeInteger,
  writeShortDouble,
  writeShortLong,
  writeShortSingle,
  writeWhole,
} from '@telltale/schema/digits';

const comma = 0x2c;
const quote = 0x22;
const zero = 0x30;
const space = 0x20;
const closing = 0x5d;

/** What most values of a datatype need, with its letter and all around them. */
export function usualRoom(datatype: Datatype): number {
  return 31 + traitsOf(datatype).usualLength;
}

/** `["d` before a value. */
const beforeBytes = 3;

/** The most bytes of what stands around a value: `["` before it, `",[seconds,microseconds],quality]` behind it. */
function bytesAround(timeUs: number): number {
  return 2 + 2 + (timeUs < 1e16 ? 10 : 16) + 9 + 1 + 5 + 1;
}

export class TimedWriter {
  #timeUs = -1;
  /** `",[seconds,microseconds]`, of the last time. */
  readonly #time = Buffer.alloc(40);
  readonly #timeView = viewOf(this.#time);
  #timeLength = 0;
  /** Of the last quality: `,192`. */
  #quality = -1;
  readonly #qualityBytes = Buffer.alloc(16);
  readonly #qualityView = viewOf(this.#qualityBytes);
  #qualityLength = 0;
  /** Of the last bytes that were written to. */
  #bytes: Buffer = this.#time;
  #view = this.#timeView;

  /** A vtq, or a vt: `["d21.5",[1700000000,0],192]`. Returns its end, or minus the bytes that it needs. */
  write(
    bytes: Buffer,
    start: number,
    room: number,
    datatype: Datatype,
    value: Value,
    timeUs: number,
    quality?: number,
  ): number {
    if (bytes !== this.#bytes) {
      this.#bytes = bytes;
      this.#view = viewOf(bytes);
    }
    const around = bytesAround(timeUs);
    const valueAt = start + beforeBytes;
    const traits = traitsOf(datatype);
    let at = room < beforeBytes + mostShortDigits ? -1 : writeShort(this.#view, valueAt, traits, value);
    if (at < 0) {
      const isText = traits.form === form.text;
      const text = isText ? JSON.stringify(value).slice(1, -1) : traits.format(value);
      const length = isText ? Buffer.byteLength(text) : text.length;
      if (around + 1 + length > room) return -(around + 1 + length);
      at = length === text.length ? writeAscii(bytes, valueAt, text) : valueAt + bytes.write(text, valueAt);
    } else if (around + 1 + at - valueAt > room) return -(around + 1 + at - valueAt);
    bytes[start] = 0x5b;
    bytes[start + 1] = quote;
    bytes[start + 2] = datatype.charCodeAt(0);
    if (timeUs !== this.#timeUs) this.#setTime(timeUs);
    at = copy(this.#time, this.#timeLength, bytes, at);
    if (quality !== undefined) {
      if (quality !== this.#quality) this.#setQuality(quality);
      at = copy(this.#qualityBytes, this.#qualityLength, bytes, at);
    }
    bytes[at] = closing;
    return at + 1;
  }

  #setTime(timeUs: number): void {
    const time = this.#time;
    const view = this.#timeView;
    const seconds = Math.floor(timeUs / 1_000_000);
    time[0] = quote;
    time[1] = comma;
    time[2] = 0x5b;
    let end = writeWhole(view, 3, seconds);
    time[end++] = comma;
    end = writeWhole(view, end, timeUs - seconds * 1_000_000);
    time[end++] = closing;
    this.#timeUs = timeUs;
    this.#timeLength = end;
  }

  #setQuality(quality: number): void {
    this.#qualityBytes[0] = comma;
    this.#qualityLength = writeWhole(this.#qualityView, 1, quality);
    this.#quality = quality;
  }
}

function viewOf({ buffer, byteOffset, byteLength }: Buffer): DataView {
  return new DataView(buffer, byteOffset, byteLength);
}

/** A few bytes: a call into the system's copy would cost more. */
function copy(from: Buffer, length: number, to: Buffer, at: number): number {
  for (let index = 0; index < length; index++) to[at + index] = from[index] as number;
  return at + length;
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

/** Numbers whose digits are in the tables; a negative number for others. What it writes too far is within the time behind. */
function writeShort(view: DataView, at: number, { precision }: Traits, value: Value): number {
  if (typeof value === 'number') {
    if (value === 0 && !Object.is(value, -0)) return writeDigit(view, at, 0);
    if (precision === 'double') return writeShortDouble(view, at, value);
    return precision === 'single' ? writeShortSingle(view, at, value) : writeInteger(view, at, value);
  }
  if (typeof value === 'boolean') return writeDigit(view, at, value ? 1 : 0);
  return typeof value === 'bigint' ? writeShortLong(view, at, value) : -1;
}

function writeDigit(view: DataView, at: number, digit: number): number {
  view.setUint8(at, zero + digit);
  return at + 1;
}
