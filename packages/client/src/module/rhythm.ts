// An even rhythm: moments that lie a whole number of periods apart, however long what is done between them takes.
import { type Clock, pause } from '@telltale/schema/values';

export class Rhythm {
  readonly #periodMs: number;
  readonly #clock: Clock;
  /** The moment that comes next, or came last. */
  #dueMs: number;
  #overruns = 0;

  /** The first moment is now. */
  constructor(periodMs: number, clock: Clock) {
    this.#periodMs = periodMs;
    this.#clock = clock;
    this.#dueMs = clock.monotonicMs();
  }

  /** Moments that were passed over because what was done before took longer. */
  get overruns(): number {
    return this.#overruns;
  }

  /** Resolves at the next moment that is still to come, or when the signal is aborted. */
  next(signal: AbortSignal): Promise<void> {
    const nowMs = this.#clock.monotonicMs();
    const lateMs = nowMs - (this.#dueMs + this.#periodMs);
    const missed = lateMs > 0 ? Math.ceil(lateMs / this.#periodMs) : 0;
    this.#overruns += missed;
    this.#dueMs += (1 + missed) * this.#periodMs;
    return pause(this.#clock, this.#dueMs - nowMs, signal);
  }
}
