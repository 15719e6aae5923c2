// The tag of an echo: what was written to it, for as long as a measurement that lags behind may still need it.
import type { Value } from '@telltale/schema';
import { Refused } from '@telltale/stack-kit';

interface Written {
  readonly timeUs: number;
  readonly value: Value;
}

/** Writes of a tag that a lagging measurement has not shown yet; more are refused. */
export const maxWaitingWrites = 1000;

export class Echo {
  readonly #tag: string;
  readonly #written: Written[] = [];
  #longestDelayUs = 0;

  constructor(tag: string) {
    this.#tag = tag;
  }

  /** A measurement reads this tag so late. */
  lagBy(delayUs: number): void {
    this.#longestDelayUs = Math.max(this.#longestDelayUs, delayUs);
  }

  /** What the tag has been all the time, unless something was written to it. */
  begin(value: Value): void {
    if (this.#written.length === 0) this.#written.push({ timeUs: Number.NEGATIVE_INFINITY, value });
  }

  write(value: Value, nowUs: number): void {
    this.#forget(nowUs - this.#longestDelayUs);
    if (this.#written.length > maxWaitingWrites) {
      throw new Refused(`echo(${this.#tag}): ${maxWaitingWrites} writes wait for their delay already`);
    }
    this.#written.push({ timeUs: Math.max(nowUs, this.#written.at(-1)?.timeUs ?? nowUs), value });
  }

  /** The value last written at this time or before; undefined where there was none. */
  at(timeUs: number): Value | undefined {
    const index = this.#lastBefore(timeUs);
    return index < 0 ? undefined : this.#written[index]?.value;
  }

  #forget(timeUs: number): void {
    const index = this.#lastBefore(timeUs);
    if (index > 0) this.#written.splice(0, index);
  }

  #lastBefore(timeUs: number): number {
    let [low, high] = [0, this.#written.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#written[middle]?.timeUs ?? 0) <= timeUs) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }
}
