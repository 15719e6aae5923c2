// Makes a certificate that signs itself, for a service without one of an authority.
import { generateKeyPairSync } from 'node:crypto';
import { makeCertificate } from './make-certificate.ts';

export interface SelfSignedOptions {
  /** Of the one that it is for; shown to people. */
  readonly title: string;
  /** Names and IP addresses of the host: the certificate is good for these. */
  readonly hosts: readonly string[];
  readonly nowMs: number;
}

/** Both in PEM. */
export interface Pair {
  readonly certificate: string;
  readonly key: string;
}

/** Whoever has compared its fingerprint should not have to again soon. */
const validDays = 3650;

export function makeSelfSigned({ title, hosts, nowMs }: SelfSignedOptions): Pair {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const itself = { subject: title, publicKey, issuer: title, issuerKey: privateKey, issuerPublicKey: publicKey };
  return {
    certificate: makeCertificate({ ...itself, uses: ['server'], hosts, nowMs, validDays }),
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
  };
}
