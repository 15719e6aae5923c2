// Codes for whoever has lost the second factor: shown once, stored as SHA-256 (they are random, so nothing slower is
// needed), and each good for one sign-in.
import { createHash, randomBytes } from 'node:crypto';

const codes = 10;
/** Without letters and digits that look alike. */
const alphabet = 'abcdefghjkmnpqrstuvwxyz23456789';

export interface NewRecoveryCodes {
  /** To show. */
  readonly texts: readonly string[];
  /** To store. */
  readonly hashes: readonly string[];
}

export function newRecoveryCodes(): NewRecoveryCodes {
  const texts = Array.from({ length: codes }, newCode);
  return { texts, hashes: texts.map(hashOf) };
}

/** To store in their place, when the code is one of them; else undefined. */
export function takeRecoveryCode(hashes: readonly string[], code: string): readonly string[] | undefined {
  const hash = hashOf(code);
  return hashes.includes(hash) ? hashes.filter((each) => each !== hash) : undefined;
}

/** Four groups of four letters: 79 bits. */
function newCode(): string {
  const letters: string[] = [];
  while (letters.length < 16) {
    const byte = randomBytes(1)[0] ?? 0;
    if (byte < alphabet.length * 8) letters.push(alphabet[byte % alphabet.length] ?? '');
  }
  return letters.join('').replaceAll(/.{4}(?=.)/g, '$&-');
}

function hashOf(code: string): string {
  const plain = code.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
  return createHash('sha256').update(plain).digest('base64');
}
