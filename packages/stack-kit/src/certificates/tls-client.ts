// Decides on the certificate of a client over TLS: one that an authority of the provider has signed is taken, and so is the
// very one that a person trusts. Any other is refused, and kept for a person to decide.
import { X509Certificate } from 'node:crypto';
import type { TLSSocket } from 'node:tls';
import type { Clock } from '@telltale/schema';
import type { PeerCertificates } from './peer-certificates.ts';
import { authorizationReason, refusalText } from './tls-peer.ts';

export interface TlsClientsOptions {
  readonly certificates: PeerCertificates;
  /** The provider has a file of authorities: without one, no authority counts, not even a well-known one. */
  readonly hasAuthorities: boolean;
  readonly clock: Clock;
}

/**
 * For a socket of a `tls.Server` with `requestCert: true` and `rejectUnauthorized: false`, after its handshake and before anything
 * is read from it. Resolves with the certificate; throws, with the reason for people.
 */
export async function checkTlsClient(socket: TLSSocket, options: TlsClientsOptions): Promise<X509Certificate> {
  const { certificates, hasAuthorities, clock } = options;
  const { raw } = socket.getPeerCertificate();
  if (raw === undefined) throw new Error('it presents no certificate');
  const certificate = new X509Certificate(raw);
  if (hasAuthorities && socket.authorized) return certificate;
  const reason = hasAuthorities ? authorizationReason(socket) : 'nobody has trusted it';
  const isTrusted = await certificates.isTrusted(certificate);
  const refusal = refusalText({ certificate, of: 'client', isTrusted, reason, nowMs: Math.floor(clock.now() / 1000) });
  if (refusal === undefined) return certificate;
  if (!isTrusted) await certificates.reject(certificate, socket.remoteAddress ?? '', reason);
  throw new Error(refusal);
}
