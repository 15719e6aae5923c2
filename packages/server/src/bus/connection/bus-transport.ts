// A socket to a server of the bus, for the library. Its own leaves those open that are never answered, and waits for a server that
// hangs to take what was written before it closes the connection.
import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { connect as connectSecure, type ConnectionOptions as SecureOptions } from 'node:tls';
import type { ConnectionOptions, Server, ServerInfo, Transport } from '@nats-io/nats-core/internal';
import { onAbort } from '@telltale/schema';
import { BusProblem } from './bus-problem.ts';

/** Of which on a server knows queues, headers and answers that are permitted because they were asked for. */
const oldest = { major: 2, minor: 9 } as const;
/** A value may be a text of 64 KiB, and other things come with it. */
const leastPayload = 2 ** 18;
/** Before the first line of a server. */
const mostHello = 2 ** 16;

/** What the library hands to its transport. */
export interface TransportOptions extends ConnectionOptions {
  readonly secure: SecureOptions | undefined;
  /** Ends the attempt to connect. */
  readonly signal: AbortSignal;
}

export class BusTransport implements Transport {
  declare closeError?: Error;
  readonly lang = 'telltale';
  readonly version = '1';
  #socket: Socket | undefined;
  #isClosed = false;
  #isEncrypted = false;
  #chunks: Uint8Array[] = [];
  #wake: (() => void) | undefined;
  #hearing = Buffer.alloc(0);
  readonly #hello = Promise.withResolvers<void>();
  readonly #ended = Promise.withResolvers<Error | undefined>();

  get isClosed(): boolean {
    return this.#isClosed;
  }

  async connect({ hostname, port, listen }: Server, options: ConnectionOptions): Promise<void> {
    const { secure, signal } = options as TransportOptions;
    const stopListening = onAbort(signal, () => this.#end());
    try {
      const socket = connectTcp({ host: hostname, port, noDelay: true });
      this.#socket = socket;
      socket.on('error', (error) => this.#end(error));
      socket.on('close', () => this.#end());
      socket.on('data', (bytes: Buffer) => this.#hear(bytes));
      await this.#hello.promise;
      check(readInfo(this.#hearing, listen), listen, secure !== undefined);
      this.#chunks.push(this.#hearing);
      socket.removeAllListeners('data');
      if (secure === undefined) socket.on('data', (bytes: Buffer) => this.#take(bytes));
      else await this.#encrypt(socket, hostname, secure);
    } finally {
      stopListening();
    }
  }

  async *[Symbol.asyncIterator](): AsyncIterableIterator<Uint8Array> {
    try {
      for (;;) {
        const bytes = this.#chunks.shift();
        if (bytes !== undefined) yield bytes;
        else if (this.#isClosed) return;
        else await this.#nextChunk();
      }
    } finally {
      // Also where the library could not read what came.
      this.#end();
    }
  }

  isEncrypted(): boolean {
    return this.#isEncrypted;
  }

  send(frame: Uint8Array): void {
    if (!this.#isClosed) this.#socket?.write(frame);
  }

  async close(error?: Error): Promise<void> {
    this.#end(error);
  }

  disconnect(): void {
    this.#end();
  }

  discard(): void {
    this.#end();
  }

  // biome-ignore lint/suspicious/noConfusingVoidType: as the library declares it
  closed(): Promise<void | Error> {
    return this.#ended.promise;
  }

  async #encrypt(socket: Socket, hostname: string, options: SecureOptions): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const named = isIP(hostname) === 0 ? { servername: hostname } : {};
    const secured = connectSecure({ ...options, ...named, socket, host: hostname }, resolve);
    secured.on('error', (error) => {
      reject(error);
      this.#end(error);
    });
    secured.on('close', () => {
      reject(this.closeError ?? new Error('it closed the connection'));
      this.#end();
    });
    secured.on('data', (bytes: Buffer) => this.#take(bytes));
    this.#socket = secured;
    await promise;
    this.#isEncrypted = true;
  }

  #hear(bytes: Buffer): void {
    this.#hearing = Buffer.concat([this.#hearing, bytes]);
    if (this.#hearing.includes('\r\n') || this.#hearing.length > mostHello) this.#hello.resolve();
  }

  #take(bytes: Uint8Array): void {
    this.#chunks.push(bytes);
    this.#wake?.();
  }

  async #nextChunk(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
    this.#wake = undefined;
  }

  /** What was written and not sent is gone: a server that hangs would never take it. */
  #end(error?: Error): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    if (error !== undefined) this.closeError = error;
    this.#socket?.destroy();
    this.#hello.reject(error ?? new Error('it closed the connection'));
    // Whoever connects hears of it; nobody else waits for it.
    this.#hello.promise.catch(() => undefined);
    this.#wake?.();
    this.#ended.resolve(error);
  }
}

function readInfo(bytes: Buffer, server: string): ServerInfo {
  const [, text] = /^INFO\s+([^\r\n]+)\r\n/i.exec(bytes.toString('utf8')) ?? [];
  try {
    if (text !== undefined) return JSON.parse(text) as ServerInfo;
  } catch {
    // it says something else
  }
  throw new BusProblem(`${server} is no NATS server`);
}

function check(info: ServerInfo, server: string, isSecure: boolean): void {
  const { version = '', headers, max_payload: mostBytes, tls_required: needsTls, tls_available: hasTls } = info;
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major < oldest.major || (major === oldest.major && minor < oldest.minor)) {
    throw new BusProblem(`NATS server ${version} at ${server} is too old: it has to be 2.9 or newer`);
  }
  if (headers !== true)
    throw new BusProblem(`${server} has headers switched off: its no_header_support must not be set`);
  if (mostBytes < leastPayload) {
    throw new BusProblem(
      `${server} takes messages of ${mostBytes} bytes: its max_payload must be ${leastPayload} or more`,
    );
  }
  if (isSecure && needsTls !== true && hasTls !== true) {
    throw new BusProblem(`${server} does not speak TLS: write nats:// instead of tls://, or give it a certificate`);
  }
  if (!isSecure && needsTls === true) throw new BusProblem(`${server} speaks TLS: write tls:// instead of nats://`);
}
