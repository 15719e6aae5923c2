// The bytes between the library and a broker: a socket, encrypted or not, behind the guard. What was sent and has not
// arrived when the connection is given up is thrown away, not sent later by the system.
import { connect, type Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { type ConnectionOptions, connect as connectTls } from 'node:tls';
import type { PacketGuard } from './packet-guard.ts';

export interface BrokerStreamOptions {
  readonly host: string;
  readonly port: number;
  /** Undefined: not encrypted. */
  readonly tls: ConnectionOptions | undefined;
  readonly guard: PacketGuard;
}

export class BrokerStream extends Duplex {
  readonly #guard: PacketGuard;
  readonly #tcp: Socket;
  /** The same, or what encrypts it. */
  readonly #socket: Socket;

  constructor({ host, port, tls, guard }: BrokerStreamOptions) {
    super({ allowHalfOpen: false });
    this.#guard = guard;
    this.#tcp = connect({ host, port, noDelay: true });
    this.#socket = tls === undefined ? this.#tcp : connectTls({ ...tls, socket: this.#tcp });
    for (const socket of new Set([this.#tcp, this.#socket])) {
      socket.on('error', (error) => this.destroy(error));
      socket.on('close', () => this.destroy());
    }
    this.#socket.on('data', (chunk: Buffer) => this.#take(chunk));
    this.#socket.on('end', () => this.push(null));
  }

  /** Whether nobody takes what has come: the broker is not to blame for the silence. */
  get isHeld(): boolean {
    return this.#socket.isPaused();
  }

  override _read(): void {
    this.#socket.resume();
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
    // A plain close would have the system go on sending what the broker has not acknowledged, commands included.
    if (!this.writableFinished && !this.#tcp.destroyed) this.#tcp.resetAndDestroy();
    this.#tcp.destroy();
    this.#socket.destroy();
    done(error);
  }

  #take(chunk: Buffer): void {
    try {
      this.#guard.take(chunk, (bytes) => {
        if (!this.push(bytes)) this.#socket.pause();
      });
    } catch (error) {
      this.destroy(error as Error);
    }
  }
}
