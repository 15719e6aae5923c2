// Qualities, of which a column mostly has one: an integer column, with a short way for runs.
import type { ByteReader } from './byte-reader.ts';
import type { ByteWriter } from './byte-writer.ts';
import { encodeIntegers } from './integer-column.ts';
import { integerForm } from './integer-forms.ts';
import { decodeIntegers, runEnd } from './read-integer-column.ts';

/** Appends `qualities[from..to)`. */
export function encodeQualities(qualities: Uint16Array, from: number, to: number, out: ByteWriter): void {
  if (to <= from) return;
  const first = qualities[from] as number;
  let same = from + 1;
  while (same < to && qualities[same] === first) same++;
  if (same === to) {
    out.u8(integerForm.runs);
    out.varint(0);
    out.zigzag(first);
    return;
  }
  out.work.reserve(to - from);
  const values = out.work.values;
  for (let index = from; index < to; index++) values[index - from] = qualities[index] as number;
  encodeIntegers(out, values, 0, to - from, false);
}

/** Fills `into[at..at + count)`, for which there must be room. */
export function decodeQualities(reader: ByteReader, count: number, into: Uint16Array, at: number): void {
  if (!(at >= 0 && at + count <= into.length)) throw new RangeError(`no room for ${count} qualities at ${at}`);
  if (count === 0) return;
  if (reader.bytes[reader.at] !== integerForm.runs) {
    const values = reader.work(count);
    decodeIntegers(reader, count, values, 0);
    for (let index = 0; index < count; index++) into[at + index] = values[index] as number;
    return;
  }
  reader.skip(1);
  for (let start = 0; start < count; ) {
    const end = runEnd(reader, start, count);
    into.fill(reader.zigzag(), at + start, at + end);
    start = end;
  }
}
