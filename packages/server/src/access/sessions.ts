// Sessions of people in browsers. A cookie is opaque; its hash is stored. After its idle time, or its longest time, a session
// may only view: a station goes on showing the plant, and its operator signs in again to act.
import { randomBytes } from 'node:crypto';
import { type Clock, type Permission, ProblemError, type Session } from '@telltale/schema';
import type { StoredEntry } from './access-store.ts';
import type { Accounts } from './accounts.ts';
import type { Caller } from './caller.ts';
import { type Change, type Changes, Collection } from './collection.ts';
import { noRights, type Rights } from './rights.ts';
import { hashOf } from './token-text.ts';

interface StoredSession {
  readonly id: string;
  readonly user: string;
  /** All times in milliseconds since 1970: they hold over restarts. */
  readonly created: number;
  readonly lastUsed: number;
  readonly signedIn: number;
  readonly source?: string;
}

/** Of a session that was used since the start. */
interface LiveSession {
  readonly caller: Caller;
  usedMs: number;
  /** Compiled rights, and what they hold for. */
  rights: Rights;
  version: number;
  untilMs: number;
}

export interface SessionsOptions {
  readonly accounts: Accounts;
  readonly changes: Changes;
  readonly clock: Clock;
  readonly onEnd: (caller: Caller) => void;
}

/** For a person: browsers, stations, a telephone. The one unused for longest ends when there is another. */
const mostOfUser = 20;
/** Even to view: a station signs in once a month. */
const longestMs = 30 * 24 * 3600e3;
/** Between two notes of the same session's use. */
const noteMs = 60e3;
/** For which signing in counts as a signature. */
const momentMs = 60e3;
/** Of roles that do not say: minutes, and hours. */
const usual = { idle: 30, session: 12 };

const view: readonly Permission[] = ['view'];

export class Sessions {
  readonly #options: SessionsOptions;
  /** By hash of the cookie. */
  readonly #stored = new Collection<StoredSession>('session', 'session');
  readonly #live = new Map<string, LiveSession>();
  /** By id of the session, the time of the sign-in that has counted as a signature. */
  readonly #taken = new Map<string, number>();

  constructor(options: SessionsOptions) {
    this.#options = options;
  }

  load(entries: readonly StoredEntry[]): void {
    this.#stored.load(entries);
  }

  /** Resolves with the cookie; `before` is the one that it replaces. `isProved` is asked last: whether it is still this user. */
  async begin(
    user: string,
    source: string | undefined,
    before?: string,
    isProved: () => boolean = () => true,
  ): Promise<string> {
    const cookie = randomBytes(32).toString('base64url');
    const now = this.#now();
    const session: StoredSession = {
      id: randomBytes(9).toString('hex'), // never begins with -, as an option does
      user,
      created: now,
      lastUsed: now,
      signedIn: now,
      ...(source !== undefined && { source }),
    };
    const replaced = before === undefined ? undefined : hashOf(before);
    const others = this.#of(user).filter(([hash]) => hash !== replaced);
    const surplus = others.slice(0, Math.max(0, others.length + 1 - mostOfUser)).map(([hash]) => hash);
    await this.#end([...(replaced === undefined ? [] : [replaced]), ...surplus], () => {
      if (!this.#options.accounts.has(user) || !isProved()) {
        throw new ProblemError('wrong-credentials', 'The user is gone, or has another password now.');
      }
      return [this.#stored.change(hashOf(cookie), session)];
    });
    return cookie;
  }

  /** Whose the cookie is; undefined where it is nobody's. */
  find(cookie: string): Caller | undefined {
    return this.findByHash(hashOf(cookie));
  }

  findByHash(hash: string): Caller | undefined {
    const stored = this.#stored.get(hash);
    if (stored === undefined || this.#options.accounts.isDisabled(stored.user)) return undefined;
    if (this.#isOver(stored)) {
      void this.#end([hash]).catch(() => undefined); // tried again when it is used again
      return undefined;
    }
    return (this.#live.get(hash) ?? this.#liven(hash, stored)).caller;
  }

  /** Those of a user, or all; the one unused for longest first. */
  list(user?: string): Session[] {
    return this.#of(user).map(([hash, stored]) => this.#shown(hash, stored));
  }

  async endById(id: string): Promise<void> {
    const [hash] = this.#of(undefined).find(([, stored]) => stored.id === id) ?? [];
    if (hash === undefined) {
      throw new ProblemError('unknown-object', `There is no session ${JSON.stringify(id.slice(0, 80))}.`);
    }
    await this.#end([hash]);
  }

  /** All of a user, but the one with this id. */
  async endOf(user: string, except?: string): Promise<void> {
    const others = this.#of(user).filter(([, { id }]) => id !== except);
    await this.#end(others.map(([hash]) => hash));
  }

  /** Whether the user of the session with this id has signed in a moment ago: that counts once. */
  takeSignIn(id: string): boolean {
    const [hash, stored] = this.#of(undefined).find(([, each]) => each.id === id) ?? [];
    if (hash === undefined || stored === undefined || this.#now() - stored.signedIn > momentMs) return false;
    if (this.#taken.get(id) === stored.signedIn) return false;
    for (const [known, signedIn] of this.#taken) if (this.#now() - signedIn > momentMs) this.#taken.delete(known);
    this.#taken.set(id, stored.signedIn);
    return true;
  }

  /** Those that were used since the start. */
  *callers(): Generator<Caller> {
    for (const { caller } of this.#live.values()) yield caller;
  }

  #of(user: string | undefined): [string, StoredSession][] {
    return this.#stored
      .all()
      .filter(([, stored]) => (user === undefined || stored.user === user) && !this.#isOver(stored))
      .sort(([a, one], [b, other]) => this.#usedMs(a, one) - this.#usedMs(b, other));
  }

  #liven(hash: string, { user, id, lastUsed }: StoredSession): LiveSession {
    const rightsNow = () => this.#rightsOf(hash);
    const caller: Caller = {
      author: user,
      kind: 'user',
      module: undefined,
      session: id,
      get rights() {
        return rightsNow();
      },
      used: () => this.#use(hash),
      authorityOr: () => user,
    };
    const live: LiveSession = { caller, usedMs: lastUsed, rights: noRights, version: -1, untilMs: 0 };
    this.#live.set(hash, live);
    return live;
  }

  /** It goes on for longer, unless it was idle for too long. */
  #use(hash: string): void {
    const [stored, live] = [this.#stored.get(hash), this.#live.get(hash)];
    const now = this.#now();
    if (stored === undefined || live === undefined || now > this.#fullUntil(hash, stored)) return;
    live.usedMs = now;
    live.version = -1;
    if (now - stored.lastUsed < noteMs) return;
    const note = () => {
      const known = this.#stored.get(hash);
      return { changes: known ? [this.#stored.change(hash, { ...known, lastUsed: now })] : [], result: undefined };
    };
    void this.#options.changes.run(note).catch(() => undefined); // noted the next time
  }

  async #end(hashes: readonly string[], more: () => readonly Change[] = () => []): Promise<void> {
    await this.#options.changes.run(() => {
      const ended = hashes.filter((hash) => this.#stored.get(hash) !== undefined);
      return { changes: [...ended.map((hash) => this.#stored.change(hash, null)), ...more()], result: undefined };
    });
    for (const hash of hashes) {
      const live = this.#live.get(hash);
      this.#live.delete(hash);
      if (live !== undefined) this.#options.onEnd(live.caller);
    }
  }

  #rightsOf(hash: string): Rights {
    const [stored, live] = [this.#stored.get(hash), this.#live.get(hash)];
    if (stored === undefined || live === undefined) return noRights;
    const { accounts } = this.#options;
    const now = this.#now();
    if (live.version === accounts.version && now <= live.untilMs) return live.rights;
    const fullUntil = this.#fullUntil(hash, stored);
    live.version = accounts.version;
    const endMs = (accounts.stored(stored.user)?.recoveryUntil ?? Number.POSITIVE_INFINITY) * 1000;
    live.untilMs = Math.min(now <= fullUntil ? fullUntil : stored.signedIn + longestMs, endMs);
    live.rights = this.#compile(stored, now <= fullUntil);
    return live.rights;
  }

  #compile(stored: StoredSession, isFull: boolean): Rights {
    const { accounts } = this.#options;
    if (this.#isOver(stored)) return noRights;
    if (accounts.mustHaveFactor(stored.user) && !accounts.hasFactor(stored.user)) return noRights; // but to add one
    const granted = accounts.grantedTo(stored.user);
    if (isFull) return accounts.rightsOf(granted);
    const viewing = granted.filter(({ permissions }) => permissions.includes('view'));
    return accounts.rightsOf(viewing.map((each) => ({ ...each, permissions: view })));
  }

  /** From then on it may only view: the shortest times of the roles of its user count. */
  #fullUntil(hash: string, stored: StoredSession): number {
    const { accounts } = this.#options;
    const grants = accounts.grantsOf(accounts.stored(stored.user));
    const roles = grants.map(({ role }) => accounts.findRole(role));
    const idle = Math.min(...roles.map((role) => role?.idle ?? usual.idle), 7 * 1440);
    const session = Math.min(...roles.map((role) => role?.session ?? usual.session), 30 * 24);
    return Math.min(this.#usedMs(hash, stored) + idle * 60e3, stored.signedIn + session * 3600e3);
  }

  #usedMs(hash: string, { lastUsed }: StoredSession): number {
    return Math.max(lastUsed, this.#live.get(hash)?.usedMs ?? 0);
  }

  #isOver({ signedIn }: StoredSession): boolean {
    return this.#now() - signedIn > longestMs;
  }

  #shown(hash: string, stored: StoredSession): Session {
    const { id, user, created, signedIn, source } = stored;
    return {
      id,
      user,
      created: created / 1000,
      lastUsed: this.#usedMs(hash, stored) / 1000,
      signedIn: signedIn / 1000,
      ...(source !== undefined && { source }),
      mode: this.#now() <= this.#fullUntil(hash, stored) ? 'full' : 'view',
    };
  }

  #now(): number {
    return this.#options.clock.now() / 1000;
  }
}
