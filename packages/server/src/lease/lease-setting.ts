// Reads the setting that says where etcd is, such as etcd://10.0.0.1,10.0.0.2,10.0.0.3/plant. No message of it has the password.

export interface EtcdAddress {
  readonly host: string;
  readonly port: number;
}

/** Paths of files in PEM. */
export interface TlsFiles {
  /** Whose servers are trusted; default: the authorities of Node. */
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
}

/** Shows its password to nobody who prints it. */
export class Credentials {
  readonly user: string;
  readonly #password: string;

  constructor(user: string, password: string) {
    this.user = user;
    this.#password = password;
  }

  get login(): { readonly name: string; readonly password: string } {
    return { name: this.user, password: this.#password };
  }
}

export interface LeaseSetting {
  readonly addresses: readonly EtcdAddress[];
  /** Of every key: `prefix/site/…`. */
  readonly prefix: string;
  /** Over TLS where it is there. */
  readonly tls?: TlsFiles;
  readonly credentials?: Credentials;
}

const defaultPort = 2379;
const mostAddresses = 9;
const whole = /^(etcds?):\/\/(?:([^@/?#]*)@)?([^@/?#]+)(?:\/([^@?#]*))?(?:\?([^@#]*))?$/;
const form = 'etcd://HOST:PORT,HOST:PORT/PREFIX';

/** The password may stand in the text or come by itself, as from the environment. Throws where the text is none. */
export function readLeaseSetting(text: string, password?: string): LeaseSetting {
  const [, scheme, login, hosts = '', path = '', query = ''] = whole.exec(text) ?? [];
  if (scheme === undefined) {
    const hint = text.includes('@') ? '; in a user or password, write @ as %40, / as %2F, ? as %3F and # as %23' : '';
    throw new Error(`The lease is kept by etcd: write ${form}${hint}`);
  }
  const tls = readTls(scheme, query);
  const credentials = readCredentials(login, password);
  return {
    addresses: readAddresses(hosts),
    prefix: readPrefix(path),
    ...(tls && { tls }),
    ...(credentials && { credentials }),
  };
}

function readAddresses(hosts: string): EtcdAddress[] {
  const texts = hosts.split(',');
  if (texts.length > mostAddresses) {
    throw new Error(
      `etcd has at most ${mostAddresses} members, and ${texts.length} addresses are given: leave some out`,
    );
  }
  const addresses = texts.map((text) => {
    const [, bracketed, plain, digits] =
      /^(?:\[([0-9A-Fa-f:.]+)\]|([A-Za-z0-9._-]{1,253}))(?::(\d{1,5}))?$/.exec(text) ?? [];
    const [host, port] = [bracketed ?? plain, digits === undefined ? defaultPort : Number(digits)];
    if (host === undefined || port < 1 || port > 65535) {
      throw new Error(`"${text}" is no address of etcd: write HOST:PORT, with a port from 1 to 65535, or [IPV6]:PORT`);
    }
    return { host, port };
  });
  const names = addresses.map(({ host, port }) => `${host}:${port}`);
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined) throw new Error(`${twice} is there twice: write each member of etcd once`);
  return addresses;
}

function readPrefix(path: string): string {
  const prefix = path.replace(/\/$/, '');
  if (/^[A-Za-z0-9._~-]+(?:\/[A-Za-z0-9._~-]+)*$/.test(prefix)) return prefix;
  if (prefix === '') throw new Error(`The setting of the lease has no prefix for its keys: write ${form}`);
  throw new Error(`"${prefix}" is no prefix of keys: use 0-9, a-z, A-Z, ".", "_", "~" and "-", with "/" between`);
}

function readTls(scheme: string, query: string): TlsFiles | undefined {
  const files: { ca?: string; cert?: string; key?: string } = {};
  for (const [name, path] of new URLSearchParams(query)) {
    if (name !== 'ca' && name !== 'cert' && name !== 'key') {
      throw new Error(`"${name}" is unknown in the setting of the lease; known are ca, cert and key`);
    }
    if (path === '') throw new Error(`${name} in the setting of the lease is empty: write the path of a file (PEM)`);
    files[name] = path;
  }
  if ((files.cert === undefined) !== (files.key === undefined)) {
    throw new Error('The setting of the lease has one of cert and key: a client shows both or none');
  }
  return scheme === 'etcds' || files.ca !== undefined || files.cert !== undefined ? files : undefined;
}

function readCredentials(login: string | undefined, given: string | undefined): Credentials | undefined {
  if (login === undefined) return undefined;
  const [, name = '', inText] = /^([^:]*)(?::(.*))?$/s.exec(login) ?? [];
  const [user, password] = [decoded(name), inText === undefined ? given : decoded(inText)];
  if (user === '') throw new Error('The setting of the lease has a password without a user: write etcd://USER@HOST');
  if (password === undefined || password === '') throw new Error(`The user ${user} of etcd has no password`);
  return new Credentials(user, password);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new Error('A user or password of etcd has a % that begins no character: write % as %25');
  }
}

/** The first part of all keys of a site. No name of a site makes a key of another one. */
export function siteBase({ prefix }: LeaseSetting, site: string): string {
  return `${prefix}/${keyPart(site, 'A site')}`;
}

/** A name as a part of a key: without a slash, whatever it is. */
export function keyPart(name: string, what: string): string {
  if (name === '' || !name.isWellFormed()) throw new Error(`${what} needs a name that is a text and not empty`);
  return encodeURIComponent(name);
}
