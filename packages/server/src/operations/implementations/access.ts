// Implements signing in, and the operations on users, roles, tokens, sessions and certificates of clients.
import { ProblemError } from '@telltale/schema';
import {
  type Access,
  attemptSeconds,
  type Caller,
  cookieName,
  cookieOf,
  type FirstAdministrator,
  markedForS,
  marksName,
  ownerCaller,
  userOf,
} from '../../access/index.ts';
import { collectionText } from '../collection-text.ts';
import type { Confirmations } from '../confirmations.ts';
import type { Note } from '../recording.ts';
import type { WithHeaders } from '../replies.ts';
import type { Asked, Implementations } from './implementation.ts';
import { notingSides } from './noted-sides.ts';
import { oidcPage, oidcPagePolicy } from './oidc-page.ts';

export interface AccessParts {
  readonly access: Access;
  readonly confirmations: Pick<Confirmations, 'isExcepted'>;
  readonly first: FirstAdministrator;
  /** The page that makes the first administrator. */
  readonly setupPage: () => Promise<Buffer>;
  /** The page on which people sign in. */
  readonly signInPage: () => Promise<Buffer>;
}

export function access({ access: parts, confirmations, first, setupPage, signInPage }: AccessParts) {
  const { accounts, sessions, tokens, directories } = parts;
  /** Whether it sees the tokens and sessions of this user: its own, and of those whom it manages. */
  const sees = (caller: Caller, user: string) => user === caller.author || accounts.isManaged(user, caller);
  /** Whoever has signed in, and has done so themselves. */
  const signedIn = (cookie: string, note: Note): Caller => {
    const caller = sessions.find(cookie) as Caller;
    note({ who: caller.author, kind: caller.kind, session: caller.session });
    return caller;
  };
  const noting = {
    user: (account: string, asked: Asked, work: () => Promise<void>) =>
      notingSides(asked, () => accounts.user(account, asked.caller), work),
    role: (account: string, asked: Asked, work: () => Promise<void>) =>
      notingSides(asked, () => accounts.role(account), work),
    group: (account: string, asked: Asked, work: () => Promise<void>) =>
      notingSides(asked, () => accounts.group(account, asked.caller), work),
    certificate: (account: string, asked: Asked, work: () => Promise<void>) =>
      notingSides(asked, () => accounts.certificate(account, asked.caller), work),
  };
  return {
    getSetupPage: () => setupPage(),
    getSignInPage: () => signInPage(),
    initAccess: async ({ user, password, code = '' }, { caller, credentials: { source }, note }) => {
      note({ object: user });
      if (caller !== ownerCaller) first.check(code, source);
      await parts.initialize(user, password);
      first.end();
    },
    recoverAccess: ({ password }) => parts.recover(password),
    signIn: async (given, { credentials, note }) => {
      note({ object: given.user ?? (given.passkey && parts.factors.ownerOf(given.passkey.id)) });
      const { cookie, marks } = await parts.signIn(given, credentials);
      const caller = signedIn(cookie, note);
      const cookies = [setCookie(cookie), setCookie(marks, markedForS, marksName)];
      return { headers: { 'set-cookie': cookies }, body: parts.describe(caller) } satisfies WithHeaders;
    },
    getDirectories: () => ({ ldap: directories.hasLdap, oidc: directories.hasOidc }),
    startOidc: async ({ 'return-to': returnTo }) => {
      const { url, attempt } = await directories.startOidc(returnTo);
      return { headers: { 'set-cookie': attemptCookie(attempt, attemptSeconds) }, body: url } satisfies WithHeaders;
    },
    getOidcPage: () => {
      if (!directories.hasOidc) throw new ProblemError('unknown-path', 'There is no provider of OpenID Connect.');
      return { headers: oidcPagePolicy, body: oidcPage } satisfies WithHeaders;
    },
    signInWithOidc: async (query, { credentials, note }) => {
      const attempt = cookieOf(credentials.cookie, attemptCookieName);
      const { user, returnTo } = await directories.finishOidc(new URLSearchParams(query), attempt);
      note({ object: user });
      const cookie = await parts.begin(user, credentials);
      const identity = parts.describe(signedIn(cookie, note));
      return { headers: { 'set-cookie': setCookie(cookie) }, body: { identity, returnTo } } satisfies WithHeaders;
    },
    listGroups: (_, { caller }) => byName(accounts.groups(caller)),
    getGroup: ({ account }, { caller }) => accounts.group(account, caller),
    putGroup: ({ account, ...body }, asked) =>
      noting.group(account, asked, () => accounts.putGroup(account, body, asked.caller)),
    deleteGroup: ({ account }, asked) =>
      noting.group(account, asked, () => accounts.deleteGroup(account, asked.caller)),
    signOut: async (_, { caller: { session }, credentials: { cookie } }) => {
      if (cookieOf(cookie) !== undefined && session !== undefined) await sessions.endById(session);
      return { headers: { 'set-cookie': setCookie('', 0) }, body: undefined } satisfies WithHeaders;
    },
    getIdentity: (_, { caller }) => parts.describe(caller),
    changePassword: async ({ current, password }, { caller, note }) => {
      note({ object: caller.author });
      await parts.checkPassword(userOf(caller), current, caller.session ?? '');
      await parts.setPassword(caller.author, password, caller);
    },
    listUsers: (_, { caller }) => byName(accounts.users(caller)),
    getUser: ({ account }, { caller }) => accounts.user(account, caller),
    putUser: ({ account, ...body }, asked) =>
      noting.user(account, asked, () => parts.putUser(account, body, asked.caller)),
    setPassword: ({ account, password }, { caller: manager }) => parts.setPassword(account, password, { manager }),
    deleteUser: ({ account }, asked) => noting.user(account, asked, () => parts.deleteUser(account, asked.caller)),
    listRoles: () => byName(accounts.roles()),
    getRole: ({ account }) => accounts.role(account),
    putRole: ({ account, ...body }, asked) =>
      noting.role(account, asked, () => accounts.putRole(account, body, asked.caller)),
    deleteRole: ({ account }, asked) => noting.role(account, asked, () => accounts.deleteRole(account, asked.caller)),
    listTokens: (_, { caller }) => byName(tokens.list().filter(({ owner }) => sees(caller, owner))),
    makeToken: async ({ account: name, ...body }, { caller, note }) => {
      userOf(caller);
      note({ new: body });
      // Who could, and has the name, would do alone what others have to confirm.
      if (confirmations.isExcepted(`token/${name}`) && !caller.rights.everywhere('configure')) {
        throw new ProblemError(
          'not-allowed',
          `token/${name} need not confirm what others have to: who makes it needs the permission configure for all of the plant.`,
        );
      }
      return { name, token: await tokens.make(name, body, caller) };
    },
    deleteToken: async ({ account }, { caller, note }) => {
      const isItself = caller.author === `token/${account}`;
      const token = tokens.get(account);
      if (!isItself && !sees(caller, token.owner)) throw unknown('token', account);
      note({ old: token });
      await tokens.delete(account);
    },
    listSessions: (_, { caller }) => sessions.list().filter(({ user }) => sees(caller, user)),
    endSession: async ({ session }, { caller, note }) => {
      const seen = sessions.list().find(({ id, user }) => id === session && sees(caller, user));
      if (seen === undefined) throw unknown('session', session);
      note({ old: seen });
      await sessions.endById(session);
    },
    listClientCertificates: (_, { caller }) => byName(accounts.listCertificates(caller)),
    getClientCertificate: ({ account }, { caller }) => accounts.certificate(account, caller),
    putClientCertificate: ({ account, ...body }, asked) =>
      noting.certificate(account, asked, () => accounts.putCertificate(account, body, asked.caller)),
    deleteClientCertificate: ({ account }, asked) =>
      noting.certificate(account, asked, () => accounts.deleteCertificate(account, asked.caller)),
  } satisfies Partial<Implementations>;
}

function unknown(one: string, name: string): ProblemError {
  return new ProblemError('unknown-object', `There is no ${one} ${JSON.stringify(name.slice(0, 80))}.`);
}

function byName(entries: readonly { readonly name: string }[]): string {
  return collectionText(entries.map((each) => [each.name, each]));
}

const attemptCookieName = `${cookieName}-oidc`;

/** Sent by the page that the provider leads back to, which is one of the service: so it may be strict as well. */
function attemptCookie(value: string, maxAge: number): string {
  return `${attemptCookieName}=${value}; Path=/; Secure; HttpOnly; SameSite=Strict; Max-Age=${maxAge}`;
}

/** Without an age, it ends with the browser at the latest. */
function setCookie(value: string, maxAge?: number, name = cookieName): string {
  const age = maxAge === undefined ? '' : `; Max-Age=${maxAge}`;
  return `${name}=${value}; Path=/; Secure; HttpOnly; SameSite=Strict${age}`;
}
