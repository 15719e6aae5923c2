// Times as people write them on a command line: so long ago, a date of their own clock, or seconds.
import type { ArchiveMoment } from '@telltale/client';
import { durationForms, parseDuration, parseDurationIn, parseIsoMs, toTimestamp } from '@telltale/schema';
import { UsageError } from './declaration.ts';

export const momentForms = 'such as 1h (so long ago), 2026-01-31, 2026-01-31T12:00, 2026-01-31T12:00:00Z or seconds';

const dateForm = /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?(?:Z|[+-]\d\d:\d\d)?)?$/;

/** Zero itself would be 1970 as the beginning of an interval. */
const leastAgoUs = 1;

/** Without an offset, a date is of this machine's zone. */
export function readMoment(option: string, text: string): ArchiveMoment {
  const agoUs = text === 'now' ? 0 : parseDuration(text.replace(/^-/, ''));
  if (agoUs !== undefined) return -Math.max(agoUs, leastAgoUs) / 1_000_000;
  if (/^-?\d+(?:\.\d+)?$/.test(text)) return Number(text);
  const ms = dateForm.test(text) ? parseIsoMs(local(text)) : Number.NaN;
  if (ms >= 0 && ms * 1000 <= Number.MAX_SAFE_INTEGER) return toTimestamp(ms * 1000);
  throw new UsageError(`--${option} is a time, ${momentForms}, not ${JSON.stringify(text.slice(0, 60))}.`);
}

/** A date alone would be taken for one of UTC. */
function local(text: string): string {
  return text.length === 10 ? `${text}T00:00` : text;
}

/** Seconds of `60`, `0.5`, `5m` or `1h30m`; at most `mostS`. */
export function readSeconds(option: string, text: string, mostS = Number.MAX_SAFE_INTEGER / 1e6): number {
  const seconds = parseDurationIn('s', text) ?? (/^\d*\.?\d+$/.test(text) ? Number(text) : 0);
  if (seconds > 0 && seconds <= mostS) return seconds;
  const bounds = seconds > mostS ? `at most ${mostS} ` : '';
  throw new UsageError(
    `--${option} is ${bounds}seconds, or a duration: ${durationForms}; not ${JSON.stringify(text.slice(0, 60))}.`,
  );
}
