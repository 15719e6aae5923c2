// Small whole numbers that stand for something while it lasts. One that was given back rests for a while before it is
// given again, so that what is still on its way to the old meaning never reaches a new one.
import type { Clock } from '@telltale/schema';

/** Longer than anything is on its way. */
const restMs = 60_000;

export class RestingNumbers {
  readonly #clock: Clock;
  /** Since when each rests, in monotonic milliseconds, the oldest first. */
  readonly #resting = new Map<number, number>();
  #limit = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Every number ever given is below. */
  get limit(): number {
    return this.#limit;
  }

  give(): number {
    const [oldest] = this.#resting;
    if (oldest === undefined || this.#clock.monotonicMs() - oldest[1] < restMs) return this.#limit++;
    this.#resting.delete(oldest[0]);
    return oldest[0];
  }

  release(number: number): void {
    this.#resting.set(number, this.#clock.monotonicMs());
  }
}
