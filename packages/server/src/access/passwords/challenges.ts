// Challenges that an authenticator signs: each for one purpose, for five minutes, and once. They carry their own end and
// signature, so that asking for many takes no memory; only those that were used are remembered, until they end.
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Clock } from '@telltale/schema';

export const challengeMs = 5 * 60_000;
const [nonceBytes, endBytes, signatureBytes] = [16, 8, 32];

export class Challenges {
  readonly #clock: Clock;
  readonly #key = randomBytes(32);
  /** From the challenge to its end; the oldest first. */
  readonly #used = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  issue(purpose: string): Buffer<ArrayBuffer> {
    const body = Buffer.alloc(nonceBytes + endBytes);
    randomBytes(nonceBytes).copy(body);
    body.writeDoubleBE(this.#clock.monotonicMs() + challengeMs, nonceBytes);
    return Buffer.concat([body, this.#signature(body, purpose)]);
  }

  /** Whether it was issued for the purpose, has not ended, and was not taken before. */
  take(challenge: string, purpose: string): boolean {
    const bytes = Buffer.from(challenge.slice(0, 100), 'base64url');
    if (bytes.length !== nonceBytes + endBytes + signatureBytes) return false;
    const body = bytes.subarray(0, nonceBytes + endBytes);
    if (!timingSafeEqual(bytes.subarray(nonceBytes + endBytes), this.#signature(body, purpose))) return false;
    const nowMs = this.#clock.monotonicMs();
    for (const [key, endMs] of this.#used) if (endMs <= nowMs) this.#used.delete(key);
    const endMs = body.readDoubleBE(nonceBytes);
    const key = body.toString('base64url');
    if (endMs <= nowMs || this.#used.has(key)) return false;
    this.#used.set(key, endMs);
    return true;
  }

  #signature(body: Buffer, purpose: string): Buffer {
    return createHmac('sha256', this.#key).update(body).update(purpose).digest();
  }
}
