// Who watches which commands, alarms, function modules, connectors or providers. They change seldom, so that each change
// is told as text; none is ever dropped. Changes of a tick come in one message.
import type { Clock } from '@telltale/schema';
import type { ChannelClient } from './channel-client.ts';

const gatherMs = 20;

export interface ItemWatchesOptions {
  /** Such as `CommandUpdateNotification`. */
  readonly notification: string;
  /** The field that carries the items. */
  readonly list: 'updates' | 'changes';
  readonly clock: Clock;
  readonly has: (name: string) => boolean;
  readonly names: () => Iterable<string>;
  /** The JSON object that tells of the item. */
  readonly text: (name: string) => string;
}

export class ItemWatches {
  readonly #options: ItemWatchesOptions;
  readonly #all = new Set<ChannelClient>();
  readonly #watchers = new Map<string, Set<ChannelClient>>();
  readonly #watched = new Map<ChannelClient, Set<string>>();
  readonly #pending = new Map<ChannelClient, string[]>();
  #cancelFlush: (() => void) | undefined;

  constructor(options: ItemWatchesOptions) {
    this.#options = options;
  }

  get count(): number {
    let count = this.#all.size;
    for (const names of this.#watched.values()) count += names.size;
    return count;
  }

  countOf(client: ChannelClient): number {
    return this.#watched.get(client)?.size ?? 0;
  }

  has(name: string): boolean {
    return this.#options.has(name);
  }

  watch(client: ChannelClient, names: readonly string[]): void {
    this.flush();
    for (const name of names) this.#add(client, name);
    this.#tell(client, [...new Set(names)]);
  }

  watchAll(client: ChannelClient): void {
    this.flush();
    this.#leave(client);
    this.#all.add(client);
    this.#tell(client, [...this.#options.names()]);
  }

  unwatch(client: ChannelClient, names: readonly string[]): void {
    this.flush();
    if (this.#all.delete(client)) for (const name of this.#options.names()) this.#add(client, name);
    for (const name of names) this.#remove(client, name);
  }

  leave(client: ChannelClient): void {
    this.flush();
    this.#leave(client);
  }

  /** The item has changed, or is about to go; with its text where it cannot be asked for any more. */
  changed(name: string, isRemoved: boolean, told?: string): void {
    const watchers = this.#watchers.get(name);
    if (watchers === undefined && this.#all.size === 0) return;
    const text = told ?? this.#options.text(name);
    const shown = isRemoved ? `${text.slice(0, -1)},"removed":true}` : text;
    for (const client of this.#all) this.#queue(client, shown);
    for (const client of watchers ?? []) this.#queue(client, shown);
    this.#cancelFlush ??= this.#options.clock.after(gatherMs, () => this.flush());
    if (!isRemoved) return;
    this.#watchers.delete(name);
    for (const client of watchers ?? []) this.#watched.get(client)?.delete(name);
  }

  flush(): void {
    this.#cancelFlush?.();
    this.#cancelFlush = undefined;
    for (const [client, texts] of this.#pending) this.#send(client, texts);
    this.#pending.clear();
  }

  #tell(client: ChannelClient, names: readonly string[]): void {
    if (names.length > 0) this.#send(client, names.map(this.#options.text));
  }

  #send(client: ChannelClient, texts: readonly string[]): void {
    const { notification, list } = this.#options;
    client.send(`{"notification":"${notification}","${list}":[${texts.join(',')}]}`);
  }

  #queue(client: ChannelClient, text: string): void {
    const texts = this.#pending.get(client);
    if (texts === undefined) this.#pending.set(client, [text]);
    else texts.push(text);
  }

  #add(client: ChannelClient, name: string): void {
    if (this.#all.has(client)) return;
    const watchers = this.#watchers.get(name) ?? new Set();
    this.#watchers.set(name, watchers.add(client));
    const watched = this.#watched.get(client) ?? new Set();
    this.#watched.set(client, watched.add(name));
  }

  #remove(client: ChannelClient, name: string): void {
    this.#watched.get(client)?.delete(name);
    const watchers = this.#watchers.get(name);
    watchers?.delete(client);
    if (watchers?.size === 0) this.#watchers.delete(name);
  }

  #leave(client: ChannelClient): void {
    this.#all.delete(client);
    this.#pending.delete(client);
    for (const name of [...(this.#watched.get(client) ?? [])]) this.#remove(client, name);
    this.#watched.delete(client);
  }
}
