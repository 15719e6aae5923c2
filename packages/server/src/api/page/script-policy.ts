// The policy of a page that runs one script of its own, and talks to nobody but the service.
import { createHash } from 'node:crypto';

export function scriptPolicy(script: string): Readonly<Record<string, string>> {
  const hash = createHash('sha256').update(script).digest('base64');
  return {
    'content-security-policy': `default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-${hash}'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  };
}
