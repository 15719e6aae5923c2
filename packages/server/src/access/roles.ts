// Roles, and the rights that grants of them make.
import { type Grant, initialRoles, type Role, type RoleBody } from '@telltale/schema';
import type { StoredEntry } from './access-store.ts';
import { type Change, Collection } from './collection.ts';
import { type Granted, GrantedRights } from './rights.ts';

export class Roles {
  readonly #roles = new Collection<RoleBody>('role', 'role');
  /** By grants: callers that may do the same share their rights, and what is compiled from these. */
  readonly #rights = new Map<string, GrantedRights>();

  /** Those that come with the service are stored with the first user. */
  load(entries: readonly StoredEntry[]): void {
    const hasStored = entries.some(({ kind }) => kind === 'role');
    if (!hasStored) for (const { name, ...role } of initialRoles) this.#roles.change(name, role).hold();
    this.#roles.load(entries);
  }

  all(): [string, RoleBody][] {
    return this.#roles.all();
  }

  list(): Role[] {
    return this.#roles.all().map(([name, role]) => ({ name, ...role }));
  }

  /** Throws where there is none. */
  known(name: string): Role {
    return { name, ...this.#roles.known(name) };
  }

  get(name: string): RoleBody | undefined {
    return this.#roles.get(name);
  }

  change(name: string, body: RoleBody | null): Change {
    return this.#roles.change(name, body);
  }

  /** What grants permit, as data. Roles that do not exist permit nothing. */
  granted(grants: readonly Grant[]): Granted[] {
    return grants.flatMap(({ role, ...scope }) => {
      const permissions = this.#roles.get(role)?.permissions ?? [];
      return permissions.length === 0 ? [] : [{ permissions, ...scope }];
    });
  }

  /** The same object for the same permissions, until the rights of somebody have changed. */
  rightsOf(granted: readonly Granted[]): GrantedRights {
    const key = JSON.stringify(granted);
    const known = this.#rights.get(key);
    if (known !== undefined) return known;
    const rights = new GrantedRights(granted);
    this.#rights.set(key, rights);
    return rights;
  }

  /** Rights that nobody has any more go with the others. */
  forgetRights(): void {
    this.#rights.clear();
  }
}
