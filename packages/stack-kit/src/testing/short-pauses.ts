// A clock for the host in tests: the system's, but for the pauses between two attempts to connect, which are short.
import { type Clock, systemClock } from '@telltale/schema';

const pauseMs = 5;

/** The host draws chance for each pause right before it begins; that is how the clock knows one. */
export class ShortPauses implements Clock {
  #isPause = false;

  readonly random = (): number => {
    this.#isPause = true;
    return 0;
  };

  now(): number {
    return systemClock.now();
  }

  monotonicMs(): number {
    return systemClock.monotonicMs();
  }

  after(ms: number, call: () => void): () => void {
    const waitMs = this.#isPause ? Math.min(ms, pauseMs) : ms;
    this.#isPause = false;
    return systemClock.after(waitMs, call);
  }
}
