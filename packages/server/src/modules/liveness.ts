// Whether a running module is alive: it is queried through its connection, and has to answer in time. The supervisor
// decides what happens to a silent one.
import type { Clock } from '@telltale/schema';

const shortestPauseMs = 100;
const longestPauseMs = 10_000;

/** A connection of a module to the channel. */
export interface ModuleConnection {
  closed(): void;
}

export interface LivenessOptions {
  readonly clock: Clock;
  /** 0: it is never queried. */
  readonly timeoutMs: number;
  /** Of the next query; none is used twice, so that an answer that comes late answers nothing else. */
  readonly nextQueryId: () => number;
  /** The first answer. */
  readonly onReady: () => void;
  /** Once at most; the reason goes after the name of the module. */
  readonly onSilent: (reason: string) => void;
}

interface Connection {
  readonly send: (queryId: number) => void;
}

export class Liveness {
  readonly #options: LivenessOptions;
  #timeoutMs: number;
  #phase: 'before' | 'watching' | 'over' = 'before';
  /** The newest is the last. */
  #connections: Connection[] = [];
  /** The query that is open. It outlives its connection: closing one is no answer. */
  #query: number | undefined;
  #isReady = false;
  /** There is one thing to wait for at a time: an answer, a connection, or the moment of the next query. */
  #cancel: () => void = () => undefined;

  constructor(options: LivenessOptions) {
    this.#options = options;
    this.#timeoutMs = options.timeoutMs;
  }

  /** Its process is there. */
  begin(): void {
    if (this.#phase !== 'before') return;
    this.#phase = 'watching';
    this.#watch();
  }

  /** Its process is gone, or is being stopped. */
  end(): void {
    this.#phase = 'over';
    this.#connections = [];
    this.#query = undefined;
    this.#cancel();
  }

  setTimeoutMs(timeoutMs: number): void {
    this.#timeoutMs = timeoutMs;
    if (this.#phase === 'watching') this.#watch();
  }

  connected(send: (queryId: number) => void): ModuleConnection {
    const connection = { send };
    this.#connections.push(connection);
    if (this.#phase === 'watching' && this.#timeoutMs > 0) this.#ask();
    return { closed: () => this.#closed(connection) };
  }

  /** Whether it is the open query that is answered. */
  answered(queryId: number): boolean {
    if (this.#query === undefined || queryId !== this.#query) return false;
    this.#query = undefined;
    const pauseMs = Math.min(Math.max(this.#timeoutMs / 2, shortestPauseMs), longestPauseMs);
    if (this.#connections.length > 0) this.#wait(pauseMs, () => this.#ask());
    else this.#awaitConnection();
    if (!this.#isReady) {
      this.#isReady = true;
      this.#options.onReady();
    }
    return true;
  }

  #closed(connection: Connection): void {
    const wasNewest = this.#connections.at(-1) === connection;
    const others = this.#connections.filter((other) => other !== connection);
    if (others.length === this.#connections.length) return;
    this.#connections = others;
    if (this.#phase !== 'watching' || this.#timeoutMs === 0) return;
    if (this.#query !== undefined) {
      if (wasNewest) others.at(-1)?.send(this.#query);
    } else if (others.length === 0) this.#awaitConnection();
  }

  /** From now on, with the timeout that there is now. */
  #watch(): void {
    this.#cancel();
    if (this.#timeoutMs === 0) this.#query = undefined;
    else if (this.#query !== undefined) this.#awaitAnswer();
    else if (this.#connections.length > 0) this.#ask();
    else this.#awaitConnection();
  }

  /** A query that is open already goes to the new connection as well, and has no more time for it. */
  #ask(): void {
    if (this.#query === undefined) {
      this.#query = this.#options.nextQueryId();
      this.#awaitAnswer();
    }
    this.#connections.at(-1)?.send(this.#query);
  }

  #awaitAnswer(): void {
    this.#expect(`left a query unanswered for ${this.#timeoutMs} ms`);
  }

  #awaitConnection(): void {
    this.#expect(`was not connected to the channel for ${this.#timeoutMs} ms`);
  }

  /** When the time is over the sockets are read once more: the server itself may have been the one that was late. */
  #expect(reason: string): void {
    this.#wait(this.#timeoutMs, () => this.#wait(0, () => this.#options.onSilent(reason)));
  }

  #wait(ms: number, call: () => void): void {
    this.#cancel();
    this.#cancel = this.#options.clock.after(ms, call);
  }
}
