// Integer columns whose numbers, or steps, stay the same for long: how long they are as runs, and how these are written.
import { widthOf } from '@telltale/schema/bit-packing';
import type { ByteWriter } from './byte-writer.ts';
import { integerForm, stepAt } from './integer-forms.ts';

/** The bytes of the column as runs; Infinity as soon as most numbers are other ones than those before them. */
export function runBytes(numbers: Float64Array, from: number, to: number): number {
  let last = numbers[from] as number;
  let size = Math.abs(last);
  let turns = 0;
  for (let index = from + 1; index < to; index++) {
    const number = numbers[index] as number;
    if (number === last) continue;
    last = number;
    size = Math.max(size, Math.abs(number));
    if (isHopeless(++turns, index - from)) return Infinity;
  }
  return estimate(turns + 1, to - from, size);
}

/** The same of the steps. */
export function stepRunBytes(numbers: Float64Array, from: number, to: number): number {
  if (to - from < 2) return Infinity;
  let last = stepAt(numbers, from + 1);
  let size = Math.abs(last);
  let turns = 0;
  for (let index = from + 2; index < to; index++) {
    const step = stepAt(numbers, index);
    if (step === last) continue;
    last = step;
    size = Math.max(size, Math.abs(step));
    if (isHopeless(++turns, index - from)) return Infinity;
  }
  return signedBytes(numbers[from] as number) + estimate(turns + 1, to - from, size);
}

/** The bytes that a signed number takes. */
export function signedBytes(number: number): number {
  return Math.max(1, Math.ceil((1 + widthOf(Math.abs(number))) / 7));
}

function isHopeless(turns: number, seen: number): boolean {
  return 2 * turns > 32 + seen;
}

function estimate(runs: number, count: number, size: number): number {
  const lengthBytes = runs === 1 || count / runs < 128 ? 1 : 2;
  return 1 + runs * (lengthBytes + signedBytes(size));
}

/** Each run is its length and its number; the length of the last one is 0: it goes on to the end. */
export function writeRuns(out: ByteWriter, numbers: Float64Array, from: number, to: number): void {
  out.u8(integerForm.runs);
  for (let start = from; start < to; ) {
    const number = numbers[start] as number;
    let end = start + 1;
    while (end < to && numbers[end] === number) end++;
    out.varint(end === to ? 0 : end - start);
    out.zigzag(number);
    start = end;
  }
}

export function writeRunsOfSteps(out: ByteWriter, numbers: Float64Array, from: number, to: number): void {
  out.u8(integerForm.runsOfSteps);
  out.zigzag(numbers[from] as number);
  for (let start = from + 1; start < to; ) {
    const step = stepAt(numbers, start);
    let end = start + 1;
    while (end < to && stepAt(numbers, end) === step) end++;
    out.varint(end === to ? 0 : end - start);
    out.zigzag(step);
    start = end;
  }
}
