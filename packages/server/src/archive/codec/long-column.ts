// 64-bit integers: whole numbers where they are small, else offsets from the first one, else the two halves. 64 bits are
// put together from 32-bit words, which costs no BigInt.
import type { ByteReader } from './byte-reader.ts';
import type { ByteWriter } from './byte-writer.ts';
import { encodeIntegers } from './integer-column.ts';
import { readHalves, writeHalves } from './number-column.ts';
import { decodeIntegers } from './read-integer-column.ts';

export const longForm = { integers: 0, offsets: 1, halves: 2 } as const;

const word = 2 ** 32;
/** Offsets within this many upper halves stay exact, and so does the difference of any two of them. */
const reach = 2 ** 20;

/** `numbers` has the bytes of the longs. */
export function encodeLongs(out: ByteWriter, numbers: Float64Array, from: number, to: number): void {
  const count = to - from;
  if (count <= 0) return;
  out.work.reserve(count);
  const words = new Int32Array(numbers.buffer, numbers.byteOffset + 8 * from, 2 * count);
  if (fillOffsets(words, count, 0, 0, out.work.values)) {
    out.u8(longForm.integers);
    encodeIntegers(out, out.work.values, 0, count, false);
    return;
  }
  const [low, high] = [words[0] as number, words[1] as number];
  if (fillOffsets(words, count, low, high, out.work.values)) {
    out.u8(longForm.offsets);
    out.u32(low);
    out.u32(high);
    encodeIntegers(out, out.work.values, 0, count, false);
    return;
  }
  out.u8(longForm.halves);
  writeHalves(out, numbers, from, to, false);
}

function fillOffsets(words: Int32Array, count: number, low: number, high: number, into: Float64Array): boolean {
  const lowBase = low >>> 0;
  for (let index = 0; index < count; index++) {
    const upper = (words[2 * index + 1] as number) - high;
    if (upper < 1 - reach || upper >= reach - 1) return false;
    into[index] = upper * word + ((words[2 * index] as number) >>> 0) - lowBase;
  }
  return true;
}

/** Fills the bytes of `into[at..at + count)` with longs. */
export function decodeLongs(reader: ByteReader, count: number, into: Float64Array, at: number): void {
  if (count === 0) return;
  const form = reader.u8();
  switch (form) {
    case longForm.integers:
      decodeIntegers(reader, count, into, at);
      readOffsets(into, at, count, 0, 0);
      return;
    case longForm.offsets: {
      const [low, high] = [reader.u32(), reader.u32()];
      decodeIntegers(reader, count, into, at);
      readOffsets(into, at, count, low, high);
      return;
    }
    case longForm.halves:
      readHalves(reader, count, into, at);
      return;
    default:
      throw new RangeError(`a column of longs has no form ${form}`);
  }
}

function readOffsets(into: Float64Array, at: number, count: number, low: number, high: number): void {
  const words = new Int32Array(into.buffer, into.byteOffset + 8 * at, 2 * count);
  for (let index = 0; index < count; index++) {
    const offset = into[at + index] as number;
    const lower = (offset >>> 0) + low;
    words[2 * index] = lower;
    words[2 * index + 1] = Math.floor(offset / word) + high + (lower >= word ? 1 : 0);
  }
}
