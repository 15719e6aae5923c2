// What a provider reads of the archive, in the thread of the stacks: checks what is asked for, asks the server's thread, and makes
// records of the frames that come back. What is under way ends with the provider.
import { type ArchiveColumns, ColumnsReader, isAggregate, quality, type StoredValue, unstored } from '@telltale/schema';
import {
  type AggregateRequest,
  type ArchivedPoint,
  type HistoryPage,
  type HistoryRecord,
  type HistoryRequest,
  maxHistoryRecords,
  type ProviderHistory,
  Refused,
} from '@telltale/stack-kit';
import type { HistoryAsked } from './protocol.ts';

export interface ProviderReadsOptions {
  /** Whether it is one of the provider, and of which kind. */
  readonly kindOf: (point: ArchivedPoint) => HistoryAsked['kind'] | undefined;
  /** Frames of columns. Throws `Refused`. */
  readonly ask: (asked: HistoryAsked, signal: AbortSignal) => Promise<readonly Uint8Array[]>;
}

/** Of one provider, at once. */
const maxReads = 32;
/** More records of one time than can be told apart. */
const maxSkip = 1_000_000;
/** The time behind the last one. */
const endUs = Number.MAX_SAFE_INTEGER;

export class ProviderReads implements ProviderHistory {
  readonly #options: ProviderReadsOptions;
  readonly #ended = new AbortController();
  #running = 0;

  constructor(options: ProviderReadsOptions) {
    this.#options = options;
  }

  /** The provider is stopped. */
  stop(): void {
    this.#ended.abort(new Refused('the provider is stopped'));
  }

  async read(point: ArchivedPoint, request: HistoryRequest, signal?: AbortSignal): Promise<HistoryPage> {
    const { limit, newestFirst = false, cursor } = request;
    const { sinceUs, untilUs } = intervalOf(request);
    if (!isCount(limit, maxHistoryRecords)) throw new Refused(`the limit is 1 to ${maxHistoryRecords} records`);
    const { timeUs, skip } = cursor ?? { timeUs: newestFirst ? untilUs : sinceUs, skip: 0 };
    if (!isTime(timeUs) || !(skip === 0 || isCount(skip, maxSkip)))
      throw new Refused('this is no place in the archive');
    const frames = await this.#ask(
      {
        ...this.#of(point),
        sinceUs: newestFirst ? sinceUs : Math.max(sinceUs, timeUs),
        untilUs: newestFirst && cursor !== undefined ? Math.min(untilUs, timeUs + 1) : untilUs,
        newestFirst,
        limit: skip + limit + 1, // one more says that there are more
      },
      signal,
    );
    const { records, isWhole } = recordsOf(frames);
    return pageOf(records, isWhole && records.length <= skip + limit, skip, limit);
  }

  async aggregate(
    point: ArchivedPoint,
    request: AggregateRequest,
    signal?: AbortSignal,
  ): Promise<readonly HistoryRecord[]> {
    const { stepUs, aggregate } = request;
    const { sinceUs, untilUs } = intervalOf(request);
    if (!isAggregate(aggregate)) throw new Refused('there is no such aggregate');
    if (!isCount(stepUs, endUs) || (untilUs - sinceUs) / stepUs > maxHistoryRecords) {
      throw new Refused(`the interval has more than ${maxHistoryRecords} buckets`);
    }
    const asked = { ...this.#of(point), sinceUs, untilUs, newestFirst: false, limit: maxHistoryRecords };
    const { records, isWhole } = recordsOf(await this.#ask({ ...asked, stepUs, aggregate }, signal));
    if (!isWhole) throw new Refused('the answer is too long: ask for a shorter interval');
    return records;
  }

  #of(point: ArchivedPoint): Pick<HistoryAsked, 'kind' | 'pointId'> {
    const kind = this.#options.kindOf(point);
    if (kind === undefined) throw new Refused('the point is not one of this provider');
    return { kind, pointId: point.id };
  }

  async #ask(asked: HistoryAsked, signal: AbortSignal | undefined): Promise<readonly Uint8Array[]> {
    if (this.#running >= maxReads) throw new Refused(`${maxReads} reads of the archive are under way already`);
    const either = signal === undefined ? this.#ended.signal : AbortSignal.any([this.#ended.signal, signal]);
    either.throwIfAborted();
    this.#running++;
    try {
      return await this.#options.ask(asked, either);
    } catch (error) {
      either.throwIfAborted();
      throw error;
    } finally {
      this.#running--;
    }
  }
}

function isTime(timeUs: number): boolean {
  return Number.isSafeInteger(timeUs) && timeUs >= 0;
}

function isCount(count: number, most: number): boolean {
  return Number.isSafeInteger(count) && count >= 1 && count <= most;
}

function intervalOf({ sinceUs, untilUs }: { readonly sinceUs: number; readonly untilUs: number }) {
  if (isTime(sinceUs) && isTime(untilUs) && sinceUs <= untilUs) return { sinceUs, untilUs };
  throw new Refused('an interval has whole microseconds since 1970, and begins before it ends');
}

/** `isWhole`: nothing was cut off. */
function recordsOf(frames: readonly Uint8Array[]): { records: HistoryRecord[]; isWhole: boolean } {
  const reader = new ColumnsReader();
  const records: HistoryRecord[] = [];
  for (const frame of frames) for (const columns of reader.feed(frame)) addRecords(columns, records);
  return { records, isWhole: reader.isEnded };
}

function addRecords({ kind, datatype, times, values, qualities }: ArchiveColumns, records: HistoryRecord[]): void {
  for (let at = 0; at < times.length; at++) {
    records.push({
      datatype,
      value: unstored(datatype, values[at] as StoredValue),
      quality: kind === 'commands' ? quality.good : (qualities[at] as number),
      timeUs: times[at] as number,
    });
  }
}

function pageOf(all: readonly HistoryRecord[], isLast: boolean, skip: number, limit: number): HistoryPage {
  const end = Math.min(all.length, skip + limit);
  const records = all.slice(skip, end);
  if (isLast) return { records, cursor: undefined };
  const timeUs = all[end - 1]?.timeUs;
  if (timeUs === undefined || records.length === 0) {
    throw new Refused('the archive has too much of one time to be read in pages');
  }
  let sameTime = 1;
  while (sameTime < end && all[end - 1 - sameTime]?.timeUs === timeUs) sameTime++;
  return { records, cursor: { timeUs, skip: sameTime } };
}
