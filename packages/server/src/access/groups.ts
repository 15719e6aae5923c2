// Groups of directories, and what their members may do here.
import type { Grant, Group, GroupBody } from '@telltale/schema';
import type { StoredEntry } from './access-store.ts';
import { type Change, Collection } from './collection.ts';
import { comparableDn } from './directories/comparable-dn.ts';

export class Groups {
  readonly #groups = new Collection<GroupBody>('group', 'group');

  load(entries: readonly StoredEntry[]): void {
    this.#groups.load(entries);
  }

  list(): Group[] {
    return this.#groups.all().map(([name, group]) => ({ name, ...group }));
  }

  /** Throws where there is none, and in the same words where it is not one of those that the caller sees. */
  known(name: string, isSeen: (group: GroupBody) => boolean): Group {
    return { name, ...this.#groups.known(name, isSeen) };
  }

  find(name: string): GroupBody | undefined {
    return this.#groups.get(name);
  }

  change(name: string, body: GroupBody | null): Change {
    return this.#groups.change(name, body);
  }

  /** Of those that the directory names, the ones that have grants. */
  granted(directory: string, names: readonly string[]): string[] {
    const known = new Set(this.#of(directory).map(keyOf));
    return names.filter((name) => known.has(name));
  }

  grantsOf(directory: string, names: readonly string[]): Grant[] {
    return this.#of(directory).flatMap((group) => (names.includes(keyOf(group)) ? group.grants : []));
  }

  #of(directory: string): Group[] {
    return this.list().filter((each) => each.directory === directory);
  }
}

/** As the directory names it to the service. */
function keyOf({ directory, group }: GroupBody): string {
  return directory === 'ldap' ? comparableDn(group) : group;
}
