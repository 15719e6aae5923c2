// A bus within a test: passes messages at once, or when the test lets them pass; loses them while it is down.
import { BusError, type BusMessage, type BusState } from '../../src/bus/index.ts';

type Listener = (message: BusMessage) => void;

export class PlainBus {
  readonly mostBytes = 2 ** 20;
  isUp = true;
  /** Which messages are lost. */
  loses: (subject: string) => boolean = () => false;
  /** What is sent waits here until `pass`. */
  isHeld = false;
  readonly #listeners = new Map<Listener, RegExp>();
  readonly #observers = new Set<(state: BusState) => void>();
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

  observe(observer: (state: BusState) => void): () => void {
    this.#observers.add(observer);
    return () => void this.#observers.delete(observer);
  }

  /** The connection is lost, or there again. */
  set(isUp: boolean): void {
    this.isUp = isUp;
    for (const observer of [...this.#observers]) observer(this.state);
  }

  publish(subject: string, data: Uint8Array | string, reply?: string): void {
    if (!this.isUp) throw new BusError('not-connected', 'cut off');
    const bytes = new Uint8Array(Buffer.from(data as string));
    if (this.loses(subject)) return;
    if (this.isHeld) this.#held.push(() => this.#deliver(subject, bytes, reply));
    else this.#deliver(subject, bytes, reply);
  }

  async flushed(): Promise<void> {
    if (!this.isUp) throw new BusError('not-connected', 'cut off');
  }

  /** What waits, or so much of it from there, in order. */
  pass(count = this.#held.length, from = 0): void {
    for (const deliver of this.#held.splice(from, count)) deliver();
  }

  #deliver(subject: string, data: Uint8Array, reply?: string, isNobody = false): void {
    const listeners = [...this.#listeners].filter(([, pattern]) => pattern.test(subject));
    for (const [listener] of listeners) listener({ subject, data, reply, isNobody, respond: () => undefined });
    if (listeners.length === 0 && reply !== undefined) this.#deliver(reply, new Uint8Array(), undefined, true);
  }
}
