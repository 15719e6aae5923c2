// The file that says which directories of users there are: JSON, checked as a whole when the server starts. Secrets are in
// files of their own, never in this one.
import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { checker } from '@telltale/schema';
import { FilterParser } from 'ldapts';
import Type, { type Static } from 'typebox';
import { isLoopback } from '../origin-guard.ts';
import { UnusableDirectories } from './directory.ts';
import type { LdapOptions } from './ldap-directory.ts';
import type { OidcOptions } from './oidc-directory.ts';

const closed = { additionalProperties: false } as const;
const Text = (description: string) => Type.String({ minLength: 1, maxLength: 1024, description });
const Dn = (description: string) => Type.String({ pattern: '^.+=', maxLength: 1024, description });
const Milliseconds = Type.Integer({
  minimum: 100,
  maximum: 60_000,
  description: 'Time limit, in milliseconds. Default: 5000.',
});

const Ldap = Type.Object(
  {
    url: Type.String({
      pattern: '^ldaps?://([A-Za-z0-9.-]+|\\[[0-9A-Fa-f:.]+\\])(:[0-9]{1,5})?$',
      description: 'ldaps://HOST[:PORT], or ldap://HOST[:PORT]: then StartTLS comes before anything else.',
    }),
    caFile: Type.Optional(
      Text('File with the authorities of its certificate, in PEM. Default: those that Node knows.'),
    ),
    bindDn: Type.Optional(Dn('Account that looks for people. Default: none, where the server permits that.')),
    bindPasswordFile: Type.Optional(Text('File with the password of that account.')),
    base: Dn('Entry below which people are.'),
    nameAttribute: Type.Optional(
      Type.String({
        pattern: '^[A-Za-z][A-Za-z0-9-]{0,63}$',
        description: 'Attribute with the name by which people sign in. Default: uid.',
      }),
    ),
    userFilter: Type.Optional(Text('Filter that people must match, such as (objectClass=person).')),
    groupBase: Type.Optional(
      Dn(
        'Entry below which groups are, with member, uniqueMember or memberUid. Default: memberOf of people names them.',
      ),
    ),
    timeoutMs: Type.Optional(Milliseconds),
  },
  closed,
);

const Oidc = Type.Object(
  {
    issuer: Type.String({
      pattern: '^https?://[^\\s?#@]+$',
      maxLength: 1024,
      description: 'Address of the provider, over https.',
    }),
    caFile: Type.Optional(
      Text('File with the authorities of its certificate, in PEM. Default: those that Node knows.'),
    ),
    clientId: Text('Name of the service at the provider.'),
    clientSecretFile: Type.Optional(
      Text('File with the secret of the service at the provider. Default: a public client.'),
    ),
    scope: Type.Optional(
      Type.String({
        pattern: '^([!-~]+ )*openid( [!-~]+)*$',
        maxLength: 1024,
        description: 'Default: openid profile.',
      }),
    ),
    nameClaim: Type.Optional(Text('Claim with the name of the user. Default: preferred_username.')),
    groupsClaim: Type.Optional(Text('Claim with the groups. Default: groups.')),
    timeoutMs: Type.Optional(Milliseconds),
  },
  closed,
);

const DirectoriesFile = Type.Object({ ldap: Type.Optional(Ldap), oidc: Type.Optional(Oidc) }, closed);
type DirectoriesFile = Static<typeof DirectoriesFile>;

/** Of OpenID Connect without the address that people come back to: that is the server's own. */
export interface DirectoryOptions {
  readonly ldap: LdapOptions | undefined;
  readonly oidc: Omit<OidcOptions, 'redirectUri'> | undefined;
}

const defaultTimeoutMs = 5000;
const maxFileBytes = 1024 * 1024;
const file = checker(DirectoriesFile);

/** Throws `UnusableDirectories`, for the person who starts the server. */
export async function readDirectories(path: string): Promise<DirectoryOptions> {
  const fault = (text: string) => new UnusableDirectories(`${path}, the file of directories: ${text}`);
  const read = async (name: string) => {
    const at = resolve(dirname(path), name);
    const text = await readFile(at, 'utf8').catch((error: NodeJS.ErrnoException) => {
      throw fault(`${at} cannot be read: ${error.code}.`);
    });
    if (text.length > maxFileBytes) throw fault(`${at} is longer than ${maxFileBytes} bytes.`);
    return text;
  };
  /** Editors end a file with a new line, which is no part of the secret. */
  const secret = async (name: string) => {
    const text = (await read(name)).replace(/\r?\n$/, '');
    if (text === '') throw fault(`${resolve(dirname(path), name)} is empty; it must have a secret.`);
    return text;
  };
  const optional = (name: string | undefined, of: typeof read) => (name === undefined ? undefined : of(name));

  const data = parse(await read(path), fault);
  const [first] = file.faults(data);
  if (first !== undefined) throw fault(`${first.path || 'it'} ${first.message}.`);
  const { ldap, oidc } = data as DirectoriesFile;
  const unusual = faultOf(data as DirectoriesFile);
  if (unusual !== undefined) throw fault(unusual);
  return {
    ldap: ldap && {
      url: ldap.url,
      ca: await optional(ldap.caFile, read),
      bindDn: ldap.bindDn,
      bindPassword: await optional(ldap.bindPasswordFile, secret),
      base: ldap.base,
      nameAttribute: ldap.nameAttribute ?? 'uid',
      userFilter: ldap.userFilter,
      groupBase: ldap.groupBase,
      timeoutMs: ldap.timeoutMs ?? defaultTimeoutMs,
    },
    oidc: oidc && {
      issuer: oidc.issuer,
      clientId: oidc.clientId,
      clientSecret: await optional(oidc.clientSecretFile, secret),
      ca: await optional(oidc.caFile, read),
      scope: oidc.scope ?? 'openid profile',
      nameClaim: oidc.nameClaim ?? 'preferred_username',
      groupsClaim: oidc.groupsClaim ?? 'groups',
      timeoutMs: oidc.timeoutMs ?? defaultTimeoutMs,
    },
  };
}

function parse(text: string, fault: (text: string) => Error): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw fault(`it is not JSON: ${(error as Error).message}.`);
  }
}

/** What a schema cannot say. */
function faultOf({ ldap, oidc }: DirectoriesFile): string | undefined {
  if ((ldap?.bindDn === undefined) !== (ldap?.bindPasswordFile === undefined)) {
    return '/ldap has bindDn or bindPasswordFile, and not the other: set both, or neither.';
  }
  if (ldap?.userFilter !== undefined) {
    try {
      FilterParser.parseString(ldap.userFilter);
    } catch (error) {
      return `/ldap/userFilter is no filter of LDAP: ${(error as Error).message}.`;
    }
  }
  if (oidc === undefined || oidc.issuer.startsWith('https:')) return undefined;
  if (URL.canParse(oidc.issuer) && isLoopback(new URL(oidc.issuer).hostname.replace(/^\[|\]$/g, ''))) return undefined;
  return '/oidc/issuer must begin with https: tokens would cross the network for everybody to read.';
}
