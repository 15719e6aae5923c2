// The values of a section: decimals and whole numbers as differences, the rest bit by bit, texts behind them.
import { type Datatype, form, traitsOf } from '@telltale/schema/values';
import type { ByteReader } from '../codec/byte-reader.ts';
import type { ByteWriter } from '../codec/byte-writer.ts';
import { mostPlaces, notDecimal, powersOfTen, scaleDecimals } from '../codec/decimals.ts';
import type { Columns } from '../records.ts';
import { eachSeries, type SectionColumns } from './parcel.ts';
import { readNumbers, readPlanes, signed, unsigned, writeNumbers, writePlanes } from './planes.ts';

/** How the values of a series are written; below these: decimals with so many places. */
const valueForm = { wholeLongs: mostPlaces + 1, bits: mostPlaces + 2, texts: mostPlaces + 3 } as const;
/** 64-bit integers within it are whole numbers, and so are their differences. */
const largestWhole = 2n ** 50n;
const bytesOfBits = 8;

export function writeValues(
  out: ByteWriter,
  { series, ends, columns }: SectionColumns,
  datatypeOf: (series: number) => Datatype,
): void {
  const forms = new Float64Array(series.length);
  const whole = new Float64Array(columns.count);
  const scaled = new Float64Array(columns.count);
  const bits = new Float64Array(columns.count);
  const texts: string[] = [];
  let [wholes, bitCount] = [0, 0];
  eachSeries(ends, (at, from, to) => {
    const held = traitsOf(datatypeOf(series[at] as number)).form;
    if (held === form.text) {
      forms[at] = valueForm.texts;
      for (let i = from; i < to; i++) texts.push(columns.texts[i] ?? '');
      return;
    }
    const used = held === form.long ? scaleLongs(columns, from, to, scaled) : scaleNumbers(columns, from, to, scaled);
    forms[at] = used;
    if (used === valueForm.bits) {
      // As they lie in memory: a double with the bits of an integer could lose some on its way.
      bits.set(columns.numbers.subarray(from, to), bitCount);
      bitCount += to - from;
      return;
    }
    for (let i = 0, last = 0; i < to - from; i++) {
      whole[wholes++] = unsigned((scaled[i] as number) - last);
      last = scaled[i] as number;
    }
  });
  writePlanes(out, forms, series.length);
  writeNumbers(out, whole, wholes);
  writeBits(out, bits, bitCount);
  writeTexts(out, texts);
}

/** Throws RangeError where the bytes are not those of values. */
export function readValues(reader: ByteReader, { ends, columns }: SectionColumns): void {
  const { count, numbers, longs, texts } = columns;
  const forms = new Float64Array(ends.length);
  readPlanes(reader, ends.length, forms);
  const whole = readNumbers(reader, count);
  const bits = readBits(reader, count);
  const read = readTexts(reader, count);
  let [wholes, bitCount, textCount] = [0, 0, 0];
  eachSeries(ends, (at, from, to) => {
    const used = forms[at] as number;
    if (used === valueForm.texts) {
      for (let i = from; i < to; i++) texts[i] = read[textCount++] as string;
    } else if (used === valueForm.bits) {
      numbers.set(bits.subarray(bitCount, Math.min(bitCount + to - from, bits.length)), from);
      bitCount += to - from;
    } else if (used === valueForm.wholeLongs) {
      for (let i = from, value = 0; i < to; i++) {
        value += signed(whole[wholes++] as number);
        longs[i] = BigInt(value);
      }
    } else {
      const scale = powersOfTen[used];
      if (scale === undefined) throw new RangeError(`values have no form ${used}`);
      for (let i = from, value = 0; i < to; i++) {
        value += signed(whole[wholes++] as number);
        numbers[i] = value / scale;
      }
    }
  });
  if (wholes !== whole.length || bitCount !== bits.length || textCount !== read.length) {
    throw new RangeError('series with other numbers of values');
  }
}

/** Into whole numbers, where all of them are exact then. */
function scaleNumbers({ numbers }: Columns, from: number, to: number, into: Float64Array): number {
  const negativeZeros: number[] = [];
  const places = scaleDecimals(numbers, from, to, into, negativeZeros, false);
  return places === notDecimal || negativeZeros.length > 0 ? valueForm.bits : places;
}

function scaleLongs({ longs }: Columns, from: number, to: number, into: Float64Array): number {
  for (let i = from; i < to; i++) {
    const value = longs[i] as bigint;
    if (value > largestWhole || value < -largestWhole) return valueForm.bits;
    into[i - from] = Number(value);
  }
  return valueForm.wholeLongs;
}

function writeBits(out: ByteWriter, bits: Float64Array, count: number): void {
  out.varint(count);
  out.reserve(bytesOfBits * count);
  const from = new Uint8Array(bits.buffer);
  for (let byte = 0; byte < bytesOfBits; byte++) {
    for (let at = 0; at < count; at++) out.bytes[out.length++] = from[bytesOfBits * at + byte] as number;
  }
}

function readBits(reader: ByteReader, most: number): Float64Array {
  const count = reader.varint();
  if (count > most) throw new RangeError(`${count} values for ${most} records`);
  const bits = new Float64Array(count);
  const into = new Uint8Array(bits.buffer);
  for (let byte = 0; byte < bytesOfBits; byte++) {
    const plane = reader.raw(count);
    for (let at = 0; at < count; at++) into[bytesOfBits * at + byte] = plane[at] as number;
  }
  return bits;
}

/** Those that are no well-formed Unicode as their UTF-16 units, so that they are restored as they were. */
function writeTexts(out: ByteWriter, texts: readonly string[]): void {
  const written = texts.map((text) => Buffer.from(text, text.isWellFormed() ? 'utf8' : 'utf16le'));
  const heads = written.map(({ length }, at) => 2 * length + ((texts[at] as string).isWellFormed() ? 0 : 1));
  writeNumbers(out, heads, heads.length);
  for (const bytes of written) out.raw(bytes);
}

function readTexts(reader: ByteReader, most: number): string[] {
  const heads = readNumbers(reader, most);
  return Array.from(heads, (head) => {
    const { buffer, byteOffset, byteLength } = reader.raw(Math.floor(head / 2));
    return Buffer.from(buffer, byteOffset, byteLength).toString(head % 2 === 0 ? 'utf8' : 'utf16le');
  });
}
