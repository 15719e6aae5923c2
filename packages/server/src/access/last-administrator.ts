// Refuses what would leave nobody who can sign in and manage all users.
import { ProblemError, type RoleBody } from '@telltale/schema';
import type { Change } from './collection.ts';
import type { StoredUser } from './stored-user.ts';

export interface Held {
  readonly users: readonly (readonly [string, StoredUser])[];
  readonly roles: readonly (readonly [string, RoleBody])[];
}

/** Throws `last-administrator`. */
export function checkAdministrator(held: Held, changes: readonly Change[]): void {
  const users = after('user', held.users, changes);
  const roles = after('role', held.roles, changes);
  if (users.size === 0 && held.users.length === 0) return;
  const isAdministrator = ({ grants, disabled, password }: StoredUser) =>
    disabled !== true &&
    password !== undefined &&
    grants.some(
      ({ role, area, prefix, site }) =>
        !area && !prefix && !site && roles.get(role)?.permissions.includes('manage-users') === true,
    );
  if ([...users.values()].some(isAdministrator)) return;
  throw new ProblemError(
    'last-administrator',
    'Nobody who can sign in would be left with the permission manage-users to all of the plant.',
  );
}

function after<T>(kind: string, entries: readonly (readonly [string, T])[], changes: readonly Change[]) {
  const map = new Map(entries);
  for (const { stored } of changes) {
    if (stored.kind !== kind) continue;
    if (stored.value === null) map.delete(stored.key);
    else map.set(stored.key, stored.value as T);
  }
  return map;
}
