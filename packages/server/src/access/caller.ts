// The caller of an operation, and its permissions. While there are no users, a program on this machine may do
// everything; a function module may read everything, and write to the names that it is given.
import { type Effect, ProblemError } from '@telltale/schema';

/**
 * The effect of a route or request, for permissions: `read` changes nothing; a `named-write` writes to the one object
 * that it names (each item of a batch to its own); a `write` is everything else.
 */
export type Access = 'read' | 'named-write' | 'write';

/** Of what is done to one object that a function module may be given. */
const namedWrites: ReadonlySet<string> = new Set(['simulate measurements', 'write commands', 'operate alarms']);

export function accessOf({ action, resource }: Effect): Access {
  if (action === 'read') return 'read';
  return namedWrites.has(`${action} ${resource}`) ? 'named-write' : 'write';
}

export interface Caller {
  /** How its writes are signed. */
  readonly author: string;
  /** Who operates an alarm: an authenticated caller counts, whatever the request says. */
  readonly authorityOr: (said: string | undefined) => string;
  /** The function module whose token it presented; undefined where it presented none. */
  readonly module: string | undefined;
  /** Of a measurement, a command or an alarm. Always false once its token is revoked. */
  readonly mayWrite: (name: string) => boolean;
}

/** Brought no token. */
export const localCaller: Caller = {
  author: 'local',
  authorityOr: (said) => said ?? 'operator',
  module: undefined,
  mayWrite: () => true,
};

/** Before anything else in the request is checked: throws where nothing of the kind is allowed, to any name. */
export function checkAccess({ module }: Caller, access: Access): void {
  if (access !== 'write' || module === undefined) return;
  throw new ProblemError(
    'not-allowed',
    `The token of function module ${module} reads, and writes to the names that its properties.writes lists; this is ` +
      'neither.',
  );
}

/** Throws where it may not write to the object of this name. */
export function checkNamedWrite({ module, mayWrite }: Caller, name: string): void {
  if (module === undefined || mayWrite(name)) return;
  throw new ProblemError(
    'not-allowed',
    `properties.writes of function module ${module} does not list ${JSON.stringify(name.slice(0, 80))}.`,
  );
}
