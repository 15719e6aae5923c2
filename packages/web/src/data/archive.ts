// The archive as a whole: its figures, its care, and what goes in, out and away. What is read of single points is history.ts.

import { erasing } from '@telltale/client';
import type { Aggregate, ArchiveKind, ArchiveProgress, ArchiveStats, CalendarStep } from '@telltale/schema';
import { aggregates, calendarSteps, toTimestamp } from '@telltale/schema/values';
import { client } from './service.ts';

export type { Aggregate, ArchiveKind, ArchiveProgress, ArchiveStats, CalendarStep };
export { aggregates, calendarSteps };

export type Care = 'check' | 'compact';

/** Microseconds since 1970; the end is not in it. */
export interface Interval {
  readonly since: number;
  readonly until: number;
}

export interface Export extends Interval {
  readonly kind: ArchiveKind;
  /** Names and patterns; none: all. */
  readonly names: readonly string[];
  readonly resample?: CalendarStep | undefined;
  readonly tz?: string | undefined;
  readonly aggregate?: Aggregate | undefined;
}

export function readStats(signal: AbortSignal): Promise<ArchiveStats> {
  return client.archive.stats({ signal });
}

export function takeCare(care: Care, signal: AbortSignal): AsyncGenerator<ArchiveProgress, void> {
  return client.archive[care]({ signal });
}

/** CSV, whole, or it throws. */
export async function exportArchive({ kind, names, ...options }: Export, signal: AbortSignal): Promise<Blob> {
  const { stream } = await client.archive.download(kind, {
    ...options,
    ...timesOf(options),
    ...(names.length > 0 && { names }),
    form: 'csv',
    signal,
  });
  return new Response(stream).blob();
}

/** Beyond these nobody counts on. */
export const mostCounted = 5_000_000;

/** How many records of a name are in the interval: at least `mostCounted` where there are more. */
export async function countRecords(
  kind: ArchiveKind,
  name: string,
  interval: Interval,
  signal: AbortSignal,
): Promise<number> {
  let count = 0;
  if (kind === 'alarms') {
    for await (const page of client.archive.pages(kind, name, { ...timesOf(interval), signal })) {
      count += page.length;
      if (count >= mostCounted) break;
    }
    return count;
  }
  for await (const { times } of client.archive.columns(kind, { ...timesOf(interval), names: [name], signal })) {
    count += times.length;
    if (count >= mostCounted) break;
  }
  return count;
}

/** As an action that may have to be signed. */
export function erasingOf(kind: ArchiveKind, name: string, interval: Interval) {
  return erasing(kind, name, timesOf(interval));
}

/** Resolves when they are gone, on disk. */
export function eraseRecords(
  kind: ArchiveKind,
  name: string,
  interval: Interval,
  reason: string,
  signal: AbortSignal,
): Promise<void> {
  return client.archive.erase(kind, name, { ...timesOf(interval), ...(reason !== '' && { reason }), signal });
}

/** So many bytes go in one request: so the service takes a file of any length, and one sees how far it has come. */
const partBytes = 1 << 20;
const mostPartBytes = 64 << 20;

export interface ImportProgress {
  readonly doneBytes: number;
  readonly totalBytes: number;
  /** The first line of the file, counted from 1, that is not known to be stored. */
  readonly nextLine: number;
}

/** Part by part; throws where one is refused, of which the lines before the wrong one are stored. */
export async function importCsv(
  kind: 'measurements' | 'commands',
  name: string,
  file: Blob,
  tell: (progress: ImportProgress) => void,
  signal: AbortSignal,
): Promise<void> {
  let at = 0;
  let header = '';
  let nextLine = 1;
  tell({ doneBytes: 0, totalBytes: file.size, nextLine });
  while (at < file.size) {
    const { text, bytes } = await partAt(file, at);
    signal.throwIfAborted();
    const isFirst = at === 0;
    if (isFirst) header = headerOf(text);
    const body = new Blob([isFirst ? text : header + text]);
    await client.archive.backfillCsv(kind, name, body, { signal });
    at += bytes;
    nextLine += text.split('\n').length - 1;
    tell({ doneBytes: at, totalBytes: file.size, nextLine });
  }
}

/** Whole lines, however long: a line ends where no quotation is open. */
async function partAt(file: Blob, at: number): Promise<{ readonly text: string; readonly bytes: number }> {
  for (let size = partBytes; ; size *= 2) {
    const text = await file.slice(at, at + size).text();
    if (at + size >= file.size) return { text, bytes: file.size - at };
    let end = text.lastIndexOf('\n');
    while (end >= 0 && (text.slice(0, end).split('"').length - 1) % 2 === 1) end = text.lastIndexOf('\n', end - 1);
    if (end >= 0) {
      const whole = text.slice(0, end + 1);
      return { text: whole, bytes: new TextEncoder().encode(whole).length };
    }
    if (size >= mostPartBytes) return { text, bytes: Math.min(size, file.size - at) };
  }
}

function headerOf(text: string): string {
  const line = text.slice(0, text.indexOf('\n') + 1);
  return /time/i.test(line) ? line : '';
}

function timesOf({ since, until }: Interval) {
  return { since: toTimestamp(Math.max(0, since)), until: toTimestamp(Math.max(0, until)) };
}
