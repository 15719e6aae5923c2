// Values of every datatype as bytes, and back bit by bit.
import type { Datatype } from '@telltale/schema';
import type { Columns } from '../records.ts';
import type { ByteReader } from './byte-reader.ts';
import type { ByteWriter } from './byte-writer.ts';
import { decodeLongs, encodeLongs } from './long-column.ts';
import { decodeNumbers, encodeNumbers, encodeWhole } from './number-column.ts';
import { decodeTexts, encodeTexts } from './text-column.ts';

/** Appends the values at `from..to` of the columns. */
export function encodeValues(datatype: Datatype, columns: Columns, from: number, to: number, out: ByteWriter): void {
  if (to <= from) return;
  switch (datatype) {
    case 'b':
    case 'q':
    case 'i':
      encodeWhole(out, columns.numbers, from, to);
      return;
    case 'f':
    case 'd':
      encodeNumbers(out, columns.numbers, from, to, datatype === 'f');
      return;
    case 'l':
      encodeLongs(out, columns.numbers, from, to);
      return;
    case 's':
      encodeTexts(out, columns.texts, from, to);
      return;
  }
}

/** Fills the values at `at..at + count` of the columns, for which there must be room; `into.count` is the caller's. */
export function decodeValues(datatype: Datatype, reader: ByteReader, count: number, into: Columns, at: number): void {
  if (!(at >= 0 && at + count <= into.capacity)) throw new RangeError(`no room for ${count} values at ${at}`);
  if (count === 0) return;
  switch (datatype) {
    case 'b':
    case 'q':
    case 'i':
    case 'f':
    case 'd':
      decodeNumbers(reader, count, into.numbers, at);
      return;
    case 'l':
      decodeLongs(reader, count, into.numbers, at);
      return;
    case 's':
      decodeTexts(reader, count, into.texts, at);
      return;
  }
}
