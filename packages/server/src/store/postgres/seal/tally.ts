// What a row of the store says of its records beside having them: how many are bad, and what there is of the others.
import { type Datatype, form, qualityMask, traitsOf } from '@telltale/schema/values';
import type { Columns, Kind } from '../../../archive/index.ts';
import type { Summary } from '../../../archive/query/index.ts';

export interface Tally {
  readonly count: number;
  readonly bad: number;
  /** Bad or uncertain. */
  readonly notGood: number;
  /** Of those that are not bad, and are numbers; undefined where there are none, and of texts. */
  readonly least: number | undefined;
  readonly greatest: number | undefined;
  /** Of those that are not bad. Undefined as well where one is too large, or no number: no sum is beyond all doubles. */
  readonly sum: number | undefined;
}

/** Values from here on are not added up. */
export const tooLarge = 1e290;

export function tallyOf(kind: Kind, datatype: Datatype, columns: Columns, from: number, to: number): Tally {
  const { form: held } = traitsOf(datatype);
  const count = to - from;
  const { bad, notGood } = kind === 'measurements' ? judged(columns.qualities, from, to) : allGood;
  if (held === form.text || bad === count) return { count, bad, notGood, ...noNumbers };
  const numbers = held === form.long ? asNumbers(columns.longs, from, to) : columns.numbers.subarray(from, to);
  const sound = bad === 0 ? numbers : numbers.filter((_, at) => isSound(columns.qualities[from + at] as number));
  return { count, bad, notGood, ...amounts(sound) };
}

/** The same, from what the summary of a chunk has; undefined where that says less. */
export function tallyOfSummary(kind: Kind, summary: Summary, { qualities }: Columns, from: number, to: number) {
  const { count, good, isAllGood, sum, min, max } = summary;
  if (min === undefined || max === undefined || !isAddable(min.value) || !isAddable(max.value)) return undefined;
  const isJudged = kind === 'measurements' && !isAllGood;
  const { bad, notGood } = isJudged ? judged(qualities, from, to) : allGood;
  return bad + good === count ? { count, bad, notGood, least: min.value, greatest: max.value, sum } : undefined;
}

const allGood = { bad: 0, notGood: 0 } as const;
const noNumbers = { least: undefined, greatest: undefined, sum: undefined } as const;

function isSound(quality: number): boolean {
  return (quality & qualityMask.status) !== 0;
}

function isAddable(value: number): boolean {
  return Math.abs(value) < tooLarge;
}

function judged(qualities: Uint16Array, from: number, to: number) {
  let [bad, notGood] = [0, 0];
  for (let at = from; at < to; at++) {
    const status = (qualities[at] as number) & qualityMask.status;
    if (status === qualityMask.status) continue;
    notGood++;
    if (status === 0) bad++;
  }
  return { bad, notGood };
}

function asNumbers(longs: BigInt64Array, from: number, to: number): Float64Array {
  const [numbers, words] = [
    new Float64Array(to - from),
    new Int32Array(longs.buffer, longs.byteOffset, 2 * longs.length),
  ];
  for (let at = from; at < to; at++) {
    numbers[at - from] = (words[2 * at + 1] as number) * 2 ** 32 + ((words[2 * at] as number) >>> 0);
  }
  return numbers;
}

function amounts(values: Float64Array): Pick<Tally, 'least' | 'greatest' | 'sum'> {
  let [least, greatest, sum] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 0];
  for (let at = 0; at < values.length; at++) {
    const value = values[at] as number;
    if (value < least) least = value;
    if (value > greatest) greatest = value;
    sum += isAddable(value) ? value : Number.NaN;
  }
  // One that is infinite is the least or the greatest all the same; there is none where all are NaN.
  if (!(greatest >= least)) return noNumbers;
  return { least, greatest, sum: Number.isNaN(sum) ? undefined : sum };
}
