// The archive as the rest of the server knows it: takes records, answers what is asked. The work is done by two threads,
// one that writes and one that reads, so that neither holds up live values or the other.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Worker } from 'node:worker_threads';
import { type BatchMessage, type Clock, type Datatype, ProblemError } from '@telltale/schema';
import { startThread } from '../threads/index.ts';
import type { ArchiveAccess, ArchiveProgress, ArchiveReader, ArchiveReading, ReadRequest } from './archive-access.ts';
import { ArchiveMark } from './archive-mark.ts';
import { ProgressReport } from './progress-report.ts';
import type { FromWriter, Question, Questions, ToWriter } from './protocol.ts';
import { type ReadingCounts, Readings } from './readings.ts';
import { RecordQueue } from './record-queue.ts';
import type { Kind, SeriesKey } from './records.ts';
import type { Limits } from './store/generations.ts';
import type { Retention } from './store/retention.ts';

export interface ArchiveOptions {
  /** Of the server; the archive has one of its own in it. */
  readonly folder: string;
  readonly clock: Clock;
  readonly commitMs: number;
  /** Of records that wait while the disk does not take them. */
  readonly maxWaitingBytes: number;
  readonly retention: Retention;
  /** Of a generation of records; those of the store where there are none. */
  readonly limits?: Limits;
  /** The thread that writes died: the server cannot go on. */
  readonly onFailure: (error: Error) => void;
  /** The disk refuses what is written, and why; or, undefined, takes it again. */
  readonly onTrouble: (reason: string | undefined) => void;
  readonly onWarning: (text: string) => void;
}

/** The files of the archive cannot be used; the message is for the person who starts the server. */
export class UnusableArchive extends Error {
  override readonly name = 'UnusableArchive';
}

interface Asked {
  readonly resolve: (answer: never) => void;
  readonly reject: (error: Error) => void;
  readonly onProgress: ((progress: ArchiveProgress) => void) | undefined;
}

/** While the disk refuses, it is tried again this often. */
const trialMs = 1000;
/** What is dropped is told at once, and no more often than this. */
const tellDroppedMs = 60_000;

export class Archive implements ArchiveAccess {
  readonly records: RecordQueue;
  readonly #options: ArchiveOptions;
  readonly #readings: Readings;
  #mark: ArchiveMark | undefined;
  #prepared: Worker | undefined;
  #writer: Worker | undefined;
  #asked = new Map<number, Asked>();
  #lastId = 0;
  #failure: string | undefined;
  #cancelTrial: (() => void) | undefined;
  /** Since they were last told. */
  #dropped = 0;
  #cancelTelling: (() => void) | undefined;
  #isClosing = false;

  constructor(options: ArchiveOptions) {
    this.#options = options;
    const { clock, commitMs, maxWaitingBytes } = options;
    this.records = new RecordQueue({
      clock,
      commitMs,
      maxWaitingBytes,
      send: (parcel) =>
        this.#post(
          { kind: 'parcel', parcel },
          parcel.batches.map(({ buffer }) => buffer),
        ),
      onDropped: (count) => this.#noteDropped(count),
    });
    this.#readings = new Readings({
      clock,
      tellWriter: (message, transfer) => this.#post(message, transfer),
      onDeath: (error) => options.onFailure(error),
    });
  }

  /** Why the disk does not take records; undefined where it does. */
  get failure(): string | undefined {
    return this.#failure;
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

  get readings(): ReadingCounts {
    return this.#readings.counts;
  }

  /** Starts the thread that writes, which takes its time, and touches no file yet. */
  prepare(): void {
    this.#prepared ??= startThread(new URL('./archive-thread.ts', import.meta.url), 'archive');
  }

  /** Resolves with the retentions of before the start, by `kind/name`. Rejects with `UnusableArchive`. */
  async open(): Promise<ReadonlyMap<string, number>> {
    this.prepare();
    const folder = join(this.#options.folder, 'archive');
    this.#mark = new ArchiveMark(this.#options.folder, folder);
    mkdirSync(folder, { recursive: true });
    this.#readings.open();
    const writer = this.#prepared as Worker;
    const { promise, resolve, reject } = Promise.withResolvers<ReadonlyMap<string, number>>();
    writer.on('message', (message: FromWriter) => {
      if (message.kind === 'opened') {
        this.#mark?.keep();
        resolve(message.retentions);
      } else if (message.kind === 'unusable') reject(new UnusableArchive(message.reason));
      else this.#hear(message);
    });
    writer.on('error', (error: Error) => {
      this.#writer = undefined;
      for (const { reject: rejectAsked } of this.#asked.values()) rejectAsked(error);
      this.#asked.clear();
      reject(error);
      this.#options.onFailure(error);
    });
    this.#writer = writer;
    const { retention, limits } = this.#options;
    this.#post({ kind: 'open', folder, retention, limits });
    return promise;
  }

  setRetention(retention: Retention): void {
    this.#post({ kind: 'retention', retention });
  }

  has(kind: Kind, name: string): Promise<boolean> {
    return this.#ask('has', { kind, name });
  }

  names(kind: Kind): Promise<readonly string[]> {
    return this.#ask('names', { kind });
  }

  datatypeOf(kind: Kind, name: string): Promise<Datatype | undefined> {
    return this.#ask('datatypeOf', { kind, name });
  }

  read(request: ReadRequest, reader?: ArchiveReader): Promise<ArchiveReading> {
    return this.#readings.read(request, reader);
  }

  /** Of records that still wait as well: they go to the disk first. */
  async erase(kind: Kind, name: string, sinceUs: number, untilUs: number): Promise<void> {
    this.#refuseWhileFailing('storage-failed');
    await this.records.allStored();
    await this.#ask('erase', { kind, name, sinceUs, untilUs });
  }

  backfill(key: SeriesKey, batch: BatchMessage): Promise<void> {
    this.#refuseWhileFailing('disk-failing');
    return this.records.import(key, batch);
  }

  stats(): Promise<Questions['stats']['answer']> {
    return this.#ask('stats', {});
  }

  check(): AsyncIterable<ArchiveProgress> {
    return this.#report('check');
  }

  compact(): AsyncIterable<ArchiveProgress> {
    return this.#report('compact');
  }

  /** Writes what waits, and ends the threads, by force after `patienceMs`. */
  async close(patienceMs: number): Promise<void> {
    this.#isClosing = true;
    this.#cancelTrial?.();
    this.#tellDropped();
    this.#cancelTelling?.();
    await this.#readings.close();
    const writer = this.#writer;
    if (writer === undefined) {
      await this.#prepared?.terminate();
      return;
    }
    const ended = new Promise<void>((resolve) => writer.once('exit', () => resolve()));
    const force = setTimeout(() => writer.terminate(), patienceMs);
    await Promise.race([this.records.allStored().catch(() => undefined), ended]);
    this.#post({ kind: 'close' });
    await ended;
    clearTimeout(force);
    this.#writer = undefined;
    const { waiting } = this.records;
    if (waiting > 0) this.#options.onWarning(`${waiting} records that waited for the disk are lost`);
  }

  #hear(message: FromWriter): void {
    if (message.kind === 'committed') {
      this.#noteTrouble(undefined);
      this.#mark?.keep();
      this.records.settled(message.invalid);
    } else if (message.kind === 'refused') {
      this.#noteTrouble(message.reason);
      this.records.refused(diskFailing(message.reason));
    } else if (message.kind === 'warning') this.#options.onWarning(message.text);
    else if (message.kind === 'progress') this.#asked.get(message.id)?.onProgress?.(message.progress);
    else if (message.kind === 'answer') this.#take(message.id)?.resolve(message.answer as never);
    else if (message.kind === 'problem') {
      const { problem, detail } = message.problem;
      this.#take(message.id)?.reject(new ProblemError(problem, detail));
    }
  }

  #take(id: number): Asked | undefined {
    const asked = this.#asked.get(id);
    this.#asked.delete(id);
    return asked;
  }

  #noteTrouble(reason: string | undefined): void {
    const wasFailing = this.#failure !== undefined;
    this.#failure = reason;
    this.#cancelTrial?.();
    this.#cancelTrial = undefined;
    if (reason !== undefined && !this.#isClosing) {
      this.#cancelTrial = this.#options.clock.after(trialMs, () => this.#post({ kind: 'commit' }));
    }
    if (wasFailing !== (reason !== undefined)) this.#options.onTrouble(reason);
  }

  #noteDropped(count: number): void {
    this.#dropped += count;
    if (this.#cancelTelling === undefined) this.#tellDropped();
  }

  #tellDropped(): void {
    this.#cancelTelling = undefined;
    if (this.#dropped === 0) return;
    this.#options.onWarning(`${this.#dropped} records were dropped: the disk does not take them, and too many wait`);
    this.#dropped = 0;
    this.#cancelTelling = this.#options.clock.after(tellDroppedMs, () => this.#tellDropped());
  }

  #refuseWhileFailing(problem: 'storage-failed' | 'disk-failing'): void {
    if (this.#failure === undefined) return;
    throw problem === 'disk-failing' ? diskFailing(this.#failure) : new ProblemError(problem, `${this.#failure}.`);
  }

  #ask<Q extends Question>(
    question: Q,
    ask: Questions[Q]['ask'],
    onProgress?: (progress: ArchiveProgress) => void,
  ): Promise<Questions[Q]['answer']> {
    return new Promise((resolve, reject) => {
      const id = ++this.#lastId;
      this.#asked.set(id, { resolve: resolve as (answer: never) => void, reject, onProgress });
      if (!this.#post({ kind: 'ask', id, question, ask })) {
        this.#take(id);
        reject(new ProblemError('storage-failed', 'The archive is not open.'));
      }
    });
  }

  #report(question: 'check' | 'compact'): AsyncIterable<ArchiveProgress> {
    const report = new ProgressReport();
    this.#ask(question, {}, (progress) => report.add(progress)).then(
      (last) => report.end(last),
      (error: Error) => report.fail(error),
    );
    return report;
  }

  #post(message: ToWriter, transfer: readonly unknown[] = []): boolean {
    this.#writer?.postMessage(message, transfer as never[]);
    return this.#writer !== undefined;
  }
}

function diskFailing(reason: string): ProblemError {
  const rest = 'What was sent may be stored once the disk takes it; sending it again does no harm.';
  return new ProblemError('disk-failing', `${reason}. ${rest}`);
}
