// The text of a token: tt_, 32 random bytes, and a checksum, so that a mistyped or cut one is known without a look-up, and
// scanners for leaked secrets find it.
import { createHash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

const form = /^tt_([A-Za-z0-9_-]{43})([A-Za-z0-9_-]{6})$/;

export function newToken(): string {
  const random = randomBytes(32).toString('base64url');
  return `tt_${random}${checksumOf(random)}`;
}

export function isToken(text: string): boolean {
  const [, random = '', checksum] = form.exec(text) ?? [];
  return checksum === checksumOf(random);
}

/** What is stored of a secret text, so that the time of a look-up reveals nothing about those that exist. */
export function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}

function checksumOf(random: string): string {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(crc32(random));
  return bytes.toString('base64url');
}
