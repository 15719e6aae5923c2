// What is found out once for all who ask within some time.
import type { Clock } from '@telltale/schema';

export class ForAWhile<Found> {
  readonly #clock: Clock;
  readonly #ms: number;
  #found: { readonly atMs: number; readonly promise: Promise<Found> } | undefined;

  constructor(clock: Clock, ms: number) {
    this.#clock = clock;
    this.#ms = ms;
  }

  /** Not older than `ms`. What fails is tried again by the next one who asks. */
  get(find: () => Promise<Found>): Promise<Found> {
    const nowMs = this.#clock.monotonicMs();
    if (this.#found !== undefined && nowMs - this.#found.atMs < this.#ms) return this.#found.promise;
    const found = { atMs: nowMs, promise: find() };
    this.#found = found;
    found.promise.catch(() => {
      if (this.#found === found) this.#found = undefined;
    });
    return found.promise;
  }
}
