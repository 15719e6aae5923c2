// Times and qualities that stand in an answer beside their values. Pure.
import { parseIsoMs, quality, qualityMask } from '@telltale/schema';

export type TimeUnit = 's' | 'ms' | 'us';

/** The one status of the four that OPC gives no meaning. */
const unassigned = 0x80;
const perUnit = { s: 1e6, ms: 1e3, us: 1 } as const;
const isoTime =
  /^[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:[.,]([0-9]{1,9}))?)?(?:Z|[+-][0-9]{2}:?[0-9]{2})$/;

/** Microseconds since 1970; undefined if it is not a time. A text without its zone is ambiguous, and is not one. */
export function readTime(json: unknown, unit: TimeUnit): number | undefined {
  if (typeof json === 'number' || typeof json === 'bigint') return finite(Number(json) * perUnit[unit]);
  if (typeof json !== 'string' || json.length > 50) return undefined;
  if (/^[0-9]{1,17}(?:\.[0-9]{1,9})?$/.test(json)) return finite(Number(json) * perUnit[unit]);
  const [, fraction] = isoTime.exec(json) ?? [];
  if (!isoTime.test(json)) return undefined;
  // Date knows milliseconds only: the fraction is read here.
  const secondsOnly = json
    .replace(/[.,][0-9]+/, '')
    .replace(' ', 'T')
    .replace(/([+-][0-9]{2})([0-9]{2})$/, '$1:$2');
  const ms = parseIsoMs(secondsOnly);
  return Number.isNaN(ms) ? undefined : ms * 1000 + Math.round(Number(`0.${fraction ?? 0}`) * 1e6);
}

/** Of a number: an OPC quality; of a boolean: good or bad; of a word: good, uncertain or bad. Anything else is bad. */
export function readQuality(json: unknown): number {
  if (typeof json === 'number' && Number.isInteger(json) && json >= 0 && json <= 0xff) {
    return (json & qualityMask.status) === unassigned ? quality.bad.nonSpecific : json;
  }
  if (json === true) return quality.good;
  if (typeof json !== 'string' || json.length > 20) return quality.bad.nonSpecific;
  const word = json.toLowerCase();
  if (word === 'good' || word === 'ok' || word === 'valid') return quality.good;
  return word === 'uncertain' ? quality.uncertain.nonSpecific : quality.bad.nonSpecific;
}

function finite(value: number): number | undefined {
  return Number.isFinite(value) ? value : undefined;
}
