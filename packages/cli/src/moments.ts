// Times as people write them on a command line: so long ago, a day or a time of their own clock, or seconds.
import type { ArchiveMoment } from '@telltale/client';
import { durationForms, parseDuration, parseDurationIn, parseIsoMs, toTimestamp } from '@telltale/schema';
import { UsageError } from './declaration.ts';

export const momentForms =
  "such as 1h30m or -1h30m (so long ago), yesterday, 14:00 (today), 2026-01-31, '2026-01-31 14:00', 2026-01-31T12:00:00Z, " +
  'now or seconds since 1970';

const zonedForm = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?(?:Z|[+-]\d\d:\d\d)$/;
const dayForm = /^(\d{4})-(\d\d)-(\d\d)$/;
const clockForm = /^(\d\d?):(\d\d)(?::(\d\d)(?:\.(\d{1,3}))?)?$/;

/** Zero itself would be 1970 as the beginning of an interval. */
const leastAgoUs = 1;

/** Without an offset, a time is of this machine's zone; without a day, of today there. */
export function readMoment(option: string, text: string, nowMs: number): ArchiveMoment {
  const agoUs = text === 'now' ? 0 : parseDuration(text.replace(/^-/, ''));
  if (agoUs !== undefined) return -Math.max(agoUs, leastAgoUs) / 1_000_000;
  if (/^-?\d+(?:\.\d+)?$/.test(text)) return Number(text);
  const ms = zonedForm.test(text) ? parseIsoMs(text) : localMs(text, nowMs);
  if (ms >= 0 && ms * 1000 <= Number.MAX_SAFE_INTEGER) return toTimestamp(ms * 1000);
  throw new UsageError(`--${option} is a time, ${momentForms}, not ${JSON.stringify(text.slice(0, 60))}.`);
}

/**
 * NaN where it is none. A time that the clock leaves out when it is put forward is as much later, and of two, when it is put
 * back, it is the first: so do iCalendar and Temporal.
 */
function localMs(text: string, nowMs: number): number {
  const [first = '', second, ...more] = text.split(/[T ]/);
  const isToday = second === undefined && clockForm.test(first);
  const day = dayOf(isToday ? 'today' : first, nowMs);
  const clock = clockForm.exec((isToday ? first : second) ?? '00:00');
  if (day === undefined || clock === null || more.length > 0) return Number.NaN;
  const [hour = 0, minute = 0, seconds = 0] = clock.slice(1, 4).map((digits) => Number(digits ?? 0));
  const isTime = minute < 60 && seconds < 60 && (hour < 24 || (hour === 24 && minute + seconds === 0));
  const ms = Number((clock[4] ?? '').padEnd(3, '0'));
  return isTime ? new Date(day.year, day.month - 1, day.day, hour, minute, seconds, ms).getTime() : Number.NaN;
}

/** Day 0 is the last one of the month before. */
function dayOf(text: string, nowMs: number): { year: number; month: number; day: number } | undefined {
  if (text === 'today' || text === 'yesterday') {
    const now = new Date(nowMs);
    const day = now.getDate() - (text === 'today' ? 0 : 1);
    return { year: now.getFullYear(), month: now.getMonth() + 1, day };
  }
  const [, year = '', month = '', day = ''] = dayForm.exec(text) ?? [];
  if (Number.isNaN(parseIsoMs(`${text}T00:00Z`)) || Number(year) < 1970) return undefined;
  return { year: Number(year), month: Number(month), day: Number(day) };
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
