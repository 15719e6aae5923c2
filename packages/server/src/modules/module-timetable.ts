// Calls at the times of day of a schedule. The time of day may be set meanwhile, which no timer notices: it is checked
// every minute at least.
import type { Clock } from '@telltale/schema';

const longestWaitMs = 60_000;

export interface ModuleTimetableOptions {
  readonly clock: Clock;
  /** The first time after the given one, in milliseconds since 1970; undefined where none comes. */
  readonly nextTime: (afterMs: number) => number | undefined;
  readonly onDue: () => void;
}

export class ModuleTimetable {
  readonly #options: ModuleTimetableOptions;
  #nextMs: number | undefined;
  #cancel: () => void = () => undefined;

  constructor(options: ModuleTimetableOptions) {
    this.#options = options;
    this.#plan();
  }

  /** In milliseconds since 1970. */
  get nextMs(): number | undefined {
    return this.#nextMs;
  }

  cancel(): void {
    this.#cancel();
  }

  #plan(): void {
    this.#nextMs = this.#options.nextTime(this.#nowMs());
    if (this.#nextMs === undefined) return;
    const waitMs = Math.min(this.#nextMs - this.#nowMs(), longestWaitMs);
    this.#cancel = this.#options.clock.after(waitMs, () => this.#look());
  }

  /** Times that were passed over, by a clock that was set or a machine that slept, are one. */
  #look(): void {
    const isDue = this.#nextMs !== undefined && this.#nowMs() >= this.#nextMs;
    this.#plan();
    if (isDue) this.#options.onDue();
  }

  #nowMs(): number {
    return this.#options.clock.now() / 1000;
  }
}
