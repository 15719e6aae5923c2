// Who may do what: roles, and the grants that give a role to somebody for all of the plant or a part of it.
import Type, { type Static } from 'typebox';
import { closed, strict } from './closed.ts';
import { Area } from './configuration.ts';
import { type Permission, permissionNames } from './permissions.ts';
import { PresentedPasskey } from './second-factors.ts';
import { siteIdPattern } from './sites.ts';

export const PermissionName = Type.Enum(permissionNames, { type: 'string', description: 'What is permitted.' });

/** Of users, roles, tokens and certificates. No slash: identities of other kinds, such as module/loop, have one. */
export const accountNamePattern = '^[A-Za-z0-9][A-Za-z0-9_.@-]{0,63}$';
export const AccountName = Type.String({
  pattern: accountNamePattern,
  description: 'A name: 1 to 64 characters of 0-9, a-z, A-Z, _, ., @ and -, the first a letter or digit.',
});

/** The part of the plant that something holds for: all of it where none is set. At most one of area and prefix is. */
const scopeFields = {
  area: Type.Optional(Area),
  prefix: Type.Optional(
    Type.String({
      pattern: '^[_a-zA-Z0-9]{1,64}$',
      description: 'Only objects whose names begin so.',
    }),
  ),
  site: Type.Optional(
    Type.String({
      pattern: siteIdPattern,
      description:
        'Only at this site of a centre, by its id, and nowhere else. Without it: at the service itself and at all of its sites.',
    }),
  ),
};
export const Scope = Type.Object(scopeFields, closed);
export type Scope = Static<typeof Scope>;

export const Grant = Type.Object({ role: AccountName, ...scopeFields }, strict('Grant'));
export type Grant = Static<typeof Grant>;

export const Grants = Type.Array(Grant, {
  maxItems: 100,
  description:
    'Roles, each for all of the plant, an area and what is below it, or names that begin alike; of all sites, or of one.',
});

export const Role = Type.Object(
  {
    name: AccountName,
    description: Type.Optional(Type.String({ maxLength: 256 })),
    permissions: Type.Array(PermissionName, { maxItems: permissionNames.length }),
    idle: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 1440 * 7,
        description: 'Minutes without a request after which a session falls back to view.',
      }),
    ),
    session: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 24 * 30, description: 'Hours after which a session ends.' }),
    ),
    secondFactor: Type.Optional(
      Type.Boolean({ description: 'Whether whoever has it must sign in with a second factor.' }),
    ),
  },
  strict('Role'),
);
export type Role = Static<typeof Role>;

const operator: readonly Permission[] = ['view', 'acknowledge', 'write'];
const shiftLead: readonly Permission[] = [...operator, 'simulate', 'operate-alarm', 'approve'];
const engineer: readonly Permission[] = [
  ...shiftLead,
  'read-config',
  'configure',
  'render',
  'diagnose',
  'operate-link',
  'operate-module',
  'import-archive',
  'read-metrics',
];

/** Come with the service; people may change them, and add others. */
export const initialRoles: readonly Role[] = [
  { name: 'viewer', description: 'Sees the plant.', permissions: ['view'], idle: 1440, session: 720 },
  {
    name: 'operator',
    description: 'Acknowledges alarms and writes commands.',
    permissions: [...operator],
    idle: 30,
    session: 12,
  },
  {
    name: 'shift-lead',
    description: 'An operator who also simulates, operates alarms, and approves.',
    permissions: [...shiftLead],
    idle: 30,
    session: 12,
  },
  {
    name: 'engineer',
    description: 'A shift lead who also configures, renders, diagnoses, and operates links and modules.',
    permissions: [...engineer],
    idle: 60,
    session: 12,
  },
  {
    name: 'administrator',
    description: 'Manages users, secrets, code and the audit trail; writes nothing to the plant.',
    permissions: [
      'view',
      'read-config',
      'read-metrics',
      'diagnose',
      'install-code',
      'set-secret',
      'read-audit',
      'manage-users',
      'erase-archive',
    ],
    idle: 15,
    session: 8,
  },
];

const Text = (description: string) => Type.String({ maxLength: 128, description });
const Time = (description: string) => Type.Number({ description: `${description}, in seconds since 1970.` });

export const Password = Type.String({
  minLength: 1,
  maxLength: 256,
  description: 'At least 12 characters that are not commonly used as a password.',
});

/** What an administrator sets of a user. */
export const UserBody = Type.Object(
  {
    displayName: Type.Optional(Text('The name that people read.')),
    grants: Grants,
    disabled: Type.Optional(Type.Boolean({ description: 'Whether the user cannot sign in.' })),
  },
  strict('UserBody'),
);
export type UserBody = Static<typeof UserBody>;

export const User = Type.Object(
  {
    name: AccountName,
    ...UserBody.properties,
    origin: Type.String({ description: 'local, or the directory that the user comes from.' }),
    groups: Type.Optional(
      Type.Array(Type.String(), { description: 'Of a directory: those groups of the user that have grants here.' }),
    ),
    hasPassword: Type.Boolean(),
    hasSecondFactor: Type.Boolean(),
    lastSignIn: Type.Optional(Time('When the user signed in last')),
  },
  strict('User'),
);
export type User = Static<typeof User>;

export const RoleBody = Type.Omit(Role, ['name'], strict('RoleBody'));
export type RoleBody = Static<typeof RoleBody>;

export const TokenBody = Type.Object(
  {
    grants: Grants,
    expires: Time('When it ends: at most a year from now'),
    networks: Type.Optional(
      Type.Array(Type.String({ maxLength: 64 }), {
        maxItems: 32,
        description: 'The only addresses and networks, such as 10.1.0.0/16, from which it is taken.',
      }),
    ),
  },
  strict('TokenBody'),
);
export type TokenBody = Static<typeof TokenBody>;

export const Token = Type.Object(
  {
    name: AccountName,
    owner: AccountName,
    ...TokenBody.properties,
    created: Time('When it was made'),
    lastUsed: Type.Optional(Time('When it was used last, to the minute')),
  },
  strict('Token'),
);
export type Token = Static<typeof Token>;

export const NewToken = Type.Object(
  { name: AccountName, token: Type.String({ description: 'The token. It is shown this once.' }) },
  strict('NewToken'),
);

export const ClientCertificateBody = Type.Object(
  {
    fingerprint: Type.Optional(
      Type.String({
        pattern: '^([0-9A-Fa-f]{2}:?){31}[0-9A-Fa-f]{2}$',
        description: 'SHA-256 of the certificate, in hexadecimal.',
      }),
    ),
    subject: Type.Optional(
      Type.String({ minLength: 1, maxLength: 512, description: 'Its subject, such as CN=panel 1.' }),
    ),
    grants: Grants,
  },
  strict('ClientCertificateBody'),
);
export type ClientCertificateBody = Static<typeof ClientCertificateBody>;

export const ClientCertificate = Type.Object(
  { name: AccountName, ...ClientCertificateBody.properties },
  strict('ClientCertificate'),
);
export type ClientCertificate = Static<typeof ClientCertificate>;

/** A group of a directory, and what its members may do. */
export const GroupBody = Type.Object(
  {
    directory: Type.Enum(['ldap', 'oidc'], { type: 'string', description: 'LDAP, or OpenID Connect.' }),
    group: Type.String({
      minLength: 1,
      maxLength: 1024,
      description:
        'As the directory names it: its distinguished name in LDAP, its text in the claim of OpenID Connect.',
    }),
    grants: Grants,
  },
  strict('GroupBody'),
);
export type GroupBody = Static<typeof GroupBody>;

export const Group = Type.Object({ name: AccountName, ...GroupBody.properties }, strict('Group'));
export type Group = Static<typeof Group>;

export const Directories = Type.Object(
  {
    ldap: Type.Boolean({ description: 'Whether users of a directory sign in with their password.' }),
    oidc: Type.Boolean({ description: 'Whether users sign in at the page of a provider.' }),
  },
  strict('Directories'),
);
export type Directories = Static<typeof Directories>;

export const Session = Type.Object(
  {
    id: Type.String(),
    user: AccountName,
    created: Time('When it began'),
    lastUsed: Time('When it was used last'),
    signedIn: Time('When its user last entered credentials'),
    source: Type.Optional(Type.String({ description: 'The address from which it began.' })),
    mode: Type.Enum(['full', 'view'], {
      type: 'string',
      description: 'view: it was idle, or open, for too long; its user signs in again to do more than to look.',
    }),
  },
  strict('Session'),
);
export type Session = Static<typeof Session>;

/** A user and a password, with a code where the user has a second factor; or a passkey. */
export const SignIn = Type.Object(
  {
    user: Type.Optional(Type.String({ minLength: 1, maxLength: 128 })),
    password: Type.Optional(Type.String({ minLength: 1, maxLength: 256 })),
    code: Type.Optional(
      Type.String({ maxLength: 32, description: 'Of the authenticator app, or for recovery; where it is needed.' }),
    ),
    passkey: Type.Optional(PresentedPasskey),
  },
  strict('SignIn'),
);
export type SignIn = Static<typeof SignIn>;

export const Identity = Type.Object(
  {
    identity: Type.String({ description: 'The name of a user, or a kind and a name, such as token/report.' }),
    kind: Type.String(),
    displayName: Type.Optional(Type.String()),
    permissions: Type.Array(PermissionName, { description: 'What it may do, to something at least.' }),
    grants: Type.Optional(Grants),
    session: Type.Optional(Session),
    mustAddSecondFactor: Type.Optional(
      Type.Literal(true, { description: 'A role demands a second factor: without one, nothing is permitted.' }),
    ),
    isOpen: Type.Boolean({
      description: 'Whether there are no users, and every program of the machine may do everything.',
    }),
  },
  strict('Identity'),
);
export type Identity = Static<typeof Identity>;

const Returned = Type.Optional(Type.String({ maxLength: 4096 }));

/** What the provider of OpenID Connect has sent the browser back with. */
export const OidcReturn = Type.Object(
  { code: Returned, state: Returned, iss: Returned, error: Returned, error_description: Returned },
  strict('OidcReturn'),
);
export type OidcReturn = Static<typeof OidcReturn>;

export const OidcSignedIn = Type.Object(
  { identity: Identity, returnTo: Type.String({ description: 'The path that the person wanted to see.' }) },
  strict('OidcSignedIn'),
);
