// One WebSocket after the other: connects by itself, and again after a loss, ever more slowly. What is said over it is
// left to the channel.
import type { Clock } from '@telltale/schema';
import { authorizationOf, type Credential } from './credential.ts';
import type { TelltaleProblem } from './errors.ts';

/** What the channel needs of a WebSocket: the one of browsers, of Node, and of the package `ws` have it. */
export interface Socket {
  addEventListener(
    type: 'open' | 'message' | 'close' | 'error',
    listener: (event: { readonly data?: unknown; readonly code?: number; readonly reason?: string }) => void,
  ): void;
  send(text: string): void;
  close(code?: number, reason?: string): void;
}

/** The second argument is given only where there is a token: the WebSocket of browsers takes no headers. */
export type WebSocketConstructor = new (url: string, options?: { readonly headers: Record<string, string> }) => Socket;

/** That of Node does; that of browsers would take them for the name of a protocol. */
export function ownWebSocketTakesHeaders(): boolean {
  return typeof globalThis.process?.versions?.node === 'string';
}

/** `connecting` until the first connection; `lost` while there is none: known values may be out of date. */
export type ChannelState = 'connecting' | 'connected' | 'lost' | 'closed';

export interface ConnectionOptions {
  readonly url: string;
  readonly WebSocket: WebSocketConstructor;
  readonly token: Credential | undefined;
  /** Asked where a connection is not accepted: a WebSocket does not say what the service has answered. */
  readonly whyRefused: (() => Promise<TelltaleProblem | undefined>) | undefined;
  readonly clock: Clock;
  /** From 0 to 1, for the jitter. */
  readonly random: () => number;
  readonly connectTimeoutMs: number;
  readonly onMessage: (data: unknown) => void;
  /** Called at each change of the state, and when a refusal becomes known; `reason` says why a connection was lost. */
  readonly onState: (state: ChannelState, reason: string) => void;
}

const firstDelayMs = 250;
const longestDelayMs = 10_000;
/** The code of a close where the session or token has ended. */
const revoked = 1008;
/** A connection that held so long was a good one: the next attempt comes soon again. */
const goodAfterMs = 10_000;

export class Connection {
  readonly #options: ConnectionOptions;
  #state: ChannelState = 'connecting';
  #socket: Socket | undefined;
  #refusal: TelltaleProblem | undefined;
  #attempt = 0;
  #connectedMs = 0;
  #cancelTimer: () => void = () => undefined;

  constructor(options: ConnectionOptions) {
    this.#options = options;
    this.#connect();
  }

  get state(): ChannelState {
    return this.#state;
  }

  /** Why the service refuses to connect, as far as it says. */
  get refusal(): TelltaleProblem | undefined {
    return this.#refusal;
  }

  /** Only while connected. */
  send(text: string): void {
    try {
      this.#socket?.send(text);
    } catch (error) {
      this.drop(`it could not be written to: ${(error as Error).message}`);
    }
  }

  /** Gives up the present connection, whose peer is dead or makes no sense. */
  drop(reason: string): void {
    const socket = this.#socket;
    if (socket === undefined) return;
    this.#socket = undefined; // what it still says is not heard: a dead peer never ends the closing handshake
    socket.close();
    this.#lost(reason);
  }

  close(): void {
    if (this.#state === 'closed') return;
    this.#cancelTimer();
    const socket = this.#socket;
    this.#socket = undefined;
    socket?.close(1000);
    this.#enter('closed', 'it was closed');
  }

  #connect(): void {
    const failed = (error: unknown) => this.#lost((error as Error).message);
    try {
      const headers = authorizationOf(this.#options.token);
      if (!(headers instanceof Promise)) this.#dial(headers);
      else headers.then((found) => this.#dial(found)).catch(failed);
    } catch (error) {
      failed(error);
    }
  }

  #dial(headers: Readonly<Record<string, string>>): void {
    if (this.#state === 'closed') return;
    const { url, WebSocket, clock, connectTimeoutMs, onMessage } = this.#options;
    const hasHeaders = Object.keys(headers).length > 0;
    const socket: Socket = hasHeaders ? new WebSocket(url, { headers }) : new WebSocket(url);
    let wasOpen = false;
    this.#socket = socket;
    this.#cancelTimer = clock.after(connectTimeoutMs, () => this.drop('it was not accepted in time'));
    socket.addEventListener('open', () => {
      if (socket !== this.#socket) return;
      wasOpen = true;
      this.#cancelTimer();
      this.#connectedMs = clock.monotonicMs();
      this.#refusal = undefined;
      this.#enter('connected', '');
    });
    socket.addEventListener('message', ({ data }) => {
      if (socket === this.#socket) onMessage(data);
    });
    socket.addEventListener('error', () => undefined); // a close follows
    socket.addEventListener('close', ({ code, reason = '' }) => {
      if (socket !== this.#socket) return;
      const text = `it was closed with ${code}${reason === '' ? '' : `, ${reason.slice(0, 123)}`}`;
      const { whyRefused } = this.#options;
      if (whyRefused === undefined || (wasOpen && code !== revoked)) this.#lose(socket, text);
      else this.#explain(socket, text, whyRefused);
    });
  }

  #explain(socket: Socket, text: string, whyRefused: NonNullable<ConnectionOptions['whyRefused']>): void {
    whyRefused()
      .catch(() => undefined)
      .then((refusal) => this.#lose(socket, refusal?.message ?? text, refusal));
  }

  #lose(socket: Socket, reason: string, refusal?: TelltaleProblem): void {
    if (socket !== this.#socket) return;
    this.#socket = undefined;
    const isNews = this.#state === 'lost' && this.#refusal === undefined && refusal !== undefined;
    this.#refusal = refusal;
    this.#lost(reason);
    if (isNews) this.#options.onState('lost', reason);
  }

  #lost(reason: string): void {
    const { clock, random } = this.#options;
    this.#cancelTimer();
    if (this.#state === 'connected' && clock.monotonicMs() - this.#connectedMs >= goodAfterMs) this.#attempt = 0;
    const delayMs = Math.min(longestDelayMs, firstDelayMs * 2 ** this.#attempt) * (0.5 + random() / 2);
    this.#attempt = Math.min(this.#attempt + 1, 20);
    this.#cancelTimer = clock.after(delayMs, () => this.#connect());
    this.#enter('lost', reason);
  }

  #enter(state: ChannelState, reason: string): void {
    if (this.#state === state) return;
    this.#state = state;
    this.#options.onState(state, reason);
  }
}
