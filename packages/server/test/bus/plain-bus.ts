// A bus within a test: passes messages at once, or when the test lets them pass; loses them while it is down.
import { BusError, type BusMessage, type BusState } from '../../src/bus/index.ts';

type Listener = (message: BusMessage) => void;

export class PlainBus {
  readonly mostBytes = 2 ** 20;
  isUp = true;
  /** What is sent waits here until `pass`. */
  isHeld = false;
  readonly #listeners = new Map<Listener, RegExp>();
  readonly #held: (() => void)[] = [];

  get state(): BusState {
    return {
      isUp: this.isUp,
      text: this.isUp ? 'connected' : 'cut off',
      sinceUs: 0,
      version: '2.9.10',
      refused: undefined,
    };
  }

  subscribe(subject: string, listener: Listener): () => Promise<void> {
    const pattern = subject.replaceAll('.', '\\.').replaceAll('*', '[^.]+').replace('>', '.+');
    this.#listeners.set(listener, new RegExp(`^${pattern}$`));
    return async () => void this.#listeners.delete(listener);
  }

  publish(subject: string, data: Uint8Array | string): void {
    if (!this.isUp) throw new BusError('not-connected', 'cut off');
    const bytes = new Uint8Array(Buffer.from(data as string));
    const deliver = () => {
      for (const [listener, pattern] of [...this.#listeners]) {
        if (pattern.test(subject)) listener({ subject, data: bytes, reply: undefined, respond: () => undefined });
      }
    };
    if (this.isHeld) this.#held.push(deliver);
    else deliver();
  }

  /** What waits, or so much of it, in order. */
  pass(count = this.#held.length): void {
    for (const deliver of this.#held.splice(0, count)) deliver();
  }
}
