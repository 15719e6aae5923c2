// What people know a certificate by: its thumbprints, names, addresses and time. Whatever a peer presents is bounded here.
import { X509Certificate } from 'node:crypto';

export interface CertificateFacts {
  /** SHA-256 of the certificate, in hexadecimal. */
  readonly thumbprint: string;
  /** SHA-1 of it, by which OPC UA knows it. */
  readonly sha1: string;
  readonly subject: string;
  readonly issuer: string;
  readonly isSelfSigned: boolean;
  /** Of hosts. */
  readonly names: readonly string[];
  /** IP addresses and URIs. */
  readonly addresses: readonly string[];
  /** Zero where the certificate has none that can be read; the same of its end, so that it has expired. */
  readonly validFromMs: number;
  readonly validUntilMs: number;
}

const maxCertificateBytes = 64 * 1024;
/** Of a file with several. */
const maxFileBytes = 1024 * 1024;
const maxCertificates = 200;
const maxTextLength = 256;
const maxNames = 20;
const pem = /-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]+-----END CERTIFICATE-----/g;

/** DER, PEM, or a chain of which the first counts; undefined if it is none of these. */
export function parseCertificate(bytes: Buffer | undefined): X509Certificate | undefined {
  if (bytes === undefined || bytes.length === 0 || bytes.length > maxCertificateBytes) return undefined;
  try {
    return new X509Certificate(bytes);
  } catch {
    return undefined;
  }
}

/** All that a file has: one of DER, or some of PEM. */
export function parseCertificates(bytes: Buffer): X509Certificate[] {
  if (bytes.length > maxFileBytes) return [];
  const texts = bytes.toString('latin1').match(pem) ?? [];
  const parts = texts.length === 0 ? [bytes] : texts.slice(0, maxCertificates).map((text) => Buffer.from(text));
  return parts.flatMap((part) => parseCertificate(part) ?? []);
}

export function thumbprintOf({ fingerprint256 }: X509Certificate): string {
  return fingerprint256.replaceAll(':', '').toLowerCase();
}

export function factsOf(certificate: X509Certificate): CertificateFacts {
  const alternatives = alternativesOf(certificate.subjectAltName ?? '');
  const ofKind = (...kinds: string[]) =>
    alternatives.flatMap(({ kind, text }) => (kinds.includes(kind) ? [text] : [])).slice(0, maxNames);
  return {
    thumbprint: thumbprintOf(certificate),
    sha1: certificate.fingerprint.replaceAll(':', '').toLowerCase(),
    subject: lineOf(certificate.subject),
    issuer: lineOf(certificate.issuer),
    isSelfSigned: certificate.checkIssued(certificate),
    names: ofKind('DNS'),
    addresses: ofKind('IP Address', 'URI'),
    validFromMs: Date.parse(certificate.validFrom) || 0,
    validUntilMs: Date.parse(certificate.validTo) || 0,
  };
}

/** The URI of an OPC UA application, else the subject; quoted, for messages. */
export function titleOf(certificate: X509Certificate): string {
  const uri = alternativesOf(certificate.subjectAltName ?? '').find(({ kind }) => kind === 'URI')?.text;
  return JSON.stringify(uri ?? lineOf(certificate.subject));
}

/** By the texts: where a time cannot be read, these say so, and the dates are any. */
export function isInForce({ validFrom, validTo }: X509Certificate, nowMs: number): boolean {
  return nowMs >= Date.parse(validFrom) && nowMs <= Date.parse(validTo);
}

/** `C=AT, CN=plc`, on one line and not too long. */
function lineOf(text: string | undefined): string {
  const line = (text ?? '')
    .replaceAll('\n', ', ')
    .replaceAll(/[^\P{C}]/gu, '')
    .trim();
  return line.length > maxTextLength ? `${line.slice(0, maxTextLength)}…` : line;
}

/** Names with commas or quotes are in quotes. */
function alternativesOf(text: string): { readonly kind: string; readonly text: string }[] {
  const parts = text.slice(0, maxTextLength * maxNames * 2).matchAll(/([A-Za-z ]+):("(?:[^"\\]|\\.)*"|[^,]*)(?:, |$)/g);
  return Array.from(parts, ([, kind = '', part = '']) => ({ kind, text: lineOf(part.replaceAll('"', '')) }));
}
