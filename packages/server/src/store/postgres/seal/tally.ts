// What a row of the store says of its records beside having them: how many are bad, and what there is of the others.
import { type Datatype, form, qualityMask, traitsOf } from '@telltale/schema/values';
import type { Columns, Kind } from '../../../archive/index.ts';

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
  const { qualities, numbers, longs } = columns;
  const { form: held } = traitsOf(datatype);
  const isText = held === form.text;
  // The low byte of a command's quality is zero, which would be bad.
  const judged = kind === 'measurements' ? 0 : qualityMask.status;
  let [bad, notGood, sum] = [0, 0, 0];
  let [least, greatest] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  let isAdded = !isText;
  for (let at = from; at < to; at++) {
    const status = ((qualities[at] as number) | judged) & qualityMask.status;
    if (status !== qualityMask.status) notGood++;
    if (status === 0) {
      bad++;
      continue;
    }
    if (isText) continue;
    const value = held === form.long ? Number(longs[at]) : (numbers[at] as number);
    if (value < least) least = value;
    if (value > greatest) greatest = value;
    if (Math.abs(value) < tooLarge) sum += value;
    else isAdded = false;
  }
  const count = to - from;
  // A number that is infinite is the least or the greatest all the same.
  const hasNumbers = !isText && greatest >= least;
  return {
    count,
    bad,
    notGood,
    least: hasNumbers ? least : undefined,
    greatest: hasNumbers ? greatest : undefined,
    sum: isAdded && bad < count ? sum : undefined,
  };
}
