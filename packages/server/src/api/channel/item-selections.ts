// Watches of commands and alarms by selector. They change seldom, so that each change is reported as text; none is ever
// discarded. The changes of a tick are sent in one message.
import type { Clock, Selector } from '@telltale/schema';
import { stepItems } from '../../points/index.ts';
import type { Visible } from '../../selection/index.ts';
import type { ChannelClient } from './channel-client.ts';
import { Selection, SelectionWatches, type SelectionWatchesOptions } from './selection-watches.ts';
import { gatherMs } from './update-log.ts';

export interface ItemSelectionsOptions extends SelectionWatchesOptions {
  readonly notification: string;
  /** The field that carries the items. */
  readonly list: 'updates' | 'changes';
  readonly clock: Clock;
  /** The JSON object that reports the item. */
  readonly text: (handle: number) => string;
}

/** The present texts for a client whose watch is starting, by item. */
type Present = Map<number, string>;

class ItemSelection extends Selection {
  readonly pending: string[] = [];
  readonly joining = new Set<Present>();
  /** For clients that do not see everything, what they were told last of each item: of one that is out of view, this remains. */
  readonly told = new Map<number, string>();
}

export class ItemSelections extends SelectionWatches<ItemSelection> {
  readonly #options: ItemSelectionsOptions;
  readonly #pending = new Set<ItemSelection>();
  #cancelFlush: (() => void) | undefined;

  constructor(options: ItemSelectionsOptions) {
    super(options);
    this.#options = options;
  }

  watch(client: ChannelClient, selection: ItemSelection): Promise<void> | undefined {
    const present: Present = new Map();
    const isWanted = () => client.isOpen && selection.wanted.has(client);
    const end = () => {
      selection.joining.delete(present);
      if (!isWanted()) return;
      this.flush();
      selection.clients.add(client);
      if (present.size > 0) client.send([Buffer.from(this.#message(selection, [...present.values()]))]);
    };
    selection.joining.add(present);
    const gathered = this.slices.run(this.#gathering(selection, present), isWanted);
    if (gathered instanceof Promise) return gathered.then(end);
    end();
    return undefined;
  }

  /** The item has changed, or is about to be removed. */
  changed(handle: number, isRemoved: boolean): void {
    for (const selection of this.selections.values()) {
      if (!selection.members.has(handle)) continue;
      if (isRemoved) this.#goes(selection, handle, 'removed');
      else if (selection.sees(handle)) this.#shows(selection, handle);
      else this.#goes(selection, handle, 'left');
    }
  }

  flush(): void {
    this.#cancelFlush?.();
    this.#cancelFlush = undefined;
    for (const selection of this.#pending) {
      const message = this.#message(selection, selection.pending.splice(0));
      for (const client of selection.clients) client.send(message);
    }
    this.#pending.clear();
  }

  protected make(id: number, key: string, selector: Selector, visible: Visible | undefined): ItemSelection {
    return new ItemSelection(id, key, this.index.matcher(selector), visible);
  }

  protected *filled(selection: ItemSelection, selector: Selector): Generator<void, void> {
    const found = yield* this.index.select(selector);
    for (const handle of found) if (selection.matcher.matches(handle)) selection.members.add(handle);
  }

  protected enter(selection: ItemSelection, handle: number): void {
    selection.members.add(handle);
    this.#shows(selection, handle);
  }

  protected leaveSelection(selection: ItemSelection, handle: number): void {
    this.#goes(selection, handle, 'left');
  }

  protected ending(): void {
    this.flush();
  }

  protected *dropping(): Generator<void, void> {}

  *#gathering(selection: ItemSelection, present: Present): Generator<void, void> {
    const { members } = selection;
    let items = 0;
    for (const handle of [...members]) {
      if (members.has(handle) && selection.sees(handle)) present.set(handle, this.#textOf(selection, handle));
      if (++items % stepItems === 0) yield;
    }
  }

  #shows(selection: ItemSelection, handle: number): void {
    const text = this.#textOf(selection, handle);
    for (const present of selection.joining) present.set(handle, text);
    this.#push(selection, text);
  }

  #goes(selection: ItemSelection, handle: number, mark: 'removed' | 'left'): void {
    selection.members.delete(handle);
    for (const present of selection.joining) present.delete(handle);
    const last = selection.sees(handle) ? this.#options.text(handle) : selection.told.get(handle);
    selection.told.delete(handle);
    if (last !== undefined) this.#push(selection, `${last.slice(0, -1)},"${mark}":true}`);
  }

  #textOf({ visible, told }: ItemSelection, handle: number): string {
    const text = this.#options.text(handle);
    if (visible !== undefined) told.set(handle, text);
    return text;
  }

  #push(selection: ItemSelection, text: string): void {
    if (selection.clients.size === 0) return;
    selection.pending.push(text);
    this.#pending.add(selection);
    this.#cancelFlush ??= this.#options.clock.after(gatherMs, () => this.flush());
  }

  #message({ id }: ItemSelection, texts: readonly string[]): string {
    const { notification, list } = this.#options;
    return `{"notification":"${notification}","selection":${id},"${list}":[${texts.join(',')}]}`;
  }
}
