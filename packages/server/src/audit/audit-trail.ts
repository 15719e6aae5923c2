// The audit trail: who did what. The client of the thread that writes it: what comes while a commit runs goes into the next
// one, so that a crowd of records costs as many disk syncs as a few. While the disk refuses, records wait in memory, up to a
// limit; those beyond it are counted, and the trail tells so.
import { type Clock, ProblemError } from '@telltale/schema';
import { DiskRetry, startThread, threadPort, WorkerLink } from '../threads/index.ts';
import { type AuditEntry, fieldsText } from './audit-entry.ts';
import type { AuditThread, Head, OpenedTrail } from './protocol.ts';
import type { Position, TrailPage, TrailQuery } from './trail-query.ts';

export interface AuditTrailOptions {
  /** The data folder; it exists and is ours alone. */
  readonly folder: string;
  readonly clock: Clock;
  /** The thread died: nothing from now on will be recorded. */
  readonly onFailure: (error: Error) => void;
  /** The disk refuses, for this reason; undefined: it accepts records again. */
  readonly onFault: (reason: string | undefined) => void;
  /** What was found at opening: a sentence each. */
  readonly onTold?: (text: string) => void;
  /** A head or cut was signed. */
  readonly onHead?: (head: Head) => void;
  /** How long records are kept; undefined: without limit. */
  readonly retentionMs?: number | undefined;
  readonly segmentBytes?: number;
  /** Of records that wait for a disk that refuses. */
  readonly maxPendingBytes?: number;
}

interface Waiting {
  readonly fields: string;
  /** Whether it is on disk. */
  readonly resolve: (isWritten: boolean) => void;
}

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const mostInCommit = 10_000;
const defaultSegmentBytes = 8 << 20;
const defaultPendingBytes = 16 << 20;

export class AuditTrail {
  readonly #options: AuditTrailOptions;
  readonly #disk: DiskRetry;
  #thread: WorkerLink<AuditThread> | undefined;
  #isOpened = false;
  #isClosed = false;
  #queued: Waiting[] = [];
  #queuedBytes = 0;
  #busy: Promise<void> | undefined;
  #lost = 0;
  #missing: readonly string[] = [];
  #cancelHour: (() => void) | undefined;

  constructor(options: AuditTrailOptions) {
    const { clock, onFault } = options;
    this.#options = options;
    this.#disk = new DiskRetry({ clock, retry: () => void this.#commit(), onChange: onFault });
  }

  /** Why the newest commit failed; undefined where it did not. A disk that takes records again is found by itself. */
  get failure(): string | undefined {
    return this.#disk.reason;
  }

  /** How many records are not on disk yet. */
  get pending(): number {
    return this.#queued.length;
  }

  /** How many records were discarded, and the trail does not tell yet. */
  get lost(): number {
    return this.#lost;
  }

  /** What was acknowledged and was not found at opening, a sentence each. */
  get missing(): readonly string[] {
    return this.#missing;
  }

  async acknowledgeMissing(): Promise<void> {
    if (this.#missing.length === 0) return;
    await this.#thread?.call('acknowledgeMissing', []).catch((error: Error) => {
      throw new ProblemError('storage-failed', `${error.message}.`);
    });
    this.#missing = [];
  }

  get warnings(): string[] {
    const { failure } = this;
    if (failure === undefined) return [];
    const lost = this.#lost === 0 ? '' : `, ${this.#lost} were discarded`;
    const refused = 'changes of the configuration and of users are refused until it is written again';
    return [
      `The audit trail cannot be written (${failure}): ${this.pending} records wait in memory${lost}; ${refused}.`,
    ];
  }

  /** Starts the thread, which takes its time, and touches no file yet. */
  prepare(): WorkerLink<AuditThread> {
    const start = () => threadPort(startThread(new URL('./audit-thread.ts', import.meta.url), 'audit'));
    this.#thread ??= new WorkerLink(start(), { handlers: {}, onDeath: (error) => this.#onDeath(error) });
    return this.#thread;
  }

  /** Resolves when the trail is open, or the disk refuses that: then it is tried again, and records wait. */
  async open(): Promise<void> {
    this.prepare();
    await this.#commit();
    this.#eachHour();
  }

  /** Resolves when it is on disk, with true; or, with false, as soon as the disk refuses: then it waits in memory. */
  record(entry: AuditEntry): Promise<boolean> {
    const { clock, maxPendingBytes = defaultPendingBytes } = this.#options;
    if (this.#isClosed) return Promise.resolve(false);
    const fields = fieldsText(entry, clock.now());
    if (this.failure !== undefined && this.#queuedBytes + fields.length > maxPendingBytes) {
      this.#lost++;
      return Promise.resolve(false);
    }
    return new Promise((resolve) => {
      this.#queued.push({ fields, resolve });
      this.#queuedBytes += fields.length;
      if (this.failure !== undefined) resolve(false);
      else if (this.#isOpened) void this.#commit();
    });
  }

  /** What was recorded before the call is in it, unless the disk refuses. */
  async read(query: TrailQuery, from?: Position, signal?: AbortSignal): Promise<TrailPage> {
    if (this.failure === undefined) await this.#busy;
    const page = await this.#thread?.call('read', [query, from], signal === undefined ? {} : { signal });
    return page ?? { lines: [], next: undefined };
  }

  /** Signs what was written since the last head. */
  async sign(): Promise<void> {
    await this.#busy;
    this.#told(await this.#thread?.call('sign', [this.#nowMs()]));
  }

  /** Writes what waits, signs, and ends the thread, by force after `patienceMs`. */
  async close(patienceMs: number): Promise<void> {
    const thread = this.#thread;
    this.#disk.stop();
    this.#cancelHour?.();
    await thread?.close(patienceMs, async () => {
      if (!this.#isOpened) return;
      await this.#commit();
      this.#told(await thread.call('close', [this.#nowMs()]));
    });
    this.#isClosed = true;
    for (const { resolve } of this.#queued.splice(0)) resolve(false);
  }

  #nowMs(): number {
    return Math.floor(this.#options.clock.now() / 1000);
  }

  #told(head: Head | undefined): void {
    if (head !== undefined) this.#options.onHead?.(head);
  }

  #onDeath(error: Error): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#disk.stop();
    this.#cancelHour?.();
    for (const { resolve } of this.#queued.splice(0)) resolve(false);
    this.#options.onFailure(error);
  }

  #eachHour(): void {
    if (this.#isClosed) return;
    this.#cancelHour = this.#options.clock.after(hourMs, () => void this.#upkeep().then(() => this.#eachHour()));
    void this.#cut();
  }

  async #upkeep(): Promise<void> {
    await this.sign().catch((error: Error) => this.#disk.note(error.message));
  }

  async #cut(): Promise<void> {
    const { retentionMs } = this.#options;
    if (retentionMs === undefined || !this.#isOpened) return;
    const nowMs = this.#nowMs();
    const cut = this.#thread?.call('cut', [nowMs - retentionMs, nowMs]);
    this.#told(await cut?.catch((error: Error) => void this.#disk.note(error.message)));
  }

  /** One at a time; what comes meanwhile is written by the same. */
  #commit(): Promise<void> {
    this.#busy ??= this.#writeAll().finally(() => {
      this.#busy = undefined;
    });
    return this.#busy;
  }

  async #writeAll(): Promise<void> {
    do {
      const reason = (await this.#open()) ?? (await this.#write());
      if (this.#isClosed) return;
      this.#disk.note(reason);
      if (reason === undefined) continue;
      for (const { resolve } of this.#queued) resolve(false); // they stay
      return;
    } while (this.#queued.length > 0 || this.#lost > 0);
  }

  /** Returns why the disk refuses. */
  async #open(): Promise<string | undefined> {
    if (this.#isOpened) return undefined;
    const { folder, segmentBytes = defaultSegmentBytes } = this.#options;
    try {
      const options = { folder, segmentBytes, segmentMs: dayMs };
      const opened = (await this.#thread?.call('open', [options, this.#nowMs()])) as OpenedTrail;
      this.#isOpened = true;
      this.#missing = opened.missing;
      for (const text of opened.told) this.#options.onTold?.(text);
      return undefined;
    } catch (error) {
      return (error as Error).message;
    }
  }

  async #write(): Promise<string | undefined> {
    const lost = this.#lost;
    const group = this.#queued.slice(0, mostInCommit);
    const records = group.map(({ fields }) => fields);
    if (lost > 0) records.push(lossRecord(lost, this.#options.clock.now()));
    let reason: string | undefined;
    try {
      reason = await this.#thread?.call('commit', [records, this.#nowMs()]);
    } catch (error) {
      reason = (error as Error).message;
    }
    if (reason !== undefined) return reason;
    this.#queued.splice(0, group.length);
    this.#lost -= lost;
    for (const { fields, resolve } of group) {
      this.#queuedBytes -= fields.length;
      resolve(true);
    }
    return undefined;
  }
}

function lossRecord(count: number, timeUs: number): string {
  const entry = {
    who: 'service',
    kind: 'service',
    operation: 'discardRecords',
    new: { count },
    result: 'done',
  } as const;
  return fieldsText(entry, timeUs);
}
