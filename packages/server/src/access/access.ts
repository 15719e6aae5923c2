// Who asks: finds the caller of a request by what it brings, and holds all that this depends on. While there are no users,
// every program of the machine is `local`.
import type { Clock, Identity, Session, SignIn, UserBody } from '@telltale/schema';
import { ProblemError } from '@telltale/schema';
import type { SealKeys } from '../secrets/index.ts';
import type { AccessStore } from './access-store.ts';
import { Accounts } from './accounts.ts';
import { Approvals } from './approvals.ts';
import { type Caller, localCaller, nobody } from './caller.ts';
import { Changes } from './collection.ts';
import { DirectorySignIn, type Log } from './directory-sign-in.ts';
import { KnownHashes } from './known-hashes.ts';
import type { Manager } from './manager.ts';
import type { ModuleTokens } from './module-tokens.ts';
import type { Site } from './passwords/passkeys.ts';
import { ProviderSessions } from './provider-sessions.ts';
import { noRights, permissionsOf } from './rights.ts';
import { SecondFactors } from './second-factors.ts';
import { ServiceTokens } from './service-tokens.ts';
import { Sessions } from './sessions.ts';
import { SignIns } from './sign-ins.ts';
import { Signatures } from './signatures.ts';
import { recoveryName } from './stored-user.ts';
import { isToken } from './token-text.ts';

/** What a request brings. */
export interface Credentials {
  readonly authorization?: string | undefined;
  /** The value of the header. */
  readonly cookie?: string | undefined;
  /** Of a client, verified by TLS; the fingerprint in lower-case hexadecimal. */
  readonly certificate?: { readonly fingerprint: string; readonly subject: string } | undefined;
  /** The address of the client. */
  readonly source?: string | undefined;
}

/** What the interfaces need to know of whoever asks. */
export interface Identities {
  /** Always the same object for the same session or token; throws `ProblemError`. */
  identify(credentials: Credentials): Caller;
  /** With the very object that `identify` gave: it may do something else from now on, or `isGone`. */
  onChanged(listener: ChangeListener): void;
}

export type ChangeListener = (caller: Caller, isGone: boolean) => void;

/** As passwords are hashed. */
export interface PasswordHashing {
  hash(password: string): Promise<string>;
  /** Without a hash it takes as long, and is false. Who is known comes first. */
  verify(password: string, hash: string | undefined, who: 'known' | 'stranger'): Promise<boolean>;
  /** Whether it was made otherwise than hashes are made now. */
  needsRehash(hash: string): boolean;
  /** Why it cannot be a password of this user; undefined where it can. */
  faultOf(password: string, user: string): string | undefined;
}

export interface AccessOptions {
  readonly store: AccessStore;
  readonly tokens: ModuleTokens;
  readonly passwords: PasswordHashing;
  /** Where browsers know the service. */
  readonly site: () => Site;
  readonly clock: Clock;
  /** That seal secrets on disk; none: they are not sealed. */
  readonly secretKeys?: SealKeys;
  /** The file that names directories of users, and where people come back to from a page of a provider. */
  readonly directories?: string | undefined;
  readonly oidcCallback?: () => string;
  readonly log?: Log;
}

export const cookieName = '__Host-telltale';
/** Of the marks by which a browser is known that has signed in before. */
export const marksName = '__Host-telltale-known';
const bearer = /^bearer +(\S{1,200})$/i;
/** Credentials that a proxy in front requires and forwards: not ours to check. */
const ofProxies = /^(?:basic|digest|negotiate) /i;

export class Access implements Identities {
  readonly #options: AccessOptions;
  readonly accounts: Accounts;
  readonly sessions: Sessions;
  readonly tokens: ServiceTokens;
  readonly directories: DirectorySignIn;
  readonly factors: SecondFactors;
  /** Of clients of providers. */
  readonly providers: ProviderSessions;
  readonly approvals: Approvals;
  readonly signatures: Signatures;
  readonly #signIns: SignIns;
  readonly #listeners: ChangeListener[] = [];
  readonly #hashes = new KnownHashes();
  /** Whose one-time codes could not be checked at the start. */
  #unopened: readonly string[] = [];
  /** By name: the same object for each connection. */
  readonly #certificates = new Map<string, Caller>();

  constructor(options: AccessOptions) {
    this.#options = options;
    const { store, clock, tokens, site, secretKeys = [] } = options;
    const changes = new Changes(store);
    this.accounts = new Accounts({ changes, clock, onChange: () => this.#onChange() });
    const parts = { accounts: this.accounts, changes, clock, onEnd: (caller: Caller) => this.#tell(caller, true) };
    this.sessions = new Sessions(parts);
    this.tokens = new ServiceTokens(parts);
    this.directories = new DirectorySignIn({
      accounts: this.accounts,
      clock,
      onGone: (user) => this.sessions.endOf(user),
      log: options.log,
    });
    this.factors = new SecondFactors({ accounts: this.accounts, clock, site, secretKeys });
    this.#signIns = new SignIns({
      ...parts,
      factors: this.factors,
      checkPassword: (name, password, who) => this.#checkPassword(name, password, who),
    });
    this.providers = new ProviderSessions({
      accounts: this.accounts,
      isOpen: () => this.isOpen,
      prove: (...given) => this.#signIns.prove(...given),
      clock,
    });
    this.approvals = new Approvals({ changes, clock });
    this.signatures = new Signatures({ accounts: this.accounts, sessions: this.sessions, signIns: this.#signIns });
    tokens.onChanged((caller, isGone) => this.#tell(caller, isGone));
  }

  async open(): Promise<void> {
    const { directories, oidcCallback } = this.#options;
    if (directories !== undefined) await this.directories.open(directories, oidcCallback?.() ?? '');
    const entries = await this.#options.store.open();
    for (const part of [this.accounts, this.sessions, this.tokens, this.#signIns, this.approvals]) part.load(entries);
    // Where the disk refuses, at the next start: a leftover is of no use before there is such a user, and a secret as good as before.
    await this.#deleteLeftovers().catch(() => undefined);
    await this.factors.sealAll().catch(() => undefined);
    this.#unopened = this.accounts.all().flatMap(([name]) => (this.factors.isUnopened(name) ? [name] : []));
    this.#options.tokens.isOpen = this.isOpen;
  }

  close(): void {
    this.directories.close();
    this.tokens.close();
  }

  /** Whether there never were users: every program of the machine may do everything. */
  get isOpen(): boolean {
    return !this.accounts.hasUsers && this.#options.store.missing.length === 0;
  }

  onChanged(listener: ChangeListener): void {
    this.#listeners.push(listener);
  }

  identify({ authorization, cookie, certificate, source }: Credentials): Caller {
    if (authorization !== undefined && !(this.isOpen && ofProxies.test(authorization))) {
      return this.#ofToken(authorization, source);
    }
    if (this.isOpen) return localCaller;
    const user = cookie && this.#hashes.find(cookie, cookieOf, (hash) => this.sessions.findByHash(hash));
    if (user) return user;
    return (certificate && this.#ofCertificate(certificate)) ?? nobody;
  }

  /** Ends the session that it replaces; resolves with the new cookie, and the marks by which the browser is known. */
  async signIn(given: SignIn, credentials: Credentials): Promise<{ cookie: string; marks: string }> {
    const { cookie, source = '' } = credentials;
    const version = this.accounts.passwordVersion(given.user ?? '');
    const { user, marks } = await this.#signIns.prove(given, source, cookieOf(cookie, marksName));
    return { cookie: await this.begin(user, credentials, given.user === user ? version : undefined), marks };
  }

  /** A session of somebody who has proved to be this user, by the password of this version; resolves with its cookie. */
  async begin(user: string, { cookie, source }: Credentials, passwordVersion?: number): Promise<string> {
    if (this.accounts.stored(user)?.disabled === true) throw wrongCredentials();
    const now = Math.floor(this.#options.clock.now() / 1e6);
    await this.accounts.noteUser(user, { lastSignIn: now });
    const isProved = () => passwordVersion === undefined || this.accounts.passwordVersion(user) === passwordVersion;
    return this.sessions.begin(user, source, cookieOf(cookie), isProved);
  }

  /** Throws where it is not that of the user, who has a session. */
  async checkPassword(name: string, password: string, session: string): Promise<void> {
    await this.#signIns.checkPassword(name, password, session);
  }

  /** Resolves with who has signed. */
  sign(given: SignIn, caller: Caller, { source = '', cookie }: Credentials): Promise<Caller> {
    return this.signatures.of(given, { caller, source, marks: cookieOf(cookie, marksName) });
  }

  /** Resolves with the user whose they are; throws where they are nobody's. Somebody unknown takes as long as a local user. */
  async #checkPassword(name: string, password: string, who: 'known' | 'stranger'): Promise<string> {
    const { passwords } = this.#options;
    const user = this.accounts.stored(name);
    const isLocal = user?.origin === 'local';
    const [isRight, ofDirectory] = await Promise.all([
      passwords.verify(password, isLocal ? user.password : undefined, who),
      isLocal ? undefined : this.directories.checkPassword(name, password),
    ]);
    const found = isRight ? name : ofDirectory;
    if (found === undefined || this.accounts.stored(found)?.disabled === true) throw wrongCredentials();
    if (isLocal && user.password !== undefined && passwords.needsRehash(user.password)) {
      const hash = await passwords.hash(password);
      await this.accounts.noteUser(name, (now) => (now.password === user.password ? { password: hash } : {}));
    }
    return found;
  }

  /** By the user itself, who keeps the session, or by whoever manages it. The other sessions of the user end. */
  async setPassword(
    name: string,
    password: string,
    by: Pick<Caller, 'session'> | { readonly manager: Manager },
  ): Promise<void> {
    const [manager, session] = 'manager' in by ? [by.manager, undefined] : [undefined, by.session];
    this.accounts.ownerOfPassword(name, manager); // before anything is hashed
    const hash = await this.hashPassword(name, password);
    await this.accounts.setPassword(name, hash, manager);
    this.providers.endOf(name);
    await this.sessions.endOf(name, session);
  }

  /** Throws where it is no good password. */
  async hashPassword(name: string, password: string): Promise<string> {
    const { passwords } = this.#options;
    const fault = passwords.faultOf(password, name);
    if (fault !== undefined) throw new ProblemError('weak-password', fault);
    return passwords.hash(password);
  }

  /** Creates or changes a user. The sessions of who is disabled end: once enabled again, the user signs in anew. */
  async putUser(name: string, body: UserBody, manager: Manager): Promise<void> {
    await this.accounts.putUser(name, body, manager);
    if (body.disabled === true) await this.sessions.endOf(name);
  }

  /** With all that it has. */
  async deleteUser(name: string, manager: Manager): Promise<void> {
    await this.accounts.deleteUser(name, manager);
    await this.sessions.endOf(name);
    await this.tokens.deleteOf(name);
  }

  /** What users left who were deleted, where the server ended at that moment: it is not that of another of the same name. */
  async #deleteLeftovers(): Promise<void> {
    const owners = new Set([
      ...this.sessions.list().map(({ user }) => user),
      ...this.tokens.list().map(({ owner }) => owner),
    ]);
    for (const name of owners) {
      if (this.accounts.has(name)) continue;
      await this.sessions.endOf(name);
      await this.tokens.deleteOf(name);
    }
  }

  /** What is to be done soon, a sentence each. */
  get warnings(): string[] {
    const until = this.accounts.recoveryUntil;
    const time = new Date((until ?? 0) * 1000).toISOString().slice(0, 16);
    const unopened = this.#unopened.filter((name) => this.factors.isUnopened(name));
    const others = unopened.length === 1 ? '' : ` and of ${unopened.length - 1} more`;
    return [
      ...(until === undefined ? [] : [`access is being recovered: the user recovery can manage users until ${time}Z`]),
      ...(unopened.length === 0
        ? []
        : [
            `one-time codes of ${unopened[0]}${others} are refused, since they were sealed with a key that the server does not have: ` +
              'start it with that key (--secret-key-file)',
          ]),
    ];
  }

  /** By whoever owns the data folder, or has the one-time link. */
  async initialize(name: string, password: string): Promise<void> {
    await this.accounts.putFirst(name, await this.hashPassword(name, password));
  }

  async recover(password: string): Promise<void> {
    await this.accounts.putRecovery(await this.hashPassword(recoveryName, password));
    await this.sessions.endOf(recoveryName);
  }

  /** As it sees itself. */
  describe({ author, kind, rights, session }: Caller): Identity {
    const user = kind === 'user' ? this.accounts.stored(author) : undefined;
    const own: Session | undefined = this.sessions.list(author).find(({ id }) => id === session);
    return {
      identity: author,
      kind,
      ...(user?.displayName !== undefined && { displayName: user.displayName }),
      permissions: permissionsOf(rights),
      ...(user && { grants: [...this.accounts.grantsOf(user)] }),
      ...(own && { session: own }),
      ...(user &&
        this.accounts.mustHaveFactor(author) &&
        !this.accounts.hasFactor(author) && { mustAddSecondFactor: true as const }),
      isOpen: this.isOpen,
    };
  }

  #ofToken(authorization: string, source: string | undefined): Caller {
    const { tokens } = this.#options;
    const lookUp = (hash: string) => tokens.find(hash) ?? this.tokens.find(hash, source);
    const found = this.#hashes.find(authorization, tokenOf, lookUp);
    if (found !== undefined) return found;
    throw new ProblemError('invalid-token', 'The Authorization header carries no token that is valid here and now.');
  }

  #ofCertificate({ fingerprint, subject }: NonNullable<Credentials['certificate']>): Caller | undefined {
    const found = this.accounts.certificates.find(fingerprint, subject);
    if (found === undefined) return undefined;
    const { name } = found;
    const known = this.#certificates.get(name);
    if (known !== undefined) return known;
    const { accounts } = this;
    const author = `certificate/${name}`;
    const caller: Caller = {
      author,
      kind: 'certificate',
      module: undefined,
      session: fingerprint,
      get rights() {
        const present = accounts.certificates.get(name);
        return present === undefined ? noRights : accounts.rightsOf(accounts.granted(present.grants));
      },
      authorityOr: () => author,
    };
    this.#certificates.set(name, caller);
    return caller;
  }

  /** Users, roles or certificates have changed. */
  #onChange(): void {
    this.#options.tokens.isOpen = this.isOpen;
    const names = new Set(this.accounts.certificates.list().map(({ name }) => name));
    for (const [name, caller] of this.#certificates) {
      if (!names.has(name)) this.#certificates.delete(name);
      this.#tell(caller, !names.has(name));
    }
    for (const caller of [...this.sessions.callers(), ...this.tokens.callers()]) this.#tell(caller, false);
    this.providers.onChange();
    if (!this.isOpen) this.#tell(localCaller, true);
  }

  #tell(caller: Caller, isGone: boolean): void {
    for (const listener of this.#listeners) listener(caller, isGone);
  }
}

function wrongCredentials(): ProblemError {
  return new ProblemError('wrong-credentials', 'The user or the password is wrong.');
}

/** Of the header; undefined where it has none. */
function tokenOf(authorization: string): string | undefined {
  const [, token = ''] = bearer.exec(authorization) ?? [];
  return isToken(token) ? token : undefined;
}

/** The session's, or another one, of the header. Two of the name are none: somebody has put one there. */
export function cookieOf(header: string | undefined, name = cookieName): string | undefined {
  if (header === undefined) return undefined;
  const found = header
    .split(';')
    .map((each) => each.trim())
    .filter((each) => each.startsWith(`${name}=`));
  return found.length === 1 ? found[0]?.slice(name.length + 1) : undefined;
}
