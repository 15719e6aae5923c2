// The texts of values, times and qualities in an explanation.
import {
  type Command,
  type Datatype,
  describeQuality,
  formatPrefixed,
  formatText,
  formatTimestamp,
  fromTimestamp,
  isPrefixedText,
  type Measurement,
  precisionOf,
  type StoredValue,
  shownValue,
  toTimestamp,
  unstored,
  type Vtq,
  withUnit,
} from '@telltale/schema';
import type { ChainView } from '../../points/index.ts';

export function vtqOf(datatype: Datatype, { value, timeUs, quality }: ChainView['device']): Vtq {
  return [prefixed(datatype, value), toTimestamp(timeUs), quality];
}

export function vtqText([value, time, quality]: Vtq, show: Show): string {
  const us = fromTimestamp(time);
  return us === 0
    ? `no value yet, ${describeQuality(quality)}`
    : `${show(value)}, ${describeQuality(quality)}, of ${when(us)}`;
}

export function prefixed(datatype: Datatype, value: StoredValue): string {
  return formatPrefixed(datatype, unstored(datatype, value));
}

/** What people are shown of a value of one point that has its prefix. */
export type Show = (value: string) => string;

/** Rounded as it makes sense for the point, with its unit. */
export function showFor(point: Measurement | Command): Show {
  const precision = precisionOf(point);
  return (value) => (isPrefixedText(value) ? plain(value) : withUnit(shownValue(value, precision), point.eu));
}

/** As people write it, exact: without the letter, a text in quotes. */
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
