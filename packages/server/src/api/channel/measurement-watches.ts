// Who watches which measurements, and what is sent to them: changes are formatted once into a log of the running tick,
// and clients that watch the same measurements share one message. A client that falls behind gets the newest values.
import type { Clock } from '@telltale/schema';
import type { View } from '../../operations/index.ts';
import { type Changes, type Measurements, stepItems } from '../../points/index.ts';
import type { Slices } from '../../runtime/index.ts';
import type { ChannelClient } from './channel-client.ts';
import { PresentValues } from './present-values.ts';
import { SeenMeasurements } from './seen-measurements.ts';
import { gatherMs, mostLogBytes, newestMessage, opening, UpdateLog } from './update-log.ts';
import { WatchGroup } from './watch-group.ts';
import { WatchGroups } from './watch-groups.ts';
import { Watchers } from './watchers.ts';

/** So many are watched, or watched no more, at once; more in slices. */
const mostAtOnce = 5000;

/** A client whose watch starts in slices; the group, where it watches all that it may view. */
interface Joining {
  readonly client: ChannelClient;
  readonly group?: WatchGroup;
}

export class MeasurementWatches {
  readonly #measurements: Measurements;
  readonly #seen: SeenMeasurements;
  readonly #clock: Clock;
  readonly #slices: Slices;
  readonly #groups: WatchGroups;
  readonly #all: WatchGroup;
  readonly #pendingGroups = new Set<WatchGroup>();
  /** The present values that clients whose watch starts in slices are going to be sent first. */
  readonly #joining = new Map<PresentValues, Joining>();
  /** Who watches measurements that were removed: the watches go on when these are back. */
  readonly #absent = new Watchers();
  /** How often measurements that are watched went, or came back. */
  #comings = 0;
  readonly #log: UpdateLog;
  /** For messages of some clients. */
  readonly #own: UpdateLog;
  #cancelFlush: (() => void) | undefined;
  /** Values handed to clients, and updates skipped for newer ones. */
  delivered = 0;
  skipped = 0;

  constructor(measurements: Measurements, clock: Clock, slices: Slices) {
    this.#measurements = measurements;
    this.#seen = new SeenMeasurements(measurements);
    this.#clock = clock;
    this.#slices = slices;
    this.#log = new UpdateLog(measurements);
    this.#own = new UpdateLog(measurements);
    this.#groups = new WatchGroups({ clock, slices, onSharing: () => this.flush() });
    this.#all = this.#groups.all;
    measurements.onDefine((handle) => this.#onDefine(handle));
    measurements.onPut((handle) => this.#onPut(handle));
    measurements.onChanges((changes) => this.#onChanges(changes));
    measurements.onRemoval((handle) => this.#onRemoval(handle));
  }

  has(client: ChannelClient, name: string): boolean {
    return this.#seen.find(client, name) >= 0;
  }

  /** How many measurements the client watches by name. */
  countOf(client: ChannelClient): number {
    return (this.#groups.membersOf(client)?.size ?? 0) + this.#absent.countOf(client);
  }

  isWatchedBy(client: ChannelClient, name: string): boolean {
    if (this.#groups.isOfAll(client)) return true;
    return this.#groups.membersOf(client)?.has(this.#measurements.find(name)) ?? false;
  }

  /** How many watches there are; of all there is counts as one. */
  get count(): number {
    return this.#groups.count + this.#absent.count;
  }

  /** From now on, after the present values, every change. With many measurements, the start runs in slices. */
  watch(client: ChannelClient, names: readonly string[]): Promise<void> | undefined {
    const handles = this.#seen.handlesOf(client, names);
    if (names.length + this.#groups.sharedBy(client) > mostAtOnce) return this.#join(client, names);
    this.flush();
    const known = [...new Set(handles)].filter((handle) => handle >= 0);
    if (!this.#groups.isOfAll(client)) {
      const group = this.#groups.ownGroup(client);
      for (const handle of known) this.#groups.extend(group, handle);
      this.#groups.shareLater(client, group);
    }
    this.#sendPresent(client, known);
    return undefined;
  }

  watchAll(client: ChannelClient): Promise<void> | undefined {
    if (client.view !== undefined) return this.#joinView(client, client.view);
    if (this.#measurements.size > mostAtOnce) return this.#joinAll(client);
    this.flush();
    this.#leaveAll(client);
    this.#all.clients.add(client);
    this.#sendPresent(client, [...this.#measurements.all()]);
    return undefined;
  }

  unwatch(client: ChannelClient, names: readonly string[]): Promise<void> | undefined {
    this.flush();
    this.#slices.run(this.#absent.remove(client, names, () => []));
    const isOfAll = this.#groups.isOfAll(client);
    const copied = isOfAll ? this.#measurements.size : this.#groups.sharedBy(client);
    if (copied > mostAtOnce) return this.#reduce(client, names);
    if (isOfAll) this.#groups.move(client, this.#groups.made(this.#seen.all(client)));
    const group = this.#groups.ownGroup(client);
    const ended = this.#slices.run(this.#ending(client, group, names), () => client.isOpen);
    return ended instanceof Promise ? ended : undefined;
  }

  /** The client watches nothing any more. */
  leave(client: ChannelClient): void {
    this.flush();
    this.#leaveAll(client);
    this.skipped += client.dropPassedOver(this);
  }

  /** Hands everything on that was gathered. */
  flush(): void {
    this.#cancelFlush?.();
    this.#cancelFlush = undefined;
    if (this.#log.size === 0) return;
    if (this.#all.clients.size > 0) this.#send(this.#all, this.#log.message(opening, undefined));
    for (const group of this.#pendingGroups) {
      if (group.clients.size > 0) this.#send(group, this.#log.message(opening, group.pending));
      group.pending.length = 0;
    }
    this.#pendingGroups.clear();
    this.#log.clear();
  }

  /** The newest values instead of everything that was skipped; undefined where none of it is left. */
  newest(handles: Iterable<number>, skipped: number): Buffer | undefined {
    const live = [...handles].filter((handle) => this.#measurements.nameOf(handle) !== '');
    if (live.length === 0) return undefined;
    this.delivered += live.length;
    this.skipped += skipped;
    return newestMessage(this.#measurements, live, skipped);
  }

  /** Replaces the group of the client by one of what it watches already and of these. */
  async #join(client: ChannelClient, names: readonly string[]): Promise<void> {
    const comings = this.#comings;
    const handles = this.#seen.handlesOf(client, names);
    const present = new PresentValues(this.#measurements, 'names', opening);
    const isOfAll = this.#groups.isOfAll(client);
    const group = new WatchGroup();
    const steps = isOfAll
      ? present.gather(handles)
      : this.#joinSteps(present, group, this.#groups.membersOf(client) ?? [], handles);
    await this.#begin({ client }, present, steps);
    if (!client.isOpen) {
      this.#groups.drop(group);
      return;
    }
    if (!isOfAll) {
      if (comings !== this.#comings) this.#addComers(client, group, names);
      this.#groups.move(client, group);
    }
    this.#sendJoined(client, present);
  }

  *#joinSteps(
    present: PresentValues,
    group: WatchGroup,
    before: Iterable<number>,
    handles: Iterable<number>,
  ): Generator<void, void> {
    yield* this.#groups.extending(group, before);
    yield* present.gather(this.#groups.extended(group, handles));
  }

  async #joinAll(client: ChannelClient): Promise<void> {
    const present = new PresentValues(this.#measurements, 'all', opening);
    await this.#begin({ client }, present, present.gather(this.#measurements.all()));
    if (!client.isOpen) return;
    this.#leaveAll(client);
    this.#all.clients.add(client);
    this.#sendJoined(client, present);
  }

  /** All that is in view, and what comes into it: the group is the same for all who may view the same. */
  async #joinView(client: ChannelClient, view: View): Promise<void> {
    const group = this.#groups.beginOfView(view);
    const present = new PresentValues(this.#measurements, 'names', opening);
    const handles = this.#groups.extended(group, view.measurements.handles());
    await this.#begin({ client, group }, present, present.gather(handles));
    if (client.isOpen) {
      this.#leaveAll(client);
      group.clients.add(client);
      this.#sendJoined(client, present);
    }
    this.#groups.begun(group);
  }

  /** Resolves when all of it is complete; by then the log has been sent. */
  async #begin(joining: Joining, present: PresentValues, steps: Generator<void, void>): Promise<void> {
    this.#joining.set(present, joining);
    try {
      await this.#slices.run(steps, () => joining.client.isOpen);
    } finally {
      this.#joining.delete(present);
    }
    this.flush();
  }

  /** A client that watches everything, or the same as others, moves to the rest; until then it is sent everything. */
  async #reduce(client: ChannelClient, names: readonly string[]): Promise<void> {
    const comings = this.#comings;
    const group = new WatchGroup();
    const gone = new Set<number>();
    await this.#slices.run(this.#reduceSteps(client, group, gone, names), () => client.isOpen);
    if (!client.isOpen) {
      this.#groups.drop(group);
      return;
    }
    this.flush();
    if (comings !== this.#comings) this.#addComers(client, group, [], gone);
    this.#groups.move(client, group);
    for (const handle of gone) this.skipped += client.unwatched(this, handle);
  }

  *#reduceSteps(
    client: ChannelClient,
    group: WatchGroup,
    gone: Set<number>,
    names: readonly string[],
  ): Generator<void, void> {
    let items = 0;
    for (const handle of this.#seen.handlesOf(client, names)) {
      gone.add(handle);
      if (++items % stepItems === 0) yield;
    }
    const before = this.#groups.membersOf(client) ?? this.#seen.all(client);
    yield* this.#groups.extending(group, before, gone);
  }

  *#ending(client: ChannelClient, group: WatchGroup, names: readonly string[]): Generator<void, void> {
    let items = 0;
    for (const handle of this.#seen.handlesOf(client, names)) {
      this.skipped += client.unwatched(this, handle);
      this.#groups.reduce(group, handle);
      if (++items % stepItems === 0) yield;
    }
  }

  /** What went or came back while the group was made, in slices, of which the others know already. */
  #addComers(client: ChannelClient, group: WatchGroup, names: readonly string[], gone?: ReadonlySet<number>): void {
    for (const handle of this.#groups.membersOf(client) ?? []) {
      if (gone?.has(handle) !== true) this.#groups.extend(group, handle);
    }
    for (const name of names) {
      const handle = this.#seen.find(client, name);
      if (handle < 0) this.#absent.add(client, name);
      else this.#groups.extend(group, handle);
    }
  }

  #leaveAll(client: ChannelClient): void {
    this.#groups.leave(client);
    this.#slices.run(this.#absent.leave(client));
  }

  /** Those who watched it when it was removed, or went out of their view, watch it again. */
  #rejoin(handle: number, isMeant: (client: ChannelClient) => boolean = () => true): readonly ChannelClient[] {
    const name = this.#measurements.nameOf(handle);
    const clients = this.#absent.take(name, (client) => isMeant(client) && this.has(client, name));
    if (clients.length === 0) return clients;
    this.#comings++;
    this.flush();
    for (const client of clients) {
      const group = this.#groups.ownGroup(client);
      this.#groups.extend(group, handle);
      this.#groups.shareLater(client, group);
    }
    return clients;
  }

  /** Those who may not view it from now on are told so before it is another one, whether they keep up or not. */
  #onDefine(handle: number): void {
    for (const [present, { client }] of this.#joining) {
      if (client.view?.measurements.has(handle) === false) present.removed(handle);
    }
    let message: Buffer | undefined;
    for (const group of [...this.#groups.of(handle)]) {
      for (const client of [...group.clients]) {
        if (client.view?.measurements.has(handle) !== false) continue;
        message ??= this.#lastOf(handle);
        if (group.view === undefined) this.#lose(client, handle);
        client.sendRemoval(this, handle, message);
      }
      if (group.view?.measurements.has(handle) === false) this.#groups.reduce(group, handle);
    }
  }

  /** After what was gathered before. */
  #lastOf(handle: number): Buffer {
    this.flush();
    this.#own.clear();
    this.#own.noteRemoval(handle);
    return this.#own.message(opening, undefined);
  }

  #lose(client: ChannelClient, handle: number): void {
    this.#comings++;
    this.#groups.reduce(this.#groups.ownGroup(client), handle);
    this.#absent.add(client, this.#measurements.nameOf(handle));
  }

  /** It may have come into the view of some. Others are told of one that is back when it changes, which it does at once. */
  #onPut(handle: number): void {
    const seers = this.#absent.isEmpty ? [] : this.#rejoin(handle, ({ view }) => view !== undefined);
    for (const client of seers) this.#sendPresent(client, [handle]);
    for (const group of this.#groups.ofViews()) {
      if (group.members.has(handle) || group.view?.measurements.has(handle) !== true) continue;
      this.#groups.extend(group, handle);
      for (const [present, joining] of this.#joining) if (joining.group === group) present.entered(handle);
      if (group.clients.size === 0) continue;
      this.#log.note(handle);
      if (group.pending.length === 0) this.#pendingGroups.add(group);
      group.pending.push(this.#log.size - 1);
      this.#flushSoon();
    }
  }

  #onChanges(changes: Changes): void {
    const { handles, count } = changes;
    if (!this.#absent.isEmpty) for (let at = 0; at < count; at++) this.#rejoin(handles[at] as number);
    const isAllWatched = this.#all.clients.size > 0;
    for (const present of this.#joining.keys()) {
      for (let at = 0; at < count; at++) present.changed(handles[at] as number);
    }
    if (this.#groups.isEmpty) return;
    for (let at = 0; at < count; at++) {
      const handle = handles[at] as number;
      if (isAllWatched || this.#groups.of(handle).length > 0) this.#note(handle);
    }
  }

  /** Writes the present value into the log, for its watchers. */
  #note(handle: number): void {
    this.#log.note(handle);
    this.#noted(handle);
  }

  #noted(handle: number): void {
    const position = this.#log.size - 1;
    for (const group of this.#groups.of(handle)) {
      if (group.pending.length === 0) this.#pendingGroups.add(group);
      group.pending.push(position);
    }
    this.#flushSoon();
  }

  #flushSoon(): void {
    if (this.#log.bytes > mostLogBytes) this.flush();
    else this.#cancelFlush ??= this.#clock.after(gatherMs, () => this.flush());
  }

  #onRemoval(handle: number): void {
    for (const present of this.#joining.keys()) present.removed(handle);
    const groups = this.#groups.of(handle);
    if (groups.length === 0 && this.#all.clients.size === 0) return;
    this.#log.noteRemoval(handle);
    this.#noted(handle);
    this.#comings++;
    const name = this.#measurements.nameOf(handle);
    for (const { view, clients } of groups) {
      if (view === undefined) for (const client of clients) this.#absent.add(client, name);
    }
    this.#groups.removed(handle);
  }

  #send(group: WatchGroup, message: Buffer): void {
    const positions = group === this.#all ? undefined : group.pending;
    for (const client of group.clients) {
      if (client.sendUpdates(message)) this.delivered += positions?.length ?? this.#log.size;
      else this.#log.passOver(client, this, opening, positions);
    }
  }

  #sendPresent(client: ChannelClient, handles: readonly number[]): void {
    const message = this.newest(handles, 0);
    if (message !== undefined) client.send([message]);
  }

  #sendJoined(client: ChannelClient, present: PresentValues): void {
    const message = present.message();
    this.delivered += present.count;
    if (message !== undefined) client.send(message);
  }
}
