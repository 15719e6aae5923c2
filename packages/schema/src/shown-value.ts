// How people are shown a value: a decimal number with as many decimals as make sense for its point, and no more. What
// programs read stays exact.
import type { Command, Measurement } from './configuration.ts';
import { isDatatype, traitsOf } from './datatype.ts';
import { isPrefixedText } from './value.ts';

/** The property of a measurement or command that says how many decimals people are shown. */
export const precisionProperty = 'precision';

/** More decimals than these no double has to distinguish. */
export const maxPrecision = 15;

/** The finest step that is worth showing, as a share of the range: better than most transmitters are. */
const rangeSteps = 10_000;

/** Significant digits of a number of which nothing else is known: fewer than rounding errors reach. */
const usualDigits = { single: 6, double: 10 } as const;

/** Of `toFixed`. */
const maxFixed = 100;

/** Undefined where the text is no number of decimals. */
export function parsePrecision(text: string): number | undefined {
  return /^\d{1,2}$/.test(text) && Number(text) <= maxPrecision ? Number(text) : undefined;
}

/**
 * How many decimals of a point's values people are shown: its property `precision`; else such that a tenth of its deadband can
 * be seen; else a ten-thousandth of its range. Undefined where none of these says it, and of whole numbers and texts.
 */
export function precisionOf(point: Measurement | Command): number | undefined {
  const { precision } = traitsOf(point.datatype);
  if (precision !== 'single' && precision !== 'double') return undefined;
  const set = parsePrecision(point.properties?.[precisionProperty] ?? '');
  if (set !== undefined) return set;
  const span = Math.abs(Number(point.euRangeHi) - Number(point.euRangeLo));
  const deadband = 'deadband' in point ? deadbandOf(point.deadband ?? '', span) : Number.NaN;
  return decimalsFor(deadband > 0 ? deadband / 10 : span / rangeSteps);
}

/** Not a number where there is none. */
function deadbandOf(text: string, span: number): number {
  if (text === '') return Number.NaN;
  return text.endsWith('%') ? (Number(text.slice(0, -1)) / 100) * span : Number(text);
}

/** Whose last digit is nearest to a step of this size. */
function decimalsFor(step: number): number | undefined {
  if (!(step > 0) || !Number.isFinite(step)) return undefined;
  return Math.min(maxPrecision, Math.max(0, Math.round(-Math.log10(step))));
}

/** The text of a value that has its prefix: without it, a text in quotes, a decimal number rounded. */
export function shownValue(prefixed: string, precision?: number | null): string {
  const text = prefixed.slice(1);
  const datatype = prefixed.charAt(0);
  if (isPrefixedText(prefixed)) return JSON.stringify(text);
  const kind = isDatatype(datatype) ? traitsOf(datatype).precision : undefined;
  if ((kind !== 'single' && kind !== 'double') || !text.includes('.')) return text;
  const decimals = precision ?? usualDecimals(Math.abs(Number(text)), usualDigits[kind]);
  if (decimals > maxFixed) return text;
  const rounded = Number(text).toFixed(decimals);
  const shortest = rounded.includes('.') ? rounded.replace(/\.?0+$/, '') : rounded;
  return shortest === '-0' ? '0' : shortest;
}

/** A text with its engineering unit, where there is one. */
export function withUnit(text: string, eu: string | null | undefined): string {
  return eu === undefined || eu === null || eu === '' ? text : `${text} ${eu}`;
}

/** Digits before the point are never rounded. */
function usualDecimals(size: number, digits: number): number {
  if (size === 0) return 0;
  return Math.max(0, digits - 1 - Math.floor(Math.log10(size)));
}
