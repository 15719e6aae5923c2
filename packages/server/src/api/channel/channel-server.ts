// The WebSocket channel: lets clients in, bounds what they may send and how many they are, finds the dead ones.
import { type Server as HttpServer, type IncomingMessage, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type Clock, closeCode, ProblemError, problemMediaType } from '@telltale/schema';
import { type WebSocket, WebSocketServer } from 'ws';
import { guardLoopback } from '../../access/index.ts';
import { ChannelClient } from './channel-client.ts';
import type { ChannelRequests } from './channel-requests.ts';
import type { Watches } from './watches.ts';

export interface ChannelServerOptions {
  readonly path: string;
  readonly requests: ChannelRequests;
  readonly watches: Watches;
  readonly clock: Clock;
  readonly maxMessageBytes: number;
  readonly maxClients: number;
  /** Why the service cannot answer now; undefined where it can. */
  readonly unavailable: () => 'starting' | 'stopping' | undefined;
  /** Who asks. */
  readonly author: string;
}

const checkMs = 5000;

/** When the service stops: how long requests that run have to finish, and clients then to say farewell. */
const finishMs = 2000;
const farewellMs = 1000;

export class ChannelServer {
  readonly #options: ChannelServerOptions;
  readonly #server: WebSocketServer;
  readonly #clients = new Map<WebSocket, ChannelClient>();
  #cancelCheck: () => void = () => undefined;

  constructor(options: ChannelServerOptions) {
    this.#options = options;
    this.#server = new WebSocketServer({
      noServer: true,
      maxPayload: options.maxMessageBytes,
      perMessageDeflate: false, // costs memory a client, and a copy of every message for each
      clientTracking: false,
      // A request is answered before the next one is read: thousands in one packet would be carried out at once else.
      allowSynchronousEvents: false,
    });
  }

  get size(): number {
    return this.#clients.size;
  }

  /** Bytes that wait for clients. */
  get waitingBytes(): number {
    let bytes = 0;
    for (const client of this.#clients.values()) bytes += client.waitingBytes;
    return bytes;
  }

  /** How much is watched. */
  get watches(): number {
    return this.#options.watches.count;
  }

  /** Measurement updates that were handed to clients. */
  get delivered(): number {
    return this.#options.watches.measurements.delivered;
  }

  get skipped(): number {
    return this.#options.watches.measurements.skipped;
  }

  /** Requests so far, by whether all of each was carried out. */
  get requests(): { readonly good: number; readonly bad: number } {
    return this.#options.requests.counts;
  }

  /** Takes over the upgrades of an HTTP server. */
  serve(http: HttpServer): void {
    this.#server.on('wsClientError', (error, stream) => {
      refuse(stream, new ProblemError('malformed-request', `${error.message}.`));
    });
    http.on('upgrade', (request: IncomingMessage, stream: Duplex, head: Buffer) => {
      stream.on('error', () => stream.destroy());
      const refusal = this.#refusalOf(request);
      if (refusal === undefined) {
        this.#server.handleUpgrade(request, stream, head, (socket) => this.#welcome(socket, stream as Socket));
      } else refuse(stream, refusal);
    });
    this.#checkLater();
  }

  /** Answers what runs, tells every client that the service goes, and waits for them, but not for ever. */
  async close(): Promise<void> {
    this.#cancelCheck();
    await this.#finish();
    const gone = Array.from(this.#clients.keys(), (socket) => new Promise((resolve) => socket.once('close', resolve)));
    for (const socket of this.#clients.keys()) socket.close(closeCode.goingAway, 'the service is stopping');
    const force = setTimeout(() => {
      for (const socket of this.#clients.keys()) socket.terminate();
    }, farewellMs);
    await Promise.all(gone);
    clearTimeout(force);
  }

  async #finish(): Promise<void> {
    const { promise: late, resolve } = Promise.withResolvers<void>();
    const patience = setTimeout(resolve, finishMs);
    await Promise.race([this.#options.requests.finished(), late]);
    clearTimeout(patience);
  }

  #refusalOf(request: IncomingMessage): ProblemError | undefined {
    const { path, maxClients, unavailable } = this.#options;
    const { url = '', headers } = request;
    if (
      url
        .replace(/\?.*$/s, '')
        .replaceAll(/\/{2,}/g, '/')
        .replace(/(?<=.)\/$/, '') !== path
    ) {
      return new ProblemError('unknown-path', `The channel is at ${path}.`);
    }
    // Whoever watches can also write, so that a page from elsewhere may not even connect.
    const guarded = { method: 'POST', host: headers.host, origin: headers.origin, fetchSite: undefined };
    const refusal = guardLoopback(guarded);
    if (refusal !== undefined) return new ProblemError(refusal, 'Only this machine may connect.');
    const state = unavailable();
    if (state !== undefined) return new ProblemError(state, `The service is ${state}.`);
    if (this.#clients.size < maxClients) return undefined;
    return new ProblemError('too-many-clients', `${maxClients} clients are connected; --max-clients sets the limit.`);
  }

  #welcome(socket: WebSocket, stream: Socket): void {
    const { requests, watches, author } = this.#options;
    const newest = (handles: ReadonlySet<number>, skipped: number) => watches.measurements.newest(handles, skipped);
    const flush = () => watches.measurements.flush();
    const client = new ChannelClient({ socket, stream, author, flush, newest }, this.#nowMs());
    this.#clients.set(socket, client);
    socket.on('message', (data, isBinary) => {
      client.heard(this.#nowMs());
      if (socket.readyState !== socket.OPEN) return; // what comes behind what made it close is not carried out
      if (isBinary) socket.close(closeCode.unsupportedData, 'one JSON text a message');
      else requests.take(client, data as Buffer);
    });
    socket.on('pong', () => client.heard(this.#nowMs()));
    socket.on('error', () => undefined); // the library closes with the right code; there is nothing to add
    socket.on('close', () => {
      this.#clients.delete(socket);
      watches.leave(client);
    });
  }

  #checkLater(): void {
    this.#cancelCheck = this.#options.clock.after(checkMs, () => {
      for (const client of this.#clients.values()) client.check(this.#nowMs());
      this.#checkLater();
    });
  }

  #nowMs(): number {
    return this.#options.clock.now() / 1000;
  }
}

function refuse(stream: Duplex, problem: ProblemError): void {
  const body = JSON.stringify(problem);
  stream.end(
    `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}\r\n` +
      `Content-Type: ${problemMediaType}\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}
