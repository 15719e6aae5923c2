// Follows what a site shares in etcd: all of it as it was at one revision, and every change from there on, in order and whole. Where etcd
// has forgotten what was between, it begins anew.
import { type Clock, onAbort, pause } from '@telltale/schema';
import type { EtcdClient } from '../etcd/etcd-client.ts';
import { EtcdRefusal } from '../etcd/etcd-errors.ts';
import { oneKey } from '../etcd/etcd-kv.ts';
import type { Change } from '../etcd/etcd-watch.ts';
import { readShared, readValue } from './read-shared.ts';
import { NewerForm } from './shared-errors.ts';
import { checkForm, type LargeValue, type SharedEntry, type SharedKey, SharedKeys } from './shared-keys.ts';

/** Undefined: there is none any more. */
export type FollowedEntry = SharedEntry | (SharedKey & { readonly value: undefined; readonly revision: number });

export interface SharedFollowerOptions {
  readonly etcd: EtcdClient;
  readonly clock: Clock;
  /** Of the site. */
  readonly base: string;
  /** All there is: what is not there is gone. The next call waits until it resolves. */
  readonly onState: (entries: readonly SharedEntry[]) => Promise<void>;
  readonly onChanges: (entries: readonly FollowedEntry[]) => Promise<void>;
}

interface Waiter {
  readonly revision: number;
  readonly resolve: () => void;
}

export class SharedFollower {
  readonly #options: SharedFollowerOptions;
  readonly #keys: SharedKeys;
  readonly #large = new Map<string, LargeValue>();
  readonly #ended = new AbortController();
  #watching = new AbortController();
  #isWatching = false;
  #revision = 0;
  #waiters: Waiter[] = [];
  #running: Promise<unknown> = Promise.resolve();
  #failure: string | undefined;

  constructor(options: SharedFollowerOptions) {
    this.#options = options;
    this.#keys = new SharedKeys(options.base);
  }

  /** Why it cannot follow; undefined where it can. */
  get failure(): string | undefined {
    return this.#failure;
  }

  /** Up to which revision of etcd it has followed; 0: it has read nothing yet. */
  get revision(): number {
    return this.#revision;
  }

  /** The long values that there are, by the keys of etcd: for `SharedState`. */
  get large(): ReadonlyMap<string, LargeValue> {
    return this.#large;
  }

  start(): void {
    this.#running = Promise.all([this.#run(), this.#lookForSilence()]);
  }

  async stop(): Promise<void> {
    this.#ended.abort();
    this.#watching.abort();
    await this.#running;
  }

  /** Resolves when everything has been followed that was there when it was called. Rejects where etcd does not say what that is, or with `NewerForm`. */
  async upToDate(signal: AbortSignal): Promise<void> {
    const revision = await this.#newest(signal);
    if (this.#revision >= revision) return;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const waiter = { revision, resolve };
    this.#waiters.push(waiter);
    const stopListening = onAbort(signal, reject);
    try {
      await promise;
    } finally {
      stopListening();
      this.#waiters = this.#waiters.filter((each) => each !== waiter);
    }
  }

  /** The bytes of an entry, soon after it was reported: rejects where parts of it were removed and forgotten meanwhile. */
  read({ value, revision }: SharedEntry): Promise<Buffer> {
    const { etcd } = this.#options;
    const options = { limitMs: etcd.times.ttlMs, signal: this.#ended.signal };
    return readValue(etcd, this.#keys, { value, revision, ...options });
  }

  async #run(): Promise<void> {
    const { clock, etcd } = this.#options;
    while (!this.#ended.signal.aborted) {
      try {
        if (this.#revision === 0) await this.#begin();
        await this.#watch();
      } catch (error) {
        if (error instanceof NewerForm) {
          // When it can be read again, all of it is: a watch would come by this once more.
          [this.#isWatching, this.#revision, this.#failure] = [false, 0, error.message];
          await pause(clock, etcd.times.ttlMs, this.#ended.signal);
        } else if (error instanceof EtcdRefusal && error.kind === 'compacted') this.#revision = 0;
        // A watch that ends is begun again at once.
        else if (this.#isWatching) this.#isWatching = false;
        else this.#failure = (error as Error).message;
        await pause(clock, etcd.times.retryMs, this.#ended.signal);
      }
    }
  }

  async #begin(): Promise<void> {
    const { etcd, onState } = this.#options;
    const { signal } = this.#ended;
    const { revision, entries } = await readShared(etcd, this.#keys, { limitMs: etcd.times.ttlMs, signal });
    this.#large.clear();
    for (const entry of entries) this.#note(entry);
    await onState(entries);
    this.#failure = undefined;
    this.#reached(revision);
  }

  async #watch(): Promise<void> {
    const { etcd, onChanges } = this.#options;
    this.#watching = new AbortController();
    if (this.#ended.signal.aborted) return;
    for await (const { changes } of etcd.watch(this.#keys.state, this.#watching.signal, this.#revision + 1)) {
      for (const { key, entry } of changes) if (key === this.#keys.head && entry !== undefined) checkForm(entry.value);
      [this.#isWatching, this.#failure] = [true, undefined];
      const entries = changes.flatMap((change) => this.#read(change) ?? []);
      for (const entry of entries) this.#note(entry);
      if (entries.length > 0) await onChanges(entries);
      const last = changes.at(-1);
      if (last !== undefined) this.#reached(last.revision);
    }
  }

  /** A watch that is half open says nothing: whoever asks hears of it. */
  async #lookForSilence(): Promise<void> {
    const { clock, etcd } = this.#options;
    const { signal } = this.#ended;
    for (let known = 0; !signal.aborted; await pause(clock, etcd.times.ttlMs, signal)) {
      const isSilent = this.#revision > 0 && this.#revision < known;
      if (isSilent) this.#watching.abort();
      known = await this.#newest(signal).catch(() => 0);
    }
  }

  /** Every change writes the head. */
  async #newest(signal: AbortSignal): Promise<number> {
    const { etcd } = this.#options;
    const { entries } = await etcd.range(oneKey(this.#keys.head), { limitMs: etcd.times.ttlMs, signal });
    const [head] = entries;
    if (head !== undefined) checkForm(head.value);
    return head?.modRevision ?? 0;
  }

  #read({ key, revision, entry }: Change): FollowedEntry | undefined {
    const read = entry && this.#keys.read(entry);
    if (read !== undefined) return read;
    const sharedKey = this.#keys.keyOf(key);
    return sharedKey && { ...sharedKey, value: undefined, revision };
  }

  #note({ value, ...sharedKey }: FollowedEntry): void {
    const key = this.#keys.entry(sharedKey);
    if (value === undefined || Buffer.isBuffer(value)) this.#large.delete(key);
    else this.#large.set(key, value);
  }

  #reached(revision: number): void {
    this.#revision = revision;
    for (const waiter of this.#waiters) if (waiter.revision <= revision) waiter.resolve();
  }
}
