// Marks of browsers that have signed in to an account before: no credentials, they only let the browser be counted apart
// from everybody else who tries that account. Nothing is stored of them; the key that signs them is.
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Clock } from '@telltale/schema';

const form = /^([A-Za-z0-9_-]{22})\.([0-9a-z]{1,9})\.([A-Za-z0-9_-]{43})$/;
/** Half a year without signing in. */
export const markedForS = 180 * 86_400;

export class KnownDevices {
  readonly #key: Buffer;
  readonly #clock: Clock;

  constructor(key: Buffer, clock: Clock) {
    this.#key = key;
    this.#clock = clock;
  }

  /** For the browser that has just signed in to the account; the id that it had stays. */
  mark(account: string, device = randomBytes(16).toString('base64url')): string {
    const until = (Math.floor(this.#clock.now() / 1e6) + markedForS).toString(36);
    return `${device}.${until}.${this.#signature(account, device, until)}`;
  }

  /** The id of the browser; undefined where the mark is not ours, of another account, or too old. */
  deviceOf(mark: string | undefined, account: string): string | undefined {
    const [, device, until, signature] = form.exec(mark ?? '') ?? [];
    if (device === undefined || until === undefined || signature === undefined) return undefined;
    const expected = this.#signature(account, device, until);
    if (!timingSafeEqual(Buffer.from(signature), Buffer.from(expected))) return undefined;
    return Number.parseInt(until, 36) * 1e6 > this.#clock.now() ? device : undefined;
  }

  #signature(account: string, device: string, until: string): string {
    return createHmac('sha256', this.#key)
      .update(JSON.stringify([account, device, until]))
      .digest('base64url');
  }
}
