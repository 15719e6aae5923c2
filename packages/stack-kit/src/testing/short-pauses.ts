// A clock for the host in tests: the system's, but for the pauses between two attempts to connect, which are short.
import { type Clock, systemClock } from '@telltale/schema';

const pauseMs = 5;
/** No call of a stack has longer: what waits longer is a pause that a device has asked for, or forgets old failures. */
const longestCallMs = 15_000;

/** The host draws chance for most pauses right before they begin; that is how the clock knows one. */
export class ShortPauses implements Clock {
  /** Of the pauses, as the host asked for them. */
  pausedMs = 0;
  longestPauseMs = 0;
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
    if (this.#isPause) {
      this.pausedMs += ms;
      this.longestPauseMs = Math.max(this.longestPauseMs, ms);
    }
    const waitMs = this.#isPause || ms > longestCallMs ? Math.min(ms, pauseMs) : ms;
    this.#isPause = false;
    return systemClock.after(waitMs, call);
  }
}
