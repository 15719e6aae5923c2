// A serial port, held open by a process of its own.
import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { NotConnected } from '@telltale/stack-kit';
import type { FromPort, PortSettings, ToPort } from './serial-process.ts';
import type { Transport } from './transport.ts';

const processFile = fileURLToPath(new URL('./serial-process.ts', import.meta.url));

/** Above this rate the specification has a fixed silence. */
const fastBaudRate = 19_200;
const fastSilenceMs = 1.75;
/** The specification counts with eleven bits a character, whatever the line is set to. */
const silenceBits = 3.5 * 11;
/** A process that does not end by itself is ended. */
const endMs = 1000;

export class SerialTransport implements Transport {
  onData: (bytes: Uint8Array) => void = () => {};
  onLost: (reason: string) => void = () => {};
  readonly silenceMs: number;
  readonly #settings: PortSettings;
  readonly #bitsACharacter: number;
  #process: ChildProcess | undefined;

  constructor({ path, baudRate, parity, stopBits }: PortSettings) {
    this.#settings = { path, baudRate, parity, stopBits };
    this.#bitsACharacter = 9 + (parity === 'none' ? 0 : 1) + stopBits;
    this.silenceMs = baudRate > fastBaudRate ? fastSilenceMs : (silenceBits * 1000) / baudRate;
  }

  async open(signal: AbortSignal): Promise<void> {
    await this.close();
    signal.throwIfAborted();
    const child = fork(processFile, { execArgv: [], serialization: 'advanced', stdio: 'ignore' });
    this.#process = child;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const onAbort = () => reject(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    // Before it is opened this rejects; afterwards it is the loss of the link.
    const lose = (reason: string) => {
      reject(new NotConnected(reason));
      if (this.#process === child) this.onLost(reason);
    };
    child.on('message', (message: FromPort) => {
      if (this.#process !== child) return;
      if (message.kind === 'opened') resolve();
      else if (message.kind === 'lost') lose(message.reason);
      else this.onData(message.bytes);
    });
    child.on('error', (error) => lose(`the process of the serial port failed: ${error.message}`));
    child.on('exit', () => lose('the process of the serial port has ended'));
    try {
      this.#tell({ kind: 'open', settings: this.#settings });
      await promise;
    } catch (error) {
      await this.close();
      throw error;
    } finally {
      signal.removeEventListener('abort', onAbort);
    }
  }

  send(bytes: Uint8Array): void {
    this.#tell({ kind: 'send', bytes });
  }

  lineMs(bytes: number): number {
    return (bytes * this.#bitsACharacter * 1000) / this.#settings.baudRate;
  }

  async close(): Promise<void> {
    const child = this.#process;
    this.#process = undefined;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    child.once('exit', () => resolve());
    if (child.connected) child.disconnect();
    const timer = setTimeout(() => child.kill('SIGKILL'), endMs);
    await promise;
    clearTimeout(timer);
  }

  /** What cannot be handed over is as if the line had swallowed it: `exit` follows. */
  #tell(message: ToPort): void {
    if (this.#process?.connected === true) this.#process.send(message, () => {});
  }
}
