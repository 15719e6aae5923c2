// A serial port. The library behind it has native code: it is loaded by the first port that is opened, and not before.
import { NotConnected } from '@telltale/stack-kit';
import type { SerialPort } from 'serialport';
import type { Transport } from './transport.ts';

export interface SerialTransportOptions {
  readonly path: string;
  readonly baudRate: number;
  readonly parity: 'even' | 'odd' | 'none';
  readonly stopBits: number;
}

/** Above this rate the specification has a fixed silence. */
const fastBaudRate = 19_200;
const fastSilenceMs = 1.75;
/** The specification counts with eleven bits a character, whatever the line is set to. */
const silenceBits = 3.5 * 11;

export class SerialTransport implements Transport {
  onData: (bytes: Uint8Array) => void = () => {};
  onLost: (reason: string) => void = () => {};
  readonly silenceMs: number;
  readonly #options: SerialTransportOptions;
  readonly #bitsACharacter: number;
  #port: SerialPort | undefined;

  constructor(options: SerialTransportOptions) {
    this.#options = options;
    const { baudRate, parity, stopBits } = options;
    this.#bitsACharacter = 9 + (parity === 'none' ? 0 : 1) + stopBits;
    this.silenceMs = baudRate > fastBaudRate ? fastSilenceMs : (silenceBits * 1000) / baudRate;
  }

  async open(signal: AbortSignal): Promise<void> {
    const { path, baudRate, parity, stopBits } = this.#options;
    const { SerialPort } = await import('serialport');
    signal.throwIfAborted();
    const port = new SerialPort({
      path,
      baudRate,
      parity,
      stopBits: stopBits === 2 ? 2 : 1,
      dataBits: 8,
      autoOpen: false,
    });
    // Without anybody who listens, an error of the port would end the process.
    port.on('error', (error) => this.#lose(port, `the serial port failed: ${error.message}`));
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    port.open((error) => (error === null ? resolve() : reject(new NotConnected(`${path}: ${error.message}`))));
    await promise;
    this.#port = port;
    hurry(port);
    port.on('data', (bytes: Uint8Array) => {
      if (this.#port === port) this.onData(bytes);
    });
    port.on('close', () => this.#lose(port, 'the serial port is gone'));
    if (!signal.aborted) return;
    await this.close();
    throw signal.reason;
  }

  send(bytes: Uint8Array): void {
    this.#port?.write(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length));
  }

  lineMs(bytes: number): number {
    return (bytes * this.#bitsACharacter * 1000) / this.#options.baudRate;
  }

  async close(): Promise<void> {
    const port = this.#port;
    this.#port = undefined;
    if (port === undefined || !port.isOpen) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    port.close(() => resolve());
    await promise;
  }

  #lose(port: SerialPort, reason: string): void {
    if (this.#port !== port) return;
    this.onLost(reason);
  }
}

/**
 * The native code of the library tells of bytes without letting promises go on that wait for them: in a thread that does
 * nothing else they would be read when the next timer comes, mostly the one that ends the wait for an answer. Whatever it
 * tells of, an empty turn of the loop follows at once.
 */
function hurry(port: SerialPort): void {
  const { poller } = port.port as unknown as { poller?: { on(event: string, call: () => void): void } };
  for (const event of ['readable', 'writable', 'disconnect']) poller?.on(event, () => setImmediate(() => {}));
}
