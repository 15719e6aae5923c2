// Servers or brokers that stand in for each other, of which one is used at a time: which is tried next, how long a try may take, and
// what people are told of them.
import { type Clock, onAbort } from '@telltale/schema';
import { type DeviceDetail, NotConnected } from './connector.ts';

interface Known {
  readonly name: string;
  /** Since when it is used, or could not be; undefined before the first try. */
  sinceUs: number | undefined;
  /** Why it could not be used, or why it was left. */
  lastError: string | undefined;
}

/** One that is silent takes no more than its share of the time that there is for connecting. */
const connectMs = 9000;

export class RedundantPeers {
  readonly #clock: Clock;
  readonly #peers: readonly Known[];
  #used: Known | undefined;
  /** Where the next search begins. */
  #first = 0;

  constructor(names: readonly string[], clock: Clock) {
    this.#clock = clock;
    this.#peers = names.map((name) => ({ name, sinceUs: undefined, lastError: undefined }));
  }

  /** Mostly one alone: then it is the link itself, and nothing here is told of it. */
  get count(): number {
    return this.#peers.length;
  }

  /** The name of the one in use. */
  get used(): string | undefined {
    return this.#used?.name;
  }

  /** In which they are tried: first the one used last, or, where that was lost, the next. */
  get order(): number[] {
    return this.#peers.map((_, at) => (this.#first + at) % this.count);
  }

  /** What is wrong with each, in that order. */
  get faults(): string {
    const peers = this.order.map((at) => this.#peers[at] as Known);
    return peers.map(({ name, lastError }) => `${name}: ${lastError ?? 'not tried'}`).join('; ');
  }

  /** Those that were not tried yet are neither up nor down. */
  detail(): DeviceDetail[] {
    if (this.count === 1) return [];
    return this.#peers.flatMap((peer) => {
      const { name, sinceUs, lastError } = peer;
      return sinceUs === undefined ? [] : [{ name, isUp: peer === this.#used, sinceUs, lastError }];
    });
  }

  /** Opens one in its share of the time. Undefined: it failed, which is noted. Of one alone, throws what `open` throws. */
  async attempt<Opened>(
    at: number,
    signal: AbortSignal,
    open: (signal: AbortSignal) => Promise<Opened>,
  ): Promise<Opened | undefined> {
    this.#used = undefined;
    if (this.count === 1) return open(signal);
    const limitMs = Math.floor(connectMs / this.count);
    const attempt = new AbortController();
    const stopListening = onAbort(signal, (reason) => attempt.abort(reason));
    const late = new NotConnected(`no answer for ${limitMs} ms`);
    const cancel = this.#clock.after(limitMs, () => attempt.abort(late));
    try {
      return await open(attempt.signal);
    } catch (error) {
      signal.throwIfAborted();
      this.#fail(this.#peers[at], error instanceof Error ? error.message : String(error));
      return undefined;
    } finally {
      stopListening();
      cancel();
    }
  }

  use(at: number): void {
    const peer = this.#peers[at];
    this.#used = peer;
    this.#first = at;
    if (peer !== undefined) peer.sinceUs = this.#clock.now();
  }

  /** The link to the one in use is lost: the next one is tried first. */
  lost(reason: string): void {
    if (this.#used === undefined) return;
    this.#fail(this.#used, reason);
    this.#used = undefined;
    this.#first = (this.#first + 1) % this.count;
  }

  #fail(peer: Known | undefined, reason: string): void {
    if (peer === undefined) return;
    if (peer.lastError === undefined || peer === this.#used) peer.sinceUs = this.#clock.now();
    peer.lastError = reason;
  }
}
