// The secrets of one-time codes as they are stored: sealed, where the server has a key, each for its user alone.
import { isStored, Seal, SealedOtherwise, type SealKeys } from '../secrets/index.ts';
import type { Totp } from './passwords/totp.ts';

export class SealedTotps {
  readonly #seal: Seal;

  constructor(keys: SealKeys) {
    this.#seal = new Seal(keys);
  }

  /** To store. */
  seal(user: string, { secret, lastStep }: Totp): Totp {
    if (!this.#seal.hasKey) return { secret, lastStep };
    return { secret: this.#seal.seal({ of: placeOf(user), text: secret, bound: {} }), lastStep };
  }

  /** Undefined where the server has not the key of it, or it is that of somebody else. */
  open(user: string, { secret, lastStep }: Totp): Totp | undefined {
    if (!isStored(secret)) return { secret, lastStep };
    try {
      const { of, text } = this.#seal.open(secret);
      return of === placeOf(user) ? { secret: text, lastStep } : undefined;
    } catch (error) {
      if (error instanceof SealedOtherwise) return undefined;
      throw error;
    }
  }

  /** Whether it would be stored in the same way today. */
  isCurrent({ secret }: Totp): boolean {
    return isStored(secret) ? this.#seal.isCurrent(secret) : !this.#seal.hasKey;
  }
}

function placeOf(user: string): string {
  return `totp/${user}`;
}
