// What a provider may read of the archive, the history of the points that it serves; and what a connector may add to it, readings that
// its device has kept.
import type { Aggregate, Batch, Datatype, Value } from '@telltale/schema';

/** One of the points that the connector or provider was given. */
export interface ArchivedPoint {
  readonly id: number;
}

/** The most records of a page, and the most buckets of an answer. */
export const maxHistoryRecords = 10_000;

export interface HistoryRecord {
  /** That of the point at that time. */
  readonly datatype: Datatype;
  readonly value: Value;
  /** The low byte; that of a command is always good. */
  readonly quality: number;
  readonly timeUs: number;
}

/** Where a page ended: behind so many records of this time. */
export interface HistoryCursor {
  readonly timeUs: number;
  readonly skip: number;
}

export interface HistoryRequest {
  /** Half-open, in whole microseconds since 1970. */
  readonly sinceUs: number;
  readonly untilUs: number;
  /** From the end back: the record in force at a time is the first of those before the next microsecond. */
  readonly newestFirst?: boolean;
  /** 1 to `maxHistoryRecords`; a page of long texts has fewer. */
  readonly limit: number;
  /** Of the page before, to the same request. */
  readonly cursor?: HistoryCursor | undefined;
}

export interface HistoryPage {
  readonly records: readonly HistoryRecord[];
  /** Undefined: there are no more. */
  readonly cursor: HistoryCursor | undefined;
}

export interface AggregateRequest {
  readonly sinceUs: number;
  readonly untilUs: number;
  /** The length of a bucket, from `sinceUs` on; the last one may be shorter. At most `maxHistoryRecords` of them. */
  readonly stepUs: number;
  readonly aggregate: Aggregate;
}

/**
 * The archive, by its own rules: what has expired or was erased is not there, what was renamed is. All of these throw `Refused`, with
 * the reason for the client: the point is not one of the provider, the archive is busy or cannot be read.
 */
export interface ProviderHistory {
  /** Raw records, in order of time. */
  read(point: ArchivedPoint, request: HistoryRequest, signal?: AbortSignal): Promise<HistoryPage>;
  /** One a bucket, at its start; a bucket of which nothing is known is left out. The rules are those of GET /archive/… */
  aggregate(point: ArchivedPoint, request: AggregateRequest, signal?: AbortSignal): Promise<readonly HistoryRecord[]>;
}

/** What became of readings of the past: together they are all that were published. */
export interface PastOutcome {
  readonly stored: number;
  /** Not archived, of a time to come, within a deadband, or of points that are gone. */
  readonly dropped: number;
}

/** The times of the newest records of a measurement. */
export interface LastRecorded {
  readonly newestUs: number;
  /** Of the newest that is not bad; undefined where the last few are. */
  readonly soundUs: number | undefined;
}

/** Of a connector whose device has kept what it measured while there was no link. */
export interface ConnectorHistory {
  /**
   * Archives readings of the past, each point's in order of time: they are neither live values nor seen by alarms. They are scaled as
   * live ones are, and replace records of the same time. The batch, of up to `maxHistoryRecords`, is taken. Resolves when all is on
   * disk; rejects where it may not be: they can be published again.
   */
  publish(batch: Batch): Promise<PastOutcome>;
  /** One a measurement; undefined where the archive has nothing of it. Asked before live values are published, it says what is missing. */
  lastRecorded(measurements: readonly ArchivedPoint[]): Promise<readonly (LastRecorded | undefined)[]>;
}
