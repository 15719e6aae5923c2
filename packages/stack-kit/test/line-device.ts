// A device that speaks lines over TCP, each with a checksum: `7 get level` is answered by `7 is 12`, `8 set valve 3` by
// `8 done`, and what it does not do by `8 no such thing`. Whom it has forgotten it asks `7 who are you`.
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { LineReader, lineOf } from './line-codec.ts';

export class LineDevice {
  readonly values = new Map<string, string>();
  readonly #sockets = new Set<Socket>();
  readonly #forgotten = new WeakSet<Socket>();
  readonly #server: Server = createServer({ noDelay: true }, (socket) => this.#serve(socket));

  static async start(): Promise<LineDevice> {
    const device = new LineDevice();
    device.#server.listen(0, '127.0.0.1');
    await once(device.#server, 'listening');
    return device;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Whoever is connected stays so, and is a stranger. */
  forgetClients(): void {
    for (const socket of this.#sockets) this.#forgotten.add(socket);
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #serve(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on('close', () => this.#sockets.delete(socket)).on('error', () => {});
    const reader = new LineReader((line) => {
      const answer = this.#forgotten.has(socket) ? `${line.split(' ')[0]} who are you` : this.#answer(line);
      socket.write(lineOf(answer));
    });
    socket.on('data', (bytes) => reader.take(bytes));
  }

  #answer(line: string): string {
    const [, number = '', verb = '', name = '', value] = /^(\d+) (get|set) (\w+)(?: (.*))?$/.exec(line) ?? [];
    const known = this.values.get(name);
    if (known === undefined) return `${number} no such thing`;
    if (verb === 'get') return `${number} is ${known}`;
    if (name === 'locked') return `${number} no, it is locked`;
    this.values.set(name, value ?? '');
    return `${number} done`;
  }
}
