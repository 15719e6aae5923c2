// Whole numbers as planes of bytes: the lowest byte of each, then the next one of each. Small numbers leave the upper
// planes zero; those that are wholly so are not written, and zstd makes next to nothing of the others.
import type { ByteReader } from '../codec/byte-reader.ts';
import type { ByteWriter } from '../codec/byte-writer.ts';

/** Numbers are below 2^53. */
const mostPlanes = 7;

/** Whole numbers from 0 to below 2^53. */
export function writePlanes(out: ByteWriter, numbers: ArrayLike<number>, count: number): void {
  let greatest = 0;
  for (let at = 0; at < count; at++) if ((numbers[at] as number) > greatest) greatest = numbers[at] as number;
  let planes = 0;
  while (256 ** planes <= greatest) planes++;
  out.u8(planes);
  out.reserve(planes * count);
  const { bytes } = out;
  for (let plane = 0, scale = 1; plane < planes; plane++, scale *= 256) {
    const start = out.length;
    // What is above the byte is cut off as it is stored.
    for (let at = 0; at < count; at++) bytes[start + at] = (numbers[at] as number) / scale;
    out.length = start + count;
  }
}

/** Fills `into[0..count)`. */
export function readPlanes(reader: ByteReader, count: number, into: Float64Array): void {
  const planes = reader.u8();
  if (planes > mostPlanes) throw new RangeError(`numbers of ${planes} bytes`);
  into.fill(0, 0, count);
  for (let plane = 0, scale = 1; plane < planes; plane++, scale *= 256) {
    const start = reader.skip(count);
    const { bytes } = reader;
    for (let at = 0; at < count; at++) into[at] = (into[at] as number) + (bytes[start + at] as number) * scale;
  }
}

/** With how many there are. */
export function writeNumbers(out: ByteWriter, numbers: ArrayLike<number>, count: number): void {
  out.varint(count);
  writePlanes(out, numbers, count);
}

/** Throws RangeError where there are more than `most`. */
export function readNumbers(reader: ByteReader, most: number): Float64Array {
  const count = reader.varint();
  if (count > most) throw new RangeError(`${count} numbers, where there are at most ${most}`);
  const numbers = new Float64Array(count);
  readPlanes(reader, count, numbers);
  return numbers;
}

/** A signed number as one without a sign, small where it is near zero; smaller than 2^52. */
export function unsigned(value: number): number {
  return value < 0 ? -2 * value - 1 : 2 * value;
}

export function signed(value: number): number {
  // Most are small, and a remainder of doubles is slow.
  if (value < 2 ** 31) return (value >>> 1) ^ -(value & 1);
  return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
}
