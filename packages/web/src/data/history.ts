// The archive: what was in force at a moment, and records of intervals as typed arrays.
import { type Aggregate, type ArchiveColumns, archiveFlag, quality, toTimestamp } from '@telltale/schema/values';
import type { LiveValue, PointKind } from './live-value.ts';
import { client } from './service.ts';
import { type Trace, traceOf } from './trace.ts';

export interface Interval {
  readonly kind: PointKind;
  readonly names: readonly string[];
  /** Whole microseconds since 1970; not in the interval: `until`. */
  readonly from: number;
  readonly until: number;
}

/** The value in force at a moment, of each name that has a record at or before it; without names, of all. */
export async function valuesAt(
  kind: PointKind,
  names: readonly string[] | undefined,
  at: number,
  signal?: AbortSignal,
): Promise<Map<string, LiveValue>> {
  const interval = { since: toTimestamp(at), until: toTimestamp(at + 1), warpHead: true, limit: 1, flags: true };
  const found = new Map<string, LiveValue>();
  if (kind === 'measurements') {
    const records = await client.archive.readMany('measurements', { names, ...interval, signal });
    for (const [name, [record]] of Object.entries(records)) {
      if (record === undefined) continue;
      const [value, , q, flags = 0] = record;
      found.set(name, { value, t: at, quality: q | ((flags & archiveFlag.simulated) === 0 ? 0 : quality.simulated) });
    }
    return found;
  }
  const records = await client.archive.readMany('commands', { names, ...interval, signal });
  for (const [name, [record]] of Object.entries(records)) {
    const value = record?.[0];
    if (value !== undefined && value !== null) found.set(name, { value, t: at, quality: undefined });
  }
  return found;
}

/** Records of an interval, at most about so many of each name; the first is that in force at its start. */
export async function readTraces(
  { kind, names, from, until }: Interval,
  maxPoints: number,
  signal: AbortSignal,
): Promise<Map<string, Trace>> {
  const times = { since: toTimestamp(from), until: toTimestamp(until) };
  const frames = new Map<string, ArchiveColumns[]>();
  for await (const frame of client.archive.columns(kind, {
    names,
    ...times,
    maxPoints,
    warpHead: true,
    flags: true,
    signal,
  })) {
    const list = frames.get(frame.name);
    if (list === undefined) frames.set(frame.name, [frame]);
    else list.push(frame);
  }
  return new Map([...frames].map(([name, list]) => [name, traceOf(list)]));
}

const ofNumbers = ['avg', 'min', 'max', 'percent-good'] as const satisfies readonly Aggregate[];
const ofTexts = ['count', 'percent-good'] as const satisfies readonly Aggregate[];

/** Of a whole interval; what has no value, such as the average of a text, is missing. */
export type Statistics = { readonly [Each in (typeof ofNumbers)[number]]?: number };

/** As the service finds them, from all records. */
export async function readStatistics(
  { kind, names, from, until, areTexts }: Interval & { readonly areTexts: boolean },
  signal: AbortSignal,
): Promise<Map<string, Statistics>> {
  const found = new Map<string, Record<string, number>>();
  const interval = { since: toTimestamp(from), until: toTimestamp(until) };
  // One bucket, as long as the interval or longer.
  const resampleS = Math.ceil((until - from) / 1e6) + 1;
  const options = { names, ...interval, resampleS, aggregates: areTexts ? ofTexts : ofNumbers, signal };
  for await (const { name, aggregate, values } of client.archive.columns(kind, options)) {
    const [value] = values;
    if (aggregate === undefined || value === undefined || typeof value === 'string') continue;
    const row = found.get(name) ?? {};
    row[aggregate] = Number(value);
    found.set(name, row);
  }
  return found;
}

/** All records of an interval as CSV, as they arrive. */
export function readCsv({ kind, names, from, until }: Interval, signal: AbortSignal) {
  const times = { since: toTimestamp(from), until: toTimestamp(until) };
  return client.archive.download(kind, { names, ...times, warpHead: true, flags: true, form: 'csv', signal });
}
