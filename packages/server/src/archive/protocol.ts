// The calls between the threads of the archive and their client.
import type { MessagePort } from 'node:worker_threads';
import type { Datatype, ProblemName } from '@telltale/schema';
import type { ArchiveProgress, ArchiveStats, ReadRequest } from './archive-access.ts';
import type { Damage } from './files/damage.ts';
import type { OutgoingCounts, OutgoingPiece } from './outgoing/outgoing-piece.ts';
import type { Position } from './outgoing/position.ts';
import type { NewestReceived } from './received/received-store.ts';
import type { CommitGroup } from './record-queue.ts';
import type { Kind, Series, SeriesRename } from './records.ts';
import type { SnapshotRequest } from './snapshot-request.ts';
import type { CompactionPlan } from './store/compaction-plan.ts';
import type { Limits } from './store/generations.ts';
import type { Retention } from './store/retention.ts';
import type { CompactionOutcome } from './store/run-compaction.ts';
import type { Snapshot } from './store/snapshot.ts';

export type TakenParcel =
  | { readonly newest: NewestReceived }
  /** It is refused, or is of an epoch of which no parcel is taken. */
  | { readonly trouble: 'refused' | 'epoch'; readonly reason: string };

/** How far another node has sent what it has recorded. */
export interface ReceivedState {
  readonly node: string;
  /** By its clock, when the newest parcel was made; 0: none has come. */
  readonly madeUs: number;
  /** What it had left then, about; and the time of the oldest of that, 0 where there was nothing. */
  readonly backlog: number;
  readonly oldestUnsentUs: number;
}

export interface WriterThread {
  /** Before all others: there are other nodes, or were. */
  receive(): Promise<void>;
  /** First: the retentions of before the start, or why the files cannot be used. */
  open(options: OpenWriter): { readonly retentions: ReadonlyMap<string, number> } | { readonly unusable: string };
  /** A reader thread was started, the first or a replacement; this is its port. */
  reader(port: MessagePort): void;
  /** The thread that sends to the store, or to another node, was started; this is its port. */
  outgoing(port: MessagePort, destination: string): void;
  /** Where the archive goes, or has gone: names of nodes, and `theStore`. */
  destinations(): string[];
  /** See `ReceivedStore`, as the next ones: what this node has of another one. */
  newestParcel(node: string, epoch: number): NewestReceived | undefined;
  claimEpoch(node: string, epoch: number): { readonly epoch: number; readonly isKnown: boolean };
  takeParcel(node: string, parcel: Uint8Array): TakenParcel;
  received(): ReceivedState[];
  /** What comes from now on is sent under this epoch. */
  lead(epoch: number): void;
  /** The highest epoch that this archive was sent in, or will be; undefined: there is none. */
  lastEpoch(): number | undefined;
  /** Answered by `committed` or `refused`; before that, there is no other group. */
  group(group: CommitGroup): void;
  /** Retries to bring to disk what the disk refused; where that is nothing, tests the disk. */
  commit(): void;
  setRetention(retention: Retention): void;
  /** On disk when it is answered. Repeated, it changes nothing. */
  rename(renames: readonly SeriesRename[]): void;
  has(kind: Kind, name: string): boolean;
  names(kind: Kind): string[];
  /** Of the newest series. */
  datatypeOf(kind: Kind, name: string): Datatype | undefined;
  /** Commits what waits, then erases. */
  erase(kind: Kind, name: string, sinceUs: number, untilUs: number): void;
  stats(): ArchiveStats;
  /** These two report their progress meanwhile. */
  check(): Promise<ArchiveProgress>;
  compact(): Promise<ArchiveProgress>;
  /** Forwarded to the reader thread, together with the snapshot: so it is sent once. */
  read(begin: Begin): void;
  cancel(id: number): void;
  /** Last. */
  close(): Promise<void>;
}

export interface WriterClient {
  /** Of a group or of `commit`: everything is on disk, except invalid records; or why not. */
  committed(invalid: number): void;
  refused(reason: string): void;
  warning(text: string): void;
}

/** What the sender asks the thread that writes. */
export interface OutgoingAccess {
  /** As which site it is sent. The epoch of this folder, the one that a lease has given it next, and all series; those that come later come with what is sent. */
  open(site: string): {
    readonly epoch: number | undefined;
    readonly nextEpoch: number | undefined;
    readonly series: readonly Series[];
  };
  /** See `Outgoing`, as the next ones. */
  resume(position: string): Position | undefined;
  begin(epoch: number, isKnown: boolean, reached: string | undefined): Position;
  beginNext(epoch: number, reached: Position): Position;
  next(position: Position, most: number): OutgoingPiece;
  /** Of what the store does not have, as far as is known. */
  counts(): OutgoingCounts;
  sent(position: Position, renamed: readonly number[]): void;
  /** Of a block that is sent. */
  damage(damage: Damage): void;
}

export interface OutgoingClient {
  /** Something was committed since the last piece. */
  more(): void;
}

export interface OpenWriter {
  readonly folder: string;
  /** Of what other nodes have recorded. */
  readonly received: string;
  readonly retention: Retention;
  readonly limits: Limits | undefined;
  /** Renames that may not have been carried out before the server ended. */
  readonly renames: readonly SeriesRename[];
}

/** A query. It has one short turn, and reports the result with a page; then it makes a page a credit. */
export interface Begin<Request extends ReadRequest = ReadRequest> {
  readonly id: number;
  readonly request: Request;
  /** Of pages that were taken: they can serve again. */
  readonly buffers: readonly ArrayBuffer[];
}

export interface ReaderThread {
  /** First: this leads to the thread that writes. */
  open(writer: MessagePort): void;
  /** So many more pages may be made. A page was taken, and its buffer can serve again. */
  credit(id: number, pages: number, buffer: ArrayBuffer | undefined): void;
}

export interface ReaderClient {
  page(id: number, buffer: ArrayBuffer, bytes: number, isLast: boolean): void;
  problem(id: number, problem: ProblemName, detail: string): void;
}

export interface WriterForReader {
  snapshots(request: SnapshotRequest): Snapshots;
  damage(damage: Damage): void;
}

export interface ReaderForWriter {
  read(begin: Begin, snapshots: Snapshots): void;
  cancel(id: number): void;
  /** Answered when none of these files is open any more. */
  release(paths: readonly string[]): void;
}

/** One a name, in order; undefined where there is no series of it. */
export type Snapshots = readonly (Snapshot | undefined)[];

/** The thread that merges and checks blocks; both report the bytes that are done. */
export interface CompactionThread {
  compact(plan: CompactionPlan): CompactionOutcome;
  /** What cannot be read of these block files. */
  check(paths: readonly string[]): readonly Damage[];
}
