// Columns of whole numbers, which all other columns are made of: the form is chosen that takes the fewest bytes. The
// ranges of all forms are measured in one pass; only the one that is chosen is written. Reading is in
// read-integer-column.ts, the bytes in FORMAT.md.
import { widthOf } from './bit-packing.ts';
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
  writeRuns,
  writeRunsOfSteps,
} from './integer-forms.ts';

/** Columns that take fewer bits a number than this are not looked at for a divisor or a dictionary. */
const bitsWorthDividing = 3;
const bitsWorthDictionary = 6;

interface Measure extends BlockBytes {
  /** How often the number is another one than the number before it, and how often the step is. */
  turns: number;
  stepTurns: number;
  /** The greatest number and step, whatever their signs. */
  size: number;
  stepSize: number;
}

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
  const measure = measured(numbers, from, to);
  const { turns, stepTurns, size, stepSize } = measure;
  const runBytes = runsEstimate(turns + 1, count, size);
  const stepRunBytes =
    count < 2 ? Infinity : zigzagBytes(numbers[from] as number) + runsEstimate(stepTurns + 1, count, stepSize);
  const packedBytes = 1 + Math.min(measure.plain, measure.steps, measure.bends);
  const bytes = Math.min(runBytes, stepRunBytes, packedBytes);
  const bits = (8 * bytes) / count;
  if (mayDivide && bits > bitsWorthDividing && writeDivided(out, numbers, from, to, slanted, mayLookUp)) return;
  if (slanted && bytes > leastBytesOfLine && writeLine(out, numbers, from, to, bytes)) return;
  if (mayLookUp && bits > bitsWorthDictionary && writeDictionary(out, numbers, from, to, bytes)) return;
  if (bytes === runBytes) writeRuns(out, numbers, from, to);
  else if (bytes === stepRunBytes) writeRunsOfSteps(out, numbers, from, to);
  else writePacked(out, numbers, from, to, measure);
}

function measured(numbers: Float64Array, from: number, to: number): Measure {
  let last = numbers[from] as number;
  let lastStep = to - from < 2 ? 0 : stepAt(numbers, from + 1);
  const firstBytes = zigzagBytes(last);
  const measure: Measure = {
    turns: 0,
    stepTurns: 0,
    size: 0,
    stepSize: 0,
    plain: 0,
    steps: firstBytes,
    bends: to - from < 2 ? Infinity : firstBytes + zigzagBytes(lastStep),
  };
  let turns = 0;
  let stepTurns = 0;
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
        if (lastStep !== 0) turns++;
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
      if (step !== 0) turns++;
      if (bend !== 0) stepTurns++;
      last = number;
      lastStep = step;
    }
    measure.size = Math.max(measure.size, high, -low);
    measure.stepSize = Math.max(measure.stepSize, highStep, -lowStep);
    measure.plain += blockEstimate(end - start, low, high, limit);
    measure.steps += blockEstimate(end - start, lowStep, highStep, limit / 2);
    measure.bends += blockEstimate(end - start, lowBend, highBend, limit / 2);
  }
  measure.turns = turns;
  measure.stepTurns = stepTurns;
  return measure;
}

function runsEstimate(runs: number, count: number, size: number): number {
  const lengthBytes = runs === 1 || count / runs < 128 ? 1 : 2;
  return 1 + runs * (lengthBytes + zigzagBytes(size));
}

function zigzagBytes(number: number): number {
  return Math.max(1, Math.ceil((1 + widthOf(Math.abs(number))) / 7));
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
