// Access while there are no users: only programs and pages of this machine. Refuses a foreign Host (a DNS name that was
// made to point here) and all requests of a page from another origin. Following a link to a document is allowed.
import type { IncomingHttpHeaders } from 'node:http';
import type { ProblemName } from '@telltale/schema';

export interface GuardedRequest {
  readonly host: string | undefined;
  readonly origin: string | undefined;
  /** The headers Sec-Fetch-Site and Sec-Fetch-Mode, which browsers set and pages cannot. */
  readonly fetchSite: string | undefined;
  readonly fetchMode: string | undefined;
  /** Whether it is a GET of a document for people, which reveals nothing to the linking page. */
  readonly isDocument: boolean;
}

const loopbackHost = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?$/i;

export function isLoopback(host: string): boolean {
  return loopbackHost.test(host.includes(':') ? `[${host}]` : host);
}

export function guardedRequest(headers: IncomingHttpHeaders, isDocument = false): GuardedRequest {
  const { host, origin, 'sec-fetch-site': fetchSite, 'sec-fetch-mode': fetchMode } = headers;
  return {
    host,
    origin,
    fetchSite: fetchSite as string | undefined,
    fetchMode: fetchMode as string | undefined,
    isDocument,
  };
}

/** Why the request is refused, or undefined where it is not. */
export function guardLoopback(request: GuardedRequest): ProblemName | undefined {
  const { host, origin, fetchSite, fetchMode, isDocument } = request;
  if (host === undefined || !loopbackHost.test(host)) return 'foreign-host';
  if (origin !== undefined && !isSameOrigin(origin, host)) return 'foreign-origin';
  const isOurs = fetchSite === undefined || fetchSite === 'same-origin' || fetchSite === 'none';
  return isOurs || (isDocument && fetchMode === 'navigate') ? undefined : 'foreign-origin';
}

function isSameOrigin(origin: string, host: string): boolean {
  const lower = origin.toLowerCase();
  return lower === `http://${host.toLowerCase()}` || lower === `https://${host.toLowerCase()}`;
}
