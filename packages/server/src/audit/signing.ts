// The key of the trail, and what is signed with it. The private key stands beside the trail, in a file of its own; the public
// one in the trail, so that a copy of the folder can be verified.
import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  hash,
  type KeyObject,
  sign,
  verify,
} from 'node:crypto';
import { globSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { syncFolder } from '../sqlite/index.ts';

/** What a signature stands for: so that one of a head is not one of a cut. */
export type Signed = 'head' | 'cut';

export interface SigningKey {
  readonly fingerprint: string;
  readonly publicPem: string;
  sign(what: Signed, parts: readonly (string | number)[]): string;
}

const privateMode = 0o600;

/** SHA-256 of the public key (SPKI, DER). */
export function fingerprintOf(key: KeyObject): string {
  return hash('sha256', key.export({ type: 'spki', format: 'der' }), 'hex');
}

function signedBytes(what: Signed, parts: readonly (string | number)[]): Buffer {
  return Buffer.from(`telltale audit ${what} 1\n${parts.join('\n')}\n`);
}

function signingKey(privateKey: KeyObject): SigningKey {
  const publicKey = createPublicKey(privateKey);
  return {
    fingerprint: fingerprintOf(publicKey),
    publicPem: publicKey.export({ type: 'spki', format: 'pem' }) as string,
    sign: (what, parts) => sign(null, signedBytes(what, parts), privateKey).toString('base64'),
  };
}

/** The key in this file; a new one where there is none, or what is there is no key, which is moved aside. */
export function takeKey(path: string): SigningKey {
  const found = readIfThere(path);
  if (found !== undefined) {
    const key = ed25519(() => createPrivateKey(found));
    if (key !== undefined) return signingKey(key);
    renameSync(path, `${path}.damaged`);
  }
  const { privateKey } = generateKeyPairSync('ed25519');
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' });
  writeWhole(path, pem as string);
  return signingKey(privateKey);
}

/** Puts the public key into the folder of the trail. */
export function publish({ fingerprint, publicPem }: SigningKey, folder: string): void {
  const path = join(folder, `key-${fingerprint.slice(0, 16)}.pem`);
  if (readIfThere(path) !== publicPem) writeWhole(path, publicPem);
}

/** The public keys in the folder of a trail, by their fingerprints. */
export function publicKeysIn(folder: string): Map<string, KeyObject> {
  const keys = new Map<string, KeyObject>();
  for (const name of globSync('key-*.pem', { cwd: folder })) {
    const key = ed25519(() => createPublicKey(readFileSync(join(folder, name))));
    if (key !== undefined) keys.set(fingerprintOf(key), key);
  }
  return keys;
}

export function isSigned(
  key: KeyObject,
  what: Signed,
  parts: readonly (string | number)[],
  signature: string,
): boolean {
  return verify(null, signedBytes(what, parts), key, Buffer.from(signature, 'base64'));
}

function ed25519(read: () => KeyObject): KeyObject | undefined {
  try {
    const key = read();
    return key.asymmetricKeyType === 'ed25519' ? key : undefined;
  } catch {
    return undefined;
  }
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** On disk, whole, when it returns; nothing where it throws. */
function writeWhole(path: string, text: string): void {
  const temporary = `${path}.tmp`;
  try {
    writeFileSync(temporary, text, { mode: privateMode, flush: true });
    renameSync(temporary, path);
    syncFolder(dirname(path));
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}
