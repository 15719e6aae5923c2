// Columns of integers, of which all other columns are made: the form with the fewest bytes is chosen. The ranges of all
// forms are measured in one pass; only the chosen one is written. read-integer-column.ts reads them, FORMAT.md
// describes the bytes.
import type { ByteWriter } from './byte-writer.ts';
import { commonDivisor } from './common-divisor.ts';
import { findDistinct } from './distinct-values.ts';
import {
  type BlockBytes,
  blockEstimate,
  integerForm,
  leastBytesOfLine,
  limit,
  numbersABlock,
  stepAt,
  writeLine,
  writePacked,
} from './integer-forms.ts';
import { runBytes, signedBytes, stepRunBytes, writeRuns, writeRunsOfSteps } from './integer-runs.ts';

/** Columns that take fewer bits a number than this are not looked at for a divisor or a dictionary. */
const bitsWorthDividing = 3;
const bitsWorthDictionary = 6;
/** Runs that take a byte for so many numbers are chosen at once. */
const shortEnough = 32;
const noBlocks: BlockBytes = { plain: Infinity, steps: Infinity, bends: Infinity };

/**
 * Whole numbers smaller than 2^53, whose extremes are no farther than that from each other; none is -0. `slanted` says
 * that they may lie around a line, as times do.
 */
export function encodeIntegers(
  out: ByteWriter,
  numbers: Float64Array,
  from: number,
  to: number,
  slanted: boolean,
): void {
  encodeWithin(out, numbers, from, to, slanted, true, true);
}

/** The same without a dictionary: numbers that are part of one. */
export function encodeDictionaryPart(out: ByteWriter, numbers: Float64Array, from: number, to: number): void {
  encodeWithin(out, numbers, from, to, false, true, false);
}

/** A column may have a divisor, below it a dictionary, and below that columns that have neither. */
function encodeWithin(
  out: ByteWriter,
  numbers: Float64Array,
  from: number,
  to: number,
  slanted: boolean,
  mayDivide: boolean,
  mayLookUp: boolean,
): void {
  if (to <= from) return;
  out.work.reserve(to - from);
  const count = to - from;
  const asRuns = runBytes(numbers, from, to);
  const asStepRuns = stepRunBytes(numbers, from, to);
  const short = Math.min(asRuns, asStepRuns);
  const blocks = short * shortEnough <= count ? noBlocks : blockBytes(numbers, from, to);
  const bytes = Math.min(short, 1 + Math.min(blocks.plain, blocks.steps, blocks.bends));
  const bits = (8 * bytes) / count;
  if (mayDivide && bits > bitsWorthDividing && writeDivided(out, numbers, from, to, slanted, mayLookUp)) return;
  if (slanted && bytes > leastBytesOfLine && writeLine(out, numbers, from, to, bytes)) return;
  if (mayLookUp && bits > bitsWorthDictionary && writeDictionary(out, numbers, from, to, bytes)) return;
  if (bytes === asRuns) writeRuns(out, numbers, from, to);
  else if (bytes === asStepRuns) writeRunsOfSteps(out, numbers, from, to);
  else writePacked(out, numbers, from, to, blocks);
}

function blockBytes(numbers: Float64Array, from: number, to: number): BlockBytes {
  let last = numbers[from] as number;
  let lastStep = to - from < 2 ? 0 : stepAt(numbers, from + 1);
  let plain = 0;
  let steps = signedBytes(last);
  let bends = to - from < 2 ? Infinity : steps + signedBytes(lastStep);
  for (let start = from; start < to; start += numbersABlock) {
    const end = Math.min(to, start + numbersABlock);
    let low = Infinity;
    let high = -Infinity;
    let lowStep = Infinity;
    let highStep = -Infinity;
    let lowBend = Infinity;
    let highBend = -Infinity;
    let index = start;
    if (start === from) {
      low = last;
      high = last;
      index++;
      if (index < end) {
        last = numbers[index] as number;
        if (last < low) low = last;
        else if (last > high) high = last;
        lowStep = lastStep;
        highStep = lastStep;
        index++;
      }
    }
    for (; index < end; index++) {
      const number = numbers[index] as number;
      const step = number - last;
      const bend = step - lastStep;
      if (number < low) low = number;
      if (number > high) high = number;
      if (step < lowStep) lowStep = step;
      if (step > highStep) highStep = step;
      if (bend < lowBend) lowBend = bend;
      if (bend > highBend) highBend = bend;
      last = number;
      lastStep = step;
    }
    plain += blockEstimate(end - start, low, high, limit);
    steps += blockEstimate(end - start, lowStep, highStep, limit / 2);
    bends += blockEstimate(end - start, lowBend, highBend, limit / 2);
  }
  return { plain, steps, bends };
}

function writeDivided(
  out: ByteWriter,
  numbers: Float64Array,
  from: number,
  to: number,
  slanted: boolean,
  mayLookUp: boolean,
): boolean {
  const divisor = commonDivisor(numbers, from, to);
  if (divisor < 2) return false;
  const multiples = out.work.multiples;
  const first = numbers[from] as number;
  for (let index = from; index < to; index++) {
    multiples[index - from] = ((numbers[index] as number) - first) / divisor;
  }
  out.u8(integerForm.divided);
  out.zigzag(first);
  out.varint(divisor);
  encodeWithin(out, multiples, 0, to - from, slanted, false, mayLookUp);
  return true;
}

function writeDictionary(out: ByteWriter, numbers: Float64Array, from: number, to: number, atMost: number): boolean {
  const count = to - from;
  const work = out.work;
  const distinct = findDistinct(numbers, from, to, work);
  if (distinct === 0) return false;
  const at = out.length;
  out.u8(integerForm.dictionary);
  out.varint(distinct);
  encodeWithin(out, work.distinct, 0, distinct, false, false, false);
  encodeWithin(out, work.indexes, 0, count, false, false, false);
  if (out.length - at < atMost) return true;
  out.length = at;
  return false;
}
