// What a site shares in etcd, as the node that leads writes it: entries by family and name. A change is acknowledged when a majority of
// etcd has it, under this epoch. Changes that come while one is under way go together into the next transaction.
import { type Clock, pause } from '@telltale/schema';
import type { EtcdClient } from '../etcd/etcd-client.ts';
import { type Operation, oneKey, put, remove } from '../etcd/etcd-kv.ts';
import { cutParts, type Part, storedPart } from './content-parts.ts';
import { HeadChain, mostBytes, mostOperations } from './head-chain.ts';
import { LeaseLost, NotShared } from './shared-errors.ts';
import { inlineValue, type LargeValue, largeValue, type SharedKey, SharedKeys } from './shared-keys.ts';
import { StoredParts } from './stored-parts.ts';

export interface SharedChange extends SharedKey {
  /** Undefined: there is none any more. */
  readonly bytes: Uint8Array | undefined;
}

export interface SharedStateOptions {
  readonly etcd: EtcdClient;
  readonly clock: Clock;
  /** Of the site. */
  readonly base: string;
  /** Under which this node leads. */
  readonly epoch: number;
  /** What there was of long values when it began to lead, as `SharedFollower` has it. */
  readonly large: Iterable<readonly [string, LargeValue]>;
}

interface Put {
  readonly key: string;
  /** As it is stored; undefined: the key is removed. */
  readonly stored: Buffer | undefined;
  readonly large: LargeValue | undefined;
}

interface Pending {
  readonly made: Promise<void>;
  /** Undefined until it is made. */
  puts: readonly Put[] | undefined;
  readonly parts: Part[];
  isOver: boolean;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

/** What a put has beside its value, at most: names of sites and objects are short. */
const mostKey = 1 << 10;
/** What is longer is in parts. */
const mostInline = 8 << 10;

export class SharedState {
  readonly #clock: Clock;
  readonly #etcd: EtcdClient;
  readonly #keys: SharedKeys;
  readonly #chain: HeadChain;
  readonly #parts: StoredParts;
  readonly #ended = new AbortController();
  #queue: Pending[] = [];
  #running: Promise<void> | undefined;
  #failure: string | undefined;
  /** Keys of which it is not known whether etcd has what they were given last. */
  readonly #doubtful = new Set<string>();

  constructor({ etcd, clock, base, epoch, large }: SharedStateOptions) {
    [this.#etcd, this.#clock] = [etcd, clock];
    this.#keys = new SharedKeys(base);
    this.#chain = new HeadChain(etcd, this.#keys, epoch);
    this.#parts = new StoredParts(etcd, this.#keys, large);
    this.#go();
  }

  /** Nothing will be stored any more. */
  get isOver(): boolean {
    return this.#ended.signal.aborted;
  }

  /** How many changes are not acknowledged yet. */
  get pending(): number {
    return this.#queue.filter(({ isOver }) => !isOver).length;
  }

  /** Why etcd did not take what was asked last; undefined where it did. */
  get failure(): string | undefined {
    return this.#failure;
  }

  /**
   * Resolves when etcd has it. In the order of the calls; up to 127 changes of 1 MiB in all are carried out together or not at all.
   * Rejects with LeaseLost, or with NotShared in time: then it may be carried out yet, but never after one that comes later.
   */
  change(changes: readonly SharedChange[], limitMs = 2 * this.#etcd.times.ttlMs): Promise<void> {
    if (this.#ended.signal.aborted) return Promise.reject(new LeaseLost('This node does not lead'));
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const made = Promise.withResolvers<void>();
    const pending: Pending = { made: made.promise, puts: undefined, parts: [], isOver: false, resolve, reject };
    const cancel = this.#clock.after(limitMs, () => {
      pending.isOver = true;
      reject(new NotShared(`etcd has not acknowledged it within ${limitMs / 1000} s${reason(this.#failure)}`));
    });
    promise.then(cancel, cancel);
    this.#queue.push(pending);
    void this.#make(pending, changes).then(made.resolve);
    this.#go();
    return promise;
  }

  /** Whatever is not acknowledged by now will not be. */
  async close(): Promise<void> {
    this.#end(new LeaseLost('This node does not lead any more'));
    await this.#running;
  }

  /** At once where no value is long. */
  async #make(pending: Pending, changes: readonly SharedChange[]): Promise<void> {
    const puts: Put[] = [];
    for (const { bytes, ...sharedKey } of changes) {
      const key = this.#keys.entry(sharedKey);
      if (bytes === undefined || bytes.length <= mostInline) {
        puts.push({ key, stored: bytes && inlineValue(bytes), large: undefined });
        continue;
      }
      const hashes: string[] = [];
      for await (const part of cutParts(bytes)) {
        hashes.push(part.hash);
        pending.parts.push(part);
      }
      const large = { length: bytes.length, parts: hashes };
      puts.push({ key, stored: largeValue(large), large });
    }
    pending.puts = puts;
  }

  #go(): void {
    if (this.#running !== undefined || this.#ended.signal.aborted) return;
    this.#running = this.#run().finally(() => {
      this.#running = undefined;
      if (this.#queue.length > 0) this.#go();
    });
  }

  async #run(): Promise<void> {
    while (!this.#ended.signal.aborted) {
      try {
        const [first] = this.#queue;
        if (first === undefined) {
          if (!(await this.#removeGarbage())) return;
        } else if (first.puts === undefined) await first.made;
        else if (first.isOver) this.#queue.shift();
        else {
          await this.#storeParts(first.parts);
          await this.#storeNext();
        }
        this.#failure = undefined;
      } catch (error) {
        if (error instanceof LeaseLost) return this.#end(error);
        this.#failure = (error as Error).message;
        await pause(this.#clock, this.#etcd.times.retryMs, this.#ended.signal);
      }
    }
  }

  async #storeParts(parts: readonly Part[]): Promise<void> {
    if (parts.length === 0) return;
    await this.#parts.list();
    const missing = new Map(parts.filter(({ hash }) => !this.#parts.has(hash)).map((part) => [part.hash, part]));
    for (const batch of batches(await Promise.all(missing.values().map(storedPart)))) {
      await this.#chain.transact(batch.map(({ hash, stored }) => put(this.#keys.part(hash), stored)));
      for (const { hash } of batch) this.#parts.added(hash);
    }
  }

  /** The first change, and those behind it that have room beside it. */
  async #storeNext(): Promise<void> {
    const puts = new Map<string, Put>();
    let [taken, length] = [0, 0];
    for (const pending of this.#queue) {
      if (!pending.isOver) {
        if (pending.puts === undefined || (puts.size > 0 && pending.parts.length > 0)) break;
        const others = pending.puts.filter(({ key }) => !puts.has(key)).length;
        length += lengthOf(pending.puts);
        if (puts.size > 0 && (puts.size + others > mostOperations || length > mostBytes)) break;
        for (const each of pending.puts) puts.set(each.key, each);
      }
      taken++;
    }
    for (const batch of batches([...puts.values()])) {
      for (const { key } of batch) this.#doubtful.add(key);
      await this.#chain.transact(batch.map(operationOf));
      for (const { key, large } of batch) {
        this.#parts.note(key, large);
        this.#doubtful.delete(key);
      }
    }
    for (const { resolve } of this.#queue.splice(0, taken)) resolve();
  }

  /** While there is nothing else to do. */
  async #removeGarbage(): Promise<boolean> {
    await this.#parts.list();
    await this.#settle();
    const hashes = this.#parts.takeGarbage(mostOperations);
    if (hashes.length === 0) return false;
    try {
      await this.#chain.transact(hashes.map((hash) => remove(oneKey(this.#keys.part(hash)))));
    } catch (error) {
      this.#parts.restore(hashes);
      throw error;
    }
    return true;
  }

  /** Before anything is removed: whether what was given up has been carried out. */
  async #settle(): Promise<void> {
    if (this.#doubtful.size === 0) return;
    // From now on it will not be.
    await this.#chain.transact([]);
    for (const key of this.#doubtful) {
      const { entries } = await this.#etcd.range(oneKey(key), { limitMs: this.#etcd.times.ttlMs });
      const value = entries[0] && this.#keys.read(entries[0])?.value;
      this.#parts.note(key, Buffer.isBuffer(value) ? undefined : value);
      this.#doubtful.delete(key);
    }
  }

  #end(error: LeaseLost): void {
    this.#ended.abort();
    for (const { reject } of this.#queue.splice(0)) reject(error);
  }
}

function operationOf({ key, stored }: Put): Operation {
  return stored === undefined ? remove(oneKey(key)) : put(key, stored);
}

/** Each with as much as a transaction may have. */
function batches<T extends { readonly stored: Buffer | undefined }>(all: readonly T[]): T[][] {
  const full: T[][] = [[]];
  let length = 0;
  for (const each of all) {
    const last = full.at(-1) as T[];
    length += lengthOf([each]);
    if (last.length > 0 && (last.length === mostOperations || length > mostBytes)) {
      full.push([each]);
      length = lengthOf([each]);
    } else last.push(each);
  }
  return full;
}

/** With what its key has. */
function lengthOf(puts: readonly { readonly stored: Buffer | undefined }[]): number {
  return puts.reduce((length, { stored }) => length + (stored?.length ?? 0) + mostKey, 0);
}

function reason(failure: string | undefined): string {
  return failure === undefined ? '' : `: ${failure}`;
}
