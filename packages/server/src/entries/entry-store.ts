// The client of the thread that writes entries: what comes while a commit runs goes into the next one, so that a crowd of
// writes costs as many disk syncs as a few. What the entries mean is the owner's.
import { basename } from 'node:path';
import { type Clock, ProblemError, systemClock } from '@telltale/schema';
import { UnusableDatabase } from '../sqlite/index.ts';
import { DiskRetry, startThread, threadPort, WorkerLink } from '../threads/index.ts';
import type { Entry, EntryForm, EntryThread } from './protocol.ts';

export interface EntryStoreOptions {
  /** Of the database file; its folder exists and is ours alone. */
  readonly path: string;
  readonly form: EntryForm;
  /** The name of the thread. */
  readonly thread: 'live state' | 'access';
  /** The thread died: nothing from now on will be on disk. */
  readonly onFailure: (error: Error) => void;
  /** The disk refuses, for this reason; undefined: it accepts writes again. */
  readonly onFault?: ((reason: string | undefined) => void) | undefined;
  readonly clock?: Clock | undefined;
}

interface Change {
  readonly entries: readonly Entry[];
  /** Whether it is acknowledged what is missing. */
  readonly acknowledges: boolean;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

export class EntryStore {
  readonly #options: EntryStoreOptions;
  readonly #disk: DiskRetry;
  #thread: WorkerLink<EntryThread> | undefined;
  #isOpen = false;
  #queued: Change[] = [];
  #committing: Change[] = [];
  #isBusy = false;
  #onIdle: (() => void) | undefined;
  #missing: readonly string[] = [];

  constructor(options: EntryStoreOptions) {
    const { clock = systemClock, onFault = () => {} } = options;
    this.#options = options;
    this.#disk = new DiskRetry({ clock, retry: () => this.#commit(), onChange: onFault });
  }

  /** How many changes are not on disk yet. */
  get pending(): number {
    return this.#queued.length + this.#committing.length;
  }

  /** Why the newest commit failed; undefined where it did not. A disk that takes writes again is found by itself. */
  get failure(): string | undefined {
    return this.#disk.reason;
  }

  /** What was stored and was not found at opening, a sentence each, until it is acknowledged. */
  get missing(): readonly string[] {
    return this.#missing;
  }

  /** Resolves when that is on disk. */
  async acknowledgeMissing(): Promise<void> {
    await this.#queue([], true);
    this.#missing = [];
  }

  /** Starts the thread, which takes its time, and touches no file yet. */
  prepare(): WorkerLink<EntryThread> {
    const start = () => startThread(new URL('./entry-thread.ts', import.meta.url), this.#options.thread);
    this.#thread ??= new WorkerLink(threadPort(start()), { handlers: {}, onDeath: (error) => this.#onDeath(error) });
    return this.#thread;
  }

  /** Rejects with `UnusableDatabase` where the file cannot be used. */
  async open(): Promise<readonly Entry[]> {
    const { path, form } = this.#options;
    const thread = this.prepare();
    const opened = await thread.call('open', [path, form]);
    if ('unusable' in opened) {
      await thread.kill();
      throw new UnusableDatabase(opened.unusable);
    }
    this.#isOpen = true;
    this.#missing = opened.missing;
    return opened.entries;
  }

  /** All of it or nothing; resolves when it is on disk, and with it everything before. Of nothing: tries the disk. */
  change(entries: readonly Entry[]): Promise<void> {
    return this.#queue(entries, false);
  }

  /** Writes what is queued, closes the file and ends the thread, by force after `patienceMs`: the file is safe then, too. */
  async close(patienceMs: number): Promise<void> {
    const thread = this.#thread;
    this.#disk.stop();
    if (this.#isOpen) {
      await thread?.close(patienceMs, async () => {
        if (this.#isBusy) await new Promise<void>((resolve) => (this.#onIdle = resolve));
        await thread.call('close', []);
      });
    } else await thread?.kill();
    this.#isOpen = false;
  }

  #onDeath(error: Error): void {
    if (!this.#isOpen) return; // `open` rejects
    this.#isOpen = false;
    this.#disk.stop();
    this.#options.onFailure(error);
  }

  #queue(entries: readonly Entry[], acknowledges: boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#queued.push({ entries, acknowledges, resolve, reject });
      this.#commit();
    });
  }

  /** What is queued, until there is nothing more; the first time that may be nothing: then the thread tries the disk. */
  async #commit(): Promise<void> {
    if (this.#isBusy) return;
    this.#isBusy = true;
    do {
      this.#committing = this.#queued.splice(0);
      const failure = await this.#write(this.#committing);
      for (const { resolve, reject } of this.#committing.splice(0)) failure === undefined ? resolve() : reject(failure);
    } while (this.#queued.length > 0);
    this.#isBusy = false;
    this.#onIdle?.();
  }

  async #write(changes: readonly Change[]): Promise<Error | undefined> {
    if (!this.#isOpen) return storageFailed(`${basename(this.#options.path)} is not open`);
    const entries = changes.flatMap((change) => change.entries);
    const acknowledges = changes.some((change) => change.acknowledges);
    try {
      const reason = await this.#thread?.call('commit', [entries, acknowledges]);
      this.#disk.note(reason);
      return reason === undefined ? undefined : storageFailed(reason);
    } catch (error) {
      return error instanceof ProblemError ? error : storageFailed((error as Error).message);
    }
  }
}

function storageFailed(reason: string): ProblemError {
  return new ProblemError('storage-failed', `${reason}.`);
}
