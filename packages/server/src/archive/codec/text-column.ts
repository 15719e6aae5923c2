// Values of s: each distinct text once, and for each record which one it has. A text that is not well-formed Unicode is
// stored as its UTF-16 units, so that it is restored as it was.
import type { ByteReader } from './byte-reader.ts';
import type { ByteWriter } from './byte-writer.ts';
import { encodeIntegers } from './integer-column.ts';
import { decodeIntegers } from './read-integer-column.ts';

/** A text that is missing is an empty one. */
export function encodeTexts(out: ByteWriter, texts: readonly string[], from: number, to: number): void {
  const count = to - from;
  out.work.reserve(count);
  const indexes = out.work.values;
  const entries = new Map<string, number>();
  for (let index = from; index < to; index++) {
    const text = texts[index] ?? '';
    let entry = entries.get(text);
    if (entry === undefined) {
      entry = entries.size;
      entries.set(text, entry);
    }
    indexes[index - from] = entry;
  }
  out.varint(entries.size);
  for (const text of entries.keys()) {
    const isWellFormed = text.isWellFormed();
    const bytes = Buffer.from(text, isWellFormed ? 'utf8' : 'utf16le');
    out.varint(2 * bytes.length + (isWellFormed ? 0 : 1));
    out.raw(bytes);
  }
  encodeIntegers(out, indexes, 0, count, false);
}

/** Fills `into[at..at + count)`. */
export function decodeTexts(reader: ByteReader, count: number, into: string[], at: number): void {
  const distinct = reader.varint();
  if (distinct > count) throw new RangeError(`${distinct} texts for ${count} values`);
  const texts: string[] = [];
  for (let entry = 0; entry < distinct; entry++) {
    const head = reader.varint();
    const { buffer, byteOffset, byteLength } = reader.raw(Math.floor(head / 2));
    texts.push(Buffer.from(buffer, byteOffset, byteLength).toString(head % 2 === 0 ? 'utf8' : 'utf16le'));
  }
  const indexes = reader.work(count);
  decodeIntegers(reader, count, indexes, 0);
  for (let index = 0; index < count; index++) {
    const text = texts[indexes[index] as number];
    if (text === undefined) throw new RangeError(`${indexes[index]} is not among ${distinct} texts`);
    into[at + index] = text;
  }
}
