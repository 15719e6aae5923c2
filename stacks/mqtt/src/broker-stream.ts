// The bytes between the library and a broker: a socket, encrypted or not, or a WebSocket over it. A broker gets a slice of each
// turn of the event loop, however much it sends: others share the thread. What has not arrived when the connection is given
// up is thrown away, not sent later by the system.
import { connect, type LookupFunction, type Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { connect as connectTls } from 'node:tls';
import type { BrokerTls } from './broker-tls.ts';
import type { PacketGuard } from './packet-guard.ts';
import { webSocketOver } from './web-socket.ts';

export interface BrokerStreamOptions {
  readonly host: string;
  readonly port: number;
  /** Undefined: not encrypted. */
  readonly lookup: LookupFunction | undefined;
  readonly tls: BrokerTls | undefined;
  /** Of a WebSocket; undefined: without one. */
  readonly path: string | undefined;
  readonly guard: PacketGuard;
}

/** In a turn of the event loop, for 1 or 2 ms of work; bytes are what the system hands over at once, 64 KiB. */
export const packetsATurn = 100;

const nothing = Buffer.alloc(0);

export class BrokerStream extends Duplex {
  readonly #guard: PacketGuard;
  readonly #tcp: Socket;
  /** The same, or what encrypts it, or the WebSocket over either. */
  readonly #socket: Duplex;
  /** What has come and is for the next turns; the socket is paused meanwhile. */
  #rest: Buffer = nothing;
  #nextTurn: NodeJS.Immediate | undefined;
  #hasEnded = false;
  #isHeld = false;

  constructor({ host, port, lookup, tls, path, guard }: BrokerStreamOptions) {
    super({ allowHalfOpen: false });
    this.#guard = guard;
    this.#tcp = connect({ host, port, lookup, noDelay: true });
    const under = tls === undefined ? this.#tcp : secured(this.#tcp, tls);
    // First those below: they say why.
    const sockets = new Set<Duplex>([this.#tcp, under]);
    this.#socket = path === undefined ? under : webSocketOver(under, { host, port, path });
    for (const socket of sockets.add(this.#socket)) {
      socket.on('error', (error) => this.destroy(error));
      // A WebSocket still has to be read when what is below it has closed.
      if (path === undefined || socket === this.#socket) socket.on('close', () => this.#closeWhenTaken());
    }
    this.#socket.on('data', (chunk: Buffer) => {
      this.#socket.pause();
      this.#rest = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
      this.#goOn();
    });
    this.#socket.on('end', () => {
      this.#hasEnded = true;
      this.#goOn();
    });
  }

  /** Whether received data is not being read: the silence is not that of the broker. */
  get isHeld(): boolean {
    return this.#isHeld;
  }

  override _read(): void {
    this.#isHeld = false;
    this.#goOn();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#socket.write(chunk, done);
  }

  override _writev(chunks: { chunk: Buffer; encoding: BufferEncoding }[], done: (error?: Error | null) => void): void {
    this.#socket.write(Buffer.concat(chunks.map(({ chunk }) => chunk)), done);
  }

  override _final(done: (error?: Error | null) => void): void {
    this.#socket.end(() => done());
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    // A plain close would have the system go on sending what the broker has not acknowledged, commands included. A socket
    // that is being shut down cannot be reset: Node would never close it.
    if (!this.#socket.writableEnded && !this.#tcp.destroyed) this.#tcp.resetAndDestroy();
    this.#tcp.destroy();
    this.#socket.destroy();
    done(error);
  }

  #goOn(): void {
    if (this.#isHeld || this.destroyed) return;
    this.#nextTurn ??= setImmediate(() => {
      this.#nextTurn = undefined;
      this.#take();
    });
  }

  #take(): void {
    if (this.destroyed) return;
    const passed: Buffer[] = [];
    try {
      const taken = this.#guard.take(this.#rest, packetsATurn, (bytes) => passed.push(bytes));
      this.#rest = this.#rest.subarray(taken);
    } catch (error) {
      this.destroy(error as Error);
      return;
    }
    if (passed.length > 0) this.#isHeld = !this.push(Buffer.concat(passed));
    if (this.#rest.length > 0) this.#goOn();
    else if (this.#hasEnded) this.push(null);
    else if (!this.#isHeld) this.#socket.resume();
    if (this.#socket.closed) this.#closeWhenTaken();
  }

  /** Whoever takes nothing is not waited for. */
  #closeWhenTaken(): void {
    if (this.#rest.length === 0 || this.#isHeld) this.destroy();
  }
}

function secured(tcp: Socket, { options, peer }: BrokerTls): Socket {
  const socket = connectTls({ ...options, socket: tcp });
  peer.guard(socket);
  return socket;
}
