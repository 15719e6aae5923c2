// The text of a value as it is shown: rounded as its point wants it, in the reader's language.
import { isPrefixedText, shownValue } from '@telltale/schema/values';
import type { PointFacts } from '../data/points.ts';
import { localNumber, words } from '../words/words.ts';

/** Of a value with its prefix. Texts are shown as they are, without quotes. */
export function valueText(prefixed: string, facts?: Pick<PointFacts, 'precision'>): string {
  if (isPrefixedText(prefixed)) return prefixed.slice(1);
  if (prefixed === 'b1') return words.value.values.on;
  if (prefixed === 'b0') return words.value.values.off;
  return localNumber(fixed(shownValue(prefixed, facts?.precision), facts?.precision));
}

/** With all its decimals, so that figures that change stand still. */
function fixed(text: string, precision: number | null | undefined): string {
  if (precision === undefined || precision === null || precision === 0 || !/^[+-]?\d+(?:\.\d+)?$/.test(text))
    return text;
  const [whole = '', decimals = ''] = text.split('.');
  return `${whole}.${decimals.padEnd(precision, '0')}`;
}
