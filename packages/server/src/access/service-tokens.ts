// Tokens that people make for programs: never more than their maker may, for at most a year. Only their hashes are stored.
import { type Clock, ProblemError, type Token, type TokenBody } from '@telltale/schema';
import type { StoredEntry } from './access-store.ts';
import type { Accounts } from './accounts.ts';
import type { Caller } from './caller.ts';
import { type Changes, Collection } from './collection.ts';
import { Networks } from './networks.ts';
import { covers, noRights, type Rights, within } from './rights.ts';
import { hashOf, newToken } from './token-text.ts';

interface StoredToken extends TokenBody {
  readonly owner: string;
  readonly hash: string;
  /** In seconds since 1970, as in a body. */
  readonly created: number;
  readonly lastUsed?: number;
}

interface LiveToken {
  readonly name: string;
  readonly caller: Caller;
  readonly networks: Networks | undefined;
  rights: Rights;
  version: number;
}

export interface ServiceTokensOptions {
  readonly accounts: Accounts;
  readonly changes: Changes;
  readonly clock: Clock;
  readonly onEnd: (caller: Caller) => void;
}

const longestS = 366 * 24 * 3600;
const noteS = 60;
/** Of one person, so that nobody uses up those that there can be in all. */
const mostOfOwner = 200;

export class ServiceTokens {
  readonly #options: ServiceTokensOptions;
  readonly #stored = new Collection<StoredToken>('token', 'token');
  readonly #live = new Map<string, LiveToken>();
  /** Hears when the next one ends. */
  #cancel: () => void = () => undefined;

  constructor(options: ServiceTokensOptions) {
    this.#options = options;
  }

  load(entries: readonly StoredEntry[]): void {
    this.#stored.load(entries);
    for (const [name, token] of this.#stored.all()) this.#hold(name, token);
    this.#watchEnds(); // at once for those that ended meanwhile
  }

  /** Those of an owner, or all. */
  list(owner?: string): Token[] {
    return this.#stored
      .all()
      .filter(([, token]) => owner === undefined || token.owner === owner)
      .map(([name, token]) => shown(name, token));
  }

  get(name: string): Token {
    return shown(name, this.#stored.known(name));
  }

  /** Resolves with the token itself, which is nowhere else. */
  async make(name: string, body: TokenBody, maker: Caller): Promise<string> {
    const { accounts, changes } = this.#options;
    const now = this.#now();
    const networks = readNetworks(body.networks);
    const token = newToken();
    const stored: StoredToken = { ...body, owner: maker.author, hash: hashOf(token), created: Math.floor(now) };
    await changes.run(() => {
      if (!accounts.has(maker.author)) throw new ProblemError('not-allowed', `${maker.author} is gone.`);
      if (this.#stored.get(name) !== undefined) throw new ProblemError('name-taken', `There is a token ${name}.`);
      if (this.list(maker.author).length >= mostOfOwner) {
        throw new ProblemError('too-many-requests', `You have ${mostOfOwner} tokens: delete some first.`);
      }
      if (!(body.expires > now && body.expires <= now + longestS)) {
        throw new ProblemError('invalid-body', 'A token expires within a year from now.');
      }
      for (const { role } of body.grants) accounts.role(role);
      if (!covers(maker.rights.granted, accounts.granted(body.grants))) {
        throw new ProblemError('not-allowed', 'A token has at most the permissions of whoever makes it.');
      }
      return { changes: [this.#stored.change(name, stored)], result: undefined };
    });
    this.#hold(name, stored, networks);
    this.#watchEnds();
    return token;
  }

  async delete(name: string): Promise<void> {
    await this.#delete([name], true);
  }

  /** With their owner. */
  async deleteOf(owner: string): Promise<void> {
    await this.#delete(this.list(owner).map(({ name }) => name));
  }

  /** Whose it is; undefined where it is nobody's, is over, or may not come from there. */
  find(hash: string, source: string | undefined): Caller | undefined {
    const live = this.#live.get(hash);
    const stored = live && this.#stored.get(live.name);
    if (live === undefined || stored === undefined || stored.expires <= this.#now()) return undefined;
    if (live.networks !== undefined && !live.networks.has(source)) return undefined;
    if (this.#options.accounts.isDisabled(stored.owner)) return undefined;
    this.#note(live.name, stored);
    return live.caller;
  }

  *callers(): Generator<Caller> {
    for (const { caller } of this.#live.values()) yield caller;
  }

  close(): void {
    this.#cancel();
  }

  #hold(name: string, { hash, owner }: StoredToken, networks = readNetworks(this.#stored.get(name)?.networks)): void {
    const rightsNow = () => this.#rightsOf(hash);
    const author = `token/${name}`;
    const caller: Caller = {
      author,
      kind: 'token',
      module: undefined,
      session: `${owner}/${name}`,
      get rights() {
        return rightsNow();
      },
      authorityOr: () => author,
    };
    this.#live.set(hash, { name, caller, networks, rights: noRights, version: -1 });
  }

  #rightsOf(hash: string): Rights {
    const live = this.#live.get(hash);
    if (live === undefined) return noRights;
    const { accounts } = this.#options;
    if (live.version === accounts.version) return live.rights;
    const stored = this.#stored.get(live.name);
    live.version = accounts.version;
    live.rights =
      stored === undefined
        ? noRights
        : accounts.rightsOf(within(accounts.granted(stored.grants), accounts.grantedTo(stored.owner)));
    return live.rights;
  }

  async #delete(names: readonly string[], mustBeThere = false): Promise<void> {
    const { changes, onEnd } = this.#options;
    const gone = await changes.run(() => {
      const stored = mustBeThere ? names.map((name) => this.#stored.known(name)) : [];
      const known = names.filter((name) => this.#stored.get(name) !== undefined);
      const result = mustBeThere ? stored : known.map((name) => this.#stored.known(name));
      return { changes: known.map((name) => this.#stored.change(name, null)), result };
    });
    for (const { hash } of gone) {
      const live = this.#live.get(hash);
      this.#live.delete(hash);
      if (live !== undefined) onEnd(live.caller);
    }
  }

  /** Tells who still has a channel open when a token expires. */
  #watchEnds(): void {
    this.#cancel();
    const ends = this.#live.values().map(({ name }) => this.#stored.get(name)?.expires ?? Number.POSITIVE_INFINITY);
    const next = Math.min(...ends);
    if (next === Number.POSITIVE_INFINITY) return;
    this.#cancel = this.#options.clock.after(Math.max(0, (next - this.#now()) * 1000), () => {
      const now = this.#now();
      const over = this.#stored.all().filter(([, { expires }]) => expires <= now);
      for (const [, { hash }] of over) {
        const live = this.#live.get(hash);
        this.#live.delete(hash);
        if (live !== undefined) this.#options.onEnd(live.caller);
      }
      this.#watchEnds();
      void this.#delete(over.map(([name]) => name)).catch(() => undefined); // else at the next start
    });
  }

  #note(name: string, stored: StoredToken): void {
    const now = Math.floor(this.#now());
    if (now - (stored.lastUsed ?? 0) < noteS) return;
    const note = () => {
      const known = this.#stored.get(name);
      const isDue = known !== undefined && now - (known.lastUsed ?? 0) >= noteS;
      return { changes: isDue ? [this.#stored.change(name, { ...known, lastUsed: now })] : [], result: undefined };
    };
    void this.#options.changes.run(note).catch(() => undefined); // noted the next time
  }

  #now(): number {
    return this.#options.clock.now() / 1e6;
  }
}

function shown(name: string, { hash: _, ...token }: StoredToken): Token {
  return { name, ...token };
}

/** Undefined: from everywhere. */
function readNetworks(networks: readonly string[] | undefined): Networks | undefined {
  if (networks === undefined || networks.length === 0) return undefined;
  try {
    return new Networks(networks);
  } catch (error) {
    throw new ProblemError('invalid-body', (error as Error).message);
  }
}
