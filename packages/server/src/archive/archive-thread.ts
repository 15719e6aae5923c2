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
import { OutgoingLinks } from './outgoing-links.ts';
import type {
  Begin,
  OpenWriter,
  ReaderForWriter,
  Snapshots,
  WriterClient,
  WriterForReader,
  WriterThread,
} from './protocol.ts';
import { type Receiving, SiteArchive } from './received/site-archive.ts';
import type { CommitGroup } from './record-queue.ts';
import type { Kind, SeriesRename } from './records.ts';
import { SeriesRefs } from './series-refs.ts';
import { type SnapshotRequest, snapshotRequest } from './snapshot-request.ts';
import type { ArchiveStore } from './store/archive-store.ts';
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
  readonly #outgoing: OutgoingLinks;
  /** Files that go as soon as it has answered. */
  readonly #releasing = new Set<string>();
  /** Of all nodes of the site. */
  readonly #site: SiteArchive;
  /** What this node records. */
  readonly #store: ArchiveStore;
  readonly #worker = new CompactionWorker();
  readonly #refs: SeriesRefs;
  #retention: Retention;
  /** Invalid records of the current group. */
  #invalid = 0;
  #isMaintaining = false;
  #isCompacting = false;
  #isClosed = false;

  constructor(client: Link<WriterClient>, options: OpenWriter, receiving: Receiving | undefined) {
    const { folder, received, retention, limits, renames } = options;
    this.#client = client;
    this.#folder = folder;
    this.#site = new SiteArchive(folder, {
      received,
      receiving,
      clock: systemClock,
      onDamage: (damage) => this.#warnOf(damage),
      ...(limits && { limits }),
    });
    this.#store = this.#site.own;
    this.#outgoing = new OutgoingLinks(this.#store);
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

  get site(): SiteArchive {
    return this.#site;
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
    this.#site.setRetention(this.#retention);
    if (renames.length === 0) return;
    try {
      this.#site.rename(renames);
      this.#outgoing.tellMore();
      writeRetentions(this.#folder, ofSeries);
    } catch (error) {
      onRefused((error as Error).message);
    }
  }

  retain(retention: Retention): void {
    this.#retention = retention;
    this.#site.setRetention(retention);
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
      this.#outgoing.tellMore();
    } catch (error) {
      this.#client.notify('refused', [(error as Error).message]);
    }
  }

  erase(kind: Kind, name: string, sinceUs: number, untilUs: number): void {
    this.#site.erase(kind, name, sinceUs, untilUs);
    this.#outgoing.tellMore();
  }

  begin(begin: Begin): void {
    const snapshots = this.#snapshots(snapshotRequest(begin.request, 0));
    this.#reader?.notify('read', [begin, snapshots], [...begin.buffers, ...buffersOf(snapshots)]);
  }

  cancel(id: number): void {
    this.#reader?.notify('cancel', [id]);
  }

  #snapshots({ kind, names, ...wanted }: SnapshotRequest): Snapshots {
    return names.map((name) => this.#site.snapshot(kind, name, wanted));
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
        isMore = this.#site.maintain(sliceMs);
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
    const paths = this.#site.obsolete();
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
      damage: (damage) => this.#site.noteDamage(damage),
    });
    port.once('close', () => {
      reader.end(new Error('the reader thread has ended'));
      if (this.#reader === reader) this.#replaceReader(undefined);
    });
    this.#replaceReader(reader);
  }

  /** For whoever sends to there. */
  serveSender(port: MessagePort, destination: string): void {
    this.#outgoing.serve(port, destination);
  }

  /** In memory at once; what the disk refuses is tried again. */
  lead(epoch: number): void {
    try {
      this.#store.lead(epoch);
    } catch (error) {
      this.#warn(`that another epoch has begun is not on disk yet: ${(error as Error).message}`);
    }
    this.#outgoing.tellAll();
  }

  #replaceReader(reader: Link<ReaderForWriter> | undefined): void {
    this.#reader?.end(new Error('the thread that reads was replaced'));
    this.#reader = reader;
    this.#released([...this.#releasing]);
  }

  #unlink(paths: readonly string[]): void {
    if (this.#isClosed) return;
    try {
      this.#site.unlink(paths);
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
    const plan = this.#site.planCompaction(all);
    if (plan === undefined) return 0;
    this.#isCompacting = true;
    try {
      const outcome = await this.#worker
        .compact(plan, onProgress)
        .catch((error: Error) => ({ kind: 'failed', reason: error.message }) as const);
      if (this.#isClosed) return 0;
      this.#site.compactionDone(plan, outcome);
      if (outcome.kind === 'failed' && all) throw new Error(outcome.reason);
      if (outcome.kind === 'failed') this.#warn(`compaction of blocks failed and is retried: ${outcome.reason}`);
      return plan.bytes;
    } finally {
      this.#isCompacting = false;
      this.maintain();
    }
  }

  async check(report: (progress: ArchiveProgress) => void): Promise<ArchiveProgress> {
    const paths = this.#site.blockPaths();
    const { bytes: totalBytes } = this.#site.stats();
    const damages = await this.#worker.check(paths, (doneBytes) => report({ doneBytes, totalBytes }));
    // Files that compaction has replaced meanwhile are gone, which is no damage.
    const counting = new Set(this.#site.blockPaths().map((path) => basename(path)));
    for (const damage of damages) if (counting.has(damage.file)) this.#site.noteDamage(damage);
    return { doneBytes: totalBytes, totalBytes, done: true, damages: this.#site.stats().damages };
  }

  /** A block that is damaged stays as it is; the others are merged around it. */
  async compact(report: (progress: ArchiveProgress) => void): Promise<ArchiveProgress> {
    this.#site.freeze();
    while (this.#site.maintain(sliceMs)) await new Promise((resolve) => setImmediate(resolve));
    const { bytes: totalBytes } = this.#site.stats();
    let doneBytes = 0;
    for (;;) {
      while (this.#isCompacting) await new Promise((resolve) => setTimeout(resolve, 50));
      const bytes = await this.#compactBlocks(true, (more) => report({ doneBytes: doneBytes + more, totalBytes }));
      if (bytes === 0) break;
      doneBytes += bytes;
      this.#release();
    }
    return { doneBytes: totalBytes, totalBytes, done: true, damages: this.#site.stats().damages };
  }

  close(): Promise<void> {
    this.#isClosed = true;
    try {
      this.#site.close();
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
  let receiving: Receiving | undefined;
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
    receive: async () => {
      receiving = await import('./received/receiving.ts');
    },
    open(options) {
      try {
        opened = new ArchiveThread(client, options, receiving);
        return { retentions: opened.retentions };
      } catch (error) {
        return { unusable: (error as Error).message };
      }
    },
    reader: (port) => opened?.serveReader(port),
    outgoing: (port, destination) => opened?.serveSender(port, destination),
    destinations: () => answer(({ site }) => site.own.destinations),
    newestParcel: (node, epoch) => answer(({ site }) => site.of(node).newest(epoch)),
    claimEpoch: (node, epoch) => answer(({ site }) => site.of(node).claim(epoch)),
    takeParcel: (node, parcel) => answer(({ site }) => site.takeParcel(node, parcel)),
    received: () => answer(({ site }) => site.states),
    lead: (epoch) => answer((thread) => thread.lead(epoch)),
    lastEpoch: () => answer(({ site }) => site.own.lastEpoch),
    group: (group) => work((thread) => thread.take(group)),
    commit: () => work((thread) => thread.commit()),
    setRetention: (retention) => work((thread) => thread.retain(retention)),
    rename: (renames) =>
      answer((thread) =>
        thread.rename(renames, (reason) => {
          throw new Error(reason);
        }),
      ),
    has: (kind, name) => answer(({ site }) => site.has(kind, name)),
    names: (kind) => answer(({ site }) => site.names(kind)),
    datatypeOf: (kind, name) => answer(({ site }) => site.datatypeOf(kind, name)),
    erase: (kind, name, sinceUs, untilUs) => answer((thread) => thread.erase(kind, name, sinceUs, untilUs)),
    stats: () => answer(({ site }) => site.stats()),
    check: ({ report }) => answer((thread) => thread.check(report)),
    compact: ({ report }) => answer((thread) => thread.compact(report)),
    read: (begin) => opened?.begin(begin),
    cancel: (id) => opened?.cancel(id),
    close: async () => opened?.close(),
  });
}

main();
