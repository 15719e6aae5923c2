// Values of every datatype as bytes, and back bit by bit.
import { type Datatype, form, traitsOf } from '@telltale/schema/values';
import type { Columns } from '../records.ts';
import type { ByteReader } from './byte-reader.ts';
import type { ByteWriter } from './byte-writer.ts';
import { decodeLongs, encodeLongs } from './long-column.ts';
import { decodeNumbers, encodeNumbers, encodeWhole } from './number-column.ts';
import { decodeTexts, encodeTexts } from './text-column.ts';

/** Appends the values at `from..to` of the columns. */
export function encodeValues(datatype: Datatype, columns: Columns, from: number, to: number, out: ByteWriter): void {
  if (to <= from) return;
  const { form: held, precision } = traitsOf(datatype);
  switch (held) {
    case form.number:
      if (precision === 'whole') encodeWhole(out, columns.numbers, from, to);
      else encodeNumbers(out, columns.numbers, from, to, precision === 'single');
      return;
    case form.long:
      encodeLongs(out, columns.numbers, from, to);
      return;
    case form.text:
      encodeTexts(out, columns.texts, from, to);
      return;
  }
}

/** Fills the values at `at..at + count` of the columns, for which there must be room; `into.count` is the caller's. */
export function decodeValues(datatype: Datatype, reader: ByteReader, count: number, into: Columns, at: number): void {
  if (!(at >= 0 && at + count <= into.capacity)) throw new RangeError(`no room for ${count} values at ${at}`);
  if (count === 0) return;
  switch (traitsOf(datatype).form) {
    case form.number:
      decodeNumbers(reader, count, into.numbers, at);
      return;
    case form.long:
      decodeLongs(reader, count, into.numbers, at);
      return;
    case form.text:
      decodeTexts(reader, count, into.texts, at);
      return;
  }
}
