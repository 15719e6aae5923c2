// The tokens of function modules: each belongs to one run of a module. Only the SHA-256 of a token is stored, so that
// the time of a look-up reveals nothing about existing tokens.
import { createHash, randomBytes } from 'node:crypto';
import { mayWrite, ProblemError, readWriteList, type WriteList } from '@telltale/schema';
import { type Caller, localCaller } from './caller.ts';

const tokenBytes = 32;
const bearer = /^bearer +([A-Za-z0-9_-]{43})$/i;

/** Credentials that a proxy in front requires and forwards: not ours to check. Anything else must be a token. */
const ofProxies = /^(?:basic|digest|negotiate) /i;

export type RevocationListener = (caller: Caller) => void;

interface Entry {
  readonly caller: Caller;
  writes: WriteList;
}

export class ModuleTokens {
  readonly #entries = new Map<string, Entry>();
  readonly #listeners: RevocationListener[] = [];

  get size(): number {
    return this.#entries.size;
  }

  /** A new token for a run of the module; `writes` is the property as it was configured. */
  issue(module: string, writes: string): string {
    const token = randomBytes(tokenBytes).toString('base64url');
    const key = keyOf(token);
    const author = `module/${module}`;
    const caller: Caller = {
      author,
      authorityOr: () => author,
      module,
      mayWrite: (name) => {
        const known = this.#entries.get(key);
        return known !== undefined && mayWrite(known.writes, name);
      },
    };
    this.#entries.set(key, { caller, writes: readWriteList(writes) });
    return token;
  }

  /** What it may write from now on. */
  change(token: string, writes: string): void {
    const known = this.#entries.get(keyOf(token));
    if (known !== undefined) known.writes = readWriteList(writes);
  }

  revoke(token: string): void {
    const key = keyOf(token);
    const known = this.#entries.get(key);
    if (known === undefined) return;
    this.#entries.delete(key);
    for (const listener of this.#listeners) listener(known.caller);
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
    const known = token === undefined ? undefined : this.#entries.get(keyOf(token));
    if (known !== undefined) return known.caller;
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
