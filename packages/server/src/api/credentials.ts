// What a request brings to say who sends it, and from where.
import type { X509Certificate } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { type Clock, ProblemError } from '@telltale/schema';
import type { Credentials, Identities, OriginGuard, TrustedProxies } from '../access/index.ts';

/** Throws `ProblemError` where a client presents a certificate that does not count. */
export type CredentialsReader = (request: IncomingMessage) => Credentials;

/** Who comes in at an address of the service. */
export interface Entrance {
  readonly identities: Identities;
  readonly guard: Pick<OriginGuard, 'refusalOf'>;
  readonly credentialsOf: CredentialsReader;
}

type Certificate = NonNullable<Credentials['certificate']> & { readonly validUntilMs: number };

/** The time of day may be set meanwhile. */
const longestWaitMs = 60_000;

export interface CredentialsReaderOptions {
  readonly proxies: Pick<TrustedProxies, 'sourceOf'>;
  readonly clock: Clock;
}

export function credentialsReader({ proxies, clock }: CredentialsReaderOptions): CredentialsReader {
  /** By connection: it was decided on when it was made. */
  const known = new WeakMap<Socket, Certificate | 'none'>();
  const certificateOf = (socket: Socket) => {
    let found = known.get(socket);
    if (found === undefined) {
      found = presentedBy(socket as TLSSocket) ?? 'none';
      known.set(socket, found);
      if (found !== 'none') endWith(found, socket, clock);
    }
    if (found === 'none') return undefined;
    if (found.validUntilMs < clock.now() / 1000) throw refused('it has expired');
    return found;
  };
  return ({ headers, socket }) => ({
    authorization: headers.authorization,
    cookie: headers.cookie,
    source: proxies.sourceOf(socket.remoteAddress, headers['x-forwarded-for']),
    ...(isTls(socket) && { certificate: certificateOf(socket) }),
  });
}

/** What is open on a connection, such as the channel, does not outlive the certificate. */
function endWith({ validUntilMs }: Certificate, socket: Socket, clock: Clock): void {
  let cancel = () => {};
  const look = () => {
    const leftMs = validUntilMs - clock.now() / 1000;
    if (leftMs < 0) socket.destroy();
    else cancel = clock.after(Math.min(leftMs + 1, longestWaitMs), look);
  };
  look();
  socket.once('close', () => cancel());
}

function isTls(socket: Socket): boolean {
  return (socket as { encrypted?: boolean }).encrypted === true;
}

/** Of the client of a connection, whether it counts or not. */
export function certificateShown(socket: Socket): X509Certificate | undefined {
  return isTls(socket) ? (socket as TLSSocket).getPeerX509Certificate() : undefined;
}

function presentedBy(socket: TLSSocket): Certificate | undefined {
  const certificate = certificateShown(socket);
  if (certificate === undefined) return undefined;
  if (!socket.authorized) throw refused(reasonOf(socket.authorizationError));
  return {
    fingerprint: certificate.fingerprint256.replaceAll(':', '').toLowerCase(),
    subject: certificate.subject.replaceAll('\n', ', '),
    validUntilMs: Date.parse(certificate.validTo) || 0,
  };
}

const reasons: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: 'it has expired',
  CERT_NOT_YET_VALID: 'it is not valid yet',
  CERT_REVOKED: 'it has been revoked',
  CRL_HAS_EXPIRED: 'the list of revoked certificates (--tls-client-crl) has expired',
  UNABLE_TO_GET_CRL: 'no authority of --tls-client-ca has signed it, or that one has no list in --tls-client-crl',
};

/** By the code of OpenSSL; others mean that no authority of --tls-client-ca has signed it. */
function reasonOf(error: unknown): string {
  const code = (error as { code?: string } | undefined)?.code ?? String(error);
  return reasons[code] ?? `no authority of --tls-client-ca has signed it (${code})`;
}

function refused(reason: string): ProblemError {
  return new ProblemError('invalid-certificate', `The certificate of the client does not count: ${reason}.`);
}
