// The tokens of function modules: each belongs to one run of a module. Of a token only its SHA-256 is kept, so that how
// long a look-up takes tells nothing of those that there are.
import { createHash, randomBytes } from 'node:crypto';
import { ProblemError } from '@telltale/schema';
import { type Caller, localCaller } from './caller.ts';

const tokenBytes = 32;
const bearer = /^bearer +([A-Za-z0-9_-]{43})$/i;

/** What a proxy in front asks people for, and hands on: not ours to judge. Anything else is meant to be a token. */
const ofProxies = /^(?:basic|digest|negotiate) /i;

export type RevocationListener = (caller: Caller) => void;

export class ModuleTokens {
  readonly #callers = new Map<string, Caller>();
  readonly #listeners: RevocationListener[] = [];

  get size(): number {
    return this.#callers.size;
  }

  /** A token of its own for a run of the module. What it may write is asked each time, so that it can change. */
  issue(module: string, mayWrite: (name: string) => boolean): string {
    const token = randomBytes(tokenBytes).toString('base64url');
    const key = keyOf(token);
    this.#callers.set(key, {
      author: `module/${module}`,
      module,
      mayWrite: (name) => this.#callers.has(key) && mayWrite(name),
    });
    return token;
  }

  /** From now on nobody has it. */
  revoke(token: string): void {
    const key = keyOf(token);
    const caller = this.#callers.get(key);
    if (caller === undefined) return;
    this.#callers.delete(key);
    for (const listener of this.#listeners) listener(caller);
  }

  /** Called with the very object that `identify` gave. */
  onRevoked(listener: RevocationListener): void {
    this.#listeners.push(listener);
  }

  /** Whose the value of an Authorization header is, always the same object for the same token; throws `ProblemError`. */
  identify(authorization: string | undefined): Caller {
    return authorization === undefined ? localCaller : this.#known(authorization);
  }

  #known(authorization: string): Caller {
    const [, token] = bearer.exec(authorization) ?? [];
    const caller = token === undefined ? undefined : this.#callers.get(keyOf(token));
    if (caller !== undefined) return caller;
    if (ofProxies.test(authorization)) return localCaller;
    throw new ProblemError(
      'invalid-token',
      'The Authorization header carries no token of a function module that runs.',
    );
  }
}

function keyOf(token: string): string {
  return createHash('sha256').update(token).digest('base64');
}
