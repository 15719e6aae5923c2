// The thread that writes the archive: the one owner of its files. Between commits it flushes, compacts and discards
// what has expired, in slices, so that a commit never waits for long.
import { basename } from 'node:path';
import type { MessagePort } from 'node:worker_threads';
import { ProblemError, systemClock } from '@telltale/schema/values';
import { Link, Moved, messagePort, parentLink } from '../threads/index.ts';
import type { ArchiveDamage, ArchiveProgress } from './archive-access.ts';
import { batchOf } from './batch-of-group.ts';
import { CompactionWorker } from './compaction-worker.ts';
import type { Damage } from './files/damage.ts';
import { readRetentions, writeRetentions } from './files/retentions-file.ts';
import { buffersOfPiece } from './outgoing/outgoing-piece.ts';
import type {
  Begin,
  OpenWriter,
  OutgoingAccess,
  OutgoingClient,
  ReaderForWriter,
  Snapshots,
  WriterClient,
  WriterForReader,
  WriterThread,
} from './protocol.ts';
import type { CommitGroup } from './record-queue.ts';
import type { Kind, SeriesRename } from './records.ts';
import { SeriesRefs } from './series-refs.ts';
import { type SnapshotRequest, snapshotRequest } from './snapshot-request.ts';
import { ArchiveStore } from './store/archive-store.ts';
import { type Retention, renamedRetentions } from './store/retention.ts';
import { buffersOf } from './store/snapshot.ts';

const sliceMs = 5;
/** How often expired records are looked for, and writes that the disk refused are retried. */
const lookMs = 10_000;

class ArchiveThread {
  /** By `kind/name`, as they were when the server ended. */
  readonly retentions: ReadonlyMap<string, number>;
  readonly #client: Link<WriterClient>;
  readonly #folder: string;
  /** To the thread that reads, while there is one. */
  #reader: Link<ReaderForWriter> | undefined;
  /** To the thread that sends to the store, where there is one, and whether it waits for more. */
  #sender: Link<OutgoingClient> | undefined;
  #isMoreWanted = false;
  /** Files that go as soon as it has answered. */
  readonly #releasing = new Set<string>();
  readonly #store: ArchiveStore;
  readonly #worker = new CompactionWorker();
  readonly #refs: SeriesRefs;
  #retention: Retention;
  /** Invalid records of the current group. */
  #invalid = 0;
  #isMaintaining = false;
  #isCompacting = false;
  #isClosed = false;

  constructor(client: Link<WriterClient>, { folder, retention, limits, renames }: OpenWriter) {
    this.#client = client;
    this.#folder = folder;
    this.#store = ArchiveStore.open(folder, {
      clock: systemClock,
      onDamage: (damage) => this.#warnOf(damage),
      ...(limits && { limits }),
    });
    this.#refs = new SeriesRefs(this.#store, (reason) => {
      this.#warn(`records of new series are discarded: ${reason}`);
    });
    const { ofSeries, damages } = readRetentions(folder);
    for (const damage of damages) this.#warnOf(damage);
    this.#retention = { ...retention, ofSeries };
    this.rename(renames, (reason) => this.#warn(`renames are not on disk yet: ${reason}`));
    this.retentions = this.#retention.ofSeries;
    if (this.#store.failure !== undefined) client.notify('refused', [this.#store.failure]);
    setInterval(() => this.maintain(), lookMs).unref();
    this.maintain();
  }

  get store(): ArchiveStore {
    return this.#store;
  }

  take({ dropped, newSeries, batches }: CommitGroup): void {
    this.#store.noteDropped(dropped);
    this.#refs.add(newSeries);
    for (const message of batches) {
      const batch = this.#refs.recordsOf(batchOf(message));
      this.#invalid += message.count - batch.count;
      try {
        this.#store.append(batch, this.#refs.numbers);
      } catch (error) {
        // What made it is wrong, and trying again would not help.
        if (!(error instanceof RangeError)) throw error;
        this.#invalid += batch.count;
        this.#warn(`${batch.count} records are discarded as invalid: ${error.message}`);
      }
    }
    this.commit();
  }

  /** In memory at once; what the disk refuses follows with the next commit. */
  rename(renames: readonly SeriesRename[], onRefused: (reason: string) => void): void {
    const ofSeries = renamedRetentions(this.#retention.ofSeries, renames);
    this.#retention = { ...this.#retention, ofSeries };
    this.#store.setRetention(this.#retention);
    if (renames.length === 0) return;
    try {
      this.#store.rename(renames);
      this.#tellSender();
      writeRetentions(this.#folder, ofSeries);
    } catch (error) {
      onRefused((error as Error).message);
    }
  }

  retain(retention: Retention): void {
    this.#retention = retention;
    this.#store.setRetention(retention);
    try {
      writeRetentions(this.#folder, retention.ofSeries);
    } catch (error) {
      this.#warn(`the retentions could not be written to disk: ${(error as Error).message}`);
    }
  }

  commit(): void {
    try {
      this.#store.commit();
      this.#client.notify('committed', [this.#invalid]);
      this.#invalid = 0;
      this.#tellSender();
    } catch (error) {
      this.#client.notify('refused', [(error as Error).message]);
    }
  }

  /** Once after each piece that it was given. */
  #tellSender(): void {
    if (!this.#isMoreWanted) return;
    this.#isMoreWanted = false;
    this.#sender?.notify('more', []);
  }

  erase(kind: Kind, name: string, sinceUs: number, untilUs: number): void {
    this.#store.erase(kind, name, sinceUs, untilUs);
    this.#tellSender();
  }

  begin(begin: Begin): void {
    const snapshots = this.#snapshots(snapshotRequest(begin.request, 0));
    this.#reader?.notify('read', [begin, snapshots], [...begin.buffers, ...buffersOf(snapshots)]);
  }

  cancel(id: number): void {
    this.#reader?.notify('cancel', [id]);
  }

  #snapshots({ kind, names, sinceUs, untilUs, needsHead, simulated: which }: SnapshotRequest): Snapshots {
    return names.map((name) => {
      const series = this.#store.find(kind, name);
      return series.length === 0 ? undefined : this.#store.snapshot(series, sinceUs, untilUs, needsHead, which);
    });
  }

  /** A slice now and then, until there is nothing to do. */
  maintain(): void {
    if (this.#isMaintaining || this.#isClosed) return;
    this.#isMaintaining = true;
    setImmediate(() => {
      this.#isMaintaining = false;
      if (this.#isClosed) return;
      let isMore = false;
      try {
        isMore = this.#store.maintain(sliceMs);
      } catch (error) {
        this.#warn(`background maintenance failed and is retried: ${(error as Error).message}`);
      }
      this.#release();
      if (isMore) this.maintain();
      else this.#compactNext();
    });
  }

  /** Obsolete files are removed when no query has them open. */
  #release(): void {
    const paths = this.#store.obsolete();
    if (paths.length === 0) return;
    for (const path of paths) this.#releasing.add(path);
    const reader = this.#reader;
    if (reader === undefined) this.#released(paths);
    else
      reader.call('release', [paths]).then(
        () => this.#released(paths),
        () => undefined, // it is gone, and they with it
      );
  }

  #released(paths: readonly string[]): void {
    for (const path of paths) this.#releasing.delete(path);
    this.#unlink(paths);
  }

  /** The one before could not start, or has died: it holds no file and answers no more. */
  serveReader(port: MessagePort): void {
    const reader = new Link<ReaderForWriter, WriterForReader>(messagePort(port), {
      snapshots: (request) => {
        const snapshots = this.#snapshots(request);
        return new Moved(snapshots, buffersOf(snapshots));
      },
      damage: (damage) => this.#store.noteDamage(damage),
    });
    port.once('close', () => {
      reader.end(new Error('the reader thread has ended'));
      if (this.#reader === reader) this.#replaceReader(undefined);
    });
    this.#replaceReader(reader);
  }

  /** Whoever sends asks by this; the one before has died, or there was none. */
  serveSender(port: MessagePort): void {
    const outgoing = this.#store.outgoing();
    const sender = new Link<OutgoingClient, OutgoingAccess>(messagePort(port), {
      open: (site) => {
        outgoing.sendAs(site);
        return { epoch: outgoing.epoch, nextEpoch: outgoing.nextEpoch, series: outgoing.series() };
      },
      resume: (position) => outgoing.resume(position),
      counts: () => outgoing.counts(),
      begin: (epoch, isKnown, reached) => this.#store.beginOutgoing(epoch, isKnown, reached),
      beginNext: (epoch, reached) => outgoing.beginNext(epoch, reached),
      next: (position, most) => {
        this.#isMoreWanted = true;
        const piece = outgoing.next(position, most);
        return new Moved(piece, buffersOfPiece(piece));
      },
      sent: (position, renamed) => outgoing.sent(position, renamed),
      damage: (damage) => this.#store.noteDamage(damage),
    });
    port.once('close', () => sender.end(new Error('the thread that sends has ended')));
    this.#sender?.end(new Error('the thread that sends was replaced'));
    this.#sender = sender;
  }

  /** In memory at once; what the disk refuses is tried again. */
  lead(epoch: number): void {
    try {
      this.#store.leadOutgoing(epoch);
    } catch (error) {
      this.#warn(`that another epoch has begun is not on disk yet: ${(error as Error).message}`);
    }
    this.#sender?.notify('more', []);
  }

  #replaceReader(reader: Link<ReaderForWriter> | undefined): void {
    this.#reader?.end(new Error('the thread that reads was replaced'));
    this.#reader = reader;
    this.#released([...this.#releasing]);
  }

  #unlink(paths: readonly string[]): void {
    if (this.#isClosed) return;
    try {
      this.#store.unlink(paths);
    } catch (error) {
      this.#warn(`an obsolete file could not be removed, and is retried: ${(error as Error).message}`);
    }
    this.maintain();
  }

  #compactNext(): void {
    if (!this.#isCompacting) this.#compactBlocks(false).catch(() => undefined);
  }

  /** Resolves with whether there was anything. */
  async #compactBlocks(all: boolean, onProgress?: (doneBytes: number) => void): Promise<number> {
    const plan = this.#store.planCompaction(all);
    if (plan === undefined) return 0;
    this.#isCompacting = true;
    try {
      const outcome = await this.#worker
        .compact(plan, onProgress)
        .catch((error: Error) => ({ kind: 'failed', reason: error.message }) as const);
      if (this.#isClosed) return 0;
      this.#store.compactionDone(plan, outcome);
      if (outcome.kind === 'failed' && all) throw new Error(outcome.reason);
      if (outcome.kind === 'failed') this.#warn(`compaction of blocks failed and is retried: ${outcome.reason}`);
      return plan.bytes;
    } finally {
      this.#isCompacting = false;
      this.maintain();
    }
  }

  async check(report: (progress: ArchiveProgress) => void): Promise<ArchiveProgress> {
    const paths = this.#store.blockPaths();
    const { bytes: totalBytes } = this.#store.stats();
    const damages = await this.#worker.check(paths, (doneBytes) => report({ doneBytes, totalBytes }));
    // Files that compaction has replaced meanwhile are gone, which is no damage.
    const counting = new Set(this.#store.blockPaths().map((path) => basename(path)));
    for (const damage of damages) if (counting.has(damage.file)) this.#store.noteDamage(damage);
    return { doneBytes: totalBytes, totalBytes, done: true, damages: this.#store.stats().damages };
  }

  /** A block that is damaged stays as it is; the others are merged around it. */
  async compact(report: (progress: ArchiveProgress) => void): Promise<ArchiveProgress> {
    this.#store.freeze();
    while (this.#store.maintain(sliceMs)) await new Promise((resolve) => setImmediate(resolve));
    const { bytes: totalBytes } = this.#store.stats();
    let doneBytes = 0;
    for (;;) {
      while (this.#isCompacting) await new Promise((resolve) => setTimeout(resolve, 50));
      const bytes = await this.#compactBlocks(true, (more) => report({ doneBytes: doneBytes + more, totalBytes }));
      if (bytes === 0) break;
      doneBytes += bytes;
      this.#release();
    }
    return { doneBytes: totalBytes, totalBytes, done: true, damages: this.#store.stats().damages };
  }

  close(): Promise<void> {
    this.#isClosed = true;
    try {
      this.#store.close();
    } catch (error) {
      this.#warn(`pending records could not be written: ${(error as Error).message}`);
    }
    return this.#worker.close();
  }

  #warnOf({ file, reason }: ArchiveDamage | Damage): void {
    this.#warn(`${file} is damaged: ${reason}`);
  }

  #warn(text: string): void {
    this.#client.notify('warning', [text]);
  }
}

function main(): void {
  let opened: ArchiveThread | undefined;
  /** Work on what is open; then there may be more to do in the background. Where nothing could be opened, nothing. */
  const work = (carryOut: (thread: ArchiveThread) => void): void => {
    if (opened === undefined) return;
    carryOut(opened);
    opened.maintain();
  };
  const answer = async <T>(carryOut: (thread: ArchiveThread) => T | Promise<T>): Promise<T> => {
    try {
      if (opened === undefined) throw new Error('The archive is not open');
      return await carryOut(opened);
    } catch (error) {
      throw new ProblemError('storage-failed', `${(error as Error).message}.`);
    } finally {
      opened?.maintain();
    }
  };
  const client: Link<WriterClient> = parentLink<WriterClient, WriterThread>({
    open(options) {
      try {
        opened = new ArchiveThread(client, options);
        return { retentions: opened.retentions };
      } catch (error) {
        return { unusable: (error as Error).message };
      }
    },
    reader: (port) => opened?.serveReader(port),
    outgoing: (port) => opened?.serveSender(port),
    lead: (epoch) => answer((thread) => thread.lead(epoch)),
    lastEpoch: () => answer(({ store }) => store.lastEpoch),
    group: (group) => work((thread) => thread.take(group)),
    commit: () => work((thread) => thread.commit()),
    setRetention: (retention) => work((thread) => thread.retain(retention)),
    rename: (renames) =>
      answer((thread) =>
        thread.rename(renames, (reason) => {
          throw new Error(reason);
        }),
      ),
    has: (kind, name) => answer(({ store }) => store.find(kind, name).length > 0),
    names: (kind) => answer(({ store }) => store.names(kind)),
    datatypeOf: (kind, name) => answer(({ store }) => store.find(kind, name).at(-1)?.datatype),
    erase: (kind, name, sinceUs, untilUs) => answer((thread) => thread.erase(kind, name, sinceUs, untilUs)),
    stats: () => answer(({ store }) => store.stats()),
    check: ({ report }) => answer((thread) => thread.check(report)),
    compact: ({ report }) => answer((thread) => thread.compact(report)),
    read: (begin) => opened?.begin(begin),
    cancel: (id) => opened?.cancel(id),
    close: async () => opened?.close(),
  });
}

main();
