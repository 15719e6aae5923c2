// Where the bus is, as the setting says it: nats://[user:password@]host[:port][,host[:port]…], or tls://….

export interface BusServer {
  readonly host: string;
  readonly port: number;
}

export interface BusAddress {
  readonly isSecure: boolean;
  readonly servers: readonly BusServer[];
  readonly user: string | undefined;
  readonly password: string | undefined;
}

/** The message says what is wrong, and has no password in it. */
export class BadBusAddress extends Error {
  override readonly name = 'BadBusAddress';
}

const usualPort = 4222;
const form =
  'write nats://host:port,host2:port, or tls:// and the same; a user and password are user:password@ before it';

/** Throws `BadBusAddress`. */
export function parseBusAddress(text: string): BusAddress {
  const [, scheme = '', rest = ''] = /^([a-z]+):\/\/(.*)$/s.exec(text) ?? [];
  if (scheme !== 'nats' && scheme !== 'tls') throw new BadBusAddress(`it is no address of a bus: ${form}`);
  const at = rest.lastIndexOf('@');
  const [, user, password] = /^([^:]*)(?::(.*))?$/s.exec(rest.slice(0, Math.max(0, at))) ?? [];
  const servers = rest
    .slice(at + 1)
    .replace(/\/$/, '')
    .split(',')
    .map(parseServer);
  return { isSecure: scheme === 'tls', servers, user: decoded(user), password: decoded(password) };
}

/** As people are shown it: without the password. */
export function busAddressText({ isSecure, servers, user }: BusAddress): string {
  const login = user === undefined ? '' : `${encodeURIComponent(user)}@`;
  return `${isSecure ? 'tls' : 'nats'}://${login}${servers.map(serverText).join(',')}`;
}

export function serverText({ host, port }: BusServer): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}

function parseServer(text: string): BusServer {
  const [, v6, name, digits] = /^(?:\[([0-9a-fA-F:.]+)\]|([\w.-]+))(?::(\d{1,5}))?$/.exec(text) ?? [];
  const host = v6 ?? name;
  const port = Number(digits ?? usualPort);
  if (host === undefined || port < 1 || port > 65535) throw new BadBusAddress(`one of its servers is none: ${form}`);
  return { host, port };
}

function decoded(text: string | undefined): string | undefined {
  if (text === undefined || text === '') return undefined;
  try {
    return decodeURIComponent(text);
  } catch {
    throw new BadBusAddress('a % in the user or password is followed by no two digits: write %25 for it');
  }
}
