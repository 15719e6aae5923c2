// The tag of an echo: what was written to it, for as long as a measurement that lags behind may still need it.
import type { Value } from '@telltale/schema';
import { Refused } from '@telltale/stack-kit';

interface Written {
  /** Of the monotonic clock, as all times here. */
  readonly writtenMs: number;
  readonly value: Value;
}

/** Writes of a tag that a lagging measurement has not shown yet; more are refused. */
export const maxPendingWrites = 1000;

export class Echo {
  readonly #tag: string;
  readonly #written: Written[] = [];
  #longestDelayMs = 0;

  constructor(tag: string) {
    this.#tag = tag;
  }

  /** A measurement reads this tag so late. */
  lagBy(delayMs: number): void {
    this.#longestDelayMs = Math.max(this.#longestDelayMs, delayMs);
  }

  /** What the tag has been all the time, unless something was written to it. */
  begin(value: Value): void {
    if (this.#written.length === 0) this.#written.push({ writtenMs: Number.NEGATIVE_INFINITY, value });
  }

  write(value: Value, nowMs: number): void {
    this.#forget(nowMs - this.#longestDelayMs);
    if (this.#written.length > maxPendingWrites) {
      throw new Refused(`echo(${this.#tag}): ${maxPendingWrites} delayed writes are pending already`);
    }
    this.#written.push({ writtenMs: nowMs, value });
  }

  /** The value last written at this time or before; undefined where there was none. */
  at(timeMs: number): Value | undefined {
    const index = this.#lastBefore(timeMs);
    return index < 0 ? undefined : this.#written[index]?.value;
  }

  #forget(timeMs: number): void {
    const index = this.#lastBefore(timeMs);
    if (index > 0) this.#written.splice(0, index);
  }

  #lastBefore(timeMs: number): number {
    let [low, high] = [0, this.#written.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#written[middle]?.writtenMs ?? 0) <= timeMs) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }
}
