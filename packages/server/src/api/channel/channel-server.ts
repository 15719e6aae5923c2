// The WebSocket channel: lets clients in, bounds what they may send and how many they are, finds the dead ones.
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { answerPings, type Clock, closeCode, ProblemError } from '@telltale/schema';
import { type ServerOptions, type WebSocket, WebSocketServer } from 'ws';
import { type Caller, guardedRequest, type Identities, nobody, type OriginGuard } from '../../access/index.ts';
import type { FunctionModules, ModuleConnection } from '../../modules/index.ts';
import type { Gate } from '../../operations/index.ts';
import type { BodyBudget } from '../body-budget.ts';
import type { CredentialsReader, Entrance } from '../credentials.ts';
import type { HttpServer, ServedSites } from '../http-server.ts';
import { endWith } from '../problems.ts';
import { formFault, originForm } from '../request-form.ts';
import { ArrivingMessage } from './arriving-message.ts';
import { ChannelClient, lingerMs } from './channel-client.ts';
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
  readonly identities: Identities;
  readonly credentialsOf: CredentialsReader;
  readonly gate: Pick<Gate, 'denied'>;
  /** Checks the liveness of its modules, by the connections that they make. */
  readonly modules: Pick<FunctionModules, 'connected'>;
  readonly guard: Pick<OriginGuard, 'refusalOf'>;
  /** Their channels are theirs. */
  readonly sites?: ServedSites | undefined;
}

const checkMs = 5000;

/** What may be queued for clients that were closed since they take nothing: beyond, they are cut off. */
const mostClosedBytes = 16 << 20;

/** When the service stops: how long requests that run have to finish, and clients then to say farewell. */
const finishMs = 2000;
const farewellMs = 1000;

interface Admitted {
  readonly caller: Caller;
  /** Where it connects from. */
  readonly source: string | undefined;
}

export class ChannelServer {
  readonly #options: ChannelServerOptions;
  readonly #server: WebSocketServer;
  readonly #clients = new Map<WebSocket, ChannelClient>();
  /** What each is sending. */
  readonly #arriving = new Map<ChannelClient, ArrivingMessage>();
  /** Of function modules, to their supervisors. */
  readonly #connections = new Map<ChannelClient, ModuleConnection>();
  #cancelCheck: () => void = () => undefined;

  constructor(options: ChannelServerOptions) {
    this.#options = options;
    options.identities.onChanged((caller, isGone) => {
      for (const client of this.#clients.values()) {
        if (client.caller !== caller) continue;
        if (isGone) this.#dismiss(client);
        else this.#checkView(client);
      }
    });
    const settings: ServerOptions & { closeTimeout: number } = {
      noServer: true,
      maxPayload: options.maxMessageBytes,
      perMessageDeflate: false, // costs memory a client, and a copy of every message for each
      clientTracking: false,
      autoPong: false,
      closeTimeout: lingerMs,
      // A request is answered before the next one is read: thousands in one packet would be carried out at once else.
      allowSynchronousEvents: false,
    };
    this.#server = new WebSocketServer(settings);
    this.#server.on('wsClientError', (error, stream) => {
      refuse(stream, new ProblemError('malformed-request', `${error.message}.`));
    });
  }

  get size(): number {
    return this.#clients.size;
  }

  get pendingBytes(): number {
    let bytes = 0;
    for (const client of this.#clients.values()) bytes += client.pendingBytes;
    return bytes;
  }

  get watches(): number {
    return this.#options.watches.count;
  }

  get delivered(): number {
    return this.#options.watches.updates.delivered;
  }

  get skipped(): number {
    return this.#options.watches.updates.skipped;
  }

  /** Requests so far, by whether all of each was carried out. */
  get requests(): { readonly good: number; readonly bad: number } {
    return this.#options.requests.counts;
  }

  /** Takes over the upgrades of an HTTP server, and shares its budget; who comes in there is decided by its entrance. */
  serve({ server, budget }: Pick<HttpServer, 'server' | 'budget'>, entrance: Entrance = this.#options): void {
    const { gate, path } = this.#options;
    server.on('upgrade', (request: IncomingMessage, stream: Duplex, head: Buffer) => {
      stream.on('error', () => stream.destroy());
      try {
        const { sites } = this.#options;
        if (sites?.isOfSite(request.url ?? '')) {
          const asking = this.#identify(request, entrance);
          sites.forwardUpgrade(request, stream as Socket, head, asking).catch((error) => refuse(stream, error));
          return;
        }
        const admitted = this.#admit(request, entrance);
        this.#server.handleUpgrade(request, stream, head, (socket) => {
          this.#welcome(socket, stream as Socket, admitted, budget);
        });
      } catch (error) {
        if (!(error instanceof ProblemError)) throw error;
        const { remoteAddress: source } = request.socket;
        gate.denied(undefined, { caller: nobody, credentials: { source } }, path, error);
        refuse(stream, error);
      }
    });
    this.#cancelCheck();
    this.#checkLater();
  }

  /** Answers running requests, notifies every client of the stop, and waits for them for a limited time. */
  async close(): Promise<void> {
    this.#cancelCheck();
    await this.#finish();
    const gone = Array.from(this.#clients.keys(), (socket) => new Promise((resolve) => socket.once('close', resolve)));
    for (const client of this.#clients.values()) client.farewell(closeCode.goingAway, 'the service is stopping');
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

  /** The caller of a new connection; throws `ProblemError` where it may not connect. */
  #admit(request: IncomingMessage, entrance: Entrance): Admitted {
    const { path, maxClients } = this.#options;
    const { url = '' } = request;
    const fault = formFault(request);
    if (fault !== undefined) throw new ProblemError('malformed-request', fault);
    if (
      originForm(url)
        .replace(/\?.*$/s, '')
        .replaceAll(/\/{2,}/g, '/')
        .replace(/(?<=.)\/$/, '') !== path
    ) {
      throw new ProblemError('unknown-path', `The channel is at ${path}.`);
    }
    const { caller, credentials } = this.#identify(request, entrance);
    if (this.#clients.size < maxClients) return { caller, source: credentials.source };
    throw new ProblemError('too-many-clients', `${maxClients} clients are connected; --max-clients sets the limit.`);
  }

  /** Who wants to connect; throws `ProblemError` where nobody may. */
  #identify(request: IncomingMessage, { identities, credentialsOf, guard }: Entrance) {
    const refusal = guard.refusalOf(guardedRequest(request));
    if (refusal !== undefined)
      throw new ProblemError(refusal, 'The channel is for programs, and for pages of this service.');
    const state = this.#options.unavailable();
    if (state !== undefined) throw new ProblemError(state, `The service is ${state}.`);
    const credentials = credentialsOf(request);
    const caller = identities.identify(credentials);
    if (caller === nobody) throw new ProblemError('not-signed-in', 'The request has no credentials.');
    return { caller, credentials };
  }

  #welcome(socket: WebSocket, stream: Socket, admitted: Admitted, budget: BodyBudget): void {
    const { requests, watches } = this.#options;
    const { backlog } = requests;
    const flush = () => watches.flushMeasurements();
    const nextTurn = () => watches.nextTurn();
    const view = watches.viewOf(admitted.caller.rights);
    const client = new ChannelClient({ socket, stream, ...admitted, view, backlog, flush, nextTurn }, this.#nowMs());
    backlog.enter(client);
    this.#clients.set(socket, client);
    this.#present(client);
    const arriving = new ArrivingMessage(budget);
    this.#arriving.set(client, arriving);
    stream.on('data', (chunk: Buffer) => this.#count(client, arriving, chunk));
    socket.on('message', (data, isBinary) => {
      client.heard(this.#nowMs());
      if (socket.readyState !== socket.OPEN) return; // what comes behind what made it close is not carried out
      const release = arriving.take();
      if (!isBinary) return void requests.take(client, data as Buffer).finally(release);
      socket.close(closeCode.unsupportedData, 'one JSON text a message');
      release();
    });
    socket.on('ping', (payload) => arriving.passOver(payload));
    answerPings(socket);
    socket.on('pong', (payload) => {
      client.heard(this.#nowMs());
      arriving.passOver(payload);
    });
    socket.on('error', () => undefined); // the library closes with the right code; there is nothing to add
    socket.on('close', () => {
      this.#clients.delete(socket);
      backlog.leave(client);
      this.#arriving.delete(client);
      arriving.take()();
      watches.leave(client);
      this.#absent(client);
    });
  }

  /** Without room for its messages, stops reading and notifies it. What has arrived counts until it leaves. */
  #count(client: ChannelClient, arriving: ArrivingMessage, chunk: Buffer): void {
    try {
      arriving.add(chunk.length, this.#nowMs());
    } catch {
      client.hold();
      if (client.isOpen) client.close(closeCode.tryAgainLater, 'too much is being sent to the service');
    }
  }

  /** A function module has connected: its supervisor may query it. */
  #present(client: ChannelClient): void {
    const { module } = client.caller;
    if (module === undefined) return;
    const ask = (queryId: number) => client.send(`{"notification":"FunctionModuleQuery","query_id":${queryId}}`);
    this.#connections.set(client, this.#options.modules.connected(module, ask));
  }

  #absent(client: ChannelClient): void {
    this.#connections.get(client)?.closed();
    this.#connections.delete(client);
  }

  /** Its session or token has ended: the connection does not belong to the run of the module that is active now. */
  #dismiss(client: ChannelClient): void {
    this.#absent(client);
    client.close(closeCode.tokenRevoked, 'the session or token has ended');
  }

  /** It is told nothing more of what it may not view any more. When it connects again, it begins with what it may view now. */
  #checkView(client: ChannelClient): void {
    const { watches } = this.#options;
    if (!client.isOpen || watches.viewOf(client.caller.rights) === client.view) return;
    watches.leave(client);
    client.close(closeCode.rightsChanged, 'what it may view has changed');
  }

  #checkLater(): void {
    this.#cancelCheck = this.#options.clock.after(checkMs, () => {
      let bytesOfClosed = 0;
      for (const client of this.#clients.values()) {
        client.check(this.#nowMs());
        this.#checkView(client); // rights may end with time
        const isLate = this.#arriving.get(client)?.isLate(this.#nowMs());
        if (isLate && client.isOpen) client.close(closeCode.tryAgainLater, 'the message took too long');
        if (client.isOpen) continue;
        this.#options.watches.leave(client);
        this.#absent(client);
        bytesOfClosed += client.pendingBytes;
        if (bytesOfClosed > mostClosedBytes) client.terminate();
      }
      this.#checkLater();
    });
  }

  #nowMs(): number {
    return this.#options.clock.monotonicMs();
  }
}

function refuse(stream: Duplex, problem: ProblemError): void {
  endWith(problem, stream.resume());
}
