// The interval of a request to the archive: digits to microseconds, exactly, and times counted back from now. Zero is the
// epoch where an interval begins, and now where it ends.
import { formatText, ProblemError } from '@telltale/schema';

/** Half-open, in whole microseconds since 1970. */
export interface Interval {
  readonly sinceUs: number;
  readonly untilUs: number;
}

const decimal = /^([+-]?)(?:(\d+)(?:\.(\d*))?|\.(\d+))$/;
const withExponent = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)[eE][+-]?\d+$/;

/** More seconds than any time has; the product of as many is a double, exact or not. */
const mostDigits = 10;
/** The first time that no record can have. */
const endUs = Number.MAX_SAFE_INTEGER + 1;
/** The year 2200: a number beyond it is rather one of milliseconds. */
const millisecondsUs = 7_258_118_400_000_000;

/** Of digits, or of numbers of JSON or of a query. */
export function readInterval(since: string | number, until: string | number, nowUs: number): Interval {
  const [first, last] = [digitsOf(since), digitsOf(until)];
  const sinceUs = readTime('t_since', first, nowUs);
  const untilUs = readTime('t_until', last, nowUs);
  if (sinceUs <= untilUs) return { sinceUs, untilUs };
  const hint = sinceUs > millisecondsUs ? ' It looks like milliseconds; times are in seconds.' : '';
  throw new ProblemError('invalid-interval', `t_since, ${shown(first)}, is after t_until, ${shown(last)}.${hint}`);
}

function digitsOf(time: string | number): string {
  if (typeof time === 'number') return formatText('d', time);
  if (!withExponent.test(time)) return time;
  const number = Number(time);
  return formatText('d', Number.isFinite(number) ? number : Math.sign(number) * Number.MAX_VALUE);
}

/** Rounded up to whole microseconds, which records have; at most the time next to the last possible one. */
function readTime(which: 't_since' | 't_until', text: string, nowUs: number): number {
  const [, sign, whole = '', decimals, bare] = decimal.exec(text) ?? [];
  if (sign === undefined) {
    const expected = 'a number of seconds in digits is expected, such as 1700000000.25 or -3600';
    throw new ProblemError('invalid-interval', `${which} is ${shown(text)}; ${expected}.`);
  }
  const fraction = decimals ?? bare ?? '';
  const digits = whole.replace(/^0+/, '');
  const seconds = digits.length > mostDigits ? 10 ** mostDigits : Number(digits);
  const us = Math.min(endUs, seconds * 1_000_000 + Number(fraction.slice(0, 6).padEnd(6, '0')));
  const isFiner = /[1-9]/.test(fraction.slice(6));
  if (us === 0 && !isFiner) return which === 't_since' ? 0 : nowUs;
  if (sign === '-') return Math.max(0, nowUs - us);
  return Math.min(endUs, us + Number(isFiner));
}

function shown(text: string): string {
  return JSON.stringify(text.slice(0, 80));
}
