// When a module that ended on its own is restarted: after growing pauses, and not for ever.
import type { Clock } from '@telltale/schema';

const pausesMs = [1000, 2000, 4000, 8000, 16_000, 32_000, 60_000] as const;
const longestMs = 60_000;
/** One that ran for so long counts as healthy: the pauses start again from the shortest. */
const wellMs = 60_000;

export const windowMs = 60_000;
export const maxStarts = 5;

export class RestartPolicy {
  readonly #clock: Clock;
  /** The newest, of which there are at most `maxStarts`; in monotonic milliseconds. */
  #starts: number[] = [];
  #pauses = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** An operator has acted: the history no longer counts. */
  forgive(): void {
    this.#starts = [];
    this.#pauses = 0;
  }

  started(): void {
    this.#starts = [...this.#starts, this.#clock.monotonicMs()].slice(-maxStarts);
  }

  /** It has ended: milliseconds until it is started again; undefined where that would be one start too many. */
  takePauseMs(): number | undefined {
    const now = this.#clock.monotonicMs();
    const last = this.#starts.at(-1);
    if (last !== undefined && now - last >= wellMs) this.#pauses = 0;
    const pauseMs = pausesMs[this.#pauses] ?? longestMs;
    const recent = this.#starts.filter((start) => now + pauseMs - start < windowMs);
    if (recent.length >= maxStarts) return undefined;
    this.#pauses++;
    return pauseMs;
  }
}
