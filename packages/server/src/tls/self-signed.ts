// Makes a certificate of P-256 that signs itself, for a service without one of an authority.
import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { isIP } from 'node:net';
import { bits, integer, objectId, octets, sequence, set, tagged, text, time, yes } from './der.ts';

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

const dayMs = 86_400_000;
/** Whoever has compared its fingerprint should not have to again soon. */
const validDays = 3650;
/** Clocks of clients may be behind. */
const beforeDays = 1;
/** RFC 5280: a common name has at most so many characters. */
const maxTitle = 64;

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
} as const;

export function makeSelfSigned({ title, hosts, nowMs }: SelfSignedOptions): Pair {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const publicDer = publicKey.export({ type: 'spki', format: 'der' });
  const algorithm = sequence(objectId(ids.ecdsaWithSha256));
  const name = sequence(set(sequence(objectId(ids.commonName), text(title.slice(0, maxTitle)))));
  const toSign = sequence(
    tagged(0, integer(Buffer.from([2]))), // version 3
    integer(serialNumber()),
    algorithm,
    name,
    sequence(time(nowMs - beforeDays * dayMs), time(nowMs + validDays * dayMs)),
    name,
    publicDer,
    tagged(3, sequence(...extensions(publicDer, hosts))),
  );
  const signature = sign('sha256', toSign, { key: privateKey, dsaEncoding: 'der' });
  return {
    certificate: pemOf(sequence(toSign, algorithm, bits(signature))),
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
  };
}

/** It may serve TLS and sign no other certificate: a browser that trusts it trusts this service alone. */
function extensions(publicDer: Uint8Array, hosts: readonly string[]): Buffer[] {
  const keyIdentifier = createHash('sha1').update(publicDer).digest();
  const digitalSignature = bits(Buffer.from([0x80]), 7);
  return [
    extension(ids.basicConstraints, sequence(), yes()),
    extension(ids.keyUsage, digitalSignature, yes()),
    extension(ids.extendedKeyUsage, sequence(objectId(ids.serverAuthentication))),
    extension(ids.keyIdentifier, octets(keyIdentifier)),
    extension(ids.authorityKeyIdentifier, sequence(tagged(0, keyIdentifier, false))), // tells it from an earlier one
    extension(ids.alternativeNames, sequence(...hosts.map(alternativeName))),
  ];
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
