// Who watches which names, and who watches everything. Work on possibly very many names is done in steps.
import { stepItems } from '../../points/index.ts';
import type { ChannelClient } from './channel-client.ts';

export class Watchers {
  readonly #ofAll = new Set<ChannelClient>();
  /** Also of clients that have left, until `leave` has come there. */
  readonly #byName = new Map<string, Set<ChannelClient>>();
  readonly #byClient = new Map<ChannelClient, Set<string>>();

  get count(): number {
    let count = this.#ofAll.size;
    for (const names of this.#byClient.values()) count += names.size;
    return count;
  }

  get isEmpty(): boolean {
    return this.#ofAll.size === 0 && this.#byName.size === 0;
  }

  countOf(client: ChannelClient): number {
    return this.#byClient.get(client)?.size ?? 0;
  }

  watched(): 'all' | string[] {
    if (this.#ofAll.size > 0) return 'all';
    return [...new Set([...this.#byClient.values()].flatMap((names) => [...names]))];
  }

  isWatched(name: string): boolean {
    return this.#ofAll.size > 0 || this.#byName.has(name);
  }

  /** By its name, or with all there are. */
  isWatchedBy(client: ChannelClient, name: string): boolean {
    return this.#ofAll.has(client) || this.#byClient.get(client)?.has(name) === true;
  }

  forEach(name: string, use: (client: ChannelClient) => void): void {
    this.#ofAll.forEach(use);
    for (const client of this.#byName.get(name) ?? []) {
      if (!this.#ofAll.has(client) && this.isWatchedBy(client, name)) use(client);
    }
  }

  add(client: ChannelClient, name: string): void {
    if (!this.#ofAll.has(client)) this.#link(client, name);
  }

  addAll(client: ChannelClient): Generator<void, void> {
    const leaving = this.leave(client);
    this.#ofAll.add(client);
    return leaving;
  }

  /** A client that watches everything moves to the rest; it watches everything until that is complete. */
  *remove(client: ChannelClient, names: readonly string[], all: () => Iterable<string>): Generator<void, void> {
    let items = 0;
    if (!this.#ofAll.has(client)) {
      for (const name of names) {
        this.#remove(client, name);
        if (++items % stepItems === 0) yield;
      }
      return;
    }
    const gone = new Set<string>();
    for (const name of names) {
      gone.add(name);
      if (++items % stepItems === 0) yield;
    }
    for (const name of all()) {
      if (!this.#ofAll.has(client)) return; // it has left meanwhile
      if (!gone.has(name)) this.#link(client, name);
      if (++items % stepItems === 0) yield;
    }
    this.#ofAll.delete(client);
  }

  /** It watches nothing from now on; the steps clean up. */
  leave(client: ChannelClient): Generator<void, void> {
    this.#ofAll.delete(client);
    const names = this.#byClient.get(client) ?? [];
    this.#byClient.delete(client);
    return this.#clear(client, names);
  }

  /** Those who watch the name by itself, and of whom this holds: they watch it no more. */
  take(name: string, holds: (client: ChannelClient) => boolean): readonly ChannelClient[] {
    const taken = [...(this.#byName.get(name) ?? [])].filter(
      (client) => this.#byClient.get(client)?.has(name) === true && holds(client),
    );
    for (const client of taken) this.#remove(client, name);
    return taken;
  }

  *#clear(client: ChannelClient, names: Iterable<string>): Generator<void, void> {
    let items = 0;
    for (const name of names) {
      if (this.#byClient.get(client)?.has(name) !== true) this.#unlink(client, name);
      if (++items % stepItems === 0) yield;
    }
  }

  #namesOf(client: ChannelClient): Set<string> {
    const known = this.#byClient.get(client);
    if (known !== undefined) return known;
    const names = new Set<string>();
    this.#byClient.set(client, names);
    return names;
  }

  #link(client: ChannelClient, name: string): void {
    this.#namesOf(client).add(name);
    const clients = this.#byName.get(name);
    if (clients === undefined) this.#byName.set(name, new Set([client]));
    else clients.add(client);
  }

  #remove(client: ChannelClient, name: string): void {
    const watched = this.#byClient.get(client);
    watched?.delete(name);
    if (watched?.size === 0) this.#byClient.delete(client);
    this.#unlink(client, name);
  }

  #unlink(client: ChannelClient, name: string): void {
    const watchers = this.#byName.get(name);
    watchers?.delete(client);
    if (watchers?.size === 0) this.#byName.delete(name);
  }
}
