// Times, as whole microseconds from 0 to 2^53 in any order: an integer column that may lie around a line.
import type { ByteReader } from './byte-reader.ts';
import type { ByteWriter } from './byte-writer.ts';
import { encodeIntegers } from './integer-column.ts';
import { decodeIntegers } from './read-integer-column.ts';

/** Appends `times[from..to)`. Equal times give equal bytes. */
export function encodeTimes(times: Float64Array, from: number, to: number, out: ByteWriter): void {
  encodeIntegers(out, times, from, to, true);
}

/** Fills `into[at..at + count)`, for which there must be room. */
export function decodeTimes(reader: ByteReader, count: number, into: Float64Array, at: number): void {
  decodeIntegers(reader, count, into, at);
}
