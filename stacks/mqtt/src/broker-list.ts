// The brokers that a connector or provider may use, of which it uses one at a time.
import type { Clock } from '@telltale/schema';
import { BackOff, type DeviceDetail, HostNames, NotConnected, RedundantPeers } from '@telltale/stack-kit';
import { type BrokerVariables, brokerName, brokersOf } from './broker-variables.ts';

/** With the variables of one broker. */
type Open = (variables: BrokerVariables, signal: AbortSignal) => Promise<void>;

export class BrokerList {
  readonly names: HostNames;
  readonly #clock: Clock;
  /** Each with its host and port. */
  readonly #variables: readonly BrokerVariables[];
  readonly #peers: RedundantPeers;
  /** Those that have asked to be left alone: until then, by the monotonic clock. */
  readonly #restsUntilMs: number[];

  constructor(variables: BrokerVariables, clock: Clock) {
    this.names = new HostNames(clock);
    this.#clock = clock;
    this.#variables = brokersOf(variables).map((place) => ({ ...variables, ...place }));
    this.#peers = new RedundantPeers(this.#variables.map(brokerName), clock);
    this.#restsUntilMs = this.#variables.map(() => 0);
  }

  get count(): number {
    return this.#peers.count;
  }

  detail(): DeviceDetail[] {
    return this.#peers.detail();
  }

  /** The link to the one in use is lost: the next one is tried first. */
  lost(reason: string): void {
    this.#peers.lost(reason);
  }

  /**
   * Uses the first that `open` does not throw for. What an attempt that failed has left open is closed. Throws what `open` throws where
   * there is one broker alone; else `NotConnected` or `BackOff`, with what is wrong with each.
   */
  async connect(signal: AbortSignal, open: Open, close: () => Promise<void>): Promise<void> {
    for (const at of this.#peers.order) {
      if (this.#restMs(at) > 0) continue;
      const isOpen = await this.#peers.attempt(at, signal, (attempt) => this.#open(at, attempt, open, close));
      if (isOpen === undefined) continue;
      this.#peers.use(at);
      return;
    }
    const text = `no broker can be used: ${this.#peers.faults}`;
    const restMs = Math.min(...this.#peers.order.map((at) => this.#restMs(at)));
    throw restMs > 0 ? new BackOff(restMs, text) : new NotConnected(text);
  }

  async #open(at: number, signal: AbortSignal, open: Open, close: () => Promise<void>): Promise<true> {
    try {
      await open(this.#variables[at] as BrokerVariables, signal);
      return true;
    } catch (error) {
      await close();
      if (this.count > 1 && error instanceof BackOff) this.#restsUntilMs[at] = this.#clock.monotonicMs() + error.ms;
      throw error;
    }
  }

  #restMs(at: number): number {
    return (this.#restsUntilMs[at] ?? 0) - this.#clock.monotonicMs();
  }
}
