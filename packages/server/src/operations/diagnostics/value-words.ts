// The texts of values, times and qualities in an explanation.
import {
  type Datatype,
  describeQuality,
  formatPrefixed,
  formatText,
  formatTimestamp,
  fromTimestamp,
  isPrefixedText,
  type StoredValue,
  toTimestamp,
  unstored,
  type Vtq,
} from '@telltale/schema';
import type { ChainView } from '../../points/index.ts';

export function vtqOf(datatype: Datatype, { value, timeUs, quality }: ChainView['device']): Vtq {
  return [prefixed(datatype, value), toTimestamp(timeUs), quality];
}

export function vtqText([value, time, quality]: Vtq): string {
  return `${plain(value)}, ${describeQuality(quality)}, of ${when(fromTimestamp(time))}`;
}

export function prefixed(datatype: Datatype, value: StoredValue): string {
  return formatPrefixed(datatype, unstored(datatype, value));
}

export function quoted(datatype: Datatype, value: StoredValue): string {
  return plain(prefixed(datatype, value));
}

/** As people write it: without the letter, a text in quotes. */
export function plain(value: string): string {
  return isPrefixedText(value) ? JSON.stringify(cut(value.slice(1))) : value.slice(1);
}

export function number(value: number | bigint): string {
  return typeof value === 'bigint' ? String(value) : formatText('d', value);
}

export function when(us: number): string {
  const whole = Math.round(us);
  return Number.isSafeInteger(whole) && whole > 0 ? formatTimestamp(whole) : 'no known time';
}

const longest = 200;

export function cut(text: string): string {
  return text.length <= longest ? text : `${text.slice(0, longest).toWellFormed()}…`;
}

/** Ends as a sentence does. */
export function sentence(text: string): string {
  const whole = cut(text);
  return /[.!?…]$/.test(whole) ? whole : `${whole}.`;
}
