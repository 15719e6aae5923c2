// Whoever manages users, of all of the plant or of a part of it. Of a part: only those who have rights there, and nowhere else.
import { ProblemError, type Scope } from '@telltale/schema';
import { covers, type Rights } from './rights.ts';

/** The rights are looked at when it is decided, and may be others then. */
export interface Manager {
  readonly rights: Pick<Rights, 'granted'>;
}

export const everywhere: readonly Scope[] = [{}];

/**
 * Who has no grants is managed by whoever manages all of the plant: it may be the user that recovers access, or somebody for
 * whom a password, set by the manager of a part, would be good for what is granted later.
 */
export function manages({ rights }: Manager, parts: readonly Scope[]): boolean {
  return covers(
    rights.granted,
    (parts.length === 0 ? everywhere : parts).map(({ area, prefix, site }) => ({
      permissions: ['manage-users'],
      ...(area && { area }),
      ...(prefix && { prefix }),
      ...(site && { site }),
    })),
  );
}

export function checkManages(manager: Manager, parts: readonly Scope[]): void {
  if (manages(manager, parts)) return;
  const detail =
    parts.length === 0
      ? 'Only who manages the users of all of the plant may leave somebody without a grant.'
      : 'This concerns more of the plant than you manage the users of.';
  throw new ProblemError('not-allowed', detail);
}
