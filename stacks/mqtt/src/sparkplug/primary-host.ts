// What the primary host application of an edge node says of itself at the broker in use.
import type { Clock } from '@telltale/schema';

export class PrimaryHost {
  readonly #clock: Clock;
  #timestamp = Number.NEGATIVE_INFINITY;
  #heard = Promise.withResolvers<boolean>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Before another connection: each broker has a STATE of its own. */
  forget(): void {
    this.#timestamp = Number.NEGATIVE_INFINITY;
    this.#heard = Promise.withResolvers<boolean>();
  }

  /** Whether it is online by a STATE; undefined where that is none, or is older than another. */
  hear(payload: Buffer): boolean | undefined {
    const state = readState(payload);
    if (state === undefined || state.timestamp < this.#timestamp) return undefined;
    this.#timestamp = state.timestamp;
    this.#heard.resolve(state.online);
    return state.online;
  }

  /** By the first word of it that comes within this time; a broker sends what it keeps of it at once. */
  async isOnlineWithin(ms: number): Promise<boolean> {
    const { promise: late, resolve } = Promise.withResolvers<boolean>();
    const cancel = this.#clock.after(ms, () => resolve(false));
    return Promise.race([this.#heard.promise, late]).finally(cancel);
  }
}

function readState(payload: Buffer): { online: boolean; timestamp: number } | undefined {
  try {
    const { online, timestamp } = JSON.parse(payload.toString());
    return typeof online === 'boolean' && typeof timestamp === 'number' ? { online, timestamp } : undefined;
  } catch {
    return undefined;
  }
}
