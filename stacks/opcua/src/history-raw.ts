// The raw values that a client reads of the archive, after Part 11: forwards or backwards in time, with the bounding values where it
// wants them, in pages. Knows records and times, and nothing of the library.
import type { HistoryCursor, HistoryPage, HistoryRecord, HistoryRequest } from '@telltale/stack-kit';

/** Reads a page of one point. */
export type ReadPage = (request: HistoryRequest) => Promise<HistoryPage>;

export interface RawRequest {
  /** Undefined where the client does not say it; at least one of them is given. */
  readonly startUs: number | undefined;
  readonly endUs: number | undefined;
  /** The most values of an answer; 0: as many as there are. With one time alone, the most of all answers. */
  readonly count: number;
  readonly bounds: boolean;
}

/** A record, or a bound that the archive does not have. */
export type RawValue = HistoryRecord | { readonly missingUs: number };

/** Where the next page goes on. */
export interface RawPlace {
  readonly stage: 'start' | 'values' | 'end';
  readonly cursor: HistoryCursor | undefined;
  /** That may still be given in all; undefined: any number. */
  readonly left: number | undefined;
  /** Of the last value that was given. */
  readonly lastUs: number | undefined;
}

export interface RawPage {
  readonly values: readonly RawValue[];
  /** Undefined: these were the last. */
  readonly place: RawPlace | undefined;
}

/** The time behind the last one. */
const endOfTimeUs = Number.MAX_SAFE_INTEGER;
/** A bound that is missing where the client gave no time for it is so much behind the last value. */
const missingAfterUs = 1_000_000;

/** The stretch of time of a request, in the direction in which time flows. */
interface Domain {
  readonly isBackwards: boolean;
  /** Where it begins in the direction of the flow; a value there belongs to it. */
  readonly fromUs: number;
  /** Where it ends; a value there does not belong to it. Undefined: it is open. */
  readonly toUs: number | undefined;
  /** What to ask the archive for. */
  readonly sinceUs: number;
  readonly untilUs: number;
}

function domainOf({ startUs, endUs }: RawRequest): Domain {
  if (startUs === undefined) {
    const fromUs = endUs ?? 0;
    return { isBackwards: true, fromUs, toUs: undefined, sinceUs: 0, untilUs: behind(fromUs) };
  }
  if (endUs === undefined) {
    return { isBackwards: false, fromUs: startUs, toUs: undefined, sinceUs: startUs, untilUs: endOfTimeUs };
  }
  const common = { fromUs: startUs, toUs: endUs };
  if (startUs > endUs) {
    return { isBackwards: true, ...common, sinceUs: Math.min(behind(endUs), startUs), untilUs: behind(startUs) };
  }
  return { isBackwards: false, ...common, sinceUs: startUs, untilUs: startUs === endUs ? behind(endUs) : endUs };
}

function behind(timeUs: number): number {
  return Math.min(timeUs + 1, endOfTimeUs);
}

/** The next page of at most `most` values. */
export async function readRaw(
  read: ReadPage,
  request: RawRequest,
  most: number,
  at: RawPlace | undefined,
): Promise<RawPage> {
  const domain = domainOf(request);
  const isOpen = domain.toUs === undefined;
  const values: RawValue[] = [];
  let { stage, cursor, left, lastUs } = at ?? {
    stage: 'start',
    cursor: undefined,
    left: isOpen && request.count > 0 ? request.count : undefined,
    lastUs: undefined,
  };
  const room = Math.min(most, request.count === 0 ? most : request.count, left ?? most);
  const give = (value: RawValue) => {
    values.push(value);
    lastUs = timeOf(value);
    if (left !== undefined) left--;
  };
  if (stage === 'start') {
    const bound = request.bounds ? await startBound(read, domain) : undefined;
    if (bound !== undefined) give(bound);
    stage = 'values';
  }
  while (stage === 'values' && values.length < room) {
    const { sinceUs, untilUs, isBackwards: newestFirst } = domain;
    const page = await read({ sinceUs, untilUs, newestFirst, limit: room - values.length, cursor });
    for (const record of page.records) give(record);
    cursor = page.cursor;
    if (cursor === undefined) stage = 'end';
  }
  if (stage === 'values' || left === 0)
    return { values, place: left === 0 ? undefined : { stage, cursor, left, lastUs } };
  const bound = request.bounds ? await endBound(read, domain, lastUs) : undefined;
  if (bound === undefined) return { values, place: undefined };
  if (values.length >= room) return { values, place: { stage, cursor: undefined, left, lastUs } };
  give(bound);
  return { values, place: undefined };
}

export function timeOf(value: RawValue): number {
  return 'missingUs' in value ? value.missingUs : value.timeUs;
}

/** The value before the domain in the direction of the flow; undefined where one is at its very beginning. */
async function startBound(read: ReadPage, { isBackwards, fromUs }: Domain): Promise<RawValue | undefined> {
  const nearest = isBackwards ? await firstFrom(read, fromUs) : await lastUntil(read, fromUs);
  if (nearest?.timeUs === fromUs) return undefined;
  return nearest ?? { missingUs: fromUs };
}

/** The value at the end of the domain or behind it. Of one moment that has a value there is none. */
async function endBound(read: ReadPage, domain: Domain, lastUs: number | undefined): Promise<RawValue | undefined> {
  const { isBackwards, fromUs, toUs } = domain;
  const sign = isBackwards ? -1 : 1;
  if (toUs === undefined) return { missingUs: Math.max(0, (lastUs ?? fromUs) + sign * missingAfterUs) };
  if (fromUs === toUs && lastUs === toUs && (await lastUntil(read, toUs))?.timeUs === toUs) return undefined;
  const nearest = isBackwards ? await lastUntil(read, toUs) : await firstFrom(read, toUs);
  return nearest ?? { missingUs: toUs };
}

/** The last record at this time or before it. */
export async function lastUntil(read: ReadPage, timeUs: number): Promise<HistoryRecord | undefined> {
  return (await read({ sinceUs: 0, untilUs: behind(timeUs), newestFirst: true, limit: 1 })).records[0];
}

/** The first record at this time or after it. */
async function firstFrom(read: ReadPage, timeUs: number): Promise<HistoryRecord | undefined> {
  return (await read({ sinceUs: timeUs, untilUs: endOfTimeUs, limit: 1 })).records[0];
}
