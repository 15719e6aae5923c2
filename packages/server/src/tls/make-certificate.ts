// Makes certificates (X.509, RFC 5280) of P-256: of an authority, of servers and of clients.
import { createHash, type KeyObject, randomBytes, sign } from 'node:crypto';
import { isIP } from 'node:net';
import { bits, integer, objectId, octets, sequence, set, tagged, text, time, yes } from './der.ts';

export interface CertificateOptions {
  /** The common name of the one that it is for. */
  readonly subject: string;
  readonly publicKey: KeyObject;
  /** The common name of the one who signs, and its pair. */
  readonly issuer: string;
  readonly issuerKey: KeyObject;
  readonly issuerPublicKey: KeyObject;
  /** What it may be used for: signing others, or one side of TLS, or both. */
  readonly uses: readonly CertificateUse[];
  /** Names and IP addresses of the host: the certificate is good for these. */
  readonly hosts?: readonly string[];
  readonly nowMs: number;
  readonly validDays: number;
}

export type CertificateUse = 'authority' | 'server' | 'client';

const dayMs = 86_400_000;
/** Clocks of others may be behind. */
const beforeDays = 1;

const ids = {
  ecdsaWithSha256: '1.2.840.10045.4.3.2',
  commonName: '2.5.4.3',
  keyIdentifier: '2.5.29.14',
  keyUsage: '2.5.29.15',
  authorityKeyIdentifier: '2.5.29.35',
  alternativeNames: '2.5.29.17',
  basicConstraints: '2.5.29.19',
  extendedKeyUsage: '2.5.29.37',
  serverAuthentication: '1.3.6.1.5.5.7.3.1',
  clientAuthentication: '1.3.6.1.5.5.7.3.2',
} as const;

/** RFC 5280: a common name has at most so many characters. */
export const maxCommonName = 64;

/** In PEM. */
export function makeCertificate(options: CertificateOptions): string {
  const { subject, publicKey, issuer, issuerKey, nowMs, validDays } = options;
  const algorithm = sequence(objectId(ids.ecdsaWithSha256));
  const toSign = sequence(
    tagged(0, integer(Buffer.from([2]))), // version 3
    integer(serialNumber()),
    algorithm,
    nameOf(issuer),
    sequence(time(nowMs - beforeDays * dayMs), time(nowMs + validDays * dayMs)),
    nameOf(subject),
    derOf(publicKey),
    tagged(3, sequence(...extensions(options))),
  );
  const signature = sign('sha256', toSign, { key: issuerKey, dsaEncoding: 'der' });
  return pemOf(sequence(toSign, algorithm, bits(signature)));
}

/** One that is no authority signs no other certificate: whoever trusts it trusts this one alone. */
function extensions({ publicKey, issuerPublicKey, uses, hosts = [] }: CertificateOptions): Buffer[] {
  const isAuthority = uses.includes('authority');
  const signCertificates = bits(Buffer.from([0x06]), 1);
  const digitalSignature = bits(Buffer.from([0x80]), 7);
  const sides = [
    ...(uses.includes('server') ? [objectId(ids.serverAuthentication)] : []),
    ...(uses.includes('client') ? [objectId(ids.clientAuthentication)] : []),
  ];
  return [
    extension(ids.basicConstraints, sequence(...(isAuthority ? [yes()] : [])), yes()),
    extension(ids.keyUsage, isAuthority ? signCertificates : digitalSignature, yes()),
    ...(sides.length > 0 ? [extension(ids.extendedKeyUsage, sequence(...sides))] : []),
    extension(ids.keyIdentifier, octets(keyIdentifier(publicKey))),
    extension(ids.authorityKeyIdentifier, sequence(tagged(0, keyIdentifier(issuerPublicKey), false))), // tells it from an earlier one
    ...(hosts.length > 0 ? [extension(ids.alternativeNames, sequence(...hosts.map(alternativeName)))] : []),
  ];
}

function nameOf(commonName: string): Buffer {
  return sequence(set(sequence(objectId(ids.commonName), text(commonName.slice(0, maxCommonName)))));
}

function derOf(key: KeyObject): Buffer {
  return key.export({ type: 'spki', format: 'der' });
}

function keyIdentifier(key: KeyObject): Buffer {
  return createHash('sha1').update(derOf(key)).digest();
}

function extension(id: string, content: Uint8Array, ...critical: readonly Uint8Array[]): Buffer {
  return sequence(objectId(id), ...critical, octets(content));
}

function alternativeName(host: string): Buffer {
  if (isIP(host) === 0) return tagged(2, Buffer.from(host, 'latin1'), false);
  return tagged(7, addressBytes(host), false);
}

/** A URL writes every form of an address in the shortest one. */
export function addressBytes(address: string): Buffer {
  if (isIP(address) === 4) return Buffer.from(address.split('.').map(Number));
  const [head = '', tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::');
  const groups = (part = '') => (part === '' ? [] : part.split(':'));
  const [first, last] = [groups(head), groups(tail)];
  const zeros = Array.from({ length: 8 - first.length - last.length }, () => '0');
  const hex = [...first, ...zeros, ...last].map((group) => group.padStart(4, '0')).join('');
  return Buffer.from(hex, 'hex');
}

/** Positive, and not to be guessed. */
function serialNumber(): Buffer {
  const bytes = randomBytes(16);
  bytes[0] = ((bytes[0] ?? 0) & 0x7f) | 0x40;
  return bytes;
}

function pemOf(der: Buffer): string {
  const lines = der.toString('base64').match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`;
}
