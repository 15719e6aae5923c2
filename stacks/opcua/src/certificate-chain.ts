// Whether a certificate is to be trusted, by the rules of OPC UA Part 4, 6.1.3: the very certificate, or one of the authorities
// that have signed it, is trusted; each is in force, long enough, and not revoked.
import type { X509Certificate } from 'node:crypto';
import { isInForce, titleOf } from '@telltale/stack-kit';
import { crypto_utils, type StatusCode, StatusCodes } from 'node-opcua-client';
import type { RevocationList } from './revocation-lists.ts';

/** What a person has put into the folders. */
export interface Authorities {
  readonly trusted: readonly X509Certificate[];
  /** Complete chains, and are not trusted for it. */
  readonly issuers: readonly X509Certificate[];
}

/** What a person accepts nevertheless. */
export interface Leniency {
  readonly shortKeys: boolean;
  readonly unknownRevocation: boolean;
}

export interface Refusal {
  readonly status: StatusCode;
  readonly reason: string;
}

/** Authorities over one another. */
const maxDepth = 8;
const minKeyBits = 2048;

export interface Trust {
  /** From who signed the certificate to the root, as far as they are known. */
  readonly path: readonly X509Certificate[];
  readonly isItself: boolean;
  /** Undefined where it is trusted, whatever else may be wrong with it. */
  readonly refusal: Refusal | undefined;
}

/** `sent`: what the peer has sent along with it. */
export function trustOf(leaf: X509Certificate, sent: readonly X509Certificate[], authorities: Authorities): Trust {
  const { trusted, issuers } = authorities;
  const isItself = trusted.some(({ raw }) => raw.equals(leaf.raw));
  const path = pathOf(leaf, [...trusted, ...issuers, ...sent]);
  const isTrusted = isItself || path.some((each) => trusted.some(({ raw }) => raw.equals(each.raw)));
  const last = path.at(-1) ?? leaf;
  const missing = isSelfSigned(last)
    ? ''
    : `, and the certificate of its authority ${inOneLine(last.issuer)} is missing`;
  if (!isTrusted) {
    const reason = `nobody has trusted it${missing}`;
    return { path, isItself, refusal: { status: StatusCodes.BadCertificateUntrusted, reason } };
  }
  if (isItself || missing === '') return { path, isItself, refusal: undefined };
  const reason = `the certificate of the authority ${inOneLine(last.issuer)} is missing: put it into the folder issuers`;
  return { path, isItself, refusal: { status: StatusCodes.BadCertificateChainIncomplete, reason } };
}

/** What is wrong with one that is trusted; undefined where nothing is. */
export function faultOf(
  leaf: X509Certificate,
  { path, isItself }: Trust,
  lists: readonly RevocationList[],
  leniency: Leniency,
  nowMs: number,
): Refusal | undefined {
  // Whom a person trusts itself, nobody else must vouch for; but its authority may have revoked it.
  const chain = isItself ? [leaf] : [leaf, ...path];
  for (const [depth, certificate] of chain.entries()) {
    const fault = faultOfOne(certificate, depth, leniency, nowMs) ?? faultOfLength(certificate, depth);
    if (fault !== undefined) return fault;
    const issuer = path[depth];
    // Nobody revokes a root but a person, who takes it out of the folder.
    if (issuer === undefined || isSelfSigned(certificate)) continue;
    const isLenient = isItself || leniency.unknownRevocation;
    const revocation = revocationOf(certificate, issuer, depth, lists, isLenient, nowMs);
    if (revocation !== undefined) return revocation;
  }
  return undefined;
}

function faultOfOne(
  certificate: X509Certificate,
  depth: number,
  { shortKeys }: Leniency,
  nowMs: number,
): Refusal | undefined {
  const { validFrom, validTo, publicKey } = certificate;
  const isLeaf = depth === 0;
  const whose = isLeaf ? 'it' : `its authority ${titleOf(certificate)}`;
  if (!isInForce(certificate, nowMs)) {
    const status = isLeaf ? StatusCodes.BadCertificateTimeInvalid : StatusCodes.BadCertificateIssuerTimeInvalid;
    return { status, reason: `${whose} is only valid from ${validFrom} to ${validTo}` };
  }
  const bits = publicKey.asymmetricKeyDetails?.modulusLength ?? 0;
  if (publicKey.asymmetricKeyType !== 'rsa' && isLeaf) {
    const reason = `its key is not of RSA but ${publicKey.asymmetricKeyType}, which no security policy here can use`;
    return { status: StatusCodes.BadCertificatePolicyCheckFailed, reason };
  }
  if (publicKey.asymmetricKeyType === 'rsa' && bits < minKeyBits && !shortKeys) {
    const reason = `${whose} has a key of ${bits} bits: at least ${minKeyBits}, or dangerouslyAcceptShortKeys`;
    return { status: StatusCodes.BadCertificatePolicyCheckFailed, reason };
  }
  return undefined;
}

/** How many authorities may be below it, where it says so. */
function faultOfLength(authority: X509Certificate, depth: number): Refusal | undefined {
  if (depth === 0) return undefined;
  const { extensions } = crypto_utils.exploreCertificate(authority.raw).tbsCertificate;
  const most = extensions?.basicConstraints?.pathLengthConstraint ?? maxDepth;
  if (depth - 1 <= most) return undefined;
  const reason = `its authority ${titleOf(authority)} may have no more than ${most} other authorities below it`;
  return { status: StatusCodes.BadCertificateIssuerUseNotAllowed, reason };
}

function revocationOf(
  { serialNumber }: X509Certificate,
  issuer: X509Certificate,
  depth: number,
  lists: readonly RevocationList[],
  isLenient: boolean,
  nowMs: number,
): Refusal | undefined {
  const isLeaf = depth === 0;
  const of = lists.filter((list) => list.isOf(issuer));
  if (of.some((list) => list.has(serialNumber))) {
    const status = isLeaf ? StatusCodes.BadCertificateRevoked : StatusCodes.BadCertificateIssuerRevoked;
    return { status, reason: `${isLeaf ? 'it' : 'its authority'} was revoked by ${titleOf(issuer)}` };
  }
  if (isLenient || of.some((list) => list.isInForce(nowMs))) return undefined;
  const status = isLeaf
    ? StatusCodes.BadCertificateRevocationUnknown
    : StatusCodes.BadCertificateIssuerRevocationUnknown;
  const lack = of.length === 0 ? 'there is no revocation list' : 'the revocation list is out of date';
  const reason = `${lack} of ${titleOf(issuer)}: put one into the folder crl, or dangerouslyAcceptUnknownRevocation`;
  return { status, reason };
}

/** Only authorities sign: what is none has signed nothing. */
function pathOf(leaf: X509Certificate, known: readonly X509Certificate[]): X509Certificate[] {
  const path: X509Certificate[] = [];
  const authorities = known.filter(({ ca }) => ca);
  for (let current = leaf; path.length < maxDepth && !isSelfSigned(current); ) {
    const issuer = authorities.find((each) => isSignedBy(current, each));
    if (issuer === undefined || path.includes(issuer)) break;
    path.push(issuer);
    current = issuer;
  }
  return path;
}

function isSelfSigned(certificate: X509Certificate): boolean {
  return isSignedBy(certificate, certificate);
}

function isSignedBy(certificate: X509Certificate, issuer: X509Certificate): boolean {
  try {
    return certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey);
  } catch {
    return false;
  }
}

function inOneLine(name: string): string {
  return JSON.stringify(name.replaceAll('\n', ', ').slice(0, 200));
}
