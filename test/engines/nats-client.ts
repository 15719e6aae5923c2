// The least of a NATS client that shows what a server of a test does: it publishes, subscribes, and hears what is refused.
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { connect as connectSecure } from 'node:tls';
import { until } from '@telltale/stack-kit/testing';
import type { Authority, Pair } from './authority.ts';

export interface NatsClientOptions {
  readonly authority?: Authority | undefined;
  readonly pair?: Pair;
  readonly user?: string;
  readonly password?: string;
}

export class NatsClient implements AsyncDisposable {
  /** What the server refused. */
  readonly errors: string[] = [];
  readonly #socket: Socket;
  readonly #listeners = new Map<string, (text: string) => void>();
  #heard = '';
  #pongs = 0;

  /** Rejects where the server does not want it. */
  static async connect(port: number, { authority, pair, user, password }: NatsClientOptions = {}): Promise<NatsClient> {
    const plain = connect(port, '127.0.0.1');
    // The server speaks first, without TLS in any case.
    await once(plain, 'data');
    const secured = () =>
      connectSecure({
        socket: plain,
        host: '127.0.0.1',
        ...(authority && { ca: readFileSync(authority.ca) }),
        ...(pair && { cert: readFileSync(pair.cert), key: readFileSync(pair.key) }),
      });
    const client = new NatsClient(authority === undefined ? plain : secured());
    client.#send(`CONNECT ${JSON.stringify({ verbose: false, pedantic: false, user, pass: password })}`);
    try {
      await client.#answered();
      return client;
    } catch (error) {
      await client[Symbol.asyncDispose]();
      throw error;
    }
  }

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('data', (bytes) => this.#hear(bytes.toString('latin1')));
    socket.on('error', (error) => this.errors.push(error.message));
  }

  get isOpen(): boolean {
    return !this.#socket.destroyed;
  }

  async subscribe(subject: string, listener: (text: string) => void): Promise<void> {
    const id = `${this.#listeners.size + 1}`;
    this.#listeners.set(id, listener);
    this.#send(`SUB ${subject} ${id}`);
    await this.#answered();
  }

  /** Resolves when the server has passed it on. */
  async publish(subject: string, text: string): Promise<void> {
    this.#send(`PUB ${subject} ${text.length}\r\n${text}`);
    await this.#answered();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#socket.destroy();
    if (!this.#socket.closed) await once(this.#socket, 'close');
  }

  /** The server has dealt with everything before. */
  async #answered(): Promise<void> {
    const pongs = this.#pongs + 1;
    this.#send('PING');
    await until('NATS answers', () => this.#pongs >= pongs || this.#socket.destroyed);
    if (this.#pongs < pongs) throw new Error(`NATS has ended the connection: ${this.errors.join(', ')}`);
  }

  #send(line: string): void {
    this.#socket.write(`${line}\r\n`, 'latin1');
  }

  #hear(text: string): void {
    this.#heard += text;
    for (;;) {
      const end = this.#heard.indexOf('\r\n');
      if (end < 0) return;
      const [word, ...words] = this.#heard.slice(0, end).split(' ');
      let next = end + 2;
      if (word === 'MSG') {
        const bytes = Number(words.at(-1));
        next += bytes + 2;
        if (this.#heard.length < next) return;
        this.#listeners.get(words[1] ?? '')?.(this.#heard.slice(end + 2, end + 2 + bytes));
      } else if (word === 'PONG') this.#pongs++;
      else if (word === 'PING') this.#send('PONG');
      else if (word === '-ERR') this.errors.push(words.join(' '));
      this.#heard = this.#heard.slice(next);
    }
  }
}
