// Time-based one-time codes (RFC 6238): six digits every 30 s, by a secret that an authenticator app has too. A code is taken
// once, so the step of the last one is stored with the secret.
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

export interface Totp {
  /** In base32, as apps take it. */
  readonly secret: string;
  /** Of the newest code that was taken. */
  readonly lastStep: number;
}

const stepS = 30;
const digits = 6;
const secretBytes = 20;
/** Clocks of phones and people's typing: a step before and after. */
const tolerance = [0, -1, 1] as const;
const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

export function newTotp(): Totp {
  return { secret: base32(randomBytes(secretBytes)), lastStep: 0 };
}

/** What an app reads from a QR code. */
export function totpUri({ secret }: Totp, user: string, issuer: string): string {
  const label = `${encodeURIComponent(issuer)}:${encodeURIComponent(user)}`;
  const parameters = new URLSearchParams({
    secret,
    issuer,
    algorithm: 'SHA1',
    digits: `${digits}`,
    period: `${stepS}`,
  });
  return `otpauth://totp/${label}?${parameters}`;
}

/** To store in its place, when the code is right and none of its time was taken before; else undefined. */
export function takeCode(totp: Totp, code: string, nowUs: number): Totp | undefined {
  const given = Buffer.from(code.replaceAll(' ', ''));
  const key = fromBase32(totp.secret);
  const present = Math.floor(nowUs / 1e6 / stepS);
  let taken: number | undefined;
  for (const offset of tolerance) {
    const expected = Buffer.from(codeAt(key, present + offset));
    if (given.length === expected.length && timingSafeEqual(given, expected)) taken ??= present + offset;
  }
  return taken === undefined || taken <= totp.lastStep ? undefined : { ...totp, lastStep: taken };
}

/** The code of the moment, as an app shows it. */
export function presentCode({ secret }: Totp, nowUs: number): string {
  return codeAt(fromBase32(secret), Math.floor(nowUs / 1e6 / stepS));
}

/** RFC 4226, 5.3. */
function codeAt(key: Buffer, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const hash = createHmac('sha1', key).update(counter).digest();
  const at = (hash.at(-1) ?? 0) & 15;
  const number = (hash.readUInt32BE(at) & 0x7fffffff) % 10 ** digits;
  return String(number).padStart(digits, '0');
}

function base32(bytes: Buffer): string {
  const bits = Array.from(bytes, (byte) => byte.toString(2).padStart(8, '0')).join('');
  return (bits.match(/.{5}/g) ?? []).map((five) => alphabet[Number.parseInt(five, 2)]).join('');
}

function fromBase32(text: string): Buffer {
  const bits = Array.from(text, (letter) => alphabet.indexOf(letter).toString(2).padStart(5, '0')).join('');
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((eight) => Number.parseInt(eight, 2)));
}
