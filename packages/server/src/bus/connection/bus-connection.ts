// The connection to the bus: kept for as long as it is wanted, to one server or another. Nothing is kept for later here: what cannot
// be sent now is refused, and whoever sends it knows what to do.

import type { Msg, NatsConnection, Subscription } from '@nats-io/nats-core/internal';
import { type Clock, pause } from '@telltale/schema';
import { type BusAddress, type BusServer, serverText } from './bus-address.ts';
import { BusError } from './bus-error.ts';
import { authenticatorOf, type BusFiles, secureOptions } from './bus-files.ts';
import { problemText } from './bus-problem.ts';
import type { TransportOptions } from './bus-transport.ts';
import { loadNats, type NatsLibrary } from './nats-library.ts';

export interface BusOptions {
  readonly address: BusAddress;
  readonly files?: BusFiles;
  /** As the servers list it. */
  readonly name: string;
  /** Answers come to subjects below this one. */
  readonly inbox: string;
  readonly clock: Clock;
  /** A listener threw: what it was given is lost. */
  readonly onFault?: (error: unknown) => void;
}

/** What people see of it. */
export interface BusState {
  readonly isUp: boolean;
  /** With which server; or why not. */
  readonly text: string;
  readonly sinceUs: number;
  /** Of the server that it is connected to, or was last; empty: of none so far. */
  readonly version: string;
  /** What the servers have refused us last, since the connection came up. */
  readonly refused: string | undefined;
}

export interface BusMessage {
  readonly subject: string;
  /** Valid for as long as it is held. */
  readonly data: Uint8Array;
  /** Where an answer goes, as who sent it says; undefined: none is wanted. */
  readonly reply: string | undefined;
  /** It is the server's own: nobody listens to what was sent with this subject as the place of an answer. */
  readonly isNobody: boolean;
  /** Does nothing where no answer is wanted, or can be sent. */
  respond(data: Uint8Array | string): void;
}

export type BusListener = (message: BusMessage) => void;

interface Wanted {
  readonly subject: string;
  readonly queue: string | undefined;
  readonly listener: BusListener;
  open: Subscription | undefined;
}

/** A server that hangs is noticed after two to three of these. */
const pingMs = 1250;
const pingsUnanswered = 2;
const connectMs = 5000;
/** Before the servers are tried again from the first: evenly around these. */
const firstPauseMs = 250;
const longestPauseMs = 5000;

export class BusConnection {
  readonly #options: BusOptions;
  readonly #wanted = new Set<Wanted>();
  readonly #observers = new Set<(state: BusState) => void>();
  readonly #stop = new AbortController();
  #state: BusState;
  #open: NatsConnection | undefined;
  #mostBytes = 0;
  #running: Promise<void> | undefined;

  constructor(options: BusOptions) {
    this.#options = options;
    const sinceUs = options.clock.now();
    this.#state = { isUp: false, text: 'not connected yet', sinceUs, version: '', refused: undefined };
  }

  get state(): BusState {
    return this.#state;
  }

  /** Of a message: what the server takes, or took last. 0: it is not known yet. */
  get mostBytes(): number {
    return this.#mostBytes;
  }

  start(): void {
    this.#running ??= this.#run();
  }

  /** What was sent before has left. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#open?.close();
    await this.#running;
  }

  /** Called with each state from now on. */
  observe(observer: (state: BusState) => void): () => void {
    this.#observers.add(observer);
    return () => void this.#observers.delete(observer);
  }

  /**
   * From now on, whatever becomes of the connection; of a queue, one of its members gets each message. The returned function ends it,
   * and resolves when what was on its way has come as well.
   */
  subscribe(subject: string, listener: BusListener, queue?: string): () => Promise<void> {
    const wanted: Wanted = { subject, queue, listener, open: undefined };
    this.#wanted.add(wanted);
    if (this.#open !== undefined) this.#subscribe(this.#open, wanted);
    return async () => {
      this.#wanted.delete(wanted);
      // Where the connection is closed, or it was ended before, nothing is on its way.
      await wanted.open?.drain().catch(() => undefined);
    };
  }

  /** Throws `BusError` where it cannot be sent. It may get lost all the same. With `reply`, where nobody listens is told there. */
  publish(subject: string, data: Uint8Array | string, reply?: string): void {
    const open = this.#open;
    if (open === undefined || open.isClosed()) throw this.#notConnected();
    this.#checkSize(data);
    open.publish(subject, data, reply === undefined ? undefined : { reply });
  }

  /** Resolves with the answer; rejects with `BusError`. */
  async request(subject: string, data: Uint8Array | string, answerMs: number): Promise<Uint8Array> {
    const open = this.#open;
    if (open === undefined) throw this.#notConnected();
    this.#checkSize(data);
    try {
      return (await open.request(subject, data, { timeout: answerMs })).data;
    } catch (error) {
      throw failureOf(error as Error, subject);
    }
  }

  /** Resolves when the server has taken everything that was sent before. Rejects with `BusError`. */
  async flushed(): Promise<void> {
    const open = this.#open;
    if (open === undefined) throw this.#notConnected();
    try {
      await open.flush();
    } catch {
      throw new BusError('lost', 'the connection to the bus was lost');
    }
  }

  async #run(): Promise<void> {
    const { clock, address } = this.#options;
    const { signal } = this.#stop;
    const library = loadNats();
    const servers = shuffled(address.servers);
    let pauseMs = firstPauseMs;
    let problems = new Set<string>();
    while (!signal.aborted) {
      for (const server of servers) {
        if (signal.aborted) return;
        try {
          const open = await this.#connect(library, server);
          pauseMs = firstPauseMs;
          problems = new Set();
          problems.add(await this.#useUntilLost(open, server));
        } catch (error) {
          problems.add(this.#problem(error, server));
        }
        if (!signal.aborted) this.#tell({ isUp: false, text: [...problems].join('; ') });
      }
      // Those that lost a server together do not come back at one moment.
      await pause(clock, pauseMs * (0.5 + Math.random()), signal);
      pauseMs = Math.min(longestPauseMs, 2 * pauseMs);
      problems = new Set();
    }
  }

  async #connect(library: NatsLibrary, server: BusServer): Promise<NatsConnection> {
    const { address, files = {}, name, inbox } = this.#options;
    const { user, password, isSecure } = address;
    const authenticator = await authenticatorOf(library, files);
    const options: TransportOptions = {
      servers: [serverText(server)],
      name,
      inboxPrefix: inbox,
      pingInterval: pingMs,
      maxPingOut: pingsUnanswered,
      timeout: connectMs,
      // All of it is done here: the library keeps what it cannot send, and does not say why it cannot.
      reconnect: false,
      ignoreClusterUpdates: true,
      resolve: false,
      noAsyncTraces: true,
      ...(authenticator && { authenticator }),
      ...(user !== undefined && { user, pass: password ?? '' }),
      secure: isSecure ? await secureOptions(files) : undefined,
      signal: this.#stop.signal,
    };
    return library.NatsConnectionImpl.connect(options);
  }

  /** Resolves with why it was lost. */
  async #useUntilLost(open: NatsConnection, server: BusServer): Promise<string> {
    if (this.#stop.signal.aborted) await open.close();
    else {
      this.#open = open;
      this.#mostBytes = open.info?.max_payload ?? 0;
      for (const wanted of this.#wanted) this.#subscribe(open, wanted);
      const { version = '' } = open.info ?? {};
      const text = `connected to ${serverText(server)}, NATS server ${version}`;
      this.#tell({ isUp: true, text, version, refused: undefined });
    }
    const heard = { isStale: false };
    void this.#hear(open, heard);
    const error = (await open.closed()) ?? undefined;
    this.#open = undefined;
    for (const wanted of this.#wanted) wanted.open = undefined;
    if (heard.isStale) return `cannot reach ${serverText(server)}: it hangs, or the line does`;
    return error === undefined ? `${serverText(server)} closed the connection` : this.#problem(error, server);
  }

  /** What the server refuses, and whether the connection ends since nothing is heard of the server. */
  async #hear(open: NatsConnection, heard: { isStale: boolean }): Promise<void> {
    for await (const status of open.status()) {
      if (status.type === 'error') this.#tell({ refused: status.error.message });
      if (status.type === 'staleConnection') heard.isStale = true;
    }
  }

  #subscribe(open: NatsConnection, wanted: Wanted): void {
    const { subject, queue, listener } = wanted;
    const callback = (error: Error | null, message: Msg) => {
      if (error !== null) return;
      try {
        listener(this.#received(message));
      } catch (fault) {
        this.#options.onFault?.(fault);
      }
    };
    wanted.open = open.subscribe(subject, { callback, ...(queue !== undefined && { queue }) });
  }

  #received({ subject, data, reply: to, headers }: Msg): BusMessage {
    const isNobody = headers?.code === 503 && data.length === 0;
    const reply = to === '' ? undefined : to;
    const respond = (answer: Uint8Array | string) => {
      const open = this.#open;
      if (reply === undefined || open === undefined || open.isClosed()) return;
      this.#checkSize(answer);
      open.publish(reply, answer);
    };
    return { subject, data, reply, isNobody, respond };
  }

  #checkSize(data: Uint8Array | string): void {
    const bytes = typeof data === 'string' ? Buffer.byteLength(data) : data.length;
    if (bytes > this.#mostBytes) throw new RangeError(`${bytes} bytes, where the bus takes ${this.#mostBytes}`);
  }

  #problem(error: unknown, server: BusServer): string {
    const { address, files } = this.#options;
    return problemText(error, {
      server: serverText(server),
      user: address.user,
      hasCertificate: files?.certificate !== undefined,
    });
  }

  #notConnected(): BusError {
    return new BusError('not-connected', `not connected to the bus: ${this.#state.text}`);
  }

  #tell(change: Partial<BusState>): void {
    const { isUp = this.#state.isUp } = change;
    const sinceUs = isUp === this.#state.isUp ? this.#state.sinceUs : this.#options.clock.now();
    this.#state = { ...this.#state, ...change, sinceUs };
    for (const observer of this.#observers) observer(this.#state);
  }
}

function failureOf(error: Error, subject: string): BusError {
  const cause = error.cause as Error | undefined;
  if (error.name === 'TimeoutError') return new BusError('no-answer', 'no answer came over the bus in time');
  if (cause?.name === 'NoResponders') return new BusError('nobody', `nobody on the bus listens to ${subject}`);
  if (cause?.name === 'PermissionViolationError') {
    return new BusError('not-permitted', `the bus does not let us send to ${subject}`);
  }
  return new BusError('lost', 'the connection to the bus was lost before an answer came');
}

function shuffled<T>(items: readonly T[]): T[] {
  return items
    .map((item) => ({ item, at: Math.random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item);
}
