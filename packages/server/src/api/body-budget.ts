// How many bytes of bodies and channel messages the service holds in memory at once, over all connections: arriving
// ones, and those still in use by a handler or its thread. What exceeds it is refused, and can be sent again.
import { ProblemError } from '@telltale/schema';

/** A body of no more is that of one object, which has at most 1 MiB. */
export const smallBytes = 1 << 20;

/**
 * In parts of the largest body. A large one always fits beside some small ones, two never fit: their text and its
 * parsed form take several times their length, and the whole service must stay within 512 MB. The rest is for small
 * ones alone, so that clients that send transactions do not prevent others from putting an object.
 */
const [largeShare, share] = [1.25, 1.5];

export class BodyBudget {
  readonly #mostLarge: number;
  readonly #most: number;
  #held = 0;
  #refused = 0;

  /** `largestBytes` is that of the largest body that is ever held. */
  constructor(largestBytes: number) {
    this.#mostLarge = Math.max(largeShare * largestBytes, largestBytes + 4 * smallBytes);
    this.#most = Math.max(share * largestBytes, largestBytes + 8 * smallBytes);
  }

  get held(): number {
    return this.#held;
  }

  get refused(): number {
    return this.#refused;
  }

  open(): HeldBody {
    let held = 0;
    const check = (bytes: number) => {
      if (this.#held + bytes - held <= (bytes > smallBytes ? this.#mostLarge : this.#most)) return;
      this.#refused++;
      throw new ProblemError('overloaded', `Bodies of ${this.#held} bytes are under way.`);
    };
    const hold = (bytes: number) => {
      this.#held += bytes - held;
      held = bytes;
    };
    return {
      expect: check,
      hold: (bytes) => {
        check(bytes);
        hold(bytes);
      },
      close: () => hold(0),
    };
  }
}

/** One body of the budget. `expect` and `hold` throw `ProblemError` where there is no room. */
export interface HeldBody {
  /** Before it arrives. Nothing is reserved: a client that announces a length and sends nothing blocks no other. */
  readonly expect: (bytes: number) => void;
  /** It takes so many bytes of memory in all. */
  readonly hold: (bytes: number) => void;
  readonly close: () => void;
}
