// Who watches which names, and who watches all there are.
import type { ChannelClient } from './channel-client.ts';

export class Watchers {
  readonly #ofAll = new Set<ChannelClient>();
  readonly #byName = new Map<string, Set<ChannelClient>>();
  readonly #byClient = new Map<ChannelClient, Set<string>>();

  get count(): number {
    let count = this.#ofAll.size;
    for (const names of this.#byClient.values()) count += names.size;
    return count;
  }

  countOf(client: ChannelClient): number {
    return this.#byClient.get(client)?.size ?? 0;
  }

  /** What somebody watches. */
  watched(): 'all' | string[] {
    return this.#ofAll.size > 0 ? 'all' : [...this.#byName.keys()];
  }

  isWatched(name: string): boolean {
    return this.#ofAll.size > 0 || this.#byName.has(name);
  }

  forEach(name: string, use: (client: ChannelClient) => void): void {
    this.#ofAll.forEach(use);
    this.#byName.get(name)?.forEach(use);
  }

  add(client: ChannelClient, names: Iterable<string>): void {
    if (this.#ofAll.has(client)) return;
    const watched = this.#byClient.get(client) ?? new Set();
    this.#byClient.set(client, watched);
    for (const name of names) {
      watched.add(name);
      this.#byName.set(name, (this.#byName.get(name) ?? new Set()).add(client));
    }
  }

  addAll(client: ChannelClient): void {
    this.leave(client);
    this.#ofAll.add(client);
  }

  /** Who watches all goes on with the rest of what there is. */
  remove(client: ChannelClient, names: Iterable<string>, all: () => Iterable<string>): void {
    if (this.#ofAll.delete(client)) this.add(client, all());
    for (const name of names) this.#remove(client, name);
  }

  leave(client: ChannelClient): void {
    this.#ofAll.delete(client);
    for (const name of this.#byClient.get(client) ?? []) this.#remove(client, name);
    this.#byClient.delete(client);
  }

  /** Nobody watches the name any more, but for who watches all. */
  forget(name: string): void {
    for (const client of this.#byName.get(name) ?? []) this.#remove(client, name);
  }

  #remove(client: ChannelClient, name: string): void {
    const watched = this.#byClient.get(client);
    watched?.delete(name);
    if (watched?.size === 0) this.#byClient.delete(client);
    const watchers = this.#byName.get(name);
    watchers?.delete(client);
    if (watchers?.size === 0) this.#byName.delete(name);
  }
}
