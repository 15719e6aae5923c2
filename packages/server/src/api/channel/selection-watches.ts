// Watches by selector, of objects of one kind: which selectors are watched, by whom, and what each selects as objects come,
// change and go. Clients with the same selector, who may view the same, share one selection. Those who extend it own what is sent.
import { ProblemError, type Selector, selectorKey } from '@telltale/schema';
import { stepItems } from '../../points/index.ts';
import type { Slices } from '../../runtime/index.ts';
import { type Matcher, type SelectionIndex, type Visible, within } from '../../selection/index.ts';
import type { ChannelClient } from './channel-client.ts';

/** So many selectors one client watches at most, of a kind: each object that is configured is held against each of them. */
export const maxSelectors = 100;

export class Selection {
  /** In answers and notifications. */
  readonly id: number;
  readonly key: string;
  /** By what is configured, and by what its clients may view. */
  readonly matcher: Matcher;
  /** Those that match by what is configured. */
  readonly members = new Set<number>();
  /** Who wants it, also those whose watch is starting. */
  readonly wanted = new Set<ChannelClient>();
  /** Who is told of each change. */
  readonly clients = new Set<ChannelClient>();
  /** Until it is known what there is. */
  filling: Promise<unknown> | undefined;

  /** What its clients may view; undefined: all there is. */
  readonly visible: Visible | undefined;

  constructor(id: number, key: string, matcher: Matcher, visible: Visible | undefined) {
    this.id = id;
    this.key = key;
    this.matcher = within(matcher, visible);
    this.visible = visible;
  }

  /** Whether its clients may view it. */
  sees(handle: number): boolean {
    return this.visible === undefined || this.visible.has(handle);
  }
}

export interface SelectionWatchesOptions {
  readonly index: SelectionIndex;
  /** Of what it may view, the objects of this kind. */
  readonly visibleTo: (client: ChannelClient) => Visible | undefined;
  readonly slices: Slices;
  readonly onPut: (listener: (handle: number) => void) => void;
}

export abstract class SelectionWatches<S extends Selection = Selection> {
  protected readonly index: SelectionIndex;
  readonly #visibleTo: SelectionWatchesOptions['visibleTo'];
  protected readonly slices: Slices;
  protected readonly selections = new Map<string, S>();
  readonly #ofClient = new Map<ChannelClient, Set<S>>();
  /** Objects that came, or are configured otherwise: to be held against the selectors. */
  readonly #put = new Set<number>();
  #isUpdating = false;
  #lastId = 0;

  constructor({ index, slices, onPut, visibleTo }: SelectionWatchesOptions) {
    this.index = index;
    this.#visibleTo = visibleTo;
    this.slices = slices;
    onPut((handle) => this.#onPut(handle));
  }

  /** Of all clients; each selector counts as one. */
  get count(): number {
    let count = 0;
    for (const { wanted } of this.selections.values()) count += wanted.size;
    return count;
  }

  /** How many objects the client watches by selectors; of each selector. */
  countOf(client: ChannelClient): number {
    let count = 0;
    for (const { members } of this.#ofClient.get(client) ?? []) count += members.size;
    return count;
  }

  /** The selection, when it is known what there is of it; `watch` or `unwatch` follows. Throws where it asks for too much. */
  want(client: ChannelClient, selector: Selector): S | Promise<S> {
    const key = keyOf(client, selector);
    const known = this.selections.get(key);
    const own = this.#ofClient.get(client) ?? new Set();
    if ((known === undefined || !own.has(known)) && own.size >= maxSelectors) {
      throw new ProblemError('too-many-watches', `A client may watch by ${maxSelectors} selectors of a kind.`);
    }
    const selection = known ?? this.#begin(key, selector, this.#visibleTo(client));
    selection.wanted.add(client);
    this.#ofClient.set(client, own.add(selection));
    return selection.filling?.then(() => selection) ?? selection;
  }

  /** The present state of what is selected, then every change. */
  abstract watch(client: ChannelClient, selection: S): Promise<void> | undefined;

  unwatch(client: ChannelClient, selector: Selector): void {
    const selection = this.selections.get(keyOf(client, selector));
    if (selection?.wanted.has(client)) this.end(client, selection);
  }

  leave(client: ChannelClient): void {
    for (const selection of this.#ofClient.get(client) ?? []) this.end(client, selection);
  }

  /** The client is told no more of it. */
  end(client: ChannelClient, selection: S): void {
    this.ending(client, selection);
    selection.wanted.delete(client);
    selection.clients.delete(client);
    const own = this.#ofClient.get(client);
    own?.delete(selection);
    if (own?.size === 0) this.#ofClient.delete(client);
    if (selection.wanted.size > 0 || this.selections.get(selection.key) !== selection) return;
    this.selections.delete(selection.key);
    this.slices.run(this.dropping(selection));
  }

  protected abstract make(id: number, key: string, selector: Selector, visible: Visible | undefined): S;
  /** In steps: what there is of it, before anybody is told. */
  protected abstract filled(selection: S, selector: Selector): Generator<void, void>;
  /** It matches from now on, by what is configured. */
  protected abstract enter(selection: S, handle: number): void;
  protected abstract leaveSelection(selection: S, handle: number): void;
  /** Before the client is told no more of it. */
  protected abstract ending(client: ChannelClient, selection: S): void;
  /** In steps: nobody wants it any more. */
  protected abstract dropping(selection: S): Generator<void, void>;

  #begin(key: string, selector: Selector, visible: Visible | undefined): S {
    const selection = this.make(++this.#lastId, key, selector, visible);
    this.selections.set(key, selection);
    const filling = this.slices.run(this.filled(selection, selector), () => selection.wanted.size > 0);
    if (filling instanceof Promise) {
      selection.filling = filling.then(() => {
        selection.filling = undefined;
      });
    }
    return selection;
  }

  #onPut(handle: number): void {
    if (this.selections.size === 0) return;
    this.#put.add(handle);
    if (this.#isUpdating) return;
    this.#isUpdating = true;
    this.slices.each(this.#updates(), () => undefined);
  }

  /** In steps, after the rendering. */
  *#updates(): Generator<void, void> {
    let items = 0;
    for (const handle of this.#put) {
      this.#put.delete(handle);
      for (const selection of this.selections.values()) {
        const isMember = selection.members.has(handle);
        if (isMember !== selection.matcher.matches(handle)) {
          if (isMember) this.leaveSelection(selection, handle);
          else this.enter(selection, handle);
        }
        if (++items % stepItems === 0) yield;
      }
    }
    this.#isUpdating = false;
  }
}

/** Those who may view different things share no selection. */
function keyOf({ view }: ChannelClient, selector: Selector): string {
  return `${view?.id ?? 'all'} ${selectorKey(selector)}`;
}
