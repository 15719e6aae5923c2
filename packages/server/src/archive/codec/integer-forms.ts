// The forms of integer columns, each as it is written. Which one is chosen is the business of integer-column.ts.
import { pack, packedBytes, widthOf } from '@telltale/schema/bit-packing';
import type { ByteWriter } from './byte-writer.ts';

export const integerForm = {
  runs: 0,
  runsOfSteps: 1,
  plain: 2,
  steps: 3,
  bends: 4,
  line: 5,
  dictionary: 6,
  divided: 7,
} as const;

/** So many numbers share a base and a width. */
export const numbersABlock = 128;

/** What goes into a column, and every difference that is packed, is smaller than this. */
export const limit = 2 ** 53;

/** What the blocks of a column take, by form. */
export interface BlockBytes {
  plain: number;
  steps: number;
  bends: number;
}

export function stepAt(numbers: Float64Array, index: number): number {
  return (numbers[index] as number) - (numbers[index - 1] as number);
}

/** Bytes of a block; Infinity where its numbers reach the bound, beyond which not all that is written would be exact. */
export function blockEstimate(count: number, low: number, high: number, bound: number): number {
  if (low > high) return 0;
  if (low <= -bound || high >= bound) return Infinity;
  return 3 + packedBytes(count, widthOf(high - low));
}

/** Form, first number, slope, and as much as a block has at least. */
export const leastBytesOfLine = 20;

/** What is left of the numbers beside the line of least squares. False, and nothing written, where that is no gain. */
export function writeLine(out: ByteWriter, numbers: Float64Array, from: number, to: number, atMost: number): boolean {
  const count = to - from;
  const first = numbers[from] as number;
  const slope = slopeOf(numbers, from, to);
  // The line stays among numbers that are exact.
  if (!(Math.abs(first) + Math.abs(slope) * count < limit)) return false;
  const terms = out.work.terms;
  for (let index = 0; index < count; index++) {
    terms[index] = (numbers[from + index] as number) - (first + Math.floor(index * slope));
  }
  const bytes = leastBytesOfLine + blocksEstimate(terms, count);
  if (bytes >= atMost) return false;
  out.u8(integerForm.line);
  out.zigzag(first);
  out.f64(slope);
  writeBlocks(out, terms, 0, count, 0);
  return true;
}

function blocksEstimate(terms: Float64Array, count: number): number {
  let bytes = 0;
  for (let start = 0; start < count; start += numbersABlock) {
    const end = Math.min(count, start + numbersABlock);
    let low = Infinity;
    let high = -Infinity;
    for (let index = start; index < end; index++) {
      const term = terms[index] as number;
      if (term < low) low = term;
      if (term > high) high = term;
    }
    bytes += blockEstimate(end - start, low, high, limit / 2);
  }
  return bytes;
}

function slopeOf(numbers: Float64Array, from: number, to: number): number {
  const count = to - from;
  const middle = (count - 1) / 2;
  const first = numbers[from] as number;
  let moment = 0;
  for (let index = 0; index < count; index++) moment += (index - middle) * ((numbers[from + index] as number) - first);
  return (12 * moment) / (count * (count * count - 1));
}

export function writePacked(
  out: ByteWriter,
  numbers: Float64Array,
  from: number,
  to: number,
  { plain, steps, bends }: BlockBytes,
): void {
  const count = to - from;
  const terms = out.work.terms;
  if (plain <= steps && plain <= bends) {
    out.u8(integerForm.plain);
    writeBlocks(out, numbers, from, to, 0);
    return;
  }
  const first = numbers[from] as number;
  const firstStep = stepAt(numbers, from + 1);
  let last = first;
  if (steps <= bends) {
    out.u8(integerForm.steps);
    out.zigzag(first);
    for (let index = 1; index < count; index++) {
      const number = numbers[from + index] as number;
      terms[index] = number - last;
      last = number;
    }
    writeBlocks(out, terms, 0, count, 1);
    return;
  }
  out.u8(integerForm.bends);
  out.zigzag(first);
  out.zigzag(firstStep);
  let lastStep = firstStep;
  last += firstStep;
  for (let index = 2; index < count; index++) {
    const number = numbers[from + index] as number;
    const step = number - last;
    terms[index] = step - lastStep;
    last = number;
    lastStep = step;
  }
  writeBlocks(out, terms, 0, count, 2);
}

/** Each block has a width, a base as the difference to the one before, and its packed numbers. The first `skipped` are left out. */
function writeBlocks(out: ByteWriter, terms: Float64Array, from: number, to: number, skipped: number): void {
  let lastBase = 0;
  for (let start = from; start < to; start += numbersABlock) {
    const begin = start === from ? start + skipped : start;
    const end = Math.min(to, start + numbersABlock);
    if (begin >= end) continue;
    let base = terms[begin] as number;
    let high = base;
    for (let index = begin + 1; index < end; index++) {
      const term = terms[index] as number;
      if (term < base) base = term;
      if (term > high) high = term;
    }
    const width = widthOf(high - base);
    out.u8(width);
    out.zigzag(base - lastBase);
    pack(out, terms, begin, end, base, width);
    lastBase = base;
  }
}
