// The times of a chunk as distances from a regular grid: SQL has each by one multiplication.
import { commonDivisor } from '../../../archive/codec/index.ts';

export interface TimeGrid {
  readonly step: number;
  /** Of the distances. */
  readonly unit: number;
  /** Where the times lie: on the grid, at so many units from it, which are in `into`, or anywhere. */
  readonly form: 'regular' | 'near' | 'any';
}

const largest = 2 ** 31 - 1;

/** Of ascending times. */
export function timeGridOf(times: Float64Array, from: number, to: number, into: Float64Array): TimeGrid {
  const firstUs = times[from] as number;
  const firstStep = to - from < 2 ? 0 : (times[from + 1] as number) - firstUs;
  if (isRegular(times, from, to, firstStep)) return { step: firstStep, unit: 1, form: 'regular' };
  const usual = usualStep(times, from, to);
  const unit = commonDivisor(times, from, to);
  const mean = Math.round(((times[to - 1] as number) - firstUs) / (to - from - 1) / unit) * unit;
  for (const step of [usual, mean]) {
    if (distances(times, from, to, step, unit, into)) return { step, unit, form: 'near' };
  }
  return { step: 0, unit: 1, form: 'any' };
}

/** That of most records, where most have the same. */
function usualStep(times: Float64Array, from: number, to: number): number {
  let [step, votes] = [0, 0];
  for (let at = from + 1; at < to; at++) {
    const next = (times[at] as number) - (times[at - 1] as number);
    if (votes === 0) step = next;
    votes += next === step ? 1 : -1;
  }
  return step;
}

function isRegular(times: Float64Array, from: number, to: number, step: number): boolean {
  for (let at = from + 1; at < to; at++) {
    if ((times[at] as number) - (times[at - 1] as number) !== step) return false;
  }
  return true;
}

/** False: some are farther away than a number of theirs may be. */
function distances(
  times: Float64Array,
  from: number,
  to: number,
  step: number,
  unit: number,
  into: Float64Array,
): boolean {
  let expectedUs = times[from] as number;
  for (let at = from; at < to; at++, expectedUs += step) {
    const distance = ((times[at] as number) - expectedUs) / unit;
    if (distance > largest || distance < -largest) return false;
    into[at - from] = distance;
  }
  return true;
}
