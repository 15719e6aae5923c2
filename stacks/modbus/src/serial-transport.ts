// A serial port, held open by a process of its own.
import { fileURLToPath } from 'node:url';
import { unlessAborted } from '@telltale/schema';
import { type ConnectorOptions, NotConnected, type StackProcess } from '@telltale/stack-kit';
import type { FromPort, PortSettings, ToPort } from './serial-process.ts';
import type { Transport } from './transport.ts';

const processFile = fileURLToPath(new URL('./serial-process.ts', import.meta.url));

/** Above this rate the specification has a fixed silence. */
const fastBaudRate = 19_200;
const fastSilenceMs = 1.75;
/** The specification counts with eleven bits a character, whatever the line is set to. */
const silenceBits = 3.5 * 11;

type StartProcess = ConnectorOptions<unknown>['startProcess'];

export class SerialTransport implements Transport {
  onData: (bytes: Uint8Array) => void = () => {};
  onLost: (reason: string) => void = () => {};
  readonly silenceMs: number;
  readonly #settings: PortSettings;
  readonly #bitsACharacter: number;
  readonly #start: StartProcess;
  #process: StackProcess | undefined;

  constructor({ path, baudRate, parity, stopBits }: PortSettings, start: StartProcess) {
    this.#start = start;
    this.#settings = { path, baudRate, parity, stopBits };
    this.#bitsACharacter = 9 + (parity === 'none' ? 0 : 1) + stopBits;
    this.silenceMs = baudRate > fastBaudRate ? fastSilenceMs : (silenceBits * 1000) / baudRate;
  }

  async open(signal: AbortSignal): Promise<void> {
    await this.close();
    signal.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    // Before it is opened this rejects; afterwards it is the loss of the link.
    const lose = (reason: string) => {
      reject(new NotConnected(reason));
      if (this.#process === child) this.onLost(reason);
    };
    const child = this.#start(processFile, {
      onMessage: (given) => {
        const message = given as FromPort;
        if (this.#process !== child) return;
        if (message.kind === 'opened') resolve();
        else if (message.kind === 'lost') lose(message.reason);
        else this.onData(message.bytes);
      },
      onEnded: (reason) => lose(`the process of the serial port: ${reason}`),
    });
    this.#process = child;
    try {
      this.#send({ kind: 'open', settings: this.#settings });
      await unlessAborted(signal, promise);
    } catch (error) {
      await this.close();
      throw error;
    }
  }

  send(bytes: Uint8Array): void {
    this.#send({ kind: 'send', bytes });
  }

  lineMs(bytes: number): number {
    return (bytes * this.#bitsACharacter * 1000) / this.#settings.baudRate;
  }

  async close(): Promise<void> {
    const child = this.#process;
    this.#process = undefined;
    await child?.end();
  }

  #send(message: ToPort): void {
    this.#process?.send(message);
  }
}
