// Reads the columns that integer-column.ts writes. Bytes that no encoder wrote are a RangeError or give some numbers;
// time and memory stay within what the count requires.
import { unpack } from './bit-packing.ts';
import type { ByteReader } from './byte-reader.ts';
import { integerForm, numbersABlock } from './integer-forms.ts';

const widest = 53;

/** Below a divisor there may be a dictionary, below that neither. */
const depth = { whole: 0, divided: 1, inner: 2 } as const;

/** Fills `into[at..at + count)`. */
export function decodeIntegers(reader: ByteReader, count: number, into: Float64Array, at: number): void {
  if (!(at >= 0 && at + count <= into.length)) throw new RangeError(`no room for ${count} numbers at ${at}`);
  if (count > 0) decode(reader, into, at, at + count, depth.whole);
}

function decode(reader: ByteReader, into: Float64Array, from: number, to: number, level: number): void {
  const form = reader.u8();
  switch (form) {
    case integerForm.runs:
      readRuns(reader, into, from, to);
      return;
    case integerForm.runsOfSteps:
      readRunsOfSteps(reader, into, from, to);
      return;
    case integerForm.plain:
      readBlocks(reader, into, from, to, 0);
      return;
    case integerForm.steps:
      into[from] = reader.zigzag();
      readBlocks(reader, into, from, to, 1);
      addUp(into, from, to);
      return;
    case integerForm.bends:
      readBends(reader, into, from, to);
      return;
    case integerForm.line:
      readLine(reader, into, from, to);
      return;
    case integerForm.dictionary:
      if (level >= depth.inner) break;
      readDictionary(reader, into, from, to);
      return;
    case integerForm.divided:
      if (level >= depth.divided) break;
      readDivided(reader, into, from, to);
      return;
  }
  throw new RangeError(`an integer column has no form ${form} here`);
}

function readRuns(reader: ByteReader, into: Float64Array, from: number, to: number): void {
  for (let start = from; start < to; ) {
    const end = runEnd(reader, start, to);
    into.fill(reader.zigzag(), start, end);
    start = end;
  }
}

function readRunsOfSteps(reader: ByteReader, into: Float64Array, from: number, to: number): void {
  let last = reader.zigzag();
  into[from] = last;
  for (let start = from + 1; start < to; ) {
    const end = runEnd(reader, start, to);
    const step = reader.zigzag();
    // Not by adding up: each addition would wait for the one before.
    for (let index = start, steps = 1; index < end; index++, steps++) into[index] = last + steps * step;
    last += (end - start) * step;
    start = end;
  }
}

/** Where a run that begins at `start` ends, in a column that ends at `to`. */
export function runEnd(reader: ByteReader, start: number, to: number): number {
  const length = reader.varint();
  if (length > to - start) throw new RangeError(`a run of ${length} goes beyond its column`);
  return length === 0 ? to : start + length;
}

function readBlocks(reader: ByteReader, into: Float64Array, from: number, to: number, skipped: number): void {
  let base = 0;
  for (let start = from; start < to; start += numbersABlock) {
    const begin = start === from ? start + skipped : start;
    const end = Math.min(to, start + numbersABlock);
    if (begin >= end) continue;
    const width = reader.u8();
    if (width > widest) throw new RangeError(`numbers of ${width} bits`);
    base += reader.zigzag();
    unpack(reader, into, begin, end, base, width);
  }
}

/** In fours, so that not each addition waits for the one before. No two numbers are 2^53 apart: every sum is exact. */
function addUp(into: Float64Array, from: number, to: number): void {
  let sum = into[from] as number;
  let index = from + 1;
  for (; index + 4 <= to; index += 4) {
    const one = into[index] as number;
    const two = one + (into[index + 1] as number);
    const third = into[index + 2] as number;
    const four = two + (third + (into[index + 3] as number));
    into[index] = sum + one;
    into[index + 1] = sum + two;
    into[index + 2] = sum + (two + third);
    sum += four;
    into[index + 3] = sum;
  }
  for (; index < to; index++) {
    sum += into[index] as number;
    into[index] = sum;
  }
}

function readBends(reader: ByteReader, into: Float64Array, from: number, to: number): void {
  if (to - from < 2) throw new RangeError('one number has no step');
  let number = reader.zigzag();
  let step = reader.zigzag();
  readBlocks(reader, into, from, to, 2);
  into[from] = number;
  number += step;
  into[from + 1] = number;
  for (let index = from + 2; index < to; index++) {
    step += into[index] as number;
    number += step;
    into[index] = number;
  }
}

function readLine(reader: ByteReader, into: Float64Array, from: number, to: number): void {
  const first = reader.zigzag();
  const slope = reader.f64();
  readBlocks(reader, into, from, to, 0);
  for (let index = from; index < to; index++) {
    into[index] = first + Math.floor((index - from) * slope) + (into[index] as number);
  }
}

function readDictionary(reader: ByteReader, into: Float64Array, from: number, to: number): void {
  const distinct = reader.varint();
  if (distinct < 1 || distinct > to - from) throw new RangeError(`a dictionary of ${distinct}`);
  const values = new Float64Array(distinct);
  decode(reader, values, 0, distinct, depth.inner);
  decode(reader, into, from, to, depth.inner);
  pick(values, into, from, to);
}

/** Replaces each index by its value. */
export function pick(values: Float64Array, into: Float64Array, from: number, to: number): void {
  for (let index = from; index < to; index++) {
    const place = into[index] as number;
    if (!(place >= 0 && place < values.length))
      throw new RangeError(`${place} is not in a dictionary of ${values.length}`);
    into[index] = values[place] as number;
  }
}

function readDivided(reader: ByteReader, into: Float64Array, from: number, to: number): void {
  const first = reader.zigzag();
  const divisor = reader.varint();
  decode(reader, into, from, to, depth.divided);
  for (let index = from; index < to; index++) into[index] = first + (into[index] as number) * divisor;
}
