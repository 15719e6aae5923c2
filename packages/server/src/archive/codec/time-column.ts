// Times, as whole microseconds from 0 to 2^53 in any order: an integer column that may lie around a line, or scans.
import type { ByteReader } from './byte-reader.ts';
import type { ByteWriter } from './byte-writer.ts';
import { encodeIntegers } from './integer-column.ts';
import { decodeIntegers } from './read-integer-column.ts';
import { readScans, scansForm, writeScans } from './scan-times.ts';

/** Columns that are shorter, or take fewer bits a time, are not looked at for scans. */
const leastCount = 32;
const bitsWorthScans = 13;

/** Appends `times[from..to)`. Equal times give equal bytes. */
export function encodeTimes(times: Float64Array, from: number, to: number, out: ByteWriter): void {
  const at = out.length;
  encodeIntegers(out, times, from, to, true);
  const length = out.length - at;
  if (to - from < leastCount || 8 * length < bitsWorthScans * (to - from)) return;
  if (!writeScans(out, times, from, to)) return;
  const scansLength = out.length - at - length;
  if (scansLength < length) out.bytes.copyWithin(at, at + length, out.length);
  out.length = at + Math.min(length, scansLength);
}

/** Fills `into[at..at + count)`, for which there must be room. */
export function decodeTimes(reader: ByteReader, count: number, into: Float64Array, at: number): void {
  if (count > 0 && reader.left > 0 && reader.bytes[reader.at] === scansForm) {
    reader.skip(1);
    readScans(reader, count, into, at);
  } else {
    decodeIntegers(reader, count, into, at);
  }
}
