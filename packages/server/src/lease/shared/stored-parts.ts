// Which parts of long values are in etcd, which of them are needed, and which are left over.
import type { EtcdClient } from '../etcd/etcd-client.ts';
import { readAll } from './read-shared.ts';
import type { LargeValue, SharedKeys } from './shared-keys.ts';

export class StoredParts {
  readonly #etcd: EtcdClient;
  readonly #keys: SharedKeys;
  /** Of each entry with a long value. */
  readonly #ofEntry = new Map<string, readonly string[]>();
  /** How many times an entry needs each. */
  readonly #needed = new Map<string, number>();
  #stored: Set<string> | undefined;
  #garbage = new Set<string>();

  /** `large`: what there is in etcd, by keys. */
  constructor(etcd: EtcdClient, keys: SharedKeys, large: Iterable<readonly [string, LargeValue]>) {
    [this.#etcd, this.#keys] = [etcd, keys];
    for (const [key, value] of large) this.note(key, value);
  }

  /** Finds what is there, once. */
  async list(): Promise<void> {
    if (this.#stored !== undefined) return;
    const options = { keysOnly: true, limitMs: this.#etcd.times.ttlMs };
    const { entries } = await readAll(this.#etcd, this.#keys.parts, options);
    this.#stored = new Set(entries.map(({ key }) => this.#keys.hashOf(key)));
    this.#garbage = new Set([...this.#stored].filter((hash) => !this.#needed.has(hash)));
  }

  /** After `list`. */
  has(hash: string): boolean {
    return this.#stored?.has(hash) === true;
  }

  added(hash: string): void {
    this.#stored?.add(hash);
    if (!this.#needed.has(hash)) this.#garbage.add(hash);
  }

  /** The entry has this value now: a long one, or another one or none. */
  note(key: string, value: LargeValue | undefined): void {
    for (const hash of value?.parts ?? []) {
      this.#needed.set(hash, (this.#needed.get(hash) ?? 0) + 1);
      this.#garbage.delete(hash);
    }
    for (const hash of this.#ofEntry.get(key) ?? []) {
      const left = (this.#needed.get(hash) ?? 0) - 1;
      if (left > 0) this.#needed.set(hash, left);
      else {
        this.#needed.delete(hash);
        this.#garbage.add(hash);
      }
    }
    if (value === undefined) this.#ofEntry.delete(key);
    else this.#ofEntry.set(key, value.parts);
  }

  /** Some that nobody needs: they count as gone from now on, until `restore` says that they may not be. */
  takeGarbage(most: number): string[] {
    const taken = [...this.#garbage].slice(0, most);
    for (const hash of taken) {
      this.#garbage.delete(hash);
      this.#stored?.delete(hash);
    }
    return taken;
  }

  restore(hashes: readonly string[]): void {
    for (const hash of hashes) if (!this.#needed.has(hash)) this.#garbage.add(hash);
  }
}
