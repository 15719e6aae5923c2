// A TCP connection to a device or gateway.
import { connect, type Socket } from 'node:net';
import { type Clock, onAbort } from '@telltale/schema';
import { NotConnected } from '@telltale/stack-kit';
import type { Transport } from './transport.ts';

export interface TcpTransportOptions {
  readonly host: string;
  readonly port: number;
  readonly clock: Clock;
  /** Frames of a serial line: they have no id, so that only a new connection is rid of late answers. */
  readonly isSerialLine: boolean;
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
  #socket: Socket | undefined;

  constructor(options: TcpTransportOptions) {
    this.#options = options;
    this.silenceMs = options.isSerialLine ? serialLineSilenceMs : 0;
    if (options.isSerialLine) {
      this.renew = async (signal) => {
        await this.close();
        await this.open(signal);
      };
    }
  }

  open(signal: AbortSignal): Promise<void> {
    const { host, port, clock } = this.#options;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    if (signal.aborted) {
      reject(signal.reason);
      return promise;
    }
    const socket = connect({ host, port, noDelay: true, keepAlive: true, keepAliveInitialDelay: keepAliveMs });
    this.#socket = socket;
    const settle = () => {
      cancel();
      stopListening();
      socket.off('connect', onConnect);
      socket.off('error', onError);
    };
    const fail = (reason: unknown) => {
      settle();
      socket.on('error', () => {});
      socket.destroy();
      if (this.#socket === socket) this.#socket = undefined;
      reject(reason);
    };
    const stopListening = onAbort(signal, fail);
    const onError = (error: Error) => fail(new NotConnected(`${host} port ${port}: ${reasonOf(error)}`));
    const cancel = clock.after(connectMs, () => {
      fail(new NotConnected(`${host} port ${port}: no connection within ${connectMs} ms`));
    });
    const onConnect = () => {
      settle();
      this.#attend(socket);
      resolve();
    };
    socket.once('connect', onConnect);
    socket.once('error', onError);
    return promise;
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
    if (socket.writableEnded) socket.destroy();
    else socket.resetAndDestroy();
    await promise;
  }

  #attend(socket: Socket): void {
    let reason = 'the device has closed the connection';
    socket.on('data', (bytes: Buffer) => {
      if (this.#socket === socket) this.onData(bytes);
    });
    socket.on('error', (error) => {
      reason = `the connection is lost: ${reasonOf(error)}`;
    });
    socket.on('close', () => {
      if (this.#socket !== socket) return;
      this.#socket = undefined;
      this.onLost(reason);
    });
  }
}

/** An error for several addresses of a name has no message of its own. */
function reasonOf(error: Error): string {
  return error.message || (error as NodeJS.ErrnoException).code || error.name;
}
