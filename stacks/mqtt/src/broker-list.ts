// The brokers that a connector or provider may use, of which it uses one at a time: which is tried next, and what people are
// told of them.
import { type Clock, onAbort } from '@telltale/schema';
import { BackOff, type DeviceDetail, NotConnected } from '@telltale/stack-kit';
import { type BrokerVariables, brokerName, brokersOf } from './broker-variables.ts';

interface Known {
  /** With the host and port of this one. */
  readonly variables: BrokerVariables;
  readonly name: string;
  /** Since when it is used, or could not be; undefined before the first try. */
  sinceUs: number | undefined;
  /** Why it could not be used, or why it was left. */
  lastError: string | undefined;
  /** It has asked to be left alone until then, by the monotonic clock. */
  restsUntilMs: number;
}

/** With the variables of one broker. */
type Open = (variables: BrokerVariables, signal: AbortSignal) => Promise<void>;

/** A broker that is silent takes no more than its share of the time that there is for connecting. */
const connectMs = 9000;

export class BrokerList {
  readonly #clock: Clock;
  readonly #brokers: readonly Known[];
  #used: Known | undefined;
  /** Where the next search begins. */
  #first = 0;

  constructor(variables: BrokerVariables, clock: Clock) {
    this.#clock = clock;
    this.#brokers = brokersOf(variables).map(({ host, port }) => {
      const own = { ...variables, host, port };
      return { variables: own, name: brokerName(own), sinceUs: undefined, lastError: undefined, restsUntilMs: 0 };
    });
  }

  get count(): number {
    return this.#brokers.length;
  }

  /** None where there is one broker alone: then it is the link. Those that were not tried yet are neither up nor down. */
  detail(): DeviceDetail[] {
    if (this.count === 1) return [];
    return this.#brokers.flatMap((broker) => {
      const { name, sinceUs, lastError } = broker;
      return sinceUs === undefined ? [] : [{ name, isUp: broker === this.#used, sinceUs, lastError }];
    });
  }

  /**
   * Uses the first that `open` does not throw for, beginning with the one used last, or, where that was lost, with the next. What
   * an attempt that failed has left open is closed. Throws what `open` throws where there is one broker alone; else `NotConnected` or
   * `BackOff`, with what is wrong with each.
   */
  async connect(signal: AbortSignal, open: Open, close: () => Promise<void>): Promise<void> {
    const openOrClose: Open = (...how) =>
      open(...how).catch(async (error) => {
        await close();
        throw error;
      });
    this.#used = undefined;
    const order = this.#brokers.map((_, at) => this.#brokers[(this.#first + at) % this.count] as Known);
    for (const broker of order) {
      if (broker.restsUntilMs > this.#clock.monotonicMs()) continue;
      if (!(await this.#try(broker, signal, openOrClose))) continue;
      this.#first = this.#brokers.indexOf(broker);
      this.#used = broker;
      broker.sinceUs = this.#clock.now();
      return;
    }
    const text = `no broker can be used: ${order.map(({ name, lastError }) => `${name}: ${lastError}`).join('; ')}`;
    const restMs = Math.min(...order.map(({ restsUntilMs }) => restsUntilMs)) - this.#clock.monotonicMs();
    throw restMs > 0 ? new BackOff(restMs, text) : new NotConnected(text);
  }

  /** The link to the one in use is lost: the next one is tried first. */
  lost(reason: string): void {
    if (this.#used === undefined) return;
    this.#fail(this.#used, reason);
    this.#used = undefined;
    this.#first = (this.#first + 1) % this.count;
  }

  async #try(broker: Known, signal: AbortSignal, open: Open): Promise<boolean> {
    if (this.count === 1) {
      await open(broker.variables, signal);
      return true;
    }
    const limitMs = Math.floor(connectMs / this.count);
    const attempt = new AbortController();
    const stopListening = onAbort(signal, (reason) => attempt.abort(reason));
    const late = new NotConnected(`no answer for ${limitMs} ms`);
    const cancel = this.#clock.after(limitMs, () => attempt.abort(late));
    try {
      await open(broker.variables, attempt.signal);
      return true;
    } catch (error) {
      signal.throwIfAborted();
      this.#fail(broker, (error as Error).message);
      if (error instanceof BackOff) broker.restsUntilMs = this.#clock.monotonicMs() + error.ms;
      return false;
    } finally {
      stopListening();
      cancel();
    }
  }

  #fail(broker: Known, reason: string): void {
    if (broker.lastError === undefined || broker === this.#used) broker.sinceUs = this.#clock.now();
    broker.lastError = reason;
  }
}
