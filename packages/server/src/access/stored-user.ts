// What is stored of a user, and what of it is shown.
import { accountNamePattern, type Permission, ProblemError, type User, type UserBody } from '@telltale/schema';
import { hasFactor, type StoredFactors } from './passwords/stored-factors.ts';

export interface StoredUser extends UserBody {
  /** `local`, or a `DirectoryKind`. */
  readonly origin: string;
  /** Of a directory: who it is, whatever it is called; and its groups, as far as they have grants here. */
  readonly subject?: string;
  readonly groups?: readonly string[];
  /** The directory had nobody of the name when it was asked last. */
  readonly absent?: boolean;
  /** A PHC string; undefined: no password is right. */
  readonly password?: string;
  readonly lastSignIn?: number;
  /** Beside the password. */
  readonly factors?: StoredFactors;
  /** Of the user that recovers access: when it ends, in seconds since 1970. */
  readonly recoveryUntil?: number;
}

/** What it takes to give others access again. */
export const ofRecovery: readonly Permission[] = ['view', 'manage-users', 'read-audit'];
export const recoveryName = 'recovery';
export const recoveryS = 4 * 3600;

const accountName = new RegExp(accountNamePattern);

/** Words that the service itself uses as an authority. */
const reservedNames: ReadonlySet<string> = new Set([
  'local',
  'owner',
  'nobody',
  'operator',
  'trigger',
  'device',
  'names',
  'me',
  recoveryName,
]);

export function checkName(name: string): void {
  if (reservedNames.has(name.toLowerCase())) throw new ProblemError('reserved-name', `${name} is a reserved word.`);
}

/** Why somebody of a directory cannot be the user of this name. A local user keeps the name, in whatever case. */
export function directoryFault(
  name: string,
  { origin, subject }: Pick<StoredUser, 'origin' | 'subject'>,
  users: readonly (readonly [string, StoredUser])[],
): string | undefined {
  const quoted = JSON.stringify(name.slice(0, 80));
  if (!accountName.test(name)) return `${quoted} cannot be the name of a user here`;
  if (reservedNames.has(name.toLowerCase())) return `${name} is a reserved word`;
  const other = users.find(([key]) => key.toLowerCase() === name.toLowerCase());
  if (other === undefined) return undefined;
  const [key, known] = other;
  if (known.origin !== origin) return `there is a user ${key} already who is ${known.origin}, and not of the directory`;
  if (key === name && known.subject === subject) return undefined;
  return `there is a user ${key} already who is another person of the directory; an administrator deletes that one`;
}

/** Equal where a change of the user cannot have changed what it may do. */
export function rightsKey(user: StoredUser | undefined): string {
  if (user === undefined) return '';
  const { origin, grants, groups, disabled, absent, factors, recoveryUntil } = user;
  return JSON.stringify([origin, grants, groups, disabled, absent, hasFactor(factors), recoveryUntil]);
}

/** What is no part of a body. */
export function kept(user: StoredUser | undefined): Partial<StoredUser> {
  if (user === undefined) return {};
  const { grants: _, disabled: __, displayName: ___, ...rest } = user;
  return rest;
}

export function shown(name: string, { password, lastSignIn, ...user }: StoredUser): User {
  const { displayName, grants, disabled, origin, groups } = user;
  return {
    name,
    ...(displayName !== undefined && { displayName }),
    grants,
    ...(disabled !== undefined && { disabled }),
    origin,
    ...(groups !== undefined && { groups: [...groups] }),
    hasPassword: password !== undefined,
    hasSecondFactor: hasFactor(user.factors),
    ...(lastSignIn !== undefined && { lastSignIn }),
  };
}
