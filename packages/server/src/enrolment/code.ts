// The code with which somebody brings a server to the bus: where the centre is, by which certificate it is known, and a secret that
// works once.

export interface EnrolmentCode {
  /** Of the centre, https. */
  readonly url: string;
  /** SHA-256 of the certificate that it shows, in base64url; empty: one that this machine trusts. */
  readonly fingerprint: string;
  readonly invitation: string;
  readonly secret: string;
}

const prefix = 'telltale-bus-1.';
const mostLength = 2000;

/** The message is for the person who has given it. */
export class BadCode extends Error {
  override readonly name = 'BadCode';
}

export function codeText({ url, fingerprint, invitation, secret }: EnrolmentCode): string {
  return prefix + Buffer.from(JSON.stringify([url, fingerprint, invitation, secret])).toString('base64url');
}

/** Throws `BadCode`. */
export function readCode(text: string): EnrolmentCode {
  const given = text.trim();
  if (!given.startsWith(prefix) || given.length > mostLength) throw notWhole();
  const parts = parse(Buffer.from(given.slice(prefix.length), 'base64url').toString());
  if (!Array.isArray(parts) || parts.length !== 4 || !parts.every((part) => typeof part === 'string')) throw notWhole();
  const [url, fingerprint, invitation, secret] = parts as [string, string, string, string];
  if (!URL.canParse(url)) throw notWhole();
  return { url, fingerprint, invitation, secret };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw notWhole();
  }
}

function notWhole(): BadCode {
  return new BadCode('this is no code of a centre, or not all of one: it begins with telltale-bus-1. and is one line');
}
