// By the handle of a measurement, the groups of clients that watch it.

/** `alone` is the list of the group alone: one for all measurements that no other group watches. */
interface Linked<Group> {
  readonly alone: readonly Group[];
}

export class GroupLinks<Group extends Linked<Group>> {
  readonly #groups: (readonly Group[] | undefined)[] = [];
  readonly #none: readonly Group[] = [];

  of(handle: number): readonly Group[] {
    return this.#groups[handle] ?? this.#none;
  }

  link(handle: number, group: Group): void {
    // An array that is never written far behind its end stays a plain one.
    while (this.#groups.length <= handle) this.#groups.push(undefined);
    const groups = this.#groups[handle];
    this.#groups[handle] = groups === undefined ? group.alone : [...groups, group];
  }

  unlink(handle: number, group: Group): void {
    const rest = this.#groups[handle]?.filter((other) => other !== group) ?? [];
    this.#groups[handle] = rest.length <= 1 ? rest[0]?.alone : rest;
  }

  /** No group watches it any more. */
  clear(handle: number): void {
    this.#groups[handle] = undefined;
  }
}
