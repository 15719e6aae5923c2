// The caller of an operation: who it is, and what it is refused. What it may do is said by its rights.
import { type Needed, type Permission, ProblemError, permissionNames } from '@telltale/schema';
import { GrantedRights, noRights, type Rights } from './rights.ts';

export type IdentityKind = 'local' | 'user' | 'token' | 'module' | 'provider' | 'certificate' | 'centre' | 'nobody';

export interface Caller {
  /** Its identity, with which its writes are signed: the name of a user, or a kind and a name, such as module/loop. */
  readonly author: string;
  readonly kind: IdentityKind;
  /** The function module whose token it presented; undefined where it presented none. */
  readonly module: string | undefined;
  /** The public id of its session or token, for the audit trail. */
  readonly session: string | undefined;
  /** The present ones: none once its session or token has ended. */
  readonly rights: Rights;
  /** Of somebody at a centre who asks about one of its sites: its id, and who they are at the centre. */
  readonly site?: { readonly id: string; readonly caller: Caller };
  /** Something was asked for: a session of a person goes on. */
  readonly used?: () => void;
  /** Who operates an alarm: an authenticated caller counts, whatever the request says. */
  readonly authorityOr: (said: string | undefined) => string;
}

/** A program of this machine, while there are no users: it may do everything but make the first one. */
export const localCaller: Caller = {
  author: 'local',
  kind: 'local',
  module: undefined,
  session: undefined,
  rights: new GrantedRights([{ permissions: permissionNames.filter((each) => each !== 'manage-users') }]),
  authorityOr: (said) => said ?? 'operator',
};

/** Whoever owns the data folder, and so reached the socket in it. */
export const ownerCaller: Caller = {
  ...localCaller,
  author: 'owner',
  rights: new GrantedRights([{ permissions: ['manage-users'] }]),
  authorityOr: () => 'owner',
};

/** Brought no credentials, and there are users. */
export const nobody: Caller = {
  author: 'nobody',
  kind: 'nobody',
  module: undefined,
  session: undefined,
  rights: noRights,
  authorityOr: () => 'nobody',
};

/** With the rights that it has at a site of a centre. */
export function callerAt(caller: Caller, site: string): Caller {
  return {
    author: caller.author,
    kind: caller.kind,
    module: caller.module,
    session: caller.session,
    get rights() {
      return caller.rights.at(site);
    },
    site: { id: site, caller },
    ...(caller.used && { used: caller.used }),
    authorityOr: caller.authorityOr,
  };
}

/** Before anything else in the request is checked: throws where nothing of the kind is allowed, to any object. */
export function checkPermission(caller: Caller, needed: Needed): void {
  if (needed === 'public') return;
  if (caller.kind === 'nobody') throw new ProblemError('not-signed-in', 'The request has no credentials.');
  if (needed === 'owner' && caller !== ownerCaller) {
    throw new ProblemError(
      'not-allowed',
      'Only the owner of the data folder may, over the socket in it: telltale access recover',
    );
  }
  if (isPermission(needed) && !caller.rights.has(needed)) throw notAllowed(caller, needed);
}

/** The others are looked at before. */
export function isPermission(needed: Needed): needed is Permission {
  return needed !== 'public' && needed !== 'signed-in' && needed !== 'owner';
}

/** Throws where the permission is for a part of the plant: what is asked for is of all of it. */
export function checkEverywhere({ rights, author }: Caller, permission: Permission): void {
  if (rights.everywhere(permission)) return;
  throw new ProblemError('not-allowed', `${author} needs the permission ${permission} for all of the plant.`);
}

export function notAllowed(caller: Caller, permission: Permission, name?: string): ProblemError {
  return new ProblemError('not-allowed', `${detailOf(caller, permission, name)}`);
}

function detailOf({ kind, module, author }: Caller, permission: Permission, name: string | undefined): string {
  const object = name === undefined ? '' : ` to ${JSON.stringify(name.slice(0, 80))}`;
  if (module !== undefined) {
    return name === undefined
      ? `The token of function module ${module} reads, and writes to the names that its properties.writes lists; this is neither.`
      : `properties.writes of function module ${module} does not list ${JSON.stringify(name.slice(0, 80))}.`;
  }
  if (kind === 'local') return 'There are no users yet. The first administrator is made with: telltale access init';
  return `${author} needs the permission ${permission}${object}.`;
}

/** Programs do not act for the person who made their token. */
export function userOf({ kind, author }: Caller): string {
  if (kind === 'user') return author;
  throw new ProblemError('not-allowed', `${author} is no user: only a user who has signed in does this.`);
}
