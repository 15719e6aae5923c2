// Who may ask while there are no users: programs and pages of this machine. Refuses a foreign Host (a DNS name that was
// made to point here) and writes that a page from another origin sends.
import type { ProblemName } from '@telltale/schema';

export interface GuardedRequest {
  readonly method: string;
  readonly host: string | undefined;
  readonly origin: string | undefined;
  /** The header Sec-Fetch-Site, which browsers set and pages cannot. */
  readonly fetchSite: string | undefined;
}

const harmless: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);
const loopbackHost = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?$/i;

export function isLoopback(host: string): boolean {
  return loopbackHost.test(host.includes(':') ? `[${host}]` : host);
}

/** Why the request is refused, or undefined where it is not. */
export function guardLoopback({ method, host, origin, fetchSite }: GuardedRequest): ProblemName | undefined {
  if (host === undefined || !loopbackHost.test(host)) return 'foreign-host';
  if (harmless.has(method)) return undefined;
  if (origin !== undefined && !isSameOrigin(origin, host)) return 'foreign-origin';
  return fetchSite === 'cross-site' || fetchSite === 'same-site' ? 'foreign-origin' : undefined;
}

function isSameOrigin(origin: string, host: string): boolean {
  const lower = origin.toLowerCase();
  return lower === `http://${host.toLowerCase()}` || lower === `https://${host.toLowerCase()}`;
}
