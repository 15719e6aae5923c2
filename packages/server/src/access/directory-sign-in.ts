// Signing in through directories: whom LDAP or OpenID Connect vouches for becomes a user of the service, with what the
// groups of the directory grant. Where a directory does not answer, its users cannot sign in; all others can.
import { type Clock, ProblemError } from '@telltale/schema';
import type { Accounts } from './accounts.ts';
import { DirectoryRefusal, DirectoryUnavailable } from './directories/directory.ts';
import type { LdapDirectory, OidcDirectory } from './directories/index.ts';

export interface DirectorySignInOptions {
  readonly accounts: Accounts;
  readonly clock: Clock;
  /** Who has gone from the directory, or from every group that has a role here. */
  readonly onGone: (user: string) => Promise<void>;
  readonly log: Log | undefined;
}

export interface Log {
  info(text: string): void;
  warn(text: string): void;
}

export interface OidcStarted {
  readonly url: string;
  /** For the browser to bring back. */
  readonly attempt: string;
}

/** People who leave, or change their groups, keep their session at most for so long. */
const lookUpMs = 10 * 60_000;

export class DirectorySignIn {
  readonly #options: DirectorySignInOptions;
  #ldap: LdapDirectory | undefined;
  #oidc: OidcDirectory | undefined;
  #cancel: () => void = () => undefined;
  #isClosed = false;

  constructor(options: DirectorySignInOptions) {
    this.#options = options;
  }

  /** Reads which there are; throws `UnusableDirectories`. None of them is asked. */
  async open(file: string, oidcCallback: string): Promise<void> {
    const { clock } = this.#options;
    const { LdapDirectory, OidcDirectory, readDirectories } = await import('./directories/index.ts');
    const { ldap, oidc } = await readDirectories(file);
    if (oidc !== undefined) this.#oidc = new OidcDirectory({ ...oidc, redirectUri: oidcCallback }, clock);
    if (ldap === undefined) return;
    this.#ldap = new LdapDirectory(ldap, clock);
    this.#lookUpLater();
  }

  get hasLdap(): boolean {
    return this.#ldap !== undefined;
  }

  get hasOidc(): boolean {
    return this.#oidc !== undefined;
  }

  /** The user whose name and password they are, as the directory spells it; undefined where they are nobody's. */
  async checkPassword(name: string, password: string): Promise<string | undefined> {
    const { accounts } = this.#options;
    const ldap = this.#ldap;
    if (ldap === undefined || !accounts.hasUsers) return undefined;
    const user = await this.#asking(() => ldap.signIn(name, password));
    if (user === undefined) return undefined;
    await accounts.enter(user);
    return user.name;
  }

  async startOidc(returnTo: string | undefined): Promise<OidcStarted> {
    const oidc = this.#oidc;
    if (oidc === undefined) throw noProvider();
    return this.#asking(() => oidc.start(returnTo));
  }

  async finishOidc(
    query: URLSearchParams,
    attempt: string | undefined,
  ): Promise<{ readonly user: string; readonly returnTo: string }> {
    const oidc = this.#oidc;
    if (oidc === undefined) throw noProvider();
    const { user, returnTo } = await this.#asking(() => oidc.finish(query, attempt));
    await this.#options.accounts.enter(user);
    return { user: user.name, returnTo };
  }

  /** Looks whether the users of LDAP are still there, and in which groups. Those that cannot be asked for stay as they are. */
  async lookUp(): Promise<void> {
    const { accounts, log } = this.#options;
    const ldap = this.#ldap;
    if (ldap === undefined) return;
    for (const [name, { subject }] of accounts.ofDirectory('ldap')) {
      try {
        const user = await ldap.lookUp(name);
        if (this.#isClosed) return;
        if (user !== undefined && user.subject === subject && user.name === name) await accounts.enter(user);
        else await this.#gone(name);
      } catch (error) {
        if (error instanceof ProblemError && error.problem === 'sign-in-refused') await this.#gone(name);
        else log?.warn(`whether ${name} is still in the directory could not be found out: ${(error as Error).message}`);
        if (error instanceof DirectoryUnavailable) return; // it would be the same of all others
      }
    }
  }

  close(): void {
    this.#isClosed = true;
    this.#cancel();
  }

  async #gone(name: string): Promise<void> {
    const { accounts, onGone, log } = this.#options;
    await accounts.leave(name);
    await onGone(name);
    log?.info(`the directory has no ${name} with a role here any more: the sessions have ended`);
  }

  #lookUpLater(): void {
    this.#cancel = this.#options.clock.after(lookUpMs, () => {
      void this.lookUp()
        .catch((error: Error) => this.#options.log?.warn(`users could not be looked up: ${error.message}`))
        .finally(() => {
          if (!this.#isClosed) this.#lookUpLater();
        });
    });
  }

  /** What goes wrong is for the log; whoever signs in learns no more than that it did. */
  async #asking<Result>(ask: () => Promise<Result>): Promise<Result> {
    try {
      return await ask();
    } catch (error) {
      const { log } = this.#options;
      if (error instanceof DirectoryUnavailable) {
        log?.warn(`nobody can sign in through the directory: ${error.message}`);
        throw new ProblemError('directory-unavailable', 'The directory cannot be asked now; the log says why.');
      }
      if (error instanceof DirectoryRefusal) {
        log?.warn(`somebody could not sign in through the directory: ${error.message}`);
        throw new ProblemError('wrong-credentials', 'The directory does not vouch for you; the log says why.');
      }
      throw error;
    }
  }
}

function noProvider(): ProblemError {
  return new ProblemError('unknown-path', 'The service has no provider of OpenID Connect.');
}
