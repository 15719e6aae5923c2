// Who watches which commands, alarms, function modules, connectors or providers. They change seldom, so that each change
// is told as text; none is ever dropped. Changes of a tick come in one message.
import type { Clock } from '@telltale/schema';
import { inSlices } from '../../runtime/index.ts';
import type { ChannelClient } from './channel-client.ts';
import { Watchers } from './watchers.ts';

const gatherMs = 20;

/** So many are watched at once; of more, the watch begins in slices. */
const manyNames = 5000;

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
  /** Whose watch is beginning: what changes meanwhile is told behind what is there. */
  readonly #joining = new Set<ChannelClient>();
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

  watch(client: ChannelClient, names: readonly string[]): Promise<void> | undefined {
    this.flush();
    if (names.length > manyNames) return this.#join(client, names);
    this.#watchers.add(client, names);
    this.#tell(client, [...new Set(names)]);
    return undefined;
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
    for (const [client, texts] of this.#pending) {
      if (this.#joining.has(client)) continue;
      this.#send(client, texts);
      this.#pending.delete(client);
    }
  }

  async #join(client: ChannelClient, names: readonly string[]): Promise<void> {
    const texts: string[] = [];
    this.#joining.add(client);
    await inSlices(new Set(names), (name) => {
      if (!client.isOpen || !this.#options.has(name)) return;
      this.#watchers.add(client, [name]);
      texts.push(this.#options.text(name));
    });
    this.#joining.delete(client);
    if (texts.length > 0) this.#send(client, texts);
    this.flush();
    if (!client.isOpen) this.leave(client);
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
