// The archive as the rest of the server knows it: takes records, answers queries. Two threads do the work, a writer and
// a reader, so that neither delays live values or the other.
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { MessagePort } from 'node:worker_threads';
import { type BatchMessage, type Clock, type Datatype, ProblemError } from '@telltale/schema';
import { DiskRetry, startThread, threadPort, WorkerLink } from '../threads/index.ts';
import type {
  ArchiveAccess,
  ArchiveProgress,
  ArchiveReader,
  ArchiveStats,
  QueryResult,
  ReadRequest,
} from './archive-access.ts';
import { ArchiveMark } from './archive-mark.ts';
import { theStore } from './files/outgoing-file.ts';
import { ProgressReport } from './progress-report.ts';
import type { ReceivedState, TakenParcel, WriterClient, WriterThread } from './protocol.ts';
import type { NewestReceived } from './received/received-store.ts';
import { RecordQueue } from './record-queue.ts';
import type { Kind, SeriesKey, SeriesRename } from './records.ts';
import { type QueryCounts, RunningQueries } from './running-queries.ts';
import { startReader } from './start-reader.ts';
import type { Limits } from './store/generations.ts';
import type { Retention } from './store/retention.ts';

export interface ArchiveOptions {
  /** Of the server; the archive has one of its own in it. */
  readonly folder: string;
  readonly clock: Clock;
  readonly commitMs: number;
  /** Of records that wait while the disk does not take them. */
  readonly maxPendingBytes: number;
  readonly retention: Retention;
  /** It is that of one of several nodes of a site. */
  readonly hasOthers?: boolean;
  /** Of a generation of records; by default those of the store. */
  readonly limits?: Limits;
  /** The thread that writes died: the server cannot go on. */
  readonly onFailure: (error: Error) => void;
  /** The disk refuses writes, and why; or, undefined, accepts them again. */
  readonly onFault: (reason: string | undefined) => void;
  readonly onWarning: (text: string) => void;
}

/** The files of the archive cannot be used; the message is for the person who starts the server. */
export class UnusableArchive extends Error {
  override readonly name = 'UnusableArchive';
}

/** Discarded records are reported at once, and no more often than this. */
const reportDroppedMs = 60_000;

/** Beside the folder of the archive. */
const receivedFolder = 'archive-received';

export class Archive implements ArchiveAccess {
  readonly records: RecordQueue;
  readonly #options: ArchiveOptions;
  readonly #queries: RunningQueries;
  #mark: ArchiveMark | undefined;
  #thread: WorkerLink<WriterThread, WriterClient> | undefined;
  #isOpen = false;
  readonly #disk: DiskRetry;
  /** Since the last report. */
  #dropped = 0;
  #cancelReport: (() => void) | undefined;

  constructor(options: ArchiveOptions) {
    this.#options = options;
    const { clock, commitMs, maxPendingBytes } = options;
    this.records = new RecordQueue({
      clock,
      commitMs,
      maxPendingBytes,
      send: (group) =>
        this.#writer?.notify(
          'group',
          [group],
          group.batches.map(({ buffer }) => buffer),
        ),
      onDropped: (count) => this.#noteDropped(count),
    });
    this.#queries = new RunningQueries({
      clock,
      start: (events) => startReader(this.#writer, events),
      onDeath: (error) => options.onFailure(error),
    });
    this.#disk = new DiskRetry({
      clock,
      retry: () => this.#writer?.notify('commit', []),
      onChange: options.onFault,
    });
  }

  /** Why the disk does not take records; undefined where it does. */
  get failure(): string | undefined {
    return this.#disk.reason;
  }

  /** What the whole of it lacks since it was opened, a sentence each, until somebody acknowledges it. */
  get missing(): readonly string[] {
    return this.#mark?.missing ?? [];
  }

  /** Throws `ProblemError` where the disk refuses. */
  acknowledgeMissing(): void {
    try {
      this.#mark?.acknowledge();
    } catch (error) {
      throw new ProblemError('storage-failed', `${(error as Error).message}.`);
    }
  }

  get queries(): QueryCounts {
    return this.#queries.counts;
  }

  /** Starts the thread that writes, which takes its time, and touches no file yet. */
  prepare(): WorkerLink<WriterThread, WriterClient> {
    this.#thread ??= this.#start();
    return this.#thread;
  }

  #start(): WorkerLink<WriterThread, WriterClient> {
    return new WorkerLink(threadPort(startThread(new URL('./archive-thread.ts', import.meta.url), 'archive')), {
      handlers: {
        committed: (invalid) => {
          this.#disk.note(undefined);
          this.#mark?.write();
          this.records.settled(invalid);
        },
        refused: (reason) => {
          this.#disk.note(reason);
          this.records.refused(diskFailing(reason));
        },
        warning: (text) => this.#options.onWarning(text),
      },
      onDeath: (error) => {
        this.#isOpen = false;
        this.#options.onFailure(error);
      },
    });
  }

  /** The thread that writes, once it opens its files. */
  get #writer(): WorkerLink<WriterThread, WriterClient> | undefined {
    return this.#isOpen ? this.#thread : undefined;
  }

  /**
   * Resolves with the retentions of before the start, by `kind/name`. `renames` may not have been carried out before it.
   * Rejects with `UnusableArchive`.
   */
  async open(renames: readonly SeriesRename[] = []): Promise<ReadonlyMap<string, number>> {
    const thread = this.prepare();
    const folder = join(this.#options.folder, 'archive');
    this.#mark = new ArchiveMark(this.#options.folder, folder);
    mkdirSync(folder, { recursive: true });
    const received = join(this.#options.folder, receivedFolder);
    if (this.#options.hasOthers === true || existsSync(received)) await thread.call('receive', []);
    this.#queries.open();
    this.#isOpen = true;
    const { retention, limits } = this.#options;
    const opened = await thread.call('open', [{ folder, received, retention, limits, renames }]);
    if ('unusable' in opened) throw new UnusableArchive(opened.unusable);
    this.#mark.write();
    return opened.retentions;
  }

  /** For the thread that sends what is archived: to another node of the site, or to the store. */
  serveSender(port: MessagePort, node?: string): void {
    this.#writer?.notify('outgoing', [port, node ?? theStore], [port]);
  }

  /** The nodes that it goes to, or has gone to. */
  async receivers(): Promise<string[]> {
    return (await this.#ask().call('destinations', [])).filter((each) => each !== theStore);
  }

  /** What another node has recorded, as it asks for it itself. Undefined: nothing is known here of this epoch of it. */
  newestParcel(node: string, epoch: number): Promise<NewestReceived | undefined> {
    return this.#ask().call('newestParcel', [node, epoch]);
  }

  claimEpoch(node: string, epoch: number): Promise<{ readonly epoch: number; readonly isKnown: boolean }> {
    return this.#ask().call('claimEpoch', [node, epoch]);
  }

  /** Resolves when it is on disk. */
  takeParcel(node: string, parcel: Uint8Array<ArrayBuffer>): Promise<TakenParcel> {
    return this.#ask().call('takeParcel', [node, parcel], { transfer: [parcel.buffer] });
  }

  received(): Promise<ReceivedState[]> {
    return this.#ask().call('received', []);
  }

  /** What is recorded from now on is sent under this epoch, which a lease has given. */
  async lead(epoch: number): Promise<void> {
    // What the disk does not take yet is of this epoch, too.
    await this.records.allStored().catch(() => undefined);
    await this.#ask().call('lead', [epoch]);
  }

  /** The highest epoch that it was sent in, or will be; undefined: there is none. */
  lastEpoch(): Promise<number | undefined> {
    return this.#ask().call('lastEpoch', []);
  }

  setRetention(retention: Retention): void {
    this.#writer?.notify('setRetention', [retention]);
  }

  /** The history of objects goes on under other names, at once; resolves when that is on disk. Repeated, it changes nothing. */
  rename(renames: readonly SeriesRename[]): Promise<void> {
    for (const rename of renames) this.records.rename(rename);
    return this.#ask().call('rename', [renames]);
  }

  async has(kind: Kind, name: string): Promise<boolean> {
    return this.#ask().call('has', [kind, name]);
  }

  async names(kind: Kind): Promise<readonly string[]> {
    return this.#ask().call('names', [kind]);
  }

  async datatypeOf(kind: Kind, name: string): Promise<Datatype | undefined> {
    return this.#ask().call('datatypeOf', [kind, name]);
  }

  read(request: ReadRequest, reader?: ArchiveReader): Promise<QueryResult> {
    return this.#queries.read(request, reader);
  }

  /** Of records that still wait as well: they go to the disk first. */
  async erase(kind: Kind, name: string, sinceUs: number, untilUs: number): Promise<void> {
    this.#refuseWhileFailing('storage-failed');
    await this.records.allStored();
    await this.#ask().call('erase', [kind, name, sinceUs, untilUs]);
  }

  /** Resolves when everything that was recorded before is on disk; rejects where the disk refuses. */
  stored(): Promise<void> {
    return this.records.allStored();
  }

  backfill(key: SeriesKey, batch: BatchMessage): Promise<void> {
    this.#refuseWhileFailing('disk-failing');
    return this.records.import(key, batch);
  }

  async stats(): Promise<ArchiveStats> {
    return this.#ask().call('stats', []);
  }

  check(): AsyncIterable<ArchiveProgress> {
    return this.#report('check');
  }

  compact(): AsyncIterable<ArchiveProgress> {
    return this.#report('compact');
  }

  /** Writes what waits, and ends the threads, by force after `patienceMs`. */
  async close(patienceMs: number): Promise<void> {
    this.#disk.stop();
    this.#reportDropped();
    this.#cancelReport?.();
    await this.#queries.close();
    const writer = this.#writer;
    if (writer === undefined) {
      await this.#thread?.kill();
      return;
    }
    await writer.close(patienceMs, async () => {
      await this.records.allStored().catch(() => undefined);
      await writer.call('close', []);
    });
    this.#isOpen = false;
    const { pending } = this.records;
    if (pending > 0) this.#options.onWarning(`${pending} pending records that were not yet on disk are lost`);
  }

  #noteDropped(count: number): void {
    this.#dropped += count;
    if (this.#cancelReport === undefined) this.#reportDropped();
  }

  #reportDropped(): void {
    this.#cancelReport = undefined;
    if (this.#dropped === 0) return;
    this.#options.onWarning(
      `${this.#dropped} records were discarded: the disk refuses writes, and the queue is full; free disk space`,
    );
    this.#dropped = 0;
    this.#cancelReport = this.#options.clock.after(reportDroppedMs, () => this.#reportDropped());
  }

  #refuseWhileFailing(problem: 'storage-failed' | 'disk-failing'): void {
    const { reason } = this.#disk;
    if (reason === undefined) return;
    throw problem === 'disk-failing' ? diskFailing(reason) : new ProblemError(problem, `${reason}.`);
  }

  /** Throws where the archive is not open. */
  #ask(): WorkerLink<WriterThread, WriterClient> {
    if (this.#writer === undefined) throw new ProblemError('storage-failed', 'The archive is not open.');
    return this.#writer;
  }

  #report(work: 'check' | 'compact'): AsyncIterable<ArchiveProgress> {
    const report = new ProgressReport();
    const onProgress = (progress: ArchiveProgress) => report.add(progress);
    Promise.try(() => this.#ask().call(work, [], { onProgress })).then(
      (last) => report.end(last),
      (error: Error) => report.fail(error),
    );
    return report;
  }
}

function diskFailing(reason: string): ProblemError {
  const rest = 'What was sent may be stored once the disk takes it; sending it again does no harm.';
  return new ProblemError('disk-failing', `${reason}. ${rest}`);
}
