// Who watches which commands, alarms, function modules, connectors or providers. They change seldom, so that each change
// is told as text; none is ever dropped. Changes of a tick come in one message.
import type { Clock } from '@telltale/schema';
import type { ChannelClient } from './channel-client.ts';
import { Watchers } from './watchers.ts';

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
  readonly #watchers = new Watchers();
  readonly #pending = new Map<ChannelClient, string[]>();
  #cancelFlush: (() => void) | undefined;

  constructor(options: ItemWatchesOptions) {
    this.#options = options;
  }

  get count(): number {
    return this.#watchers.count;
  }

  countOf(client: ChannelClient): number {
    return this.#watchers.countOf(client);
  }

  has(name: string): boolean {
    return this.#options.has(name);
  }

  watch(client: ChannelClient, names: readonly string[]): void {
    this.flush();
    this.#watchers.add(client, names);
    this.#tell(client, [...new Set(names)]);
  }

  watchAll(client: ChannelClient): void {
    this.flush();
    this.#watchers.addAll(client);
    this.#tell(client, [...this.#options.names()]);
  }

  unwatch(client: ChannelClient, names: readonly string[]): void {
    this.flush();
    this.#watchers.remove(client, names, this.#options.names);
  }

  leave(client: ChannelClient): void {
    this.flush();
    this.#watchers.leave(client);
  }

  /** The item has changed, or is about to go; with its text where it cannot be asked for any more. */
  changed(name: string, isRemoved: boolean, told?: string): void {
    if (!this.#watchers.isWatched(name)) return;
    const text = told ?? this.#options.text(name);
    const shown = isRemoved ? `${text.slice(0, -1)},"removed":true}` : text;
    this.#watchers.forEach(name, (client) => this.#queue(client, shown));
    this.#cancelFlush ??= this.#options.clock.after(gatherMs, () => this.flush());
    if (isRemoved) this.#watchers.forget(name);
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
}
