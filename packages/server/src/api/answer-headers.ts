// The headers of every answer.
import type { Duplex } from 'node:stream';

/** How long an idle connection stays open; a client that knows does not send on one that is being closed. */
export const keepAliveS = 20;

/** For browsers: no other page reads, shows or frames what is answered, or learns where somebody came from. */
const security = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
} as const;

const overTcp = { ...security, 'keep-alive': `timeout=${keepAliveS}` } as const;

/** And browsers that have asked over TLS once do not ask without it. */
const overTls = { ...overTcp, 'strict-transport-security': 'max-age=31536000' } as const;

export function answerHeaders(socket: Duplex | null): Readonly<Record<string, string>> {
  return isEncrypted(socket) ? overTls : overTcp;
}

function isEncrypted(socket: Duplex | null): boolean {
  return (socket as { encrypted?: boolean } | null)?.encrypted === true;
}
