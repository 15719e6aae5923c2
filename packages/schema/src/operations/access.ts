// Operations on who may do what: signing in, users, roles, tokens, sessions, and the certificates of clients.
import Type, { type TObject, type TSchema } from 'typebox';
import {
  AccountName,
  ClientCertificate,
  ClientCertificateBody,
  Directories,
  Group,
  GroupBody,
  Identity,
  NewToken,
  OidcReturn,
  OidcSignedIn,
  Password,
  Role,
  RoleBody,
  Session,
  SignIn,
  Token,
  TokenBody,
  User,
  UserBody,
} from '../access.ts';
import { closed } from '../closed.ts';
import { jsonType } from '../media-types.ts';
import { changes, declare, done, json, type Needed, ofJsonBodies, reads } from './operation.ts';

const access = { tag: 'Access', resource: 'access' } as const;

const body = (schema: TObject) => ({ types: [jsonType], schema, isInput: true, limit: 'max-json-size' }) as const;
const ofBodies = [...ofJsonBodies, 'invalid-body', 'storage-failed'] as const;
const account = { account: AccountName };

const byName = (schema: TObject & { readonly title?: string }) =>
  Type.Record(AccountName, schema, { title: `${schema.title}Collection`, additionalProperties: false });

const list = (path: string, many: string, schema: TObject, permission: Needed) =>
  declare({
    ...reads(access, permission),
    summary: `List ${many}`,
    input: {},
    problems: [],
    http: { method: 'GET', path, answer: json('By name.', byName(schema)) },
  });

const get = (path: string, one: string, schema: TSchema, permission: Needed) =>
  declare({
    ...reads(access, permission),
    summary: `Get one ${one}`,
    input: account,
    problems: ['unknown-object'],
    http: { method: 'GET', path, names: `the ${one}`, answer: json(`The ${one}.`, schema) },
  });

const put = <const B extends TObject>(path: string, one: string, schema: B) =>
  declare({
    ...changes(access, 'configure', 'manage-users'),
    summary: `Create or change a ${one}`,
    input: { ...account, ...(schema.properties as B['properties']) },
    problems: [
      ...ofBodies,
      'invalid-name',
      'reserved-name',
      'unknown-object',
      'last-administrator',
      'too-many-requests',
    ],
    http: { method: 'PUT', path, names: `the ${one}`, body: body(schema), answer: done('It holds, and is on disk.') },
  });

const remove = (path: string, one: string, permission: Needed) =>
  declare({
    ...changes(access, 'configure', permission),
    summary: `Delete a ${one}; what it permitted ends at once`,
    input: account,
    problems: ['invalid-name', 'unknown-object', 'last-administrator', 'role-in-use', 'storage-failed'],
    http: { method: 'DELETE', path, names: `the ${one}`, answer: done('It is gone, and that is on disk.') },
  });

const NewPassword = Type.Object({ password: Password }, closed);
const OwnPassword = Type.Object({ current: Type.String({ maxLength: 256 }), password: Password }, closed);

const FirstUser = Type.Object(
  {
    user: AccountName,
    password: Password,
    code: Type.Optional(Type.String({ maxLength: 64, description: 'That of the one-time link.' })),
  },
  closed,
);
const Recovery = Type.Object({ password: Password }, closed);

export const accessOperations = {
  getSetupPage: declare({
    ...reads(access, 'public'),
    summary: 'Get the page that makes the first administrator, by the one-time link',
    isAlwaysAvailable: true,
    input: {},
    problems: [],
    http: {
      method: 'GET',
      path: '/access/setup',
      answer: { status: 200, description: 'A page.', type: 'text/html; charset=utf-8', schema: Type.String() },
    },
  }),
  getSignInPage: declare({
    ...reads(access, 'public'),
    summary: 'Get the page on which people sign in',
    isAlwaysAvailable: true,
    input: {
      to: Type.Optional(
        Type.String({
          maxLength: 4096,
          description: 'Where they go from there, a path of this service; anything else leads to /.',
          examples: ['/alarms'],
        }),
      ),
    },
    problems: [],
    http: {
      method: 'GET',
      path: '/access/sign-in',
      answer: { status: 200, description: 'A page.', type: 'text/html; charset=utf-8', schema: Type.String() },
    },
  }),
  initAccess: declare({
    ...changes(access, 'configure', 'public'),
    summary: 'Make the first administrator: over the socket in the data folder, or with the code of the one-time link',
    input: FirstUser.properties,
    problems: [...ofBodies, 'not-allowed', 'reserved-name', 'weak-password', 'already-initialized', 'overloaded'],
    http: {
      method: 'POST',
      path: '/access/init',
      body: body(FirstUser),
      answer: done('From now on, everybody signs in.'),
    },
  }),
  recoverAccess: declare({
    ...changes(access, 'configure', 'owner'),
    summary:
      'Let the user recovery manage users for 4 hours: over the socket in the data folder, where nobody else can',
    input: Recovery.properties,
    problems: [...ofBodies, 'weak-password', 'not-initialized', 'overloaded'],
    http: { method: 'POST', path: '/access/recover', body: body(Recovery), answer: done('It can sign in.') },
  }),
  signIn: declare({
    ...changes(access, 'sign-in', 'public'),
    summary: 'Sign in: begin a session, or go on with one that fell back to view; the answer sets its cookie',
    input: SignIn.properties,
    problems: [
      ...ofBodies,
      'wrong-credentials',
      'second-factor-needed',
      'too-many-attempts',
      'sign-in-refused',
      'overloaded',
      'directory-unavailable',
    ],
    http: {
      method: 'POST',
      path: '/access/sign-in',
      body: body(SignIn),
      answer: json('Who it is now.', Identity),
    },
  }),
  getDirectories: declare({
    ...reads(access, 'public'),
    summary: 'Get which directories of users there are',
    input: {},
    problems: [],
    http: { method: 'GET', path: '/access/directories', answer: json('Those that there are.', Directories) },
  }),
  startOidc: declare({
    ...reads(access, 'public'),
    summary: 'Sign in with OpenID Connect: go to the page of the provider, which leads back to /access/oidc/callback',
    input: {
      'return-to': Type.Optional(
        Type.String({ maxLength: 512, description: 'A path of the service to see afterwards. Default: /.' }),
      ),
    },
    problems: ['unknown-path', 'directory-unavailable'],
    http: {
      method: 'GET',
      path: '/access/oidc/start',
      answer: { status: 302, description: 'The page of the provider.' },
    },
  }),
  getOidcPage: declare({
    ...reads(access, 'public'),
    summary: 'The page that the provider of OpenID Connect leads back to: it signs in with what is in its address',
    input: {},
    problems: ['unknown-path'],
    http: {
      method: 'GET',
      path: '/access/oidc/callback',
      ignoresQuery: true,
      answer: { status: 200, description: 'A page that does the rest.', type: 'text/html' },
    },
  }),
  signInWithOidc: declare({
    ...changes(access, 'sign-in', 'public'),
    summary: 'Sign in with what the provider of OpenID Connect has sent back; the answer sets the cookie of a session',
    input: OidcReturn.properties,
    problems: [
      ...ofBodies,
      'unknown-path',
      'wrong-credentials',
      'sign-in-refused',
      'overloaded',
      'directory-unavailable',
    ],
    http: {
      method: 'POST',
      path: '/access/oidc/sign-in',
      body: body(OidcReturn),
      answer: json('Who it is now, and where to go.', OidcSignedIn),
    },
  }),
  signOut: declare({
    ...changes(access, 'sign-in', 'signed-in'),
    summary: 'Sign out: end the session',
    input: {},
    problems: ['storage-failed'],
    http: { method: 'POST', path: '/access/sign-out', answer: done('It has ended.') },
  }),
  getIdentity: declare({
    ...reads(access, 'public'),
    summary: 'Get who asks: identity, permissions, session',
    input: {},
    problems: [],
    http: { method: 'GET', path: '/access/me', answer: json('Who asks.', Identity) },
  }),
  changePassword: declare({
    ...changes(access, 'sign-in', 'signed-in'),
    summary: 'Change the own password; other sessions end',
    input: OwnPassword.properties,
    problems: [
      ...ofBodies,
      'not-allowed',
      'wrong-credentials',
      'too-many-attempts',
      'weak-password',
      'overloaded',
      'directory-unavailable',
    ],
    http: { method: 'PUT', path: '/access/me/password', body: body(OwnPassword), answer: done('It holds.') },
  }),
  listUsers: list('/access/users', 'the users', User, 'manage-users'),
  getUser: get('/access/users/:account', 'user', User, 'manage-users'),
  putUser: put('/access/users/:account', 'user', UserBody),
  setPassword: declare({
    ...changes(access, 'configure', 'manage-users'),
    summary: 'Set the password of a user; its sessions end',
    input: { ...account, ...NewPassword.properties },
    problems: [...ofBodies, 'invalid-name', 'unknown-object', 'weak-password', 'overloaded'],
    http: {
      method: 'PUT',
      path: '/access/users/:account/password',
      names: 'the user',
      body: body(NewPassword),
      answer: done('It holds.'),
    },
  }),
  deleteUser: remove('/access/users/:account', 'user', 'manage-users'),
  listRoles: list('/access/roles', 'the roles', Role, 'signed-in'),
  getRole: get('/access/roles/:account', 'role', Role, 'signed-in'),
  putRole: put('/access/roles/:account', 'role', RoleBody),
  deleteRole: remove('/access/roles/:account', 'role', 'manage-users'),
  listTokens: list('/access/tokens', 'the own tokens, and those of the users that one manages', Token, 'signed-in'),
  makeToken: declare({
    ...changes(access, 'configure', 'signed-in'),
    summary: 'Make a token for a program; it has at most the permissions of whoever makes it',
    input: { ...account, ...TokenBody.properties },
    problems: [...ofBodies, 'not-allowed', 'invalid-name', 'name-taken', 'unknown-object', 'too-many-requests'],
    http: {
      method: 'POST',
      path: '/access/tokens/:account',
      names: 'the token',
      body: body(TokenBody),
      answer: json('The token. It is shown this once.', NewToken),
    },
  }),
  deleteToken: remove('/access/tokens/:account', 'token', 'signed-in'),
  listSessions: declare({
    ...reads(access, 'signed-in'),
    summary: 'List the own sessions, and those of the users that one manages',
    input: {},
    problems: [],
    http: { method: 'GET', path: '/access/sessions', answer: json('The sessions.', Type.Array(Session)) },
  }),
  endSession: declare({
    ...changes(access, 'configure', 'signed-in'),
    summary: 'End a session: an own one, or one of a user that one manages',
    input: { session: Type.String({ maxLength: 64, description: 'Its id.' }) },
    problems: ['unknown-object', 'storage-failed'],
    http: { method: 'DELETE', path: '/access/sessions/:session', answer: done('It has ended.') },
  }),
  listClientCertificates: list(
    '/access/certificates',
    'the certificates of clients',
    ClientCertificate,
    'manage-users',
  ),
  getClientCertificate: get('/access/certificates/:account', 'certificate', ClientCertificate, 'manage-users'),
  putClientCertificate: put('/access/certificates/:account', 'certificate', ClientCertificateBody),
  deleteClientCertificate: remove('/access/certificates/:account', 'certificate', 'manage-users'),
  listGroups: list('/access/groups', 'the groups of directories that have grants', Group, 'manage-users'),
  getGroup: get('/access/groups/:account', 'group', Group, 'manage-users'),
  putGroup: put('/access/groups/:account', 'group', GroupBody),
  deleteGroup: remove('/access/groups/:account', 'group', 'manage-users'),
};
