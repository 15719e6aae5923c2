// Values that are stored as numbers: integers, else decimals with one power of ten, else the bits of singles, else a
// dictionary, else the two halves of the doubles. For every datatype, values are restored bit by bit.
import type { ByteReader } from './byte-reader.ts';
import type { ByteWriter } from './byte-writer.ts';
import { mostPlaces, notDecimal, powersOfTen, scaleDecimals } from './decimals.ts';
import { findDistinct } from './distinct-values.ts';
import { encodeDictionaryPart, encodeIntegers } from './integer-column.ts';
import { decodeIntegers, pick } from './read-integer-column.ts';

export const numberForm = {
  integers: 0,
  decimals: 1,
  decimalSingles: 2,
  singles: 3,
  dictionary: 4,
  halves: 5,
} as const;

/** Whole numbers. Others among them lose nothing. */
export function encodeWhole(out: ByteWriter, numbers: Float64Array, from: number, to: number): void {
  for (let index = from; index < to; index++) {
    const number = numbers[index] as number;
    if ((number | 0) !== number) {
      encodeNumbers(out, numbers, from, to, false);
      return;
    }
  }
  out.u8(numberForm.integers);
  encodeIntegers(out, numbers, from, to, false);
}

/** Decimals; `single` says that they are said to be singles. */
export function encodeNumbers(out: ByteWriter, numbers: Float64Array, from: number, to: number, single: boolean): void {
  out.work.reserve(to - from);
  const values = out.work.values;
  if (!single) {
    const negativeZeros: number[] = [];
    const places = scaleDecimals(numbers, from, to, values, negativeZeros, false);
    if (places !== notDecimal) {
      writeDecimals(out, numberForm.decimals, places, negativeZeros, to - from);
      return;
    }
  }
  if (areSingles(numbers, from, to)) {
    const negativeZeros: number[] = [];
    const places = scaleDecimals(numbers, from, to, values, negativeZeros, true);
    if (places === notDecimal) writeSingles(out, numbers, from, to);
    else writeDecimals(out, numberForm.decimalSingles, places, negativeZeros, to - from);
    return;
  }
  const distinct = findDistinct(numbers, from, to, out.work);
  if (distinct > 0) {
    out.u8(numberForm.dictionary);
    out.varint(distinct);
    writeHalves(out, out.work.distinct, 0, distinct, true);
    encodeDictionaryPart(out, out.work.indexes, 0, to - from);
    return;
  }
  out.u8(numberForm.halves);
  writeHalves(out, numbers, from, to, false);
}

/** Fills `into[at..at + count)`. */
export function decodeNumbers(reader: ByteReader, count: number, into: Float64Array, at: number): void {
  const form = reader.u8();
  switch (form) {
    case numberForm.integers:
      decodeIntegers(reader, count, into, at);
      return;
    case numberForm.decimals:
    case numberForm.decimalSingles:
      readDecimals(reader, count, into, at, form === numberForm.decimalSingles);
      return;
    case numberForm.singles:
      decodeIntegers(reader, count, into, at);
      readSingles(into, at, at + count);
      return;
    case numberForm.dictionary:
      readDictionary(reader, count, into, at);
      return;
    case numberForm.halves:
      readHalves(reader, count, into, at);
      return;
    default:
      throw new RangeError(`a column of numbers has no form ${form}`);
  }
}

function areSingles(numbers: Float64Array, from: number, to: number): boolean {
  for (let index = from; index < to; index++) {
    const number = numbers[index] as number;
    if (Math.fround(number) !== number) return false;
  }
  return true;
}

/** Of the whole numbers in `work.values`. */
function writeDecimals(
  out: ByteWriter,
  form: number,
  places: number,
  negativeZeros: readonly number[],
  count: number,
): void {
  const isWhole = places === 0 && negativeZeros.length === 0;
  out.u8(isWhole ? numberForm.integers : form);
  if (!isWhole) out.u8(places);
  encodeIntegers(out, out.work.values, 0, count, false);
  if (isWhole) return;
  out.varint(negativeZeros.length);
  let last = 0;
  for (const index of negativeZeros) {
    out.varint(index - last);
    last = index;
  }
}

function readDecimals(reader: ByteReader, count: number, into: Float64Array, at: number, single: boolean): void {
  const places = reader.u8();
  if (places > mostPlaces) throw new RangeError(`decimals of ${places} places`);
  decodeIntegers(reader, count, into, at);
  const scale = powersOfTen[places] as number;
  const end = at + count;
  if (single) for (let index = at; index < end; index++) into[index] = Math.fround((into[index] as number) / scale);
  else for (let index = at; index < end; index++) into[index] = (into[index] as number) / scale;
  let zero = at;
  for (let zeros = reader.varint(); zeros > 0; zeros--) {
    zero += reader.varint();
    if (zero >= end) throw new RangeError('a zero goes beyond its column');
    into[zero] = -0;
  }
}

function writeSingles(out: ByteWriter, numbers: Float64Array, from: number, to: number): void {
  const values = out.work.values;
  const single = new Float32Array(1);
  const bits = new Int32Array(single.buffer);
  for (let index = from; index < to; index++) {
    single[0] = numbers[index] as number;
    values[index - from] = bits[0] as number;
  }
  out.u8(numberForm.singles);
  encodeIntegers(out, values, 0, to - from, false);
}

function readSingles(into: Float64Array, from: number, to: number): void {
  const single = new Float32Array(1);
  const bits = new Int32Array(single.buffer);
  for (let index = from; index < to; index++) {
    bits[0] = into[index] as number;
    into[index] = single[0] as number;
  }
}

/**
 * The upper halves of 64-bit numbers, sign and exponent in them, lie close together; the lower ones often end in zeros.
 * In memory the lower half comes first: the machines that this runs on are little-endian.
 */
export function writeHalves(
  out: ByteWriter,
  numbers: Float64Array,
  from: number,
  to: number,
  isDictionary: boolean,
): void {
  const count = to - from;
  out.work.reserve(count);
  const values = out.work.values;
  const words = new Int32Array(numbers.buffer, numbers.byteOffset + 8 * from, 2 * count);
  for (let half = 1; half >= 0; half--) {
    for (let index = 0; index < count; index++) values[index] = words[2 * index + half] as number;
    if (isDictionary) encodeDictionaryPart(out, values, 0, count);
    else encodeIntegers(out, values, 0, count, false);
  }
}

export function readHalves(reader: ByteReader, count: number, into: Float64Array, at: number): void {
  decodeIntegers(reader, count, into, at);
  const low = reader.work(count);
  decodeIntegers(reader, count, low, 0);
  const words = new Int32Array(into.buffer, into.byteOffset + 8 * at, 2 * count);
  for (let index = 0; index < count; index++) {
    const high = into[at + index] as number;
    words[2 * index] = low[index] as number;
    words[2 * index + 1] = high;
  }
}

function readDictionary(reader: ByteReader, count: number, into: Float64Array, at: number): void {
  const distinct = reader.varint();
  if (distinct > count) throw new RangeError(`a dictionary of ${distinct} for ${count} values`);
  const values = new Float64Array(distinct);
  readHalves(reader, distinct, values, 0);
  decodeIntegers(reader, count, into, at);
  pick(values, into, at, at + count);
}
