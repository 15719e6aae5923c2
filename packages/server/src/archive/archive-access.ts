// The interface of the archive for the rest of the server. Everything behind it runs on other threads.
import {
  type Aggregate,
  type AlarmState,
  aggregates,
  type BatchMessage,
  type CalendarStep,
  type Datatype,
} from '@telltale/schema';
import type { Kind, SeriesKey, SimulatedFilter } from './records.ts';
import type { Visitor } from './turnstile.ts';

export { type Aggregate, aggregates, type CalendarStep };

export type RecordForm = 'json' | 'csv' | 'binary';

/** Buckets on the clock. */
export interface Calendar {
  readonly step: CalendarStep;
  /** Of the IANA database, such as `Europe/Vienna`. */
  readonly zone: string;
}

export interface ReadRequest {
  readonly kind: Kind;
  /** In the order of the answer, each once. Those without a series are left out of it, but for `known`. */
  readonly names: readonly string[];
  /** Names that are configured: without records they have an empty list. */
  readonly known: readonly string[];
  /** Half-open; both within the range of a time. */
  readonly sinceUs: number;
  readonly untilUs: number;
  readonly form: RecordForm;
  /** The engineering unit of the values, for the header of CSV. */
  readonly unit?: string | undefined;
  readonly resampleUs?: number | undefined;
  /** In the place of `resampleUs`. */
  readonly calendar?: Calendar | undefined;
  /** With either of them, each once, at least one; several are given as rows. */
  readonly aggregates?: readonly Aggregate[] | undefined;
  readonly warpHead?: boolean | undefined;
  /** From the end of the interval back; of plain records alone. */
  readonly newestFirst?: boolean | undefined;
  readonly limit?: number | undefined;
  readonly maxPoints?: number | undefined;
  /** Of alarms: transitions into an active state alone. */
  readonly activeOnly?: boolean | undefined;
  /** Of alarms: in the place of lists by name; as JSON alone. */
  readonly transitions?: TransitionsRequest | undefined;
  /** Records that this leaves out are not there: neither in force, nor counted. */
  readonly simulated?: SimulatedFilter | undefined;
  /** Each record has its flags in the answer. */
  readonly flags?: boolean | undefined;
}

/** Of alarms: the newest transitions of all names together, in one list. */
export interface TransitionsRequest {
  readonly limit: number;
  /** Those that led to one of these states. */
  readonly states?: ReadonlySet<AlarmState> | undefined;
  /** Folded, all of them in the name or the description. */
  readonly words?: readonly string[] | undefined;
  /** Those behind this one alone. */
  readonly before?: TransitionPlace | undefined;
}

/** A transition in that list: those at the same time are in the order of their names. */
export interface TransitionPlace {
  readonly timeUs: number;
  readonly name: string;
  /** The how many-th it is of the name at that time. */
  readonly count: number;
}

/** The client of a query. Clients take turns, and within a client its connections. */
export interface ArchiveReader extends Visitor {
  /** Aborted when the answer is no longer needed, before its first page. */
  readonly signal?: AbortSignal | undefined;
}

/** Pages, made as they are taken; each is valid until the next. Leaving the loop, or `cancel`, ends the query. */
export interface QueryResult extends AsyncIterable<Uint8Array> {
  /** The answer where it is short, instead of the loop; owned by the caller until `release`. */
  takeWhole(): { readonly bytes: Buffer; release(): void } | undefined;
  cancel(): void;
}

/** The progress of a long task; the last one has `done` and the findings. */
export interface ArchiveProgress {
  readonly doneBytes: number;
  readonly totalBytes: number;
  readonly done?: boolean;
  /** What failed its checksum, in words. */
  readonly damages?: readonly ArchiveDamage[];
}

export interface ArchiveDamage {
  readonly file: string;
  readonly name?: string;
  readonly firstUs?: number;
  readonly lastUs?: number;
  readonly reason: string;
}

export interface ArchiveStats {
  readonly series: number;
  readonly records: number;
  /** On disk, journal included. */
  readonly bytes: number;
  readonly journalBytes: number;
  readonly blocks: number;
  readonly firstUs: number | undefined;
  readonly lastUs: number | undefined;
  /** Records of a wrong clock: before 2000, or more than a day ahead when they came. */
  readonly astray: number;
  readonly damages: readonly ArchiveDamage[];
  /** Block files that compaction would still merge. */
  readonly unmerged: number;
  readonly recent: {
    /** With times of the last day; in blocks about so many. */
    readonly records: number;
    /** Of all records, those that are in no block yet. */
    readonly journalRecords: number;
  };
}

/** Also of a store, which has the archives of several sites. */
export interface ArchiveReading {
  has(kind: Kind, name: string): Promise<boolean>;
  /** The datatype of its newest series; undefined where it has no series. */
  datatypeOf(kind: Kind, name: string): Promise<Datatype | undefined>;
  /** Names that the archive has, sorted. */
  names(kind: Kind): Promise<readonly string[]>;
  /** Resolves with the first page ready; rejects with a problem where the request cannot be answered, or not now. */
  read(request: ReadRequest, reader?: ArchiveReader): Promise<QueryResult>;
}

export interface ArchiveAccess extends ArchiveReading {
  /** Resolves when it is erased on disk. */
  erase(kind: Kind, name: string, sinceUs: number, untilUs: number): Promise<void>;
  /** Records of another origin, in any order, which replace those at the same time: their points are not checked. Resolves when they are on disk. */
  backfill(key: SeriesKey, batch: BatchMessage): Promise<void>;
  stats(): Promise<ArchiveStats>;
  /** Reads everything and compares checksums. */
  check(): AsyncIterable<ArchiveProgress>;
  /** Merges what can be merged, and frees the space of erased and expired records. */
  compact(): AsyncIterable<ArchiveProgress>;
}
