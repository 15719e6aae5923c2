// Entries of one kind, by name: in memory as they are on disk. A change holds when it is on disk.
import { ProblemError } from '@telltale/schema';
import type { AccessStore, ChangedEntry, StoredEntry } from './access-store.ts';

/** Far more than a plant has; what an administrator, or whoever signs in often, can make grow. */
const mostEntries = 10_000;

export class Collection<T> {
  readonly #kind: string;
  readonly #one: string;
  readonly #entries = new Map<string, T>();

  /** `one` is what people call an entry, such as user. */
  constructor(kind: string, one: string) {
    this.#kind = kind;
    this.#one = one;
  }

  get size(): number {
    return this.#entries.size;
  }

  load(entries: readonly StoredEntry[]): void {
    for (const { kind, key, value } of entries) if (kind === this.#kind) this.#entries.set(key, value as T);
  }

  get(key: string): T | undefined {
    return this.#entries.get(key);
  }

  /** Throws where there is none, and in the same words where it is not one of those that the caller sees. */
  known(key: string, isSeen: (entry: T) => boolean = () => true): T {
    const entry = this.#entries.get(key);
    if (entry !== undefined && isSeen(entry)) return entry;
    throw new ProblemError('unknown-object', `There is no ${this.#one} ${JSON.stringify(key.slice(0, 80))}.`);
  }

  /** Sorted by name. */
  all(): [string, T][] {
    return [...this.#entries].sort(([a], [b]) => (a < b ? -1 : 1));
  }

  values(): IterableIterator<T> {
    return this.#entries.values();
  }

  /** What to store, so that the entry has this value; null: so that there is none. */
  change(key: string, value: T | null): Change {
    if (value !== null && !this.#entries.has(key) && this.#entries.size >= mostEntries) {
      throw new ProblemError('too-many-requests', `There are ${mostEntries} ${this.#one}s: delete some first.`);
    }
    return {
      stored: { kind: this.#kind, key, value },
      hold: () => void (value === null ? this.#entries.delete(key) : this.#entries.set(key, value)),
    };
  }
}

export interface Change {
  readonly stored: ChangedEntry;
  /** Once it is on disk. */
  readonly hold: () => void;
}

/** Carries changes out one after another, so that each is decided on by what the one before has left. */
export class Changes {
  readonly #store: AccessStore;
  #last: Promise<unknown> = Promise.resolve();

  constructor(store: AccessStore) {
    this.#store = store;
  }

  /** `decide` may refuse by throwing; then nothing is changed. */
  run<T>(decide: () => { readonly changes: readonly Change[]; readonly result: T }): Promise<T> {
    const run = this.#last.then(async () => {
      const { changes, result } = decide();
      if (changes.length > 0) await this.#store.change(changes.map(({ stored }) => stored));
      for (const { hold } of changes) hold();
      return result;
    });
    this.#last = run.catch(() => undefined);
    return run;
  }
}
