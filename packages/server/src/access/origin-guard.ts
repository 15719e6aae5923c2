// Keeps web pages from elsewhere out. Refuses a foreign Host (a DNS name that was made to point here) and all requests of a page
// from another origin; a request with the cookie of a session must show that it comes from our own pages. Following a link
// to a document is allowed.
import type { IncomingMessage } from 'node:http';
import type { ProblemName } from '@telltale/schema';

export interface GuardedRequest {
  readonly host: string | undefined;
  readonly origin: string | undefined;
  /** The headers Sec-Fetch-Site and Sec-Fetch-Mode, which browsers set and pages cannot. */
  readonly fetchSite: string | undefined;
  readonly fetchMode: string | undefined;
  readonly cookie: string | undefined;
  /** Whether it is a GET of a document for people, which reveals nothing to the linking page. */
  readonly isDocument: boolean;
  /** Where it arrived: the address of this machine that it was sent to, and whether over TLS. */
  readonly socket: { readonly localAddress?: string | undefined; readonly encrypted?: boolean };
}

export interface OriginGuardOptions {
  /** The setting `host`: a name or an address. */
  readonly host: string;
  /** By which browsers know the service, such as `https://plant.example`; undefined: by the address that it listens on. */
  readonly publicUrl?: string | undefined;
}

const loopbackHost = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?$/i;
const hostForm = /^([a-z0-9_.-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i;

/** Of every cookie of the service. */
const sessionCookie = /(?:^|;)[ \t]*__Host-telltale/;

export function isLoopback(host: string): boolean {
  return loopbackHost.test(host.includes(':') ? `[${host}]` : host);
}

/** Of a page that is the same for everybody, no cookie counts, whether one comes with it or not. */
export function guardedRequest(request: IncomingMessage, isDocument = false, isSameForAll = false): GuardedRequest {
  const { host, origin, cookie, 'sec-fetch-site': fetchSite, 'sec-fetch-mode': fetchMode } = request.headers;
  return {
    host,
    origin,
    cookie: isSameForAll ? undefined : cookie,
    fetchSite: fetchSite as string | undefined,
    fetchMode: fetchMode as string | undefined,
    isDocument,
    socket: request.socket,
  };
}

export class OriginGuard {
  readonly #hosts: ReadonlySet<string>;
  readonly #publicOrigin: string | undefined;

  constructor({ host, publicUrl }: OriginGuardOptions) {
    const known = publicUrl === undefined ? undefined : new URL(publicUrl);
    this.#publicOrigin = known?.origin;
    this.#hosts = new Set([inBrackets(host.toLowerCase()), ...(known === undefined ? [] : [known.hostname])]);
  }

  /** Why the request is refused, or undefined where it is not. */
  refusalOf(request: GuardedRequest): ProblemName | undefined {
    const { host, origin, fetchSite, fetchMode, cookie, isDocument, socket } = request;
    if (host === undefined || !this.#isOurs(host, socket)) return 'foreign-host';
    if (origin !== undefined && !this.#isOurOrigin(origin, host, socket.encrypted === true)) return 'foreign-origin';
    const isFromUs = fetchSite === 'same-origin' || fetchSite === 'none';
    if (cookie !== undefined && sessionCookie.test(cookie)) {
      const isShown = isFromUs || (fetchSite === undefined && origin !== undefined);
      return isShown ? undefined : 'foreign-origin';
    }
    if (isFromUs || fetchSite === undefined) return undefined;
    return isDocument && fetchMode === 'navigate' ? undefined : 'foreign-origin';
  }

  /** A name only where a setting says it: whoever has a name may make it point here. */
  #isOurs(host: string, { localAddress }: GuardedRequest['socket']): boolean {
    if (loopbackHost.test(host)) return true;
    const name = hostForm.exec(host)?.[1]?.toLowerCase();
    if (name === undefined) return false;
    return this.#hosts.has(name) || name === inBrackets(localAddress?.replace(/^::ffff:/, '') ?? '');
  }

  #isOurOrigin(origin: string, host: string, isTls: boolean): boolean {
    const asked = origin.toLowerCase();
    if (asked === this.#publicOrigin || asked === `https://${host.toLowerCase()}`) return true;
    return !isTls && asked === `http://${host.toLowerCase()}`;
  }
}

function inBrackets(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}
