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
const bitsWorthDictionary = 8;

interface Measure extends BlockBytes {
  /** How often the number is another one than the number before it, and how often the step is. */
  turns: number;
  stepTurns: number;
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
  if (to <= from) return;
  out.work.reserve(to - from);
  encode(out, numbers, from, to, slanted, depth.whole);
}

/** A column may have a divisor, below it a dictionary, and below that columns that have neither. */
const depth = { whole: 0, divided: 1, inner: 2 } as const;

function encode(
  out: ByteWriter,
  numbers: Float64Array,
  from: number,
  to: number,
  slanted: boolean,
  level: number,
): void {
  const count = to - from;
  const measure = measured(numbers, from, to);
  const bytes = 1 + Math.min(measure.plain, measure.steps, measure.bends);
  const runBytes = runsEstimate(measure.turns + 1, count, numbers[from] as number);
  const stepRunBytes = count < 2 ? Infinity : 8 + runsEstimate(measure.stepTurns + 1, count, stepAt(numbers, from + 1));
  if (runBytes <= bytes && runBytes <= stepRunBytes) {
    writeRuns(out, numbers, from, to);
    return;
  }
  if (stepRunBytes <= bytes) {
    writeRunsOfSteps(out, numbers, from, to);
    return;
  }
  const bits = (8 * bytes) / count;
  if (level === depth.whole && bits > bitsWorthDividing && writeDivided(out, numbers, from, to, slanted)) return;
  if (slanted && writeLine(out, numbers, from, to, bytes)) return;
  if (level < depth.inner && bits > bitsWorthDictionary && writeDictionary(out, numbers, from, to, bytes)) return;
  writePacked(out, numbers, from, to, measure);
}

function measured(numbers: Float64Array, from: number, to: number): Measure {
  const measure: Measure = { turns: 0, stepTurns: 0, plain: 0, steps: 0, bends: 0 };
  let last = numbers[from] as number;
  let lastStep = to - from < 2 ? 0 : stepAt(numbers, from + 1);
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
    measure.plain += blockEstimate(end - start, low, high, limit);
    measure.steps += blockEstimate(end - start, lowStep, highStep, limit / 2);
    measure.bends += blockEstimate(end - start, lowBend, highBend, limit / 2);
  }
  measure.turns = turns;
  measure.stepTurns = stepTurns;
  return measure;
}

function runsEstimate(runs: number, count: number, first: number): number {
  const lengthBytes = runs === 1 || count / runs < 128 ? 1 : 2;
  return 1 + runs * (lengthBytes + Math.ceil((1 + widthOf(Math.abs(first))) / 7));
}

function writeDivided(out: ByteWriter, numbers: Float64Array, from: number, to: number, slanted: boolean): boolean {
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
  encode(out, multiples, 0, to - from, slanted, depth.divided);
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
  encode(out, work.distinct, 0, distinct, false, depth.inner);
  encode(out, work.indexes, 0, count, false, depth.inner);
  if (out.length - at < atMost) return true;
  out.length = at;
  return false;
}
