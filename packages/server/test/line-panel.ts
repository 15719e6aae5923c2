// The clients of a provider of the stack line_panel, as the test plays them: it hears all that the provider is given, and
// asks it to write and to acknowledge.
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import type { AggregateRequest, HistoryRequest } from '@telltale/stack-kit';

export type ToPanel =
  | { readonly kind: 'hello'; readonly name: string; readonly word: string }
  | { readonly kind: 'points'; readonly points: readonly { readonly id: number; readonly text: string }[] }
  | { readonly kind: 'values'; readonly values: readonly { readonly name: string; readonly text: string }[] }
  | { readonly kind: 'alarms'; readonly names: readonly string[] }
  | { readonly kind: 'states'; readonly states: readonly { readonly name: string; readonly text: string }[] }
  | { readonly kind: 'answer'; readonly number: number; readonly outcome: string };

export interface ToProvider {
  readonly number: number;
  /** Of the command, and the value with its prefix. */
  readonly id?: number;
  readonly value?: string;
  /** The name of one to acknowledge. */
  readonly alarm?: string;
  /** What to read of the point with the id; the outcome is what came of it, as JSON. */
  readonly read?: HistoryRequest;
  readonly aggregate?: AggregateRequest;
}

export class LinePanel {
  readonly #onMessage: (message: ToPanel) => void;
  readonly #asked = new Map<number, (outcome: string) => void>();
  readonly #server: Server = createServer((socket) => this.#serve(socket));
  #socket: Socket | undefined;
  #number = 0;

  static async start(onMessage: (message: ToPanel) => void): Promise<LinePanel> {
    const panel = new LinePanel(onMessage);
    panel.#server.listen(0, '127.0.0.1');
    await once(panel.#server, 'listening');
    return panel;
  }

  private constructor(onMessage: (message: ToPanel) => void) {
    this.#onMessage = onMessage;
  }

  get port(): string {
    return String((this.#server.address() as AddressInfo).port);
  }

  get isServed(): boolean {
    return this.#socket !== undefined;
  }

  /** How it went: `done`, the problem, or `unknown` where the provider is gone. */
  ask(wish: Omit<ToProvider, 'number'>): Promise<string> {
    const number = ++this.#number;
    if (this.#socket === undefined) return Promise.resolve('unknown');
    this.#socket.write(`${JSON.stringify({ ...wish, number })}\n`);
    return new Promise((resolve) => this.#asked.set(number, resolve));
  }

  async close(): Promise<void> {
    this.#socket?.destroy();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #serve(socket: Socket): void {
    this.#socket = socket;
    socket.on('error', () => undefined);
    socket.on('close', () => {
      if (this.#socket === socket) this.#socket = undefined;
      for (const resolve of this.#asked.values()) resolve('unknown');
      this.#asked.clear();
    });
    const lines = createInterface(socket).on('error', () => undefined); // it has the socket's errors, too
    // What an earlier start of the provider still says may come after what the next one says.
    lines.on('line', (line) => socket === this.#socket && this.#hear(JSON.parse(line) as ToPanel));
  }

  #hear(message: ToPanel): void {
    if (message.kind === 'answer') {
      this.#asked.get(message.number)?.(message.outcome);
      this.#asked.delete(message.number);
    } else this.#onMessage(message);
  }
}
