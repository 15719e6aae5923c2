// Decides on the certificate of a server over TLS: what Node verifies is taken, and so is the very certificate that a
// person trusts, whoever has signed it and whatever names are in it. Any other is refused before anything is sent.
import { X509Certificate } from 'node:crypto';
import { checkServerIdentity, type TLSSocket } from 'node:tls';
import type { Clock } from '@telltale/schema';
import { isInForce, thumbprintOf, titleOf } from './certificate.ts';
import { type PeerCertificates, toTrust } from './peer-certificates.ts';

export interface TlsPeerOptions {
  readonly certificates: PeerCertificates;
  /** Of the server, for people. */
  readonly address: string;
  /** What its certificate must contain. */
  readonly serverName: string;
  readonly clock: Clock;
}

const wrongName = 'ERR_TLS_CERT_ALTNAME_INVALID';
/** In the words of people. */
const reasons = new Map([
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'it is self-signed'],
  ['SELF_SIGNED_CERT_IN_CHAIN', 'it is signed by an unknown authority'],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'it is signed by an unknown authority'],
  ['UNABLE_TO_GET_ISSUER_CERT', 'it is signed by an unknown authority'],
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'it is signed by an unknown authority'],
  ['CERT_HAS_EXPIRED', 'it has expired'],
  ['CERT_NOT_YET_VALID', 'it is not yet valid'],
]);

export class TlsPeer {
  readonly #options: TlsPeerOptions;
  readonly #trusted: ReadonlySet<string>;

  private constructor(options: TlsPeerOptions, trusted: ReadonlySet<string>) {
    this.#options = options;
    this.#trusted = trusted;
  }

  /** With what is trusted now. */
  static async of(options: TlsPeerOptions): Promise<TlsPeer> {
    return new TlsPeer(options, await options.certificates.trusted());
  }

  /**
   * Destroys the socket, with a reason for people, where its server is not to be trusted. To be called at once for a socket
   * of `tls.connect` with `rejectUnauthorized: false` and without a session: whatever was written to it waits until then.
   */
  guard(socket: TLSSocket): void {
    socket.once('secureConnect', () => {
      const error = this.#check(socket);
      if (error !== undefined) socket.destroy(error);
    });
  }

  /** Resolves when what was refused is on disk. */
  settled(): Promise<void> {
    return this.#options.certificates.close();
  }

  #check(socket: TLSSocket): Error | undefined {
    if (socket.authorized) return undefined;
    const { certificates, address, clock } = this.#options;
    const { raw } = socket.getPeerCertificate();
    if (raw === undefined) return new Error('the server presents no certificate');
    const certificate = new X509Certificate(raw);
    const isTrusted = this.#trusted.has(thumbprintOf(certificate));
    const reason = this.#reasonOf(socket);
    const nowMs = Math.floor(clock.now() / 1000);
    const refusal = refusalText({ certificate, of: 'server', isTrusted, reason, nowMs });
    if (refusal === undefined) return undefined;
    if (!isTrusted) void certificates.reject(certificate, address, reason);
    return new Error(refusal);
  }

  #reasonOf(socket: TLSSocket): string {
    const reason = authorizationReason(socket);
    if (reason !== wrongName) return reason;
    const { message } = checkServerIdentity(this.#options.serverName, socket.getPeerCertificate()) ?? {
      message: reason,
    };
    return message.slice(0, 500);
  }
}

/** Why Node has not verified the other side. */
export function authorizationReason(socket: TLSSocket): string {
  const code = String(socket.authorizationError);
  return reasons.get(code) ?? code;
}

export interface RefusalOptions {
  readonly certificate: X509Certificate;
  readonly of: 'server' | 'client';
  /** By a person. */
  readonly isTrusted: boolean;
  /** Why it is not verified otherwise. */
  readonly reason: string;
  readonly nowMs: number;
}

/** Why a certificate that was not verified is refused; undefined where it is not, since a person trusts it. */
export function refusalText({ certificate, of, isTrusted, reason, nowMs }: RefusalOptions): string | undefined {
  const title = `the certificate ${titleOf(certificate)} of the ${of}`;
  if (!isTrusted) return `${title} is not trusted, ${reason}: ${toTrust(thumbprintOf(certificate))}`;
  if (isInForce(certificate, nowMs)) return undefined;
  return `${title} is trusted, but only valid from ${certificate.validFrom} to ${certificate.validTo}`;
}
