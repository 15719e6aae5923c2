// A TCP connection to a device or gateway, encrypted or not.
import { connect, type Socket } from 'node:net';
import { type ConnectionOptions, connect as connectTls, type TLSSocket } from 'node:tls';
import { type Clock, onAbort } from '@telltale/schema';
import { HostNames, NotConnected, type TlsPeer } from '@telltale/stack-kit';
import type { Transport } from './transport.ts';

export interface TcpTransportOptions {
  readonly host: string;
  readonly port: number;
  readonly clock: Clock;
  /** Frames of a serial line: they have no id, so that only a new connection is rid of late answers. */
  readonly isSerialLine: boolean;
  /** Asked for each connection: the files may be others. Throws `NotConnected`. Undefined: it is not encrypted. */
  readonly tls?: (() => Promise<TransportTls>) | undefined;
}

export interface TransportTls {
  readonly options: ConnectionOptions;
  /** Decides on the certificate of the device. */
  readonly peer: Pick<TlsPeer, 'guard' | 'settled'>;
}

const connectMs = 5000;
const keepAliveMs = 10_000;
/** So that what follows an answer without having been asked for is seen as such. */
const serialLineSilenceMs = 2;

export class TcpTransport implements Transport {
  onData: (bytes: Uint8Array) => void = () => {};
  onLost: (reason: string) => void = () => {};
  readonly silenceMs: number;
  readonly renew: ((signal: AbortSignal) => Promise<void>) | undefined;
  readonly #options: TcpTransportOptions;
  readonly #names: HostNames;
  /** The connection, or what encrypts it. */
  #socket: Socket | undefined;
  #tcp: Socket | undefined;

  constructor(options: TcpTransportOptions) {
    this.#options = options;
    this.#names = new HostNames(options.clock);
    this.silenceMs = options.isSerialLine ? serialLineSilenceMs : 0;
    if (options.isSerialLine) {
      this.renew = async (signal) => {
        await this.close();
        await this.open(signal);
      };
    }
  }

  async open(signal: AbortSignal): Promise<void> {
    const { host, port, clock } = this.#options;
    signal.throwIfAborted();
    const tls = this.#options.tls === undefined ? undefined : await this.#options.tls();
    signal.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const { lookup } = this.#names;
    const tcp = connect({ host, port, lookup, noDelay: true, keepAlive: true, keepAliveInitialDelay: keepAliveMs });
    const socket = tls === undefined ? tcp : connectTls({ ...tls.options, socket: tcp });
    if (tls !== undefined) tls.peer.guard(socket as TLSSocket);
    this.#socket = socket;
    this.#tcp = tcp;
    const settle = () => {
      cancel();
      stopListening();
      for (const each of [tcp, socket]) each.off('error', onError);
      socket.off(tls === undefined ? 'connect' : 'secureConnect', onConnect);
    };
    const fail = (reason: unknown) => {
      settle();
      for (const each of [tcp, socket]) {
        each.on('error', () => {});
        each.destroy();
      }
      if (this.#socket === socket) this.#socket = undefined;
      (tls?.peer.settled() ?? Promise.resolve()).then(() => reject(reason));
    };
    const stopListening = onAbort(signal, fail);
    const onError = (error: Error) => fail(new NotConnected(`${host} port ${port}: ${reasonOf(error)}`));
    const cancel = clock.after(connectMs, () => {
      fail(new NotConnected(`${host} port ${port}: no connection within ${connectMs} ms`));
    });
    const onConnect = () => {
      if (socket.destroyed) return; // its certificate is refused: the error follows
      settle();
      this.#attend(socket);
      if (tcp !== socket) tcp.on('error', () => {}); // that of `socket` follows
      resolve();
    };
    socket.once(tls === undefined ? 'connect' : 'secureConnect', onConnect);
    for (const each of new Set([tcp, socket])) each.once('error', onError);
    await promise;
  }

  send(bytes: Uint8Array): void {
    this.#socket?.write(bytes);
  }

  lineMs(): number {
    return 0;
  }

  async close(): Promise<void> {
    const socket = this.#socket;
    this.#socket = undefined;
    if (socket === undefined) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    socket.once('close', () => resolve());
    // A reset, not an end: a device that takes one connection alone is free for the next at once. One that has ended the
    // connection itself is free, and Node would never close a socket that is being shut down if it were reset.
    const tcp = this.#tcp;
    if (!socket.writableEnded) tcp?.resetAndDestroy();
    socket.destroy();
    await promise;
  }

  #attend(socket: Socket): void {
    let reason = 'the device has closed the connection';
    // A device that refuses the certificate of the connector ends the connection only after it was made.
    let hint = this.#options.tls === undefined ? '' : '; it may not trust the certificate of this connector';
    socket.on('data', (bytes: Buffer) => {
      hint = '';
      if (this.#socket === socket) this.onData(bytes);
    });
    socket.on('error', (error) => {
      reason = `the connection is lost: ${reasonOf(error)}`;
    });
    socket.on('close', () => {
      if (this.#socket !== socket) return;
      this.#socket = undefined;
      this.onLost(`${reason}${hint}`);
    });
  }
}

/** An error for several addresses of a name has no message of its own. */
function reasonOf(error: Error): string {
  return error.message || (error as NodeJS.ErrnoException).code || error.name;
}
