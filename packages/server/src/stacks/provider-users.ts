// Clients of a provider that have signed in as users of the service, in the thread of the stacks: asks the server, and ends them
// when it says so. What they may see is decided here, by what the server has said of them.
import { isInScope, type Scope } from '@telltale/schema';
import { type ProviderUser, Refused, type UserCredentials } from '@telltale/stack-kit';

/** The session of a user at a provider, and the parts of the plant that it sees. */
export interface ProviderSession {
  readonly session: number;
  readonly name: string;
  readonly view: readonly Scope[];
}

export interface ProviderUsersOptions {
  /** Asks the server; rejects with `Refused`. */
  readonly signIn: (credentials: UserCredentials) => Promise<ProviderSession>;
  readonly signOut: (session: number) => void;
}

/** Of one provider: more than it can have clients. */
const maxSessions = 2000;
/** On their way: passwords are checked slowly. */
const maxAsked = 100;
/** A name or password is never longer. */
const maxText = 256;

export class ProviderUsers {
  readonly #options: ProviderUsersOptions;
  readonly #sessions = new Map<number, AbortController>();
  readonly #users = new WeakMap<ProviderUser, number>();
  #asked = 0;
  #isStopped = false;

  constructor(options: ProviderUsersOptions) {
    this.#options = options;
  }

  async signIn(given: UserCredentials): Promise<ProviderUser> {
    const { user, password, source, device } = given;
    if ([user, password].some((text) => typeof text !== 'string' || text === '' || text.length > maxText)) {
      throw new Refused(`a user and a password are texts of 1 to ${maxText} characters`);
    }
    if (this.#asked >= maxAsked || this.#sessions.size >= maxSessions) throw new Refused('too many sign in at once');
    this.#asked++;
    try {
      const from = { source: source.slice(0, maxText), ...(device && { device: device.slice(0, maxText) }) };
      const signedIn = await this.#options.signIn({ user, password, ...from });
      return this.#begin(signedIn);
    } finally {
      this.#asked--;
    }
  }

  /** Undefined of a client that has not signed in as one. Throws where it has ended. */
  sessionOf(user: ProviderUser | undefined): number | undefined {
    if (user === undefined) return undefined;
    const session = this.#users.get(user);
    if (session === undefined || !this.#sessions.has(session)) throw new Refused('the user is signed out');
    return session;
  }

  /** The server says so. */
  end(session: number): void {
    const controller = this.#sessions.get(session);
    this.#sessions.delete(session);
    controller?.abort();
  }

  /** The provider is stopped. */
  stop(): void {
    this.#isStopped = true;
    for (const session of [...this.#sessions.keys()]) {
      this.end(session);
      this.#options.signOut(session);
    }
  }

  #begin({ session, name, view }: ProviderSession): ProviderUser {
    if (this.#isStopped) {
      this.#options.signOut(session);
      throw new Refused('the provider is stopped');
    }
    const controller = new AbortController();
    this.#sessions.set(session, controller);
    const seesEverything = view.some(({ area, prefix }) => !area && !prefix);
    const user: ProviderUser = {
      name,
      seesEverything,
      maySee: (object) => seesEverything || view.some((scope) => isInScope(scope, object.name, object.area)),
      ended: controller.signal,
      signOut: () => {
        if (this.#sessions.delete(session)) this.#options.signOut(session);
      },
    };
    this.#users.set(user, session);
    return user;
  }
}
