// The thread that writes the archive: the one owner of its files. Between commits it flushes, merges and drops what has
// expired, in slices, so that a commit never waits for long.
import { basename } from 'node:path';
import { type MessagePort, parentPort } from 'node:worker_threads';
import { Batch, systemClock } from '@telltale/schema/values';
import type { ArchiveDamage, ArchiveProgress } from './archive-access.ts';
import type { Damage } from './files/damage.ts';
import { readRetentions, writeRetentions } from './files/retentions-file.ts';
import { MergeWorker } from './merge-worker.ts';
import type {
  Begin,
  FromWriter,
  Question,
  Questions,
  ReaderToWriter,
  Snapshots,
  ToWriter,
  WriterToReader,
} from './protocol.ts';
import type { Parcel, ParcelBatch } from './record-queue.ts';
import { replaces } from './records.ts';
import { type SnapshotRequest, snapshotRequest } from './snapshot-request.ts';
import { SourceSeries } from './source-series.ts';
import { ArchiveStore } from './store/archive-store.ts';
import type { Retention } from './store/retention.ts';
import { buffersOf } from './store/snapshot.ts';

type Open = Extract<ToWriter, { kind: 'open' }>;
type Answers = { [Q in Question]: (id: number, ask: Questions[Q]['ask']) => Answer<Q> };
type Answer<Q extends Question> = Questions[Q]['answer'] | Promise<Questions[Q]['answer']>;

const sliceMs = 5;
/** How often it is looked for what has expired, and tried again what the disk refused. */
const lookMs = 10_000;

class ArchiveThread {
  /** By `kind/name`, as they were when the server ended. */
  readonly retentions: ReadonlyMap<string, number>;
  readonly #port: MessagePort;
  readonly #folder: string;
  /** To the thread that reads, while there is one. */
  #reader: MessagePort | undefined;
  /** Files that go as soon as it has answered. */
  readonly #releasing = new Set<string>();
  readonly #store: ArchiveStore;
  readonly #merger = new MergeWorker();
  readonly #answers: Answers;
  readonly #sources: SourceSeries;
  /** Records of the parcel at hand that are none. */
  #invalid = 0;
  #isMaintaining = false;
  #isMerging = false;
  #isClosed = false;

  constructor(port: MessagePort, { folder, retention, limits }: Open) {
    this.#port = port;
    this.#folder = folder;
    this.#store = ArchiveStore.open(folder, {
      clock: systemClock,
      onDamage: (damage) => this.#warnOf(damage),
      ...(limits && { limits }),
    });
    this.#sources = new SourceSeries(this.#store, (reason) => {
      this.#warn(`records of new series cannot be kept: ${reason}`);
    });
    const { ofSeries, damages } = readRetentions(folder);
    for (const damage of damages) this.#warnOf(damage);
    this.#store.setRetention({ ...retention, ofSeries });
    this.retentions = ofSeries;
    this.#answers = {
      has: (_id, { kind, name }) => this.#store.find(kind, name).length > 0,
      names: (_id, { kind }) => this.#store.names(kind),
      datatypeOf: (_id, { kind, name }) => this.#store.find(kind, name).at(-1)?.datatype,
      stats: () => this.#store.stats(),
      erase: (_id, { kind, name, sinceUs, untilUs }) => {
        this.#store.erase(kind, name, sinceUs, untilUs);
        this.#maintain();
        return undefined;
      },
      check: (id) => this.#check(id),
      compact: (id) => this.#compact(id),
    };
    if (this.#store.failure !== undefined) this.#tell({ kind: 'refused', reason: this.#store.failure });
    setInterval(() => this.#maintain(), lookMs).unref();
    this.#maintain();
  }

  hear(message: ToWriter): void {
    if (message.kind === 'read') this.#begin(message);
    else if (message.kind === 'reader') this.#serveReader(message.reader);
    else if (message.kind === 'cancel') this.#tellReader(message);
    else this.#hearWork(message);
  }

  #hearWork(message: Exclude<ToWriter, { kind: 'read' | 'reader' | 'cancel' }>): void {
    if (message.kind === 'parcel') this.#take(message.parcel);
    else if (message.kind === 'commit') this.#commit();
    else if (message.kind === 'retention') this.#retain(message.retention);
    else if (message.kind === 'ask') this.#answer(message);
    if (message.kind === 'close') this.#close();
    else this.#maintain();
  }

  #take({ sources, batches }: Parcel): void {
    this.#sources.add(sources);
    for (const message of batches) {
      const batch = this.#sources.recordsOf(batchOf(message));
      this.#invalid += message.count - batch.count;
      try {
        this.#store.append(batch, this.#sources.numbers);
      } catch (error) {
        // What made it is wrong, and trying again would not help.
        if (!(error instanceof RangeError)) throw error;
        this.#invalid += batch.count;
        this.#warn(`${batch.count} records cannot be kept: ${error.message}`);
      }
    }
    this.#commit();
  }

  #retain(retention: Retention): void {
    this.#store.setRetention(retention);
    try {
      writeRetentions(this.#folder, retention.ofSeries);
    } catch (error) {
      this.#warn(`retentions are not on disk: ${(error as Error).message}`);
    }
  }

  #commit(): void {
    try {
      this.#store.commit();
      this.#tell({ kind: 'committed', invalid: this.#invalid });
      this.#invalid = 0;
    } catch (error) {
      this.#tell({ kind: 'refused', reason: (error as Error).message });
    }
  }

  async #answer({ id, question, ask }: Extract<ToWriter, { kind: 'ask' }>): Promise<void> {
    try {
      const answer = await (this.#answers[question] as (id: number, ask: object) => unknown)(id, ask);
      this.#tell({ kind: 'answer', id, answer });
    } catch (error) {
      this.#tell({ kind: 'problem', id, problem: diskProblem(error) });
    }
  }

  #hearReader(message: ReaderToWriter): void {
    if (message.kind === 'damage') this.#store.noteDamage(message.damage);
    else if (message.kind === 'released') this.#released(message.paths);
    else {
      const { id, request } = message;
      const snapshots = this.#snapshots(request);
      this.#tellReader({ kind: 'snapshots', id, snapshots }, buffersOf(snapshots));
    }
  }

  #begin(begin: Begin): void {
    const snapshots = this.#snapshots(snapshotRequest(begin.request, 0));
    this.#tellReader({ ...begin, kind: 'read', snapshots }, [...begin.buffers, ...buffersOf(snapshots)]);
  }

  #snapshots({ kind, names, sinceUs, untilUs, needsHead }: SnapshotRequest): Snapshots {
    return names.map((name) => {
      const series = this.#store.find(kind, name);
      return series.length === 0 ? undefined : this.#store.snapshot(series, sinceUs, untilUs, needsHead);
    });
  }

  /** A slice now and then, until there is nothing to do. */
  #maintain(): void {
    if (this.#isMaintaining || this.#isClosed) return;
    this.#isMaintaining = true;
    setImmediate(() => {
      this.#isMaintaining = false;
      if (this.#isClosed) return;
      let isMore = false;
      try {
        isMore = this.#store.maintain(sliceMs);
      } catch (error) {
        this.#tell({
          kind: 'warning',
          text: `what is to be done in the background failed: ${(error as Error).message}`,
        });
      }
      this.#release();
      if (isMore) this.#maintain();
      else this.#merge();
    });
  }

  /** What is no longer needed goes when no reading has it open. */
  #release(): void {
    const paths = this.#store.obsolete();
    if (paths.length === 0) return;
    for (const path of paths) this.#releasing.add(path);
    if (this.#reader === undefined) this.#released(paths);
    else this.#tellReader({ kind: 'release', paths });
  }

  #released(paths: readonly string[]): void {
    for (const path of paths) this.#releasing.delete(path);
    this.#unlink(paths);
  }

  /** The one before could not start, or has died: it holds no file and answers no more. */
  #serveReader(reader: MessagePort | undefined): void {
    this.#released([...this.#releasing]);
    this.#reader = reader;
    reader?.on('message', (message: ReaderToWriter) => this.#hearReader(message));
    reader?.once('close', () => {
      if (this.#reader === reader) this.#serveReader(undefined);
    });
  }

  #unlink(paths: readonly string[]): void {
    if (this.#isClosed) return;
    try {
      this.#store.unlink(paths);
    } catch (error) {
      this.#warn(`a file that is no longer needed stays: ${(error as Error).message}`);
    }
    this.#maintain();
  }

  #merge(): void {
    if (!this.#isMerging) this.#mergeNext(false).catch(() => undefined);
  }

  /** Resolves with whether there was anything. */
  async #mergeNext(all: boolean, onProgress?: (doneBytes: number) => void): Promise<number> {
    const plan = this.#store.planMerge(all);
    if (plan === undefined) return 0;
    this.#isMerging = true;
    try {
      const outcome = await this.#merger
        .merge(plan, onProgress)
        .catch((error: Error) => ({ kind: 'failed', reason: error.message }) as const);
      if (this.#isClosed) return 0;
      this.#store.mergeDone(plan, outcome);
      if (outcome.kind === 'failed' && all) throw new Error(outcome.reason);
      if (outcome.kind === 'failed') this.#warn(`blocks were not merged: ${outcome.reason}`);
      return plan.bytes;
    } finally {
      this.#isMerging = false;
      this.#maintain();
    }
  }

  async #check(id: number): Promise<ArchiveProgress> {
    const paths = this.#store.blockPaths();
    const { bytes: totalBytes } = this.#store.stats();
    const damages = await this.#merger.check(paths, (doneBytes) => {
      this.#tell({ kind: 'progress', id, progress: { doneBytes, totalBytes } });
    });
    // What a merge has replaced meanwhile is gone, and no damage.
    const counting = new Set(this.#store.blockPaths().map((path) => basename(path)));
    for (const damage of damages) if (counting.has(damage.file)) this.#store.noteDamage(damage);
    return { doneBytes: totalBytes, totalBytes, done: true, damages: this.#store.stats().damages };
  }

  /** A block that is damaged stays as it is; the others are merged around it. */
  async #compact(id: number): Promise<ArchiveProgress> {
    this.#store.freeze();
    while (this.#store.maintain(sliceMs)) await new Promise((resolve) => setImmediate(resolve));
    const { bytes: totalBytes } = this.#store.stats();
    let doneBytes = 0;
    for (;;) {
      while (this.#isMerging) await new Promise((resolve) => setTimeout(resolve, 50));
      const bytes = await this.#mergeNext(true, (more) => {
        this.#tell({ kind: 'progress', id, progress: { doneBytes: doneBytes + more, totalBytes } });
      });
      if (bytes === 0) break;
      doneBytes += bytes;
      this.#release();
    }
    return { doneBytes: totalBytes, totalBytes, done: true, damages: this.#store.stats().damages };
  }

  #close(): void {
    this.#isClosed = true;
    try {
      this.#store.close();
    } catch (error) {
      this.#warn(`what waited could not be written: ${(error as Error).message}`);
    }
    this.#reader?.close();
    this.#merger.close().finally(() => this.#port.close());
  }

  #warnOf({ file, reason }: ArchiveDamage | Damage): void {
    this.#warn(`${file} is damaged: ${reason}`);
  }

  #warn(text: string): void {
    this.#tell({ kind: 'warning', text });
  }

  #tell(message: FromWriter): void {
    this.#port.postMessage(message);
  }

  #tellReader(message: WriterToReader, transfer: readonly ArrayBuffer[] = []): void {
    this.#reader?.postMessage(message, [...transfer]);
  }
}

function batchOf(message: ParcelBatch): Batch {
  const batch = Batch.from(message);
  if (message.importedTo === undefined) return batch;
  batch.points.fill(message.importedTo, 0, batch.count);
  for (let at = 0; at < batch.count; at++) batch.qualities[at] = ((batch.qualities[at] as number) & 0xff) | replaces;
  return batch;
}

function diskProblem(error: unknown) {
  return { problem: 'storage-failed', detail: `${(error as Error).message}.` } as const;
}

function main(): void {
  if (parentPort === null) throw new Error('archive-thread.ts runs as a worker thread');
  const port = parentPort;
  let thread: ArchiveThread | undefined;
  port.on('message', (message: ToWriter) => {
    if (message.kind !== 'open') {
      if (thread !== undefined) thread.hear(message);
      else if (message.kind === 'close') port.close(); // it could not be opened
      return;
    }
    try {
      thread = new ArchiveThread(port, message);
      port.postMessage({ kind: 'opened', retentions: thread.retentions } satisfies FromWriter);
    } catch (error) {
      port.postMessage({ kind: 'unusable', reason: (error as Error).message } satisfies FromWriter);
    }
  });
}

main();
