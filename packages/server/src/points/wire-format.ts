// Writes values, times and qualities as the bytes of JSON, straight into a buffer: no text is made that is thrown away,
// but where a number or a text has to be formatted anyway.
import { type Datatype, formatText, type Value } from '@telltale/schema';

const comma = 0x2c;
const quote = 0x22;
const zero = 0x30;

/** Each returns the position behind what it wrote; the caller has made room. */
function writeAscii(bytes: Buffer, at: number, text: string): number {
  const { length } = text;
  for (let index = 0; index < length; index++) bytes[at + index] = text.charCodeAt(index);
  return at + length;
}

/** A whole number from 0 to 2^53. */
function writeWhole(bytes: Buffer, at: number, value: number): number {
  if (value < 10) {
    bytes[at] = zero + value;
    return at + 1;
  }
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

function digitsOf(value: number): number {
  let digits = 1;
  for (let limit = 10; value >= limit && digits < 17; limit *= 10) digits++;
  return digits;
}

/** `[seconds,microseconds]` */
function writeTimestamp(bytes: Buffer, start: number, timeUs: number): number {
  const seconds = Math.floor(timeUs / 1_000_000);
  let at = start;
  bytes[at++] = 0x5b;
  at = writeWhole(bytes, at, seconds);
  bytes[at++] = comma;
  at = writeWhole(bytes, at, timeUs - seconds * 1_000_000);
  bytes[at++] = 0x5d;
  return at;
}

/** The most bytes of what stands around a value: `["` before it, `",[seconds,microseconds],quality]` behind it. */
function bytesAround(timeUs: number): number {
  return 2 + 2 + (timeUs < 1e16 ? 10 : 16) + 9 + 1 + 5 + 1;
}

/** What most values of a datatype need, with its letter and all around them. */
export const usualRoom: Readonly<Record<Datatype, number>> = { b: 32, q: 32, i: 42, l: 51, f: 43, d: 50, s: 56 };

/**
 * A vtq, or without a quality a vt: `["d21.5",[1700000000,0],192]`. Answers where it ends, or minus the bytes that it
 * needs where there is not so much room.
 */
export function writeTimed(
  bytes: Buffer,
  start: number,
  room: number,
  datatype: Datatype,
  value: Value,
  timeUs: number,
  quality?: number,
): number {
  const isText = datatype === 's';
  const text = isText ? JSON.stringify(`s${value}`) : formatText(datatype, value);
  const need = bytesAround(timeUs) + (isText ? Buffer.byteLength(text) : text.length + 1);
  if (need > room) return -need;
  let at = start;
  bytes[at++] = 0x5b;
  if (isText) at += bytes.write(text, at);
  else {
    bytes[at++] = quote;
    bytes[at++] = datatype.charCodeAt(0);
    at = writeAscii(bytes, at, text);
    bytes[at++] = quote;
  }
  bytes[at++] = comma;
  at = writeTimestamp(bytes, at, timeUs);
  if (quality !== undefined) {
    bytes[at++] = comma;
    at = writeWhole(bytes, at, quality);
  }
  bytes[at++] = 0x5d;
  return at;
}
