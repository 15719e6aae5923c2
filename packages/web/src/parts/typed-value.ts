// What a person has typed for a point, as the wire has it, and whether it lies in the point's range. The service decides; this
// is help.
import {
  type Datatype,
  formatPrefixed,
  isPrefixedText,
  parsePrefixed,
  parseText,
  traitsOf,
} from '@telltale/schema/values';
import type { Measure } from '../data/points.ts';
import { plainNumber } from '../words/words.ts';

/** With its prefix; undefined where it is no value of the datatype. */
export function typedValue(datatype: Datatype, text: string): string | undefined {
  const typed = isPrefixedText(datatype) ? text : plainNumber(text);
  if (typed === '' && !isPrefixedText(datatype)) return undefined;
  try {
    return formatPrefixed(datatype, parseText(datatype, typed));
  } catch {
    return undefined;
  }
}

export function isInRange(
  prefixed: string,
  { datatype, range: [low, high] }: Pick<Measure, 'datatype' | 'range'>,
): boolean {
  const { compare } = traitsOf(datatype);
  const { value } = parsePrefixed(prefixed);
  const isBelow = low !== null && compare(value, parsePrefixed(low).value) < 0;
  const isAbove = high !== null && compare(value, parsePrefixed(high).value) > 0;
  return !isBelow && !isAbove;
}
