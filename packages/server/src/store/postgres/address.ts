// The address of a PostgreSQL, as libpq reads it: postgresql://user:password@host:port,host:port/database?parameters. But for
// sslmode, which is verify-full where it is not given and the host is another machine.

export const tlsModes = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full'] as const;
export type TlsMode = (typeof tlsModes)[number];

export const sessionKinds = ['any', 'read-write', 'primary', 'read-only', 'standby', 'prefer-standby'] as const;
export type SessionKind = (typeof sessionKinds)[number];

export interface PostgresHost {
  /** A path: that of the folder with its socket. */
  readonly host: string;
  readonly port: number;
}

export interface PostgresAddress {
  /** Tried in this order. */
  readonly hosts: readonly PostgresHost[];
  readonly database: string;
  readonly user: string;
  /** Undefined: it is in the environment or in a file. */
  readonly password: string | undefined;
  readonly passwordFile: string | undefined;
  readonly tls: TlsMode;
  readonly rootFile: string | undefined;
  readonly certificateFile: string | undefined;
  readonly keyFile: string | undefined;
  readonly session: SessionKind;
}

/** The message is for whoever has set the address, and has no password in it. */
export class BadAddress extends Error {
  override readonly name = 'BadAddress';
}

const form = /^postgres(?:ql)?:\/\/(?:([^@/?]*)@)?([^/?]*)(?:\/([^?]*))?(?:\?(.*))?$/;
const example = 'postgresql://user:password@host:5432/database?sslmode=verify-full';
const usualPort = 5432;
const parameters = new Set(['host', 'sslmode', 'sslrootcert', 'sslcert', 'sslkey', 'passfile', 'target_session_attrs']);

/** Throws `BadAddress`. */
export function readAddress(text: string): PostgresAddress {
  const match = form.exec(text);
  if (match === null)
    throw new BadAddress(`the address of the store is no address of PostgreSQL: write it as ${example}`);
  const [, login = '', hosts = '', path = '', query = ''] = match;
  const given = new URLSearchParams(query);
  for (const name of given.keys()) {
    if (!parameters.has(name)) {
      throw new BadAddress(
        `the address of the store has the parameter ${name}: it may have ${[...parameters].join(', ')}`,
      );
    }
  }
  const colon = login.indexOf(':');
  const user = decoded(colon < 0 ? login : login.slice(0, colon), 'user');
  if (user === '') throw new BadAddress(`the address of the store names no user: write it as ${example}`);
  const database = decoded(path, 'database');
  const all = readHosts(hosts, given.get('host'));
  return {
    hosts: all,
    database: database === '' ? user : database,
    user,
    password: colon < 0 ? undefined : decoded(login.slice(colon + 1), 'password'),
    passwordFile: given.get('passfile') ?? undefined,
    tls: oneOf(tlsModes, 'sslmode', given.get('sslmode') ?? (all.every(isOfThisMachine) ? 'prefer' : 'verify-full')),
    rootFile: given.get('sslrootcert') ?? undefined,
    certificateFile: given.get('sslcert') ?? undefined,
    keyFile: given.get('sslkey') ?? undefined,
    session: oneOf(sessionKinds, 'target_session_attrs', given.get('target_session_attrs') ?? 'any'),
  };
}

/** Nobody is between: it need not be encrypted. */
export function isOfThisMachine({ host }: PostgresHost): boolean {
  return host.startsWith('/') || /^(?:localhost|::1|127(?:\.\d{1,3}){3})$/i.test(host);
}

/** For messages: without the login. */
export function hostText({ host, port }: PostgresHost): string {
  if (host.startsWith('/')) return host;
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}

/** For people: without the password, and without what says how to connect. */
export function shownAddress({ user, hosts, database }: PostgresAddress): string {
  return `postgresql://${user}@${hosts.map(hostText).join(',')}/${database}`;
}

function readHosts(text: string, parameter: string | null): PostgresHost[] {
  if (text === '' && parameter !== null) {
    return parameter.split(',').map((host) => ({ host, port: usualPort }));
  }
  return text.split(',').map((each) => {
    const match = /^(?:\[([^\]]+)\]|([^:[\]]+))(?::(\d{1,5}))?$/.exec(each);
    const port = Number(match?.[3] ?? usualPort);
    if (match === null || port === 0 || port > 65_535) {
      throw new BadAddress(`the address of the store has the host ${JSON.stringify(each)}: write host or host:port`);
    }
    return { host: decoded(match[1] ?? match[2] ?? '', 'host'), port };
  });
}

function oneOf<T extends string>(all: readonly T[], name: string, value: string): T {
  const found = all.find((each) => each === value);
  if (found === undefined) {
    throw new BadAddress(`the address of the store has ${name}=${value}: it is one of ${all.join(', ')}`);
  }
  return found;
}

function decoded(text: string, what: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new BadAddress(`the ${what} in the address of the store is not well written: a % there is %25`);
  }
}
