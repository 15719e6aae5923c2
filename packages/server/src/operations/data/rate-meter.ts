// How fast a counter grows, from what it was when somebody asked before: no timer runs where nobody asks.
import type { Clock } from '@telltale/schema';

/** Over about so long; longer where nobody asked meanwhile. */
const windowMs = 10_000;
const leastMs = 1000;

export class RateMeter {
  readonly #clock: Clock;
  readonly #read: () => number;
  /** Oldest first, each at least `leastMs` after the one before. */
  readonly #samples: { readonly ms: number; readonly count: number }[] = [];

  constructor(clock: Clock, read: () => number) {
    this.#clock = clock;
    this.#read = read;
    this.#samples.push({ ms: clock.monotonicMs(), count: read() });
  }

  /** 0 until there is something to compare with. */
  perSecond(): number {
    const samples = this.#samples;
    const now = { ms: this.#clock.monotonicMs(), count: this.#read() };
    while (samples[1] !== undefined && now.ms - samples[1].ms >= windowMs) samples.shift();
    const [first] = samples;
    const last = samples.at(-1);
    if (last !== undefined && now.ms - last.ms >= leastMs) samples.push(now);
    if (first === undefined || now.ms - first.ms < leastMs) return 0;
    return Math.max(0, ((now.count - first.count) * 1000) / (now.ms - first.ms));
  }
}
