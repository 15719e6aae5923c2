// How nodes of a site know each other: by a secret that is in etcd alone. It signs each request and each answer, and is never sent.
import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

/** All of it is signed. */
export interface SignedRequest {
  readonly operation: string;
  readonly from: string;
  readonly to: string;
  /** By the clock of who asks. */
  readonly timeMs: number;
  /** By chance; no two requests have the same. */
  readonly nonce: string;
  readonly digest: string;
}

export type RequestHeaders = Record<string, string>;

const noncePattern = /^[0-9a-f]{32}$/;
const hashPattern = /^[0-9a-f]{64}$/;
const longestName = 1024;

export function newNonce(): string {
  return randomBytes(16).toString('hex');
}

export function digestOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

export function headersOf(secret: string, request: SignedRequest): RequestHeaders {
  return {
    'telltale-from': encodeURIComponent(request.from),
    'telltale-to': encodeURIComponent(request.to),
    'telltale-time': String(request.timeMs),
    'telltale-nonce': request.nonce,
    'telltale-digest': request.digest,
    'telltale-mac': macOfRequest(secret, request),
  };
}

/** Undefined: these are none, or somebody has signed them who does not know the secret. */
export function readHeaders(
  secret: string,
  operation: string,
  headers: Readonly<Record<string, string | string[] | undefined>>,
): SignedRequest | undefined {
  const [from, to] = [nameOf(headers['telltale-from']), nameOf(headers['telltale-to'])];
  const timeMs = Number(headers['telltale-time']);
  const { 'telltale-nonce': nonce, 'telltale-digest': digest, 'telltale-mac': mac } = headers;
  if (from === undefined || to === undefined || !Number.isSafeInteger(timeMs)) return undefined;
  if (typeof nonce !== 'string' || !noncePattern.test(nonce)) return undefined;
  if (typeof digest !== 'string' || !hashPattern.test(digest)) return undefined;
  const request = { operation, from, to, timeMs, nonce, digest };
  return isEqual(mac, macOfRequest(secret, request)) ? request : undefined;
}

export function macOfAnswer(secret: string, { nonce }: SignedRequest, body: Uint8Array): string {
  return macOf(secret, ['answer', nonce, digestOf(body)]);
}

/** Both in hexadecimal. */
export function isEqual(given: unknown, expected: string): boolean {
  if (typeof given !== 'string' || given.length !== expected.length) return false;
  return timingSafeEqual(Buffer.from(given), Buffer.from(expected));
}

function macOfRequest(secret: string, { operation, from, to, timeMs, nonce, digest }: SignedRequest): string {
  return macOf(secret, ['request', operation, from, to, String(timeMs), nonce, digest]);
}

/** No two lists of parts are the same text. */
function macOf(secret: string, parts: readonly string[]): string {
  return createHmac('sha256', Buffer.from(secret, 'hex')).update(JSON.stringify(parts)).digest('hex');
}

function nameOf(header: string | string[] | undefined): string | undefined {
  if (typeof header !== 'string' || header === '' || header.length > longestName) return undefined;
  try {
    return decodeURIComponent(header);
  } catch {
    return undefined;
  }
}
