// What the threads of the archive and their client say to each other.
import type { MessagePort } from 'node:worker_threads';
import type { Datatype, ProblemName } from '@telltale/schema';
import type { ArchiveProgress, ArchiveStats, ReadRequest } from './archive-access.ts';
import type { Damage } from './files/damage.ts';
import type { Parcel } from './record-queue.ts';
import type { Kind } from './records.ts';
import type { SnapshotRequest } from './snapshot-request.ts';
import type { Limits } from './store/generations.ts';
import type { Retention } from './store/retention.ts';
import type { Snapshot } from './store/snapshot.ts';

export interface Problem {
  readonly problem: ProblemName;
  readonly detail: string;
}

/** A question to the writer and what it answers with. */
export interface Questions {
  has: { ask: { kind: Kind; name: string }; answer: boolean };
  names: { ask: { kind: Kind }; answer: string[] };
  /** Of the newest series. */
  datatypeOf: { ask: { kind: Kind; name: string }; answer: Datatype | undefined };
  /** Commits what waits, then erases. */
  erase: { ask: { kind: Kind; name: string; sinceUs: number; untilUs: number }; answer: undefined };
  stats: { ask: Record<string, never>; answer: ArchiveStats };
  /** These two tell their progress meanwhile. */
  check: { ask: Record<string, never>; answer: ArchiveProgress };
  compact: { ask: Record<string, never>; answer: ArchiveProgress };
}
export type Question = keyof Questions;

/** To the thread that writes. The first is `open`; after a parcel, none before its answer. */
export type ToWriter =
  | {
      readonly kind: 'open';
      readonly folder: string;
      readonly retention: Retention;
      readonly limits: Limits | undefined;
    }
  /** A thread that reads was started, or another one in its place; this leads to it. */
  | { readonly kind: 'reader'; readonly reader: MessagePort }
  | { readonly kind: 'parcel'; readonly parcel: Parcel }
  /** Tries again to bring to disk what the disk refused; where that is nothing, tries the disk. */
  | { readonly kind: 'commit' }
  | { readonly kind: 'retention'; readonly retention: Retention }
  | { readonly kind: 'ask'; readonly id: number; readonly question: Question; readonly ask: object }
  /** Handed on to the thread that reads, with what there is to read: so it is told once for all. */
  | ({ readonly kind: 'read' } & Begin)
  | { readonly kind: 'cancel'; readonly id: number }
  | { readonly kind: 'close' };

/** A reading. It has one short turn, and tells what came of it with a page; then it makes a page a credit. */
export interface Begin {
  readonly id: number;
  readonly request: ReadRequest;
  /** Of pages that were taken: they can serve again. */
  readonly buffers: readonly ArrayBuffer[];
}

export type FromWriter =
  | { readonly kind: 'opened'; readonly retentions: ReadonlyMap<string, number> }
  | { readonly kind: 'unusable'; readonly reason: string }
  /** Of a parcel or of `commit`: everything is on disk, but for records that are none; or why not. */
  | { readonly kind: 'committed'; readonly invalid: number }
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'answer'; readonly id: number; readonly answer: unknown }
  | { readonly kind: 'progress'; readonly id: number; readonly progress: ArchiveProgress }
  | { readonly kind: 'problem'; readonly id: number; readonly problem: Problem }
  | { readonly kind: 'warning'; readonly text: string };

/** To the thread that reads. */
export type ToReader =
  | { readonly kind: 'open'; readonly writer: MessagePort }
  /** So many more pages may be made. A page was taken, and its buffer can serve again. */
  | { readonly kind: 'credit'; readonly id: number; readonly pages: number; readonly buffer: ArrayBuffer | undefined };

export type FromReader =
  | {
      readonly kind: 'page';
      readonly id: number;
      readonly buffer: ArrayBuffer;
      readonly bytes: number;
      readonly isLast: boolean;
    }
  | { readonly kind: 'problem'; readonly id: number; readonly problem: Problem };

/** Between the two: what is to be read, and which files are about to go. */
export type ReaderToWriter =
  | { readonly kind: 'snapshots'; readonly id: number; readonly request: SnapshotRequest }
  | { readonly kind: 'damage'; readonly damage: Damage }
  | { readonly kind: 'released'; readonly paths: readonly string[] };

export type WriterToReader =
  | ({ readonly kind: 'read'; readonly snapshots: Snapshots } & Begin)
  | { readonly kind: 'snapshots'; readonly id: number; readonly snapshots: Snapshots }
  | { readonly kind: 'cancel'; readonly id: number }
  | { readonly kind: 'release'; readonly paths: readonly string[] };

/** One a name, in order; undefined where there is no series of it. */
export type Snapshots = readonly (Snapshot | undefined)[];
