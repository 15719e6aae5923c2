// An uncontrolled quantity of the waterworks: a bounded random walk around its mean.
import type { Random } from '@telltale/stack-simulator/model';

export class Wander {
  value: number;
  readonly #mean: number;
  readonly #reach: number;
  readonly #random: Random;
  readonly #pull: number;
  readonly #push: number;

  /** Stays within `reach` of the mean, and forgets where it was in about so many seconds. */
  constructor(mean: number, reach: number, seconds: number, random: Random) {
    this.value = mean;
    this.#mean = mean;
    this.#reach = reach;
    this.#random = random;
    this.#pull = 1 / seconds;
    // A third of the reach is what such a walk strays on average.
    this.#push = (reach / 3) * Math.sqrt(6 / seconds);
  }

  step(): void {
    const off = this.value - this.#mean;
    const next = off - off * this.#pull + (2 * this.#random() - 1) * this.#push;
    this.value = this.#mean + Math.min(this.#reach, Math.max(-this.#reach, next));
  }
}
