// Who watches which measurements, and what they are told: changes are formatted once into a log of the running tick, and
// clients that watch the same measurements share one message. A client that does not keep up gets the newest values.
import type { Clock } from '@telltale/schema';
import type { Changes, Measurements } from '../../points/index.ts';
import { inSlices } from '../../runtime/index.ts';
import type { ChannelClient } from './channel-client.ts';
import { Growing } from './growing.ts';
import { PresentValues } from './present-values.ts';

/** Changes are gathered for so long at most. */
const gatherMs = 20;

/** Sooner, when so much has come together. */
const mostLogBytes = 4 << 20;

/** After so long without a change of its list, a client may share the messages of others. */
const settledMs = 1000;

const opening = Buffer.from('{"notification":"MeasurementUpdateNotification","updates":[');
const closing = Buffer.from(']}');
const removedMark = Buffer.from(',"removed":true},');

/** Clients that watch the same. */
class Group {
  readonly members: Set<number>;
  readonly clients = new Set<ChannelClient>();
  /** Positions in the log, of the running tick. */
  readonly pending = new Growing();
  /** Its key among the shared ones; undefined while it belongs to one client, whose list may change. */
  key: string | undefined;
  cancelSharing: () => void = () => undefined;
  /** While its client is joining: what has changed, and whether a member was removed. Nothing is told yet. */
  joining: { readonly changed: Set<number>; hasLost: boolean } | undefined;

  constructor(members: Set<number>) {
    this.members = members;
  }
}

export class MeasurementWatches {
  readonly #measurements: Measurements;
  readonly #clock: Clock;
  readonly #groupOf = new Map<ChannelClient, Group>();
  readonly #shared = new Map<string, Group>();
  /** Whoever watches all there is. */
  readonly #all = new Group(new Set());
  /** By handle, the groups that watch it. */
  readonly #groups: (Group[] | undefined)[] = [];
  readonly #pendingGroups = new Set<Group>();
  #joins = 0;
  #log = Buffer.allocUnsafeSlow(1 << 16);
  #logLength = 0;
  /** Of each entry of the log: where it ends, and of which measurement it is. */
  readonly #ends = new Growing();
  readonly #handles = new Growing();
  /** The entries that tell of a removal. */
  readonly #removals = new Set<number>();
  #cancelFlush: (() => void) | undefined;
  /** Values handed to clients, and updates passed over for newer ones. */
  delivered = 0;
  skipped = 0;

  constructor(measurements: Measurements, clock: Clock) {
    this.#measurements = measurements;
    this.#clock = clock;
    measurements.onChanges((changes) => this.#onChanges(changes));
    measurements.onRemoval((handle) => this.#onRemoval(handle));
  }

  /** How many measurements the client watches by name. */
  countOf(client: ChannelClient): number {
    return this.#groupOf.get(client)?.members.size ?? 0;
  }

  /** How many watches there are; of all there is counts as one. */
  get count(): number {
    let count = this.#all.clients.size;
    for (const group of this.#groupOf.values()) count += group.members.size;
    return count;
  }

  /** From now on, after what is told of the present, every change. */
  watch(client: ChannelClient, handles: readonly number[]): void {
    this.flush();
    if (this.#all.clients.has(client)) {
      this.#tellPresent(client, handles);
      return;
    }
    const group = this.#ownGroup(client);
    this.#extend(group, handles);
    this.#tellPresent(client, handles);
    group.cancelSharing();
    group.cancelSharing = this.#clock.after(settledMs, () => this.#share(client, group));
  }

  /**
   * The same of many, by name: others have their turn while it begins. What changes meanwhile stands twice in what is told
   * of the present, the newer value last.
   */
  async join(client: ChannelClient, names: readonly string[]): Promise<void> {
    const joining = { changed: new Set<number>(), hasLost: false };
    const group = new Group(new Set());
    group.joining = joining;
    const present = new PresentValues(this.#measurements.wire, opening, closing);
    this.#joins++;
    await inSlices(names, (name) => {
      const handle = this.#measurements.find(name);
      if (handle < 0 || group.members.has(handle)) return;
      group.members.add(handle);
      this.#link(handle, group);
      present.add(handle);
    });
    this.flush();
    this.#joins--;
    group.joining = undefined;
    for (const handle of joining.changed) present.add(handle);
    const message = joining.hasLost ? this.newest(group.members, 0) : present.message();
    this.delivered += joining.hasLost ? 0 : present.count;
    this.#adopt(client, group);
    if (message !== undefined) client.send(message);
  }

  /** The members become those of the client, beside what it watches already. */
  #adopt(client: ChannelClient, group: Group): void {
    const isFirst = client.isOpen && !this.#groupOf.has(client) && !this.#all.clients.has(client);
    if (isFirst) {
      group.clients.add(client);
      this.#groupOf.set(client, group);
      group.cancelSharing = this.#clock.after(settledMs, () => this.#share(client, group));
      return;
    }
    for (const handle of group.members) this.#unlink(handle, group);
    if (client.isOpen && !this.#all.clients.has(client)) this.#extend(this.#ownGroup(client), group.members);
  }

  #extend(group: Group, handles: Iterable<number>): void {
    for (const handle of handles) {
      if (group.members.has(handle)) continue;
      group.members.add(handle);
      this.#link(handle, group);
    }
  }

  #keepFor(joining: NonNullable<Group['joining']>, pending: Growing): void {
    for (let at = 0; at < pending.length; at++) {
      const position = pending.items[at] as number;
      if (this.#removals.has(position)) joining.hasLost = true;
      else joining.changed.add(this.#handles.items[position] as number);
    }
  }

  watchAll(client: ChannelClient): void {
    this.flush();
    this.#leave(client);
    this.#all.clients.add(client);
    this.#tellPresent(client, [...this.#measurements.all()]);
  }

  unwatch(client: ChannelClient, handles: readonly number[]): void {
    this.flush();
    for (const handle of handles) client.unwatched(handle);
    if (this.#all.clients.delete(client)) {
      const rest = this.#ownGroup(client);
      const gone = new Set(handles);
      for (const handle of this.#measurements.all()) {
        if (gone.has(handle)) continue;
        rest.members.add(handle);
        this.#link(handle, rest);
      }
      return;
    }
    const group = this.#ownGroup(client);
    for (const handle of handles) if (group.members.delete(handle)) this.#unlink(handle, group);
  }

  /** The client watches nothing any more. */
  leave(client: ChannelClient): void {
    this.flush();
    this.#leave(client);
    this.skipped += client.dropPassedOver();
  }

  /** Hands everything on that was gathered. */
  flush(): void {
    this.#cancelFlush?.();
    this.#cancelFlush = undefined;
    const { length } = this.#ends;
    if (length === 0) return;
    if (this.#all.clients.size > 0) this.#send(this.#all, this.#message(undefined));
    for (const group of this.#pendingGroups) {
      if (group.joining === undefined) this.#send(group, this.#message(group.pending));
      else this.#keepFor(group.joining, group.pending);
      group.pending.length = 0;
    }
    this.#pendingGroups.clear();
    this.#ends.length = 0;
    this.#handles.length = 0;
    this.#removals.clear();
    this.#logLength = 0;
  }

  #onChanges({ handles, count }: Changes): void {
    const isAllWatched = this.#all.clients.size > 0;
    if (!isAllWatched && this.#groupOf.size === 0 && this.#joins === 0) return;
    for (let at = 0; at < count; at++) {
      const handle = handles[at] as number;
      if (isAllWatched || this.#groups[handle] !== undefined) this.#note(handle);
    }
  }

  /** Writes the present value into the log, for whoever watches it. */
  #note(handle: number): void {
    const { wire } = this.#measurements;
    this.#makeRoom(wire.itemLength(handle));
    this.#logLength = wire.writeItem(handle, this.#log, this.#logLength);
    this.#entry(handle);
  }

  #entry(handle: number): void {
    const position = this.#ends.length;
    this.#ends.push(this.#logLength);
    this.#handles.push(handle);
    for (const group of this.#groups[handle] ?? []) {
      if (group.pending.length === 0) this.#pendingGroups.add(group);
      group.pending.push(position);
    }
    if (this.#logLength > mostLogBytes) this.flush();
    else this.#cancelFlush ??= this.#clock.after(gatherMs, () => this.flush());
  }

  #onRemoval(handle: number): void {
    const groups = this.#groups[handle] ?? [];
    if (groups.length === 0 && this.#all.clients.size === 0) return;
    const { wire } = this.#measurements;
    this.#makeRoom(wire.itemLength(handle) + removedMark.length);
    const end = wire.writeItem(handle, this.#log, this.#logLength) - 2; // without what closes it
    this.#logLength = end + removedMark.copy(this.#log, end);
    this.#removals.add(this.#ends.length);
    this.#entry(handle);
    for (const group of [...groups]) {
      group.members.delete(handle);
      if (group.key !== undefined) this.#shared.delete(group.key);
      group.key = undefined;
    }
    this.#groups[handle] = undefined;
  }

  #makeRoom(bytes: number): void {
    if (this.#logLength + bytes <= this.#log.length) return;
    const log = Buffer.allocUnsafeSlow(2 ** Math.ceil(Math.log2(this.#logLength + bytes)));
    this.#log.copy(log, 0, 0, this.#logLength);
    this.#log = log;
  }

  /** The chosen entries of the log as one message, or all of them. */
  #message(chosen: Growing | undefined): Buffer {
    const ends = this.#ends.items;
    let bytes = opening.length + closing.length;
    if (chosen === undefined) bytes += this.#logLength;
    else {
      for (let at = 0; at < chosen.length; at++) {
        const position = chosen.items[at] as number;
        bytes += (ends[position] as number) - (position === 0 ? 0 : (ends[position - 1] as number));
      }
    }
    const message = Buffer.allocUnsafeSlow(bytes - 1);
    let end = opening.copy(message);
    if (chosen === undefined) end += this.#log.copy(message, end, 0, this.#logLength - 1);
    else end = this.#copyChosen(chosen, message, end) - 1;
    closing.copy(message, end); // in the place of the last comma
    return message;
  }

  #single(position: number): Buffer {
    const chosen = new Growing();
    chosen.push(position);
    return this.#message(chosen);
  }

  /** Entries that lie behind each other are copied together. */
  #copyChosen(chosen: Growing, message: Buffer, start: number): number {
    const ends = this.#ends.items;
    let end = start;
    for (let at = 0; at < chosen.length; ) {
      const first = chosen.items[at] as number;
      let last = first;
      while (++at < chosen.length && chosen.items[at] === last + 1) last++;
      const from = first === 0 ? 0 : (ends[first - 1] as number);
      end += this.#log.copy(message, end, from, ends[last] as number);
    }
    return end;
  }

  #send(group: Group, message: Buffer): void {
    const positions = group === this.#all ? undefined : group.pending;
    const count = positions === undefined ? this.#ends.length : positions.length;
    for (const client of group.clients) {
      if (client.sendUpdates(message)) this.delivered += count;
      else {
        for (let at = 0; at < count; at++) {
          const position = positions === undefined ? at : (positions.items[at] as number);
          const handle = this.#handles.items[position] as number;
          if (this.#removals.has(position)) client.sendRemoval(handle, this.#single(position));
          else client.passOver(handle);
        }
      }
    }
  }

  /** The newest values in the place of all that was passed over; undefined where none of it is left. */
  newest(handles: Iterable<number>, skipped: number): Buffer | undefined {
    const { wire } = this.#measurements;
    const live = [...handles].filter((handle) => this.#measurements.nameOf(handle) !== '');
    const marks = skipped > 0 ? `],"skipped":${skipped}}` : ']}';
    let bytes = opening.length + marks.length;
    for (const handle of live) bytes += wire.itemLength(handle);
    if (live.length === 0) return undefined;
    const message = Buffer.allocUnsafeSlow(bytes - 1);
    let end = opening.copy(message);
    for (const handle of live) end = wire.writeItem(handle, message, end);
    message.write(marks, end - 1); // in the place of the last comma
    this.delivered += live.length;
    this.skipped += skipped;
    return message;
  }

  #tellPresent(client: ChannelClient, handles: readonly number[]): void {
    const message = this.newest(handles, 0);
    if (message !== undefined) client.send(message);
  }

  /** A group of the client alone, whose members may be changed. */
  #ownGroup(client: ChannelClient): Group {
    this.#all.clients.delete(client);
    const group = this.#groupOf.get(client);
    if (group !== undefined && group.clients.size === 1) {
      if (group.key !== undefined) this.#shared.delete(group.key);
      group.key = undefined;
      return group;
    }
    const own = new Group(new Set(group?.members));
    if (group !== undefined) group.clients.delete(client);
    own.clients.add(client);
    for (const handle of own.members) this.#link(handle, own);
    this.#groupOf.set(client, own);
    return own;
  }

  /** Moves a client whose list has settled to those that watch the same. */
  #share(client: ChannelClient, group: Group): void {
    if (this.#groupOf.get(client) !== group || group.key !== undefined || group.members.size === 0) return;
    this.flush();
    const key = keyOf(group.members);
    const same = this.#shared.get(key);
    if (same === undefined) {
      group.key = key;
      this.#shared.set(key, group);
    } else if (group.members.isSubsetOf(same.members)) {
      this.#leave(client);
      same.clients.add(client);
      this.#groupOf.set(client, same);
    }
  }

  #leave(client: ChannelClient): void {
    this.#all.clients.delete(client);
    const group = this.#groupOf.get(client);
    this.#groupOf.delete(client);
    if (group === undefined) return;
    group.clients.delete(client);
    if (group.clients.size > 0) return;
    group.cancelSharing();
    if (group.key !== undefined) this.#shared.delete(group.key);
    for (const handle of group.members) this.#unlink(handle, group);
  }

  #link(handle: number, group: Group): void {
    // An array that is never written far behind its end stays a plain one.
    while (this.#groups.length <= handle) this.#groups.push(undefined);
    const groups = this.#groups[handle];
    if (groups === undefined) this.#groups[handle] = [group];
    else groups.push(group);
  }

  #unlink(handle: number, group: Group): void {
    const rest = this.#groups[handle]?.filter((other) => other !== group) ?? [];
    this.#groups[handle] = rest.length === 0 ? undefined : rest;
  }
}

/** Equal for equal sets, in whatever order they were made; different ones are told apart by a look at both. */
function keyOf(members: ReadonlySet<number>): string {
  let [sum, mixed] = [0, 0];
  for (const handle of members) {
    sum = (sum + handle) % 0x1_0000_0000;
    mixed = (mixed + Math.imul(handle ^ 0x9e37_79b9, 0x85eb_ca6b)) | 0;
  }
  return `${members.size} ${sum} ${mixed}`;
}
