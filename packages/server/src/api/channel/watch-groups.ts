// The groups of clients that watch the same measurements: which groups exist, what each watches, and who moves between
// them. `measurement-watches.ts` owns what is sent to them.
import type { Clock } from '@telltale/schema';
import type { View } from '../../operations/index.ts';
import { stepItems } from '../../points/index.ts';
import type { Slices } from '../../runtime/index.ts';
import type { ChannelClient } from './channel-client.ts';
import { GroupLinks } from './group-links.ts';
import { WatchGroup } from './watch-group.ts';

/** After so long without a change of its list, a client may share the messages of others. */
const settledMs = 1000;

export interface WatchGroupsOptions {
  readonly clock: Clock;
  readonly slices: Slices;
  /** Before a client moves to others: sends what was gathered for it. */
  readonly onSharing: () => void;
}

export class WatchGroups {
  readonly all = new WatchGroup();
  readonly #options: WatchGroupsOptions;
  readonly #groupOf = new Map<ChannelClient, WatchGroup>();
  /** Of those who watch all that they may view, and may not view all there is. */
  readonly #ofViews = new Map<View, WatchGroup>();
  readonly #shared = new Map<string, WatchGroup>();
  readonly #links = new GroupLinks<WatchGroup>();

  constructor(options: WatchGroupsOptions) {
    this.#options = options;
  }

  /** How many watches there are; of all there is counts as one. */
  get count(): number {
    let count = this.all.clients.size;
    for (const { clients } of this.#ofViews.values()) count += clients.size;
    for (const group of this.#groupOf.values()) count += group.members.size;
    return count;
  }

  get isEmpty(): boolean {
    return this.all.clients.size === 0 && this.#groupOf.size === 0 && this.#ofViews.size === 0;
  }

  /** Whether the client watches all that it may view. */
  isOfAll(client: ChannelClient): boolean {
    const group = client.view === undefined ? this.all : this.#ofViews.get(client.view);
    return group?.clients.has(client) === true;
  }

  ofViews(): Iterable<WatchGroup> {
    return this.#ofViews.values();
  }

  /** It exists while it has clients, or some that are about to be of it: until `begun`. */
  beginOfView(view: View): WatchGroup {
    const group = this.#ofViews.get(view) ?? new WatchGroup(view);
    this.#ofViews.set(view, group);
    group.starting++;
    return group;
  }

  begun(group: WatchGroup): void {
    group.starting--;
    this.#dropUnused(group);
  }

  of(handle: number): readonly WatchGroup[] {
    return this.#links.of(handle);
  }

  membersOf(client: ChannelClient): ReadonlySet<number> | undefined {
    return this.#groupOf.get(client)?.members;
  }

  /** The measurement was removed, and has no watchers any more. */
  removed(handle: number): void {
    for (const group of this.of(handle)) {
      group.members.delete(handle);
      this.#unshare(group);
    }
    this.#links.clear(handle);
  }

  /** How many the client watches together with others: what it costs to give it a group of its own. */
  sharedBy(client: ChannelClient): number {
    const group = this.#groupOf.get(client);
    return group === undefined || group.clients.size === 1 ? 0 : group.members.size;
  }

  extend(group: WatchGroup, handle: number): void {
    if (group.members.has(handle)) return;
    group.members.add(handle);
    this.#links.link(handle, group);
  }

  /** Of these; negative ones are left out. */
  made(handles: Iterable<number>): WatchGroup {
    const group = new WatchGroup();
    for (const handle of handles) if (handle >= 0) this.extend(group, handle);
    return group;
  }

  *extending(group: WatchGroup, handles: Iterable<number>, but?: ReadonlySet<number>): Generator<void, void> {
    let items = 0;
    for (const handle of handles) {
      if (handle >= 0 && but?.has(handle) !== true) this.extend(group, handle);
      if (++items % stepItems === 0) yield;
    }
  }

  /** The same handles; each is a member when it is handed on. */
  *extended(group: WatchGroup, handles: Iterable<number>): Generator<number> {
    for (const handle of handles) {
      if (handle >= 0) this.extend(group, handle);
      yield handle;
    }
  }

  /** A group of the client alone, whose members may be changed. */
  ownGroup(client: ChannelClient): WatchGroup {
    const group = this.#groupOf.get(client);
    if (group !== undefined && group.clients.size === 1) {
      this.#unshare(group);
      return group;
    }
    const own = new WatchGroup();
    for (const handle of group?.members ?? []) this.extend(own, handle);
    this.move(client, own);
    return own;
  }

  /** From now on the client watches what the group does, and nothing else. */
  move(client: ChannelClient, group: WatchGroup): void {
    this.leave(client);
    group.clients.add(client);
    this.#groupOf.set(client, group);
    this.shareLater(client, group);
  }

  shareLater(client: ChannelClient, group: WatchGroup): void {
    group.cancelSharing();
    group.cancelSharing = this.#options.clock.after(settledMs, () => this.#share(client, group));
  }

  /** Moves a client whose list has settled to those that watch the same. */
  #share(client: ChannelClient, group: WatchGroup): void {
    if (this.#groupOf.get(client) !== group || group.key !== undefined || group.members.size === 0) return;
    this.#options.onSharing();
    const key = group.keyOfMembers();
    const same = this.#shared.get(key);
    if (same === undefined) {
      group.key = key;
      this.#shared.set(key, group);
    } else if (group.members.isSubsetOf(same.members)) {
      this.leave(client);
      same.clients.add(client);
      this.#groupOf.set(client, same);
    }
  }

  #unshare(group: WatchGroup): void {
    if (group.key !== undefined) this.#shared.delete(group.key);
    group.key = undefined;
  }

  leave(client: ChannelClient): void {
    this.all.clients.delete(client);
    const ofView = client.view && this.#ofViews.get(client.view);
    if (ofView?.clients.delete(client)) this.#dropUnused(ofView);
    const group = this.#groupOf.get(client);
    this.#groupOf.delete(client);
    group?.clients.delete(client);
    if (group?.clients.size === 0) this.drop(group);
  }

  #dropUnused(group: WatchGroup): void {
    if (group.clients.size > 0 || group.starting > 0) return;
    this.#ofViews.delete(group.view as View);
    this.drop(group);
  }

  /** The group is empty; nothing is reported for it from now on. */
  drop(group: WatchGroup): void {
    group.cancelSharing();
    this.#unshare(group);
    this.#options.slices.run(this.#unlinking(group));
  }

  *#unlinking(group: WatchGroup): Generator<void, void> {
    let items = 0;
    for (const handle of group.members) {
      this.unlink(handle, group);
      if (++items % stepItems === 0) yield;
    }
  }

  /** The group watches it no more. */
  reduce(group: WatchGroup, handle: number): void {
    if (group.members.delete(handle)) this.unlink(handle, group);
  }

  unlink(handle: number, group: WatchGroup): void {
    this.#links.unlink(handle, group);
  }
}
