// Where users, roles, tokens and sessions survive a restart: `access.sqlite`, apart from the configuration, so that no
// restore or upload changes who may do what. What the entries mean is the owner's.
import { join } from 'node:path';
import type { Clock } from '@telltale/schema';
import { type EntryForm, EntryStore } from '../entries/index.ts';
import { accessFile, currentFormat } from '../upgrade/index.ts';

export interface StoredEntry {
  readonly kind: string;
  readonly key: string;
  /** Anything that JSON has, but null. */
  readonly value: unknown;
}

export interface ChangedEntry {
  readonly kind: string;
  readonly key: string;
  /** null deletes. */
  readonly value: unknown;
}

export interface AccessStore {
  /** First. Rejects with `UnusableDatabase` where the file cannot be used, or is gone. */
  open(): Promise<readonly StoredEntry[]>;
  /** All of it or nothing; resolves when on disk. */
  change(entries: readonly ChangedEntry[]): Promise<void>;
  /**
   * What was stored and was not found at opening, a sentence each, until it is acknowledged. While there is any, a store without
   * users is not one that never had any.
   */
  readonly missing: readonly string[];
}

/** Gone, it is not begun anew: a service that had users would be open to everybody on the machine. */
export const accessForm: EntryForm = {
  applicationId: accessFile.applicationId,
  version: currentFormat,
  mayBeGone: false,
  meaning:
    'users, roles, tokens and sessions may be older than what was acknowledged, and what was revoked since may hold again',
};

export interface AccessStoreOptions {
  /** The data folder; it exists and is ours alone. */
  readonly folder: string;
  /** The thread died: nothing from now on will be on disk. */
  readonly onFailure: (error: Error) => void;
  /** The disk refuses, for this reason; undefined: it accepts writes again. */
  readonly onFault?: (reason: string | undefined) => void;
  readonly clock?: Clock;
}

export class AccessDatabase implements AccessStore {
  readonly #store: EntryStore;

  constructor({ folder, ...options }: AccessStoreOptions) {
    this.#store = new EntryStore({
      ...options,
      path: join(folder, accessFile.name),
      form: accessForm,
      thread: 'access',
    });
  }

  get failure(): string | undefined {
    return this.#store.failure;
  }

  get missing(): readonly string[] {
    return this.#store.missing;
  }

  acknowledgeMissing(): Promise<void> {
    return this.#store.acknowledgeMissing();
  }

  /** Starts the thread, which takes its time, and touches no file yet. */
  prepare(): void {
    this.#store.prepare();
  }

  async open(): Promise<readonly StoredEntry[]> {
    const entries = await this.#store.open();
    return entries.map(({ family, name, text }) => ({ kind: family, key: name, value: JSON.parse(text as string) }));
  }

  change(entries: readonly ChangedEntry[]): Promise<void> {
    return this.#store.change(
      entries.map(({ kind, key, value }) => ({
        family: kind,
        name: key,
        text: value === null ? null : JSON.stringify(value),
      })),
    );
  }

  /** Writes what is queued, closes the file and ends the thread, by force after `patienceMs`: the file is safe then, too. */
  close(patienceMs: number): Promise<void> {
    return this.#store.close(patienceMs);
  }
}
