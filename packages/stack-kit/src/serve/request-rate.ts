// How many requests a second are carried out: a second's worth at once, then evenly.
import type { Clock } from '@telltale/schema';

export class RequestRate {
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  readonly #perSecond: number;
  #left: number;
  #atMs: number;

  constructor(clock: Pick<Clock, 'monotonicMs'>, perSecond: number) {
    this.#clock = clock;
    this.#perSecond = perSecond;
    this.#left = perSecond;
    this.#atMs = clock.monotonicMs();
  }

  /** Whether one more may be carried out now. */
  get hasRoom(): boolean {
    const nowMs = this.#clock.monotonicMs();
    this.#left = Math.min(this.#perSecond, this.#left + ((nowMs - this.#atMs) * this.#perSecond) / 1000);
    this.#atMs = nowMs;
    return this.#left >= 1;
  }

  /** One is carried out. */
  take(): void {
    this.#left--;
  }
}
