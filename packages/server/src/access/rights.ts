// What somebody may do, and to which objects. Rights are compiled from grants, or from lists of names; they are plain data
// where they must go to another thread.
import {
  isBelowArea,
  isInScope,
  mayWrite,
  type Permission,
  permissionNames,
  type Scope,
  type WriteList,
} from '@telltale/schema';

/** Permissions for a part of the plant: all of it, at every site, where nothing is set. */
export interface Granted extends Scope {
  readonly permissions: readonly Permission[];
}

/** To what is of this service; `at` has those to what is of a site, where it is a centre. */
export interface Rights {
  /** To anything at all: whether a request is worth looking at. */
  has(permission: Permission): boolean;
  /** To everything: what is, and what will be. */
  everywhere(permission: Permission): boolean;
  /** To an object of this name, in this area; undefined or empty: in none. */
  on(permission: Permission, name: string, area: string | undefined): boolean;
  /** Equal for rights that permit this to the same objects. */
  scopeOf(permission: Permission): string;
  /** As data, from which another thread makes rights; single names of a list are not in it. */
  readonly granted: readonly Granted[];
  /** To what is of a site, by its id; of these `granted` names no site. */
  at(site: string): Rights;
}

/** Of what was granted. */
export class GrantedRights implements Rights {
  readonly granted: readonly Granted[];
  readonly #scopes: ReadonlyMap<Permission, readonly Scope[] | 'everything'>;
  /** By the id of a site that is named; empty: of all others. */
  readonly #atSites = new Map<string, Rights>();

  constructor(granted: readonly Granted[]) {
    this.granted = granted;
    const scopes = new Map<Permission, Scope[] | 'everything'>();
    for (const { permissions, area, prefix, site } of granted) {
      if (site) continue;
      const isEverything = (area ?? '') === '' && (prefix ?? '') === '';
      for (const permission of permissions) {
        const known = scopes.get(permission) ?? [];
        if (isEverything || known === 'everything') scopes.set(permission, 'everything');
        else scopes.set(permission, [...known, { ...(area && { area }), ...(prefix && { prefix }) }]);
      }
    }
    this.#scopes = scopes;
  }

  has(permission: Permission): boolean {
    return this.#scopes.has(permission);
  }

  everywhere(permission: Permission): boolean {
    return this.#scopes.get(permission) === 'everything';
  }

  on(permission: Permission, name: string, area: string | undefined): boolean {
    const scopes = this.#scopes.get(permission);
    if (scopes === undefined || scopes === 'everything') return scopes !== undefined;
    return scopes.some((scope) => isInScope(scope, name, area));
  }

  scopeOf(permission: Permission): string {
    const scopes = this.#scopes.get(permission) ?? [];
    return scopes === 'everything'
      ? scopes
      : JSON.stringify(scopes.map(({ area = '', prefix = '' }) => [area, prefix]));
  }

  at(site: string): Rights {
    if (this.granted.every((each) => !each.site)) return this;
    const key = this.granted.some((each) => each.site === site) ? site : '';
    const known = this.#atSites.get(key) ?? new GrantedRights(ofSite(this.granted, site));
    this.#atSites.set(key, known);
    return known;
  }
}

export const allRights: Rights = new GrantedRights([{ permissions: permissionNames }]);
export const noRights: Rights = new GrantedRights([]);

/** Of a function module or provider: a few permissions, each for the names of a list. */
export class ListedRights implements Rights {
  readonly #lists: ReadonlyMap<Permission, WriteList>;

  constructor(lists: ReadonlyMap<Permission, WriteList>) {
    this.#lists = lists;
  }

  has(permission: Permission): boolean {
    return this.#lists.has(permission);
  }

  everywhere(permission: Permission): boolean {
    return this.#lists.get(permission)?.prefixes.includes('') === true;
  }

  get granted(): Granted[] {
    return [...this.#lists].flatMap(([permission, { prefixes }]) =>
      prefixes.map((prefix) => ({ permissions: [permission], ...(prefix !== '' && { prefix }) })),
    );
  }

  on(permission: Permission, name: string): boolean {
    const list = this.#lists.get(permission);
    return list !== undefined && mayWrite(list, name);
  }

  scopeOf(permission: Permission): string {
    const { names = [], prefixes = [] } = this.#lists.get(permission) ?? {};
    return prefixes.includes('') ? 'everything' : JSON.stringify({ names: [...names], prefixes });
  }

  at(): Rights {
    return this;
  }
}

function ofSite(granted: readonly Granted[], wanted: string): Granted[] {
  return granted.flatMap(({ site, ...each }) => (!site || site === wanted ? [each] : []));
}

/** What both permit: that of a token, within that of whoever made it. */
export function within(granted: readonly Granted[], bounds: readonly Granted[]): Granted[] {
  return granted.flatMap((each) =>
    bounds.flatMap((bound) => {
      const permissions = each.permissions.filter((permission) => bound.permissions.includes(permission));
      const scope = permissions.length === 0 ? undefined : bothScopes(each, bound);
      return scope === undefined ? [] : [{ permissions, ...scope }];
    }),
  );
}

/** Whether all that is granted is permitted by the bounds as well. */
export function covers(bounds: readonly Granted[], granted: readonly Granted[]): boolean {
  return granted.every(({ permissions, area = '', prefix = '', site }) =>
    permissions.every((permission) =>
      bounds.some(
        (bound) =>
          bound.permissions.includes(permission) &&
          (!bound.area || isBelowArea(bound.area, area)) &&
          (!bound.prefix || prefix.startsWith(bound.prefix)) &&
          (!bound.site || site === bound.site),
      ),
    ),
  );
}

export function permissionsOf(rights: Rights): Permission[] {
  return permissionNames.filter((permission) => rights.has(permission));
}

/** Undefined where no object can be in both. */
function bothScopes(one: Scope, other: Scope): Scope | undefined {
  const area = narrower(one.area, other.area, isBelowArea);
  const prefix = narrower(one.prefix, other.prefix, (wide, narrow) => narrow.startsWith(wide));
  const site = narrower(one.site, other.site, (wide, narrow) => wide === narrow);
  if (area === undefined || prefix === undefined || site === undefined) return undefined;
  return { ...(area !== '' && { area }), ...(prefix !== '' && { prefix }), ...(site !== '' && { site }) };
}

function narrower(one = '', other = '', includes: (wide: string, narrow: string) => boolean): string | undefined {
  if (one === '' || (other !== '' && includes(one, other))) return other;
  return other === '' || includes(other, one) ? one : undefined;
}
