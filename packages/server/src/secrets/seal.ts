// Seals secrets for the disk with AES-256-GCM, each with what it is of and where it may be sent. Without a key they have the
// same form and are not encrypted.
import { createCipheriv, createDecipheriv, createHmac, hkdfSync } from 'node:crypto';

export type Role = 'connector' | 'provider';

/** Where secrets are sent: the stack, and the variables that it declares to be the destination. */
export type Destination = Readonly<Record<string, string>>;

export interface StoredSecret {
  /** Whose it is and what it is for: elsewhere it is of no use. */
  readonly of: string;
  readonly text: string;
  /** Where the connector, and the provider, of this name may send it. */
  readonly bound: { readonly [R in Role]?: Destination };
  /** It came as a plain file: whoever of the two reads it first is bound then. */
  readonly isOpen?: true;
}

/** 32 bytes each, in base64: the first seals, the others open what was sealed before. */
export type SealKeys = readonly string[];

/** Why a secret cannot be used, for people. */
export class SealedOtherwise extends Error {
  override readonly name = 'SealedOtherwise';
}

const form = /^(sealed|unsealed):1:([A-Za-z0-9_-]{16,})$/;
/** Within a longer text. */
const anywhere = /\b(?:un)?sealed:1:[A-Za-z0-9_-]{16,}/g;
const [idBytes, nonceBytes, tagBytes] = [4, 12, 16];

interface Key {
  readonly id: Buffer;
  readonly sealing: Uint8Array;
  readonly nonces: Uint8Array;
}

/** What is shown in the place of a secret, and means that secret where it is written. */
export const stars = '***';

/** Of a secret in a variable: `path` is its name, or that of the list, of the entry, and its name there. */
export function inlinePlace(role: Role, owner: string, path: string): string {
  return `${role}/${owner}/${path}`;
}

export function isStored(text: string): boolean {
  return form.test(text);
}

/** The same text with stars in the place of stored secrets. */
export function masked(text: string): string {
  return text.includes('sealed:1:') ? text.replace(anywhere, stars) : text;
}

/** The stored secrets within a text. */
export function storedIn(text: string): readonly string[] {
  return text.match(anywhere) ?? [];
}

export class Seal {
  readonly #keys: readonly Key[];

  constructor(keys: SealKeys) {
    this.#keys = keys.map(keyOf);
  }

  get hasKey(): boolean {
    return this.#keys.length > 0;
  }

  /** The same secret always gives the same text: what is written again has not changed. */
  seal({ of, text, bound, isOpen }: StoredSecret): string {
    const plain = Buffer.from(JSON.stringify({ of, text, bound, ...(isOpen && { isOpen }) }));
    const [key] = this.#keys;
    if (key === undefined) return `unsealed:1:${plain.toString('base64url')}`;
    // Derived from what is sealed, so that no nonce is used for two secrets, and no two copies differ.
    const nonce = createHmac('sha256', key.nonces).update(plain).digest().subarray(0, nonceBytes);
    const cipher = createCipheriv('aes-256-gcm', key.sealing, nonce);
    const sealed = Buffer.concat([key.id, nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
    return `sealed:1:${sealed.toString('base64url')}`;
  }

  /** Throws `SealedOtherwise`. */
  open(stored: string): StoredSecret {
    const [, word, body = ''] = form.exec(stored) ?? [];
    if (word === undefined) throw new SealedOtherwise('it is no stored secret');
    const bytes = Buffer.from(body, 'base64url');
    const plain = word === 'sealed' ? this.#decrypt(bytes) : bytes;
    try {
      return JSON.parse(plain.toString()) as StoredSecret;
    } catch {
      throw new SealedOtherwise('it is damaged');
    }
  }

  /** Whether `open` would not throw. */
  opens(stored: string): boolean {
    try {
      return this.open(stored) !== undefined;
    } catch {
      return false;
    }
  }

  /** Whether it would be sealed in the same way today. */
  isCurrent(stored: string): boolean {
    const [, word, body = ''] = form.exec(stored) ?? [];
    const [key] = this.#keys;
    if (key === undefined || word === undefined) return word !== undefined;
    return word === 'sealed' && Buffer.from(body, 'base64url').subarray(0, idBytes).equals(key.id);
  }

  #decrypt(bytes: Buffer): Buffer {
    if (!this.hasKey) throw new SealedOtherwise('it is sealed, and the server has no key: see --secret-key-file');
    const key = this.#keys.find(({ id }) => bytes.subarray(0, idBytes).equals(id));
    if (key === undefined) throw new SealedOtherwise('it is sealed with a key that the server does not have');
    const nonce = bytes.subarray(idBytes, idBytes + nonceBytes);
    try {
      const decipher = createDecipheriv('aes-256-gcm', key.sealing, nonce, { authTagLength: tagBytes });
      decipher.setAuthTag(bytes.subarray(-tagBytes));
      return Buffer.concat([decipher.update(bytes.subarray(idBytes + nonceBytes, -tagBytes)), decipher.final()]);
    } catch {
      throw new SealedOtherwise('it is damaged');
    }
  }
}

function keyOf(text: string): Key {
  const secret = Buffer.from(text, 'base64');
  const derive = (use: string, bytes: number) =>
    new Uint8Array(hkdfSync('sha256', secret, '', `telltale ${use}`, bytes));
  return { id: Buffer.from(derive('id', idBytes)), sealing: derive('seal', 32), nonces: derive('nonce', 32) };
}
