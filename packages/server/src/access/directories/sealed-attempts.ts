// What the service must remember while somebody is at the page of an OpenID provider, sealed, for the browser to keep: nothing
// is stored here that strangers could make grow. The key is of this run: a restart ends what is under way.
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { Clock } from '@telltale/schema';

export interface OidcAttempt {
  readonly state: string;
  readonly nonce: string;
  /** Of PKCE. */
  readonly verifier: string;
  /** A path of the service. */
  readonly returnTo: string;
}

interface Sealed extends OidcAttempt {
  readonly untilMs: number;
}

/** Time for a password, a second factor, and looking for the phone. */
export const attemptSeconds = 600;
const ivBytes = 12;
const tagBytes = 16;
const maxSealedLength = 4096;

export class SealedAttempts {
  readonly #key = randomBytes(32);
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  seal(attempt: OidcAttempt): string {
    const iv = randomBytes(ivBytes);
    const cipher = createCipheriv('aes-256-gcm', this.#key, iv);
    const sealed: Sealed = { ...attempt, untilMs: this.#clock.monotonicMs() + attemptSeconds * 1000 };
    const text = Buffer.concat([cipher.update(JSON.stringify(sealed), 'utf8'), cipher.final()]);
    return Buffer.concat([iv, cipher.getAuthTag(), text]).toString('base64url');
  }

  /** Undefined where it is not of this run, was changed, or is too old. */
  open(text: string | undefined): OidcAttempt | undefined {
    if (text === undefined || text.length > maxSealedLength) return undefined;
    const bytes = Buffer.from(text, 'base64url');
    if (bytes.length <= ivBytes + tagBytes) return undefined;
    const decipher = createDecipheriv('aes-256-gcm', this.#key, bytes.subarray(0, ivBytes), {
      authTagLength: tagBytes,
    });
    decipher.setAuthTag(bytes.subarray(ivBytes, ivBytes + tagBytes));
    try {
      const opened = Buffer.concat([decipher.update(bytes.subarray(ivBytes + tagBytes)), decipher.final()]);
      const { untilMs, ...attempt } = JSON.parse(opened.toString('utf8')) as Sealed;
      return this.#clock.monotonicMs() < untilMs ? attempt : undefined;
    } catch {
      return undefined;
    }
  }
}

/** Of a path of the service: `//host` and `/\host` lead elsewhere. */
export const ownPathForm = /^\/(?![/\\])[!-[\]-~]{0,511}$/;

/** The path where it is one of the service; else its first page. */
export function ownPath(path: string | undefined): string {
  return path !== undefined && ownPathForm.test(path) ? path : '/';
}
