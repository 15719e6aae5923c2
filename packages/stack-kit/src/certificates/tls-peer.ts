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
    const certificate = raw === undefined ? undefined : new X509Certificate(raw);
    if (certificate === undefined) return new Error('the server presents no certificate');
    const nowMs = Math.floor(clock.now() / 1000);
    const thumbprint = thumbprintOf(certificate);
    if (this.#trusted.has(thumbprint)) {
      if (isInForce(certificate, nowMs)) return undefined;
      const { validFrom, validTo } = certificate;
      return new Error(
        `the certificate ${titleOf(certificate)} of the server is trusted, but only valid from ${validFrom} to ${validTo}`,
      );
    }
    const reason = this.#reasonOf(socket);
    void certificates.reject(certificate, address, reason);
    return new Error(
      `the certificate ${titleOf(certificate)} of the server is not trusted, ${reason}: ${toTrust(thumbprint)}`,
    );
  }

  #reasonOf(socket: TLSSocket): string {
    const code = String(socket.authorizationError);
    if (code !== 'ERR_TLS_CERT_ALTNAME_INVALID') return reasons.get(code) ?? code;
    const { message } = checkServerIdentity(this.#options.serverName, socket.getPeerCertificate()) ?? { message: code };
    return message.slice(0, 500);
  }
}
