// One connection to a line device: questions with numbers, answers within a time limit.
import { once } from 'node:events';
import { createConnection, type Socket } from 'node:net';
import { unlessAborted } from '@telltale/schema';
import { NotConnected, Refused } from '../src/index.ts';
import { LineReader, lineOf } from './line-codec.ts';

interface Pending {
  readonly resolve: (answer: string) => void;
  readonly reject: (error: unknown) => void;
}

export class LineLink {
  /** Resolves with the reason when the connection is gone, however that came. */
  readonly lost: Promise<Error>;
  readonly socket: Socket;
  protected readonly timeoutMs: number;
  readonly #pending = new Map<string, Pending>();
  #number = 0;

  constructor(socket: Socket, timeoutMs: number) {
    this.socket = socket;
    this.timeoutMs = timeoutMs;
    const { promise, resolve } = Promise.withResolvers<Error>();
    this.lost = promise;
    const lose = (reason: string) => {
      resolve(new NotConnected(reason));
      for (const { reject } of this.#pending.values()) reject(new Error(`no answer: ${reason}`));
    };
    socket.on('error', (error) => lose(error.message));
    socket.on('close', () => lose('the connection is closed'));
    this.listen(socket);
  }

  /** Throws `Refused` where the device says no, and an error of its own where it says nothing. */
  async ask(question: string, signal: AbortSignal): Promise<string> {
    if (!this.socket.writable) throw new NotConnected('the connection is gone');
    signal.throwIfAborted();
    const number = `${++this.#number}`;
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    const timer = setTimeout(() => reject(new Error(`no answer to ${question}`)), this.timeoutMs);
    this.#pending.set(number, { resolve, reject });
    try {
      this.socket.write(lineOf(`${number} ${question}`));
      const answer = await unlessAborted(signal, promise);
      if (answer === 'who are you') throw new Error('the device has forgotten us');
      if (answer.startsWith('no')) throw new Refused(answer);
      return answer;
    } finally {
      clearTimeout(timer);
      this.#pending.delete(number);
    }
  }

  async close(): Promise<void> {
    this.socket.destroy();
    await this.lost;
  }

  protected listen(socket: Socket): void {
    const reader = new LineReader((line) => this.hear(line));
    socket.on('data', (bytes) => reader.take(bytes));
  }

  protected hear(line: string): void {
    const [, number = '', answer = ''] = /^(\d+) (.*)$/.exec(line) ?? [];
    this.#pending.get(number)?.resolve(answer);
  }

  /** Answers whoever waits, whatever the number. */
  protected answerAnyone(answer: string): void {
    for (const { resolve } of this.#pending.values()) resolve(answer);
  }
}

export async function openSocket(host: string, port: number, timeoutMs: number, signal: AbortSignal): Promise<Socket> {
  const socket = createConnection({ host, port, noDelay: true });
  const timer = setTimeout(() => socket.destroy(new Error('nobody answers')), timeoutMs);
  try {
    await once(socket, 'connect', { signal });
    return socket;
  } catch (error) {
    socket.destroy();
    throw new NotConnected((error as Error).message);
  } finally {
    clearTimeout(timer);
  }
}
