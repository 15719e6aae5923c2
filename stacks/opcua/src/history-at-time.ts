// The value at a time, after Part 11 and the stepped interpolation of Part 13: the record at that time, or else the one before it.
import type { HistoryRecord } from '@telltale/stack-kit';
import { StatusCodes } from 'node-opcua-client';
import { lastUntil, type ReadPage } from './history-raw.ts';
import { statusOfQuality } from './status-quality.ts';

export interface ValueAtTime {
  /** Undefined: there is none. */
  readonly record: HistoryRecord | undefined;
  readonly status: number;
}

/** The bits of a value that was made of another one. */
const interpolated = 0x0400 | 0x02;
/** How far back a value that is not bad is looked for: in so many pages of so many records. */
const maxPages = 20;
const pageRecords = 100;

const noData: ValueAtTime = { record: undefined, status: StatusCodes.BadNoData.value };

/**
 * `isSimple`: with simple bounding values, a bad value before the time leaves nothing; else bad values are passed over, and the result
 * is uncertain. So it is of a time to come, which nobody knows.
 */
export async function readAtTime(
  read: ReadPage,
  timeUs: number,
  nowUs: number,
  isSimple: boolean,
): Promise<ValueAtTime> {
  const last = await lastUntil(read, timeUs);
  if (last === undefined) return noData;
  if (last.timeUs === timeUs) return { record: last, status: statusOfQuality(last.quality) };
  const uncertain = (StatusCodes.UncertainDataSubNormal.value | interpolated) >>> 0;
  if (!isBad(last)) {
    const isSure = timeUs <= nowUs && (last.quality & 0xc0) === 0xc0;
    return { record: last, status: isSure ? interpolated : uncertain };
  }
  const record = isSimple ? undefined : await lastSound(read, last.timeUs);
  return record === undefined ? noData : { record, status: uncertain };
}

async function lastSound(read: ReadPage, untilUs: number): Promise<HistoryRecord | undefined> {
  let page: Awaited<ReturnType<ReadPage>> | undefined;
  for (let pages = 0; pages < maxPages; pages++) {
    const request = { sinceUs: 0, untilUs: untilUs + 1, newestFirst: true, limit: pageRecords };
    page = await read({ ...request, cursor: page?.cursor });
    const found = page.records.find((record) => !isBad(record));
    if (found !== undefined || page.cursor === undefined) return found;
  }
  return undefined;
}

function isBad({ quality }: HistoryRecord): boolean {
  return (quality & 0xc0) === 0;
}
