// Whether the time of day can be trusted to delete by: not for the first hour where it is far ahead of what the archive
// has, nor for an hour after it was set. What a wrong clock takes for old is there again once the clock is right.
import type { Clock } from '@telltale/schema';
import { farthestAheadUs } from '../records.ts';

const holdMs = 3_600_000;
const leastJumpUs = 60_000_000;

export class SteadyClock {
  readonly #clock: Clock;
  /** Of the time of day against the even clock, when it was last looked at. */
  #offsetUs: number;
  #steadyFromMs = Number.NEGATIVE_INFINITY;

  /** `newestUs`: of the records that the archive has, none of which is ahead of the clock; undefined: it has none. */
  constructor(clock: Clock, newestUs: number | undefined) {
    this.#clock = clock;
    this.#offsetUs = this.#measure();
    if (newestUs !== undefined && clock.now() - newestUs > farthestAheadUs) this.#hold();
  }

  /** To be asked right before the time is used: it looks for a jump since it was last asked. */
  isSteady(): boolean {
    const offsetUs = this.#measure();
    if (Math.abs(offsetUs - this.#offsetUs) > leastJumpUs) this.#hold();
    this.#offsetUs = offsetUs;
    return this.#clock.monotonicMs() >= this.#steadyFromMs;
  }

  #hold(): void {
    this.#steadyFromMs = this.#clock.monotonicMs() + holdMs;
  }

  #measure(): number {
    return this.#clock.now() - Math.round(this.#clock.monotonicMs() * 1000);
  }
}
