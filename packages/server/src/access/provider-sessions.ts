// Clients of providers that have signed in as users of the service. A password is all that they can send: whoever has a second
// factor, or must have one, does not sign in so. What changes what the user may do ends the session.
import type { Clock, Permission, Scope, SignIn } from '@telltale/schema';
import { ProblemError } from '@telltale/schema';
import type { Accounts } from './accounts.ts';
import type { Caller } from './caller.ts';
import type { Proved } from './sign-ins.ts';
import { recoveryName } from './stored-user.ts';

export interface ProviderSessionsOptions {
  readonly accounts: Accounts;
  readonly isOpen: () => boolean;
  /** `marks` are those that the client was given when it signed in last. */
  readonly prove: (given: SignIn, source: string, marks: string | undefined) => Promise<Proved>;
  readonly clock: Clock;
}

/** What a client of a provider brings. */
export interface ProviderCredentials {
  readonly user: string;
  readonly password: string;
  readonly source: string;
  /** By what its program is known again, such as the fingerprint of its certificate. */
  readonly device?: string;
}

export interface BegunSession {
  readonly session: number;
  readonly name: string;
  /** The parts of the plant that it may view. */
  readonly view: readonly Scope[];
}

interface Live {
  readonly provider: string;
  readonly caller: Caller;
  /** What the user was when it signed in: as long as that is the same, the session goes on. */
  readonly state: string;
}

type EndListener = (provider: string, session: number) => void;

/** Programs of clients whose marks are remembered. */
const mostDevices = 1000;

export class ProviderSessions {
  readonly #options: ProviderSessionsOptions;
  readonly #live = new Map<number, Live>();
  /** By device; the one that signed in longest ago first. */
  readonly #marks = new Map<string, string>();
  readonly #listeners: EndListener[] = [];
  #last = 0;
  #passwordsSet = 0;

  constructor(options: ProviderSessionsOptions) {
    this.#options = options;
  }

  /** Called when a session is ended that nobody signed out. */
  onEnded(listener: EndListener): void {
    this.#listeners.push(listener);
  }

  /** Throws `ProblemError` where nobody is let in. */
  async begin(provider: string, { user, password, source, device }: ProviderCredentials): Promise<BegunSession> {
    const { accounts, isOpen, prove, clock } = this.#options;
    if (isOpen()) throw refused('there are no users yet; the first one is made with: telltale access init');
    if (user === recoveryName) throw refused(`${recoveryName} only recovers access`);
    const passwordsSet = this.#passwordsSet;
    const key = device === undefined ? undefined : `${provider} ${device}`;
    const { user: name, marks } = await this.#proved(() =>
      prove({ user, password }, source, key === undefined ? undefined : this.#marks.get(key)),
    );
    if (accounts.mustHaveFactor(name)) throw needsFactor(name);
    if (key !== undefined) this.#remember(key, marks);
    await accounts.noteUser(name, { lastSignIn: Math.floor(clock.now() / 1e6) });
    if (accounts.grantedTo(name).length === 0) throw refused(`${name} has no role`);
    if (passwordsSet !== this.#passwordsSet) throw refused('a password was set meanwhile; try again');
    const session = ++this.#last;
    const caller = this.#callerOf(name, `provider/${provider}`, session);
    this.#live.set(session, { provider, caller, state: this.#stateOf(name) });
    return { session, name, view: viewOf(caller) };
  }

  /** Who has the session; undefined where it has ended. */
  find(provider: string, session: number): Caller | undefined {
    const live = this.#live.get(session);
    return live?.provider === provider ? live.caller : undefined;
  }

  signOut(provider: string, session: number): void {
    if (this.#live.get(session)?.provider === provider) this.#live.delete(session);
  }

  /** The provider is down: it has no clients. */
  signOutAll(provider: string): void {
    for (const [session, live] of this.#live) if (live.provider === provider) this.#live.delete(session);
  }

  /** Users or roles have changed. */
  onChange(): void {
    this.#endWhere(({ caller, state }) => this.#stateOf(caller.author) !== state);
  }

  /** The user has another password. */
  endOf(user: string): void {
    this.#passwordsSet++;
    this.#endWhere(({ caller }) => caller.author === user);
  }

  async #proved(prove: () => Promise<Proved>): Promise<Proved> {
    try {
      return await prove();
    } catch (error) {
      if (error instanceof ProblemError && error.problem === 'second-factor-needed') throw needsFactor('the user');
      throw error;
    }
  }

  #endWhere(isEnded: (live: Live) => boolean): void {
    for (const [session, live] of this.#live) {
      if (!isEnded(live)) continue;
      this.#live.delete(session);
      for (const listener of this.#listeners) listener(live.provider, session);
    }
  }

  #callerOf(name: string, at: string, session: number): Caller {
    const { accounts } = this.#options;
    const isLive = () => this.#live.has(session);
    return {
      author: name,
      kind: 'user',
      module: undefined,
      session: at,
      get rights() {
        return accounts.rightsOf(isLive() ? accounts.grantedTo(name) : []);
      },
      authorityOr: () => name,
    };
  }

  #stateOf(name: string): string {
    const { accounts } = this.#options;
    return JSON.stringify([accounts.grantedTo(name), accounts.hasFactor(name), accounts.mustHaveFactor(name)]);
  }

  #remember(device: string, marks: string): void {
    this.#marks.delete(device);
    this.#marks.set(device, marks);
    const [oldest] = this.#marks.keys();
    if (this.#marks.size > mostDevices && oldest !== undefined) this.#marks.delete(oldest);
  }
}

const view: Permission = 'view';

function viewOf({ rights }: Caller): Scope[] {
  return rights.granted
    .filter(({ permissions, site }) => permissions.includes(view) && !site)
    .map(({ area, prefix }) => ({ ...(area && { area }), ...(prefix && { prefix }) }));
}

function refused(why: string): ProblemError {
  return new ProblemError('sign-in-refused', `Nobody signs in so: ${why}.`);
}

function needsFactor(who: string): ProblemError {
  return refused(`${who} has or must have a second factor, for which a client of a provider has no place`);
}
