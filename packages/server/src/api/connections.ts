// The connections of the HTTP server: their number, their turns (each is answered one request at a time, in turn with
// the others), and which are closed. The server decides what is sent on them.
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { TLSSocket, Server as TlsServer } from 'node:tls';
import { type Clock, ProblemError } from '@telltale/schema';
import type { Logger } from 'pino';
import { keepAliveS } from './answer-headers.ts';
import { bareAnswer, closeSoon, endWith } from './problems.ts';
import { RequestTurns } from './request-turns.ts';
import { reset, stopParsing, takenBytes, transportOf } from './socket-internals.ts';

export interface ConnectionsOptions {
  readonly max: number;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Answers now or later. The returned function is called at the end, with the time since the request arrived. */
type Answer = (request: IncomingMessage, response: ServerResponse) => (elapsedMs: number) => void;

/** Of one connection, the one that is being answered included; another one closes it. */
const mostUnanswered = 100;
/** Of all: some 5 KB each. A client with one request at a time never counts here. */
const mostPending = 10_000;
/** Beyond the limit, so many at once are sent the reason; others are closed without an answer. */
const mostRefusals = 32;
/** The rest of an unwanted body is skipped for so long. */
const passOverMs = 10_000;
/** How often the log says that connections were closed. */
const logPeriodMs = 60_000;
/** How often those to close are looked for. One timer for all costs less than Node's own, which each request sets twice. */
const sweepS = 2;
/** For an answer that the client does not take, as on the channel. Stalled bodies end sooner (`read-body.ts`). */
const stallS = 30;

/** Why connections were closed by the server, and how many. */
export interface ClosedConnections {
  /** There was no room for it. */
  refused: number;
  /** It was idle, and made room for another. */
  evicted: number;
  /** It sent more requests without taking answers. */
  pipelining: number;
  /** Its client sent or took nothing for too long, in the middle of a request or of an answer. */
  stalled: number;
  /** No request for a while. */
  idle: number;
  /** TLS did not come about. */
  handshake: number;
}

type Exchange = readonly [request: IncomingMessage, response: ServerResponse, sinceMs: number];

interface Connection {
  readonly socket: Socket;
  /** Of TCP, while TLS is being agreed on over it. */
  readonly isHandshake: boolean;
  /** The request that is being answered, or will be when it has its turn. */
  current: Exchange | undefined;
  readonly pending: Exchange[];
  /** The request that was answered last, where its body was incomplete then. */
  unread: IncomingMessage | undefined;
  hasAsked: boolean;
  /** The sweep after which it last became idle, or took something. */
  since: number;
  /** Bytes of answers that its client has taken. */
  taken: number;
  /** `closing`: nothing more is taken; when all is answered, `end` is called. `upgraded`: the channel has it. */
  state: 'idle' | 'busy' | 'closing' | 'upgraded';
  end: (socket: Socket) => void;
}

export class Connections {
  readonly #options: ConnectionsOptions;
  readonly #all = new Map<Socket, Connection>();
  /** Before the first request, and between two: the longest idle first. */
  readonly #unasked = new Set<Connection>();
  readonly #idle = new Set<Connection>();
  readonly #turns: RequestTurns;
  readonly #closed: ClosedConnections = { refused: 0, evicted: 0, pipelining: 0, stalled: 0, idle: 0, handshake: 0 };
  #pending = 0;
  #sweeps = 0;
  #loggedMs = Number.NEGATIVE_INFINITY;

  constructor(options: ConnectionsOptions) {
    this.#options = options;
    this.#turns = new RequestTurns(options.clock);
  }

  get size(): number {
    return this.#all.size;
  }

  get closed(): Readonly<ClosedConnections> {
    return this.#closed;
  }

  /** Takes the connections of the server; `answer` is called for each request, in order. */
  watch(server: Server, answer: Answer): void {
    const take = (request: IncomingMessage, response: ServerResponse) =>
      this.#take([request, response, this.#options.clock.monotonicMs()], answer);
    server.on('request', take);
    server.on('checkContinue', take); // Node would answer these two by itself, past all bounds
    server.on('checkExpectation', take);
    server.maxConnections = this.#options.max + mostRefusals;
    server.on('drop', () => this.#count('refused'));
    const isTls = server instanceof TlsServer;
    server.on('connection', (socket) => this.#enter(socket, isTls));
    server.on('secureConnection', (socket: Socket) => this.#secured(socket));
    server.on('upgrade', ({ socket }) => this.#begin(this.#all.get(socket), 'upgraded'));
    server.keepAliveTimeout = 0; // idle ones are swept
    server.on('listening', () => this.#sweepUntilClosed(server));
  }

  /** TLS did not come about on it: there is nobody to answer. */
  failHandshake(socket: Socket): boolean {
    if (!(socket instanceof TLSSocket) || this.#all.has(socket)) return false;
    this.#count('handshake');
    socket.destroy();
    return true;
  }

  dropWhere(isUnwanted: (socket: Socket) => boolean): void {
    for (const { socket } of this.#all.values()) if (isUnwanted(socket)) socket.destroy();
  }

  /** Nobody has asked anything on these yet. */
  dropHandshakes(): void {
    for (const { isHandshake, socket } of this.#all.values()) if (isHandshake) socket.destroy();
  }

  /** Whether all requests of the connection so far are answered. */
  isIdle(socket: Socket): boolean {
    return this.#all.get(socket)?.state === 'idle';
  }

  /** After input that cannot be parsed: closes by `end` after the answers to what could be; false without any. */
  closeBehind(socket: Socket, end: Connection['end']): boolean {
    const connection = this.#all.get(socket);
    if (connection?.state === 'closing') return true;
    if (connection?.unread?.complete === false) {
      closeSoon(socket); // it was answered before its body was there
      return true;
    }
    if (connection?.state !== 'busy') return false;
    const { current, pending } = connection;
    const [request, response] = pending.at(-1) ?? current ?? [];
    if (request?.complete === false && !response?.headersSent) {
      // Its own body is what cannot be read: it is not carried out.
      if (pending.length + Number(current !== undefined) === 1) return false;
      pending.pop();
      this.#pending--;
    }
    this.#close(connection, request?.complete === false && response?.headersSent ? closeSoon : end);
    socket.pause();
    return true;
  }

  /** Closes by `end`, which reports that the input cannot be parsed: when it has its turn, as a request has. */
  closeInTurn(socket: Socket, end: Connection['end']): void {
    const connection = this.#all.get(socket);
    if (connection !== undefined) this.#close(connection, end);
    if (this.#turns.hasTime()) end(socket);
    else {
      socket.pause();
      this.#turns.waitBehind(() => end(socket));
    }
  }

  /** Answers the request, or will when those before it on its connection are answered. */
  #take(exchange: Exchange, answer: Answer): void {
    const connection = this.#all.get(exchange[0].socket);
    if (connection?.state === 'idle') {
      this.#begin(connection, 'busy');
      connection.current = exchange;
      if (this.#turns.hasTime(exchange[2])) this.#answer(connection, exchange, answer);
      else {
        const begin = () => this.#answer(connection, exchange, answer);
        this.#turns.wait(begin, () => connection.pending.length > 0);
      }
    } else if (connection?.state === 'busy') {
      if (connection.pending.length + 1 < mostUnanswered && this.#pending < mostPending) {
        connection.pending.push(exchange);
        this.#pending++;
      } else {
        this.#close(connection, refuse);
        this.#count('pipelining');
        stopParsing(connection.socket);
      }
      connection.socket.pause(); // no more is read than was before there was one to wait
    }
  }

  #enter(socket: Socket, isHandshake = false): void {
    // Where there is no room, one of TLS is told so when it can read it.
    if (this.#all.size >= this.#options.max && !this.#evict() && !isHandshake) {
      this.#count('refused');
      const problem = new ProblemError('too-many-connections', `${this.#all.size} connections are open.`);
      socket.end(bareAnswer(problem, socket), () => socket.destroy());
      return;
    }
    const connection: Connection = {
      socket,
      isHandshake,
      current: undefined,
      pending: [],
      unread: undefined,
      hasAsked: false,
      since: 0,
      taken: 0,
      state: 'idle',
      end: () => undefined,
    };
    this.#all.set(socket, connection);
    this.#rest(connection);
    socket.once('close', () => this.#leave(connection));
  }

  /** Its requests come over this socket, not over that of the handshake. */
  #secured(socket: Socket): void {
    const transport = transportOf(socket);
    const handshake = transport === undefined ? undefined : this.#all.get(transport);
    if (handshake !== undefined) this.#leave(handshake);
    this.#enter(socket);
  }

  #leave(connection: Connection): void {
    connection.state = 'closing';
    this.#dropPending(connection);
    this.#all.delete(connection.socket);
    this.#idleOf(connection).delete(connection);
  }

  #dropPending({ pending }: Connection): void {
    this.#pending -= pending.length;
    pending.length = 0;
  }

  #close(connection: Connection, end: Connection['end']): void {
    connection.state = 'closing';
    connection.end = end;
  }

  /** Makes room; false where all are in use. Those that never had a request go first: others may send another one. */
  #evict(): boolean {
    const [idle] = this.#unasked.size > 0 ? this.#unasked : this.#idle;
    const longest = idle ?? this.#all.values().find(({ socket }) => socket.writableFinished); // answered; lingers
    if (longest === undefined) return false;
    this.#drop(longest, 'evicted');
    return true;
  }

  #sweepUntilClosed(server: Server): void {
    let cancel: () => void;
    const wait = () => {
      cancel = this.#options.clock.after(sweepS * 1000, () => {
        this.#sweep();
        wait();
      });
    };
    wait();
    server.once('close', () => cancel());
  }

  #sweep(): void {
    this.#sweeps++;
    for (const idle of [this.#unasked, this.#idle]) {
      for (const connection of idle) {
        if (this.#lastedS(connection) <= keepAliveS) break; // and so it is with those behind it
        this.#drop(connection, 'idle');
      }
    }
    for (const connection of this.#all.values()) {
      if (!this.#isStalled(connection)) continue;
      reset(connection.socket); // with what the system holds for it, and so that it takes no part for the whole
      this.#drop(connection, 'stalled');
    }
  }

  /** Since `since`, at least. */
  #lastedS({ since }: Connection): number {
    return (this.#sweeps - since - 1) * sweepS;
  }

  /** One that waits for the service itself is not to blame. */
  #isStalled(connection: Connection): boolean {
    const { socket, state } = connection;
    if (state === 'idle' || state === 'upgraded') return false;
    const taken = takenBytes(socket);
    if (socket.writableLength > 0 && taken === connection.taken) return this.#lastedS(connection) >= stallS;
    connection.taken = taken;
    connection.since = this.#sweeps;
    return false;
  }

  #drop(connection: Connection, reason: keyof ClosedConnections): void {
    this.#count(reason);
    this.#leave(connection);
    connection.socket.destroy();
  }

  #rest(connection: Connection): void {
    connection.state = 'idle';
    connection.since = this.#sweeps;
    this.#idleOf(connection).add(connection);
  }

  #begin(connection: Connection | undefined, state: 'busy' | 'upgraded'): void {
    if (connection === undefined) return;
    this.#idleOf(connection).delete(connection);
    connection.state = state;
    connection.since = this.#sweeps;
    connection.hasAsked = true;
  }

  #idleOf({ hasAsked }: Connection): Set<Connection> {
    return hasAsked ? this.#idle : this.#unasked;
  }

  #answer(connection: Connection, exchange: Exchange, answer: Answer): void {
    const { socket } = connection;
    if (socket.destroyed || socket.writableEnded) return; // it went while the request waited
    const [request, response, sinceMs] = exchange;
    connection.current = exchange;
    const onClosed = answer(request, response);
    response.on('close', () => {
      onClosed(this.#options.clock.monotonicMs() - sinceMs);
      this.#answered(connection, request, answer);
    });
  }

  #answered(connection: Connection, request: IncomingMessage, answer: Answer): void {
    const { socket, pending, state } = connection;
    if (!this.#all.has(socket)) return;
    connection.current = undefined;
    if (!request.complete) this.#passOver(connection, request);
    if (socket.writableEnded)
      this.#dropPending(connection); // the answer said that it is the last
    else if (pending.length > 0)
      this.#turns.waitBehind(() => this.#next(connection, answer)); // others have their turn between
    else if (state === 'closing') connection.end(socket);
    else {
      this.#rest(connection);
      if (socket.isPaused()) socket.resume();
    }
  }

  #next(connection: Connection, answer: Answer): void {
    const next = connection.pending.shift();
    if (next === undefined) return; // the connection is gone
    this.#pending--;
    this.#answer(connection, next, answer);
  }

  #passOver(connection: Connection, request: IncomingMessage): void {
    const { socket } = connection;
    connection.unread = request;
    const cancel = this.#options.clock.after(passOverMs, () => {
      this.#count('stalled');
      socket.destroy();
    });
    request.once('close', cancel);
  }

  #count(reason: keyof ClosedConnections): void {
    this.#closed[reason]++;
    const text = reasons[reason];
    if (text === undefined) return;
    const { clock, log } = this.#options;
    const nowMs = clock.monotonicMs();
    if (nowMs - this.#loggedMs < logPeriodMs) return;
    this.#loggedMs = nowMs;
    log.warn({ open: this.#all.size, closed: { ...this.#closed } }, `connections are closed: ${text}`);
  }
}

/** Those that an operator may want to act on. */
const reasons: Readonly<Partial<Record<keyof ClosedConnections, string>>> = {
  refused: 'too many are open; a higher limit of open files (ulimit -n) lets more in',
  evicted: 'too many are open, and the longest idle make room; a higher limit of open files (ulimit -n) lets more in',
  pipelining: 'a client asks on without waiting for answers',
};

function refuse(socket: Socket): void {
  const detail = `${mostUnanswered} requests of this connection wait for their answers.`;
  endWith(new ProblemError('too-many-requests', detail), socket);
}
