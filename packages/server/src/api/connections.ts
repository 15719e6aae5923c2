// The connections of the HTTP server: how many there are, that each is answered one request at a time and in turn with the
// others, and which are closed. What is said on them is the server's.
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { type Clock, ProblemError } from '@telltale/schema';
import type { Logger } from 'pino';
import { keepAliveS } from './answer-headers.ts';
import { bareAnswer } from './problems.ts';
import { RequestTurns } from './request-turns.ts';

export interface ConnectionsOptions {
  /** Most that are open at once. */
  readonly max: number;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Answers the request, now or later; what it returns is called when the answer is out, or the connection gone. */
type Answer = (request: IncomingMessage, response: ServerResponse) => () => void;

/** Of one connection, the one that is being answered included; another one closes it. */
const mostUnanswered = 100;
/** Of all: some 5 KB each. Who asks one request at a time never counts here. */
const mostWaiting = 10_000;
/** Beyond the bound, for so many at once there is time to tell them why; others are closed unheard. */
const mostRefusals = 32;
/** What is left of a body that nobody wants is passed over for so long. */
const passOverMs = 10_000;
/** How often the log says that connections were closed. */
const tellMs = 60_000;
/** How often idle ones are looked for. One timer for all costs less than Node's own, which each request sets twice. */
const sweepS = 2;

/** Why connections were closed by the server, and how many. */
export interface ClosedConnections {
  /** There was no room for it. */
  refused: number;
  /** It was idle, and made room for another. */
  evicted: number;
  /** It asked on without taking answers. */
  pipelining: number;
  /** Its client sent or took nothing for too long, in the middle of a request or of an answer. */
  stalled: number;
  /** Nothing was asked for a while. */
  idle: number;
  /** What it sent was no request, and there was no time to tell it. */
  unreadable: number;
}

type Exchange = readonly [IncomingMessage, ServerResponse];

interface Connection {
  readonly socket: Socket;
  /** What is being answered. */
  current: Exchange | undefined;
  /** Behind it. */
  readonly waiting: Exchange[];
  /** The sweep that it last became idle after. */
  idleSince: number;
  /** `closing`: nothing more is taken; when all is answered, `end` is called. */
  state: 'idle' | 'busy' | 'closing';
  end: (socket: Socket) => void;
}

export class Connections {
  readonly #options: ConnectionsOptions;
  readonly #all = new Map<Socket, Connection>();
  /** Between two requests, or before the first: the longest idle first. */
  readonly #idle = new Set<Connection>();
  readonly #turns: RequestTurns;
  readonly #closed: ClosedConnections = { refused: 0, evicted: 0, pipelining: 0, stalled: 0, idle: 0, unreadable: 0 };
  #waiting = 0;
  #sweeps = 0;
  #toldMs = Number.NEGATIVE_INFINITY;

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
    server.on('request', (request, response) => this.#take([request, response], answer));
    server.maxConnections = this.#options.max + mostRefusals;
    server.on('drop', () => this.#count('refused'));
    server.on('connection', (socket) => this.#enter(socket));
    server.on('upgrade', ({ socket }) => this.#begin(this.#all.get(socket)));
    server.on('timeout', (socket: Socket) => this.#timedOut(socket, server.timeout));
    server.keepAliveTimeout = 0; // idle ones are swept
    server.on('listening', () => this.#sweepUntilClosed(server));
  }

  /** Whether all requests of the connection so far are answered. */
  isIdle(socket: Socket): boolean {
    return this.#all.get(socket)?.state === 'idle';
  }

  /** What came cannot be read on: closes the connection by `end` behind an answer that has begun; false where none has. */
  closeBehind(socket: Socket, end: Connection['end']): boolean {
    const connection = this.#all.get(socket);
    if (connection?.state === 'closing') return true;
    if (connection?.current?.[1].headersSent !== true) return false;
    this.#close(connection, end);
    return true;
  }

  /** Closes the connection at once where the turn has no time for an answer to what cannot be read; false where it has. */
  closeUnheard(socket: Socket): boolean {
    if (this.#turns.hasTime()) return false;
    this.#count('unreadable');
    socket.destroy();
    return true;
  }

  /** Answers the request, or will when those before it on its connection are answered. */
  #take(exchange: Exchange, answer: Answer): void {
    const connection = this.#all.get(exchange[0].socket);
    if (connection?.state === 'idle') {
      this.#begin(connection);
      if (this.#turns.hasTime()) this.#answer(connection, exchange, answer);
      else this.#turns.wait(() => this.#answer(connection, exchange, answer));
    } else if (connection?.state === 'busy') {
      if (connection.waiting.length + 1 < mostUnanswered && this.#waiting < mostWaiting) {
        connection.waiting.push(exchange);
        this.#waiting++;
      } else {
        this.#close(connection, refuse);
        this.#count('pipelining');
        stopParsing(connection.socket);
      }
      connection.socket.pause(); // no more is read than was before there was one to wait
    }
  }

  #enter(socket: Socket): void {
    if (this.#all.size >= this.#options.max && !this.#evict()) {
      this.#count('refused');
      const problem = new ProblemError('too-many-connections', `${this.#all.size} connections are open.`);
      socket.end(bareAnswer(problem), () => socket.destroy());
      return;
    }
    const connection: Connection = {
      socket,
      current: undefined,
      waiting: [],
      idleSince: 0,
      state: 'idle',
      end: () => undefined,
    };
    this.#all.set(socket, connection);
    this.#rest(connection);
    socket.once('close', () => this.#leave(connection));
  }

  #leave(connection: Connection): void {
    connection.state = 'closing';
    this.#dropWaiting(connection);
    this.#all.delete(connection.socket);
    this.#idle.delete(connection);
  }

  #dropWaiting({ waiting }: Connection): void {
    this.#waiting -= waiting.length;
    waiting.length = 0;
  }

  #close(connection: Connection, end: Connection['end']): void {
    connection.state = 'closing';
    connection.end = end;
  }

  /** Makes room; false where all are in use. */
  #evict(): boolean {
    const [longest] = this.#idle;
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
    for (const connection of this.#idle) {
      const idleS = (this.#sweeps - connection.idleSince - 1) * sweepS; // at least
      if (idleS <= keepAliveS) return; // and so it is with those behind it
      this.#drop(connection, 'idle');
    }
  }

  #drop(connection: Connection, reason: keyof ClosedConnections): void {
    this.#count(reason);
    this.#leave(connection);
    connection.socket.destroy();
  }

  #rest(connection: Connection): void {
    connection.state = 'idle';
    connection.idleSince = this.#sweeps;
    this.#idle.add(connection);
  }

  #begin(connection: Connection | undefined): void {
    if (connection === undefined) return;
    connection.state = 'busy';
    this.#idle.delete(connection);
  }

  #answer(connection: Connection, exchange: Exchange, answer: Answer): void {
    if (connection.socket.destroyed) return; // it went while the request waited
    const [request, response] = exchange;
    connection.current = exchange;
    const onClosed = answer(request, response);
    response.on('close', () => {
      onClosed();
      this.#answered(connection, request, answer);
    });
  }

  #answered(connection: Connection, request: IncomingMessage, answer: Answer): void {
    const { socket, waiting, state } = connection;
    if (!this.#all.has(socket)) return;
    connection.current = undefined;
    if (!request.complete) this.#passOver(connection, request);
    if (socket.writableEnded)
      this.#dropWaiting(connection); // the answer said that it is the last
    else if (waiting.length > 0)
      this.#turns.waitBehind(() => this.#next(connection, answer)); // others have their turn between
    else if (state === 'closing') connection.end(socket);
    else {
      this.#rest(connection);
      if (socket.isPaused()) socket.resume();
    }
  }

  #next(connection: Connection, answer: Answer): void {
    const next = connection.waiting.shift();
    if (next === undefined) return; // the connection is gone
    this.#waiting--;
    this.#answer(connection, next, answer);
  }

  #passOver({ socket }: Connection, request: IncomingMessage): void {
    const cancel = this.#options.clock.after(passOverMs, () => {
      this.#count('stalled');
      socket.destroy();
    });
    request.once('close', cancel);
  }

  /** A connection that waits for the service itself is not to blame. */
  #timedOut(socket: Socket, timeoutMs: number): void {
    const connection = this.#all.get(socket);
    if (connection !== undefined && connection.state !== 'idle' && socket.writableLength === 0) {
      socket.setTimeout(timeoutMs);
      return;
    }
    this.#count('stalled');
    socket.destroy();
  }

  #count(reason: keyof ClosedConnections): void {
    this.#closed[reason]++;
    const text = reasons[reason];
    if (text === undefined) return;
    const { clock, log } = this.#options;
    const nowMs = clock.monotonicMs();
    if (nowMs - this.#toldMs < tellMs) return;
    this.#toldMs = nowMs;
    log.warn({ open: this.#all.size, closed: { ...this.#closed } }, `connections are closed: ${text}`);
  }
}

/** Of those that somebody may want to do something about. */
const reasons: Readonly<Partial<Record<keyof ClosedConnections, string>>> = {
  refused: 'too many are open; a higher limit of open files (ulimit -n) lets more in',
  evicted: 'too many are open, and the longest idle make room; a higher limit of open files (ulimit -n) lets more in',
  pipelining: 'a client asks on without waiting for answers',
};

function refuse(socket: Socket): void {
  const detail = `${mostUnanswered} requests of this connection wait for their answers.`;
  socket.end(bareAnswer(new ProblemError('too-many-requests', detail)), () => socket.destroy());
}

/** Not among what llhttp knows: it stops at once, in the middle of what was read. */
const stop = 3;

/**
 * The parser hands over all requests of a piece of 64 KiB, thousands, before anybody else has a turn, and nothing that is
 * documented stops it. Were this not there any more, it would go on to the end of the piece, for nothing.
 */
function stopParsing(socket: Socket): void {
  const { parser } = socket as Socket & { parser?: { onIncoming?: () => number } | null };
  if (parser?.onIncoming !== undefined) parser.onIncoming = () => stop;
}
