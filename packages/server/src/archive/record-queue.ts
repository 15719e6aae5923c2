// Records on their way to the disk: collected for a while, sent to the archive's thread one group at a time, retained
// while the disk refuses them; when there is no more room, the oldest are discarded and counted.
import { Batch, type BatchMessage, type Clock, type Datatype, ProblemError } from '@telltale/schema';
import type { Kind, SeriesKey, SeriesRename } from './records.ts';

/** What goes to the thread together, and to the disk together. */
export interface CommitGroup {
  /** Records that were discarded so far. */
  readonly dropped: number;
  /** New ones, numbered on from those before. */
  readonly newSeries: readonly SeriesKey[];
  readonly batches: readonly GroupBatch[];
}

/** Its points are references to series; or, where `importedTo` is there, all are of this one, and of another origin. */
export interface GroupBatch extends BatchMessage {
  readonly importedTo?: number;
}

export interface RecordQueueOptions {
  readonly clock: Clock;
  readonly commitMs: number;
  readonly maxPendingBytes: number;
  /** The next group is handed on after `settled`. */
  readonly send: (group: CommitGroup) => void;
  /** So many were discarded, since there was no more room for them. */
  readonly onDropped: (count: number) => void;
}

interface Waiter {
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

interface PendingBatch {
  readonly batch: GroupBatch;
  readonly bytes: number;
  /** Who waits for these to be on disk; records with a waiter are not discarded. */
  readonly waiters: Waiter[];
}

/** A batch is closed when it has so many records: dropping goes by whole batches. */
const mostRecords = 16_384;
/** Records of a group, but for its first batch. */
const mostInGroup = 1_048_576;
const bytesARecord = 23;

export class RecordQueue {
  /** Filled by the producers of records: `points` are slots of series. Then `added`. */
  readonly batch = new Batch(1024);
  /** Records on disk. */
  stored = 0;
  /** Records that somebody waited for: those of another origin. */
  imported = 0;
  /** Records discarded since there was no more room for them. */
  dropped = 0;
  /** Records that do not fit their series: a fault of their producer. */
  invalid = 0;
  readonly #options: RecordQueueOptions;
  /** By kind and datatype, then by name. */
  readonly #refs: Record<Kind, { [D in Datatype]?: Map<string, number> }> = {
    measurements: {},
    commands: {},
    alarms: {},
  };
  #refCount = 0;
  #undeclared: SeriesKey[] = [];
  readonly #pending: PendingBatch[] = [];
  #pendingBytes = 0;
  #pendingRecords = 0;
  #sent: readonly PendingBatch[] = [];
  #stopTimer: (() => void) | undefined;

  constructor(options: RecordQueueOptions) {
    this.#options = options;
  }

  /** A number for the series, the same for as long as the server runs. */
  refOf(key: SeriesKey): number {
    const { kind, name, datatype } = key;
    this.#refs[kind][datatype] ??= new Map();
    const numbers = this.#refs[kind][datatype];
    const known = numbers.get(name);
    if (known !== undefined) return known;
    const number = this.#refCount++;
    numbers.set(name, number);
    this.#undeclared.push(key);
    return number;
  }

  /** What is recorded of it goes on under another name, records that are not yet sent included. */
  rename({ kind, from, to }: SeriesRename): void {
    for (const numbers of Object.values(this.#refs[kind])) {
      const number = numbers.get(from);
      if (number === undefined) continue;
      numbers.delete(from);
      numbers.set(to, number);
    }
    this.#undeclared = this.#undeclared.map((key) =>
      key.kind === kind && key.name === from ? { ...key, name: to } : key,
    );
  }

  /** Records that are not on disk yet. */
  get pending(): number {
    return this.batch.count + this.#pendingRecords + recordsOf(this.#sent);
  }

  get pendingBytes(): number {
    return this.#pendingBytes + this.batch.count * bytesARecord;
  }

  added(): void {
    if (this.batch.count >= mostRecords) {
      this.#close();
      // What nothing is in the way of is not too much.
      if (this.#sent.length > 0) while (this.#pendingBytes > this.#options.maxPendingBytes && this.#dropOldest());
    }
    if (this.#sent.length === 0)
      this.#stopTimer ??= this.#options.clock.after(this.#options.commitMs, () => this.#send());
  }

  /** Records of another origin; resolves when they are on disk, rejects where the disk refuses or some are invalid. */
  async import(key: SeriesKey, batch: BatchMessage): Promise<void> {
    this.#close();
    this.imported += batch.count;
    this.#push({ ...batch, importedTo: this.refOf(key) });
    await this.allStored();
  }

  /** Resolves when everything that was added before is on disk, or discarded; rejects where the disk refuses. */
  allStored(): Promise<void> {
    this.#close();
    const newest = this.#pending.at(-1) ?? this.#sent.at(-1);
    if (newest === undefined) return Promise.resolve();
    return new Promise((resolve, reject) => {
      newest.waiters.push({ resolve, reject });
      this.#send();
    });
  }

  /** The disk refuses what was sent. It stays queued and is retried; but its waiters are rejected. */
  refused(error: Error): void {
    for (const { waiters } of [...this.#sent, ...this.#pending]) {
      for (const { reject } of waiters.splice(0)) reject(error);
    }
  }

  /** The thread has the last group on disk, except records that do not fit their series. */
  settled(invalid = 0): void {
    const sent = this.#sent;
    this.#sent = [];
    this.stored += recordsOf(sent) - invalid;
    this.invalid += invalid;
    for (const { batch, waiters } of sent) {
      const isRefused = invalid > 0 && batch.importedTo !== undefined;
      for (const { resolve, reject } of waiters) isRefused ? reject(notAllStored(invalid)) : resolve();
    }
    if (this.#pending.length > 0) this.#send();
    else if (this.batch.count > 0) this.added();
  }

  #send(): void {
    this.#stopTimer?.();
    this.#stopTimer = undefined;
    if (this.#sent.length > 0) return;
    this.#close();
    if (this.#pending.length === 0) return;
    let count = 0;
    let records = 0;
    for (const { batch } of this.#pending) {
      if (count > 0 && records + batch.count > mostInGroup) break;
      records += batch.count;
      count++;
    }
    this.#sent = this.#pending.splice(0, count);
    this.#pendingRecords -= records;
    for (const { bytes } of this.#sent) this.#pendingBytes -= bytes;
    const newSeries = this.#undeclared;
    this.#undeclared = [];
    this.#options.send({ dropped: this.dropped, newSeries, batches: this.#sent.map(({ batch }) => batch) });
  }

  #close(): void {
    if (this.batch.count === 0) return;
    this.#push(this.batch.take());
  }

  #push(batch: GroupBatch): void {
    const bytes = batch.count * bytesARecord + textBytes(batch.texts);
    this.#pending.push({ batch, bytes, waiters: [] });
    this.#pendingBytes += bytes;
    this.#pendingRecords += batch.count;
  }

  #dropOldest(): boolean {
    const at = this.#pending.findIndex(({ waiters }) => waiters.length === 0);
    const [oldest] = at < 0 ? [] : this.#pending.splice(at, 1);
    if (oldest === undefined) return false;
    this.#pendingBytes -= oldest.bytes;
    this.#pendingRecords -= oldest.batch.count;
    this.dropped += oldest.batch.count;
    this.#options.onDropped(oldest.batch.count);
    return true;
  }
}

/** Does not say whose they are: sending stored ones again does no harm. */
function notAllStored(invalid: number): ProblemError {
  return new ProblemError('storage-failed', `${invalid} records that arrived together cannot be stored; see the log.`);
}

function recordsOf(pending: readonly PendingBatch[]): number {
  return pending.reduce((sum, { batch }) => sum + batch.count, 0);
}

/** As the engine holds them, about. */
function textBytes(texts: readonly string[]): number {
  let bytes = 0;
  for (const text of texts) if (text !== undefined) bytes += 2 * text.length + 16;
  return bytes;
}
