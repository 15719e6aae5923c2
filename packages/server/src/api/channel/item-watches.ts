// Who watches which commands, alarms, function modules, connectors or providers. They change seldom, so that each
// change is reported as text; none is ever discarded. The changes of a tick are sent in one message.
import type { Clock } from '@telltale/schema';
import { Pieces, stepItems } from '../../points/index.ts';
import type { Slices } from '../../runtime/index.ts';
import type { ChannelClient } from './channel-client.ts';
import { gatherMs } from './update-log.ts';
import { Watchers } from './watchers.ts';

export interface ItemWatchesOptions {
  readonly notification: string;
  /** The field that carries the items. */
  readonly list: 'updates' | 'changes';
  readonly clock: Clock;
  /** A watch of many begins, and ends, in slices. */
  readonly slices: Slices;
  readonly has: (name: string) => boolean;
  /** Whether the client may view the item, which is there. */
  readonly isSeenBy: (client: ChannelClient, name: string) => boolean;
  readonly names: () => Iterable<string>;
  /** The JSON object that reports the item. */
  readonly text: (name: string) => string;
}

/** A watch that is starting: which items it has reported, and their changes since, to be reported afterwards. */
interface Joining {
  readonly sent: Set<string>;
  readonly behind: string[];
}

export class ItemWatches {
  readonly #options: ItemWatchesOptions;
  readonly #watchers = new Watchers();
  readonly #pending = new Map<ChannelClient, string[]>();
  readonly #joining = new Map<ChannelClient, Joining>();
  /** Of clients that do not see everything, what each was told last: of an item that is out of view, this remains. */
  readonly #told = new Map<ChannelClient, Map<string, string>>();
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

  isWatchedBy(client: ChannelClient, name: string): boolean {
    return this.#watchers.isWatchedBy(client, name);
  }

  has(client: ChannelClient, name: string): boolean {
    return this.#options.has(name) && this.#options.isSeenBy(client, name);
  }

  watch(client: ChannelClient, names: readonly string[]): Promise<void> | undefined {
    return this.#join(client, names, (name) => this.#watchers.add(client, name));
  }

  watchAll(client: ChannelClient): Promise<void> | undefined {
    return this.#join(
      client,
      this.#options.names(),
      () => undefined,
      () => this.#options.slices.run(this.#watchers.addAll(client)),
    );
  }

  unwatch(client: ChannelClient, names: readonly string[]): Promise<void> | undefined {
    this.flush();
    for (const name of names) this.#told.get(client)?.delete(name);
    const steps = this.#watchers.remove(client, names, this.#options.names);
    const ended = this.#options.slices.run(steps, () => client.isOpen);
    return ended instanceof Promise ? ended : undefined;
  }

  leave(client: ChannelClient): void {
    this.flush();
    this.#told.delete(client);
    this.#options.slices.run(this.#watchers.leave(client));
  }

  /**
   * The item has changed, or is about to be removed; with its text where it can no longer be queried. A watch outlives its
   * item: it goes on when the item is back.
   */
  changed(name: string, isRemoved: boolean, sent?: string): void {
    if (!this.#watchers.isWatched(name) && this.#joining.size === 0) return;
    const text = sent ?? this.#options.text(name);
    this.#report(name, (client) => this.#shownTo(client, name, text, isRemoved));
  }

  /** The item is configured otherwise: there may be clients that are to see it now, or no more. */
  defined(name: string): void {
    if (this.#told.size === 0 || (!this.#watchers.isWatched(name) && this.#joining.size === 0)) return;
    this.#report(name, (client) => {
      const isKnown = this.#told.get(client)?.has(name);
      if (isKnown === undefined || isKnown === this.#options.isSeenBy(client, name)) return undefined;
      return this.#shownTo(client, name, this.#options.text(name), false);
    });
  }

  #report(name: string, textFor: (client: ChannelClient) => string | undefined): void {
    for (const [client, { sent, behind }] of this.#joining) {
      const text = sent.has(name) ? textFor(client) : undefined;
      if (text !== undefined) behind.push(text);
    }
    this.#watchers.forEach(name, (client) => {
      const text = this.#joining.get(client)?.sent.has(name) === true ? undefined : textFor(client);
      if (text !== undefined) this.#queue(client, text);
    });
  }

  /** Undefined where it is told nothing: it does not see the item, and never has. */
  #shownTo(client: ChannelClient, name: string, text: string, isRemoved: boolean): string | undefined {
    if (client.view === undefined) return isRemoved ? removed(text) : text;
    const told = this.#toldTo(client);
    if (!isRemoved && this.#options.isSeenBy(client, name)) {
      told.set(name, text);
      return text;
    }
    const last = told.get(name);
    told.delete(name);
    return last && removed(last);
  }

  #toldTo(client: ChannelClient): Map<string, string> {
    const known = this.#told.get(client);
    if (known !== undefined) return known;
    const told = new Map<string, string>();
    this.#told.set(client, told);
    return told;
  }

  flush(): void {
    this.#cancelFlush?.();
    this.#cancelFlush = undefined;
    for (const [client, texts] of this.#pending) this.#send(client, texts);
    this.#pending.clear();
  }

  /** Reports each item, then its changes in the meantime. */
  #join(
    client: ChannelClient,
    names: Iterable<string>,
    onItem: (name: string) => void,
    onEnd: () => void = () => undefined,
  ): Promise<void> | undefined {
    const joining: Joining = { sent: new Set(), behind: [] };
    this.flush();
    this.#joining.set(client, joining);
    const end = (message: readonly Buffer[] | undefined) => {
      this.#joining.delete(client);
      if (!client.isOpen) {
        this.leave(client);
        return;
      }
      onEnd();
      this.flush();
      if (message !== undefined) client.send(message);
      if (joining.behind.length > 0) this.#send(client, joining.behind);
    };
    const message = this.#options.slices.run(this.#present(client, joining, names, onItem), () => client.isOpen);
    if (message instanceof Promise) return message.then(end);
    end(message);
    return undefined;
  }

  /** One notification of all of them; undefined where there are none. */
  *#present(
    client: ChannelClient,
    { sent, behind }: Joining,
    names: Iterable<string>,
    onItem: (name: string) => void,
  ): Generator<void, readonly Buffer[] | undefined> {
    const { notification, list } = this.#options;
    const textOf = (name: string) => this.#shownTo(client, name, this.#options.text(name), false) ?? '';
    const pieces = new Pieces();
    pieces.append(Buffer.from(`{"notification":"${notification}","${list}":[`));
    let texts = '';
    let items = 0;
    for (const name of names) {
      if (this.has(client, name)) {
        onItem(name);
        if (!sent.has(name)) texts += `${sent.size === 0 ? '' : ','}${textOf(name)}`;
        else if (behind.length > 0) behind.push(textOf(name)); // it went, and came back
        sent.add(name);
      }
      if (++items % stepItems > 0) continue;
      pieces.append(Buffer.from(texts));
      texts = '';
      yield;
    }
    pieces.append(Buffer.from(`${texts}]}`));
    return sent.size === 0 ? undefined : pieces.end();
  }

  #send(client: ChannelClient, texts: readonly string[]): void {
    const { notification, list } = this.#options;
    client.send(`{"notification":"${notification}","${list}":[${texts.join(',')}]}`);
  }

  #queue(client: ChannelClient, text: string): void {
    this.#cancelFlush ??= this.#options.clock.after(gatherMs, () => this.flush());
    const texts = this.#pending.get(client);
    if (texts === undefined) this.#pending.set(client, [text]);
    else texts.push(text);
  }
}

function removed(text: string): string {
  return `${text.slice(0, -1)},"removed":true}`;
}
