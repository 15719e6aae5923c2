// What a centre forwards to none of its sites: passwords and codes. Those of its own users are none of a site's business, and those
// of the users of a site are given there.
import { ProblemError } from '@telltale/schema';

/** Below whatever path the site has its interface. */
const signatures = /\/approvals(?:\/[^/]+\/approve)?\/*(?:\?|$)/;
const accounts = /^\/+access(?:\/|\?|$)/;

/** Throws `ProblemError`. `path` is that at the site, with its query. */
export function checkForwarded(method: string, path: string): void {
  if (method === 'GET' || method === 'HEAD') return;
  const isSigned = method === 'POST' && signatures.test(path);
  if (!isSigned && !accounts.test(path)) return;
  const what = isSigned ? 'What a site wants to have signed is signed' : 'Who may do what at a site is decided';
  throw new ProblemError('not-allowed', `${what} at the site itself, at its own address. Nothing was sent there.`);
}
