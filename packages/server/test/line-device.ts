// A device that speaks lines over TCP, for the stack line_device: tests set its values and see what it was asked.
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { createInterface } from 'node:readline';

/** Why the device does not accept a write, which is `name=value`. */
export type Refusal = (write: string) => string | undefined;

const tooMuch: Refusal = (write) => (Number(write.split('=')[1]) > 100 ? 'too much' : undefined);

/** It never answers a write to the command `silent`. */
export class LineDevice {
  readonly values = new Map<string, number>();
  /** The lines that it got. */
  readonly heard: string[] = [];
  /** Every write that came in, as `name=value`, and how often. */
  readonly writes = new Map<string, number>();
  /** What the connector was told to have been written last, as `name=value`. */
  readonly lasts = new Set<string>();
  connections = 0;
  readonly sockets = new Set<Socket>();
  readonly #refusal: Refusal;
  readonly #server: Server = createServer((socket) => this.#serve(socket));

  static async start(values: Record<string, number> = {}, refusal = tooMuch): Promise<LineDevice> {
    const device = new LineDevice(refusal);
    for (const [name, value] of Object.entries(values)) device.values.set(name, value);
    device.#server.listen(0, '127.0.0.1');
    await once(device.#server, 'listening');
    return device;
  }

  private constructor(refusal: Refusal) {
    this.#refusal = refusal;
  }

  get port(): string {
    return String((this.#server.address() as AddressInfo).port);
  }

  /** Tells a new value unasked. */
  send(name: string, value: number): void {
    this.values.set(name, value);
    for (const socket of this.sockets) socket.write(`${name}=${value}\n`);
  }

  hangUp(): void {
    for (const socket of this.sockets) socket.destroy();
  }

  async close(): Promise<void> {
    this.hangUp();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #serve(socket: Socket): void {
    this.connections++;
    this.sockets.add(socket.on('error', () => undefined).on('close', () => this.sockets.delete(socket)));
    const lines = createInterface(socket).on('error', () => undefined); // it has the socket's errors, too
    lines.on('line', (line) => {
      if (line.startsWith('last ')) {
        this.lasts.add(line.slice(5));
        return;
      }
      this.heard.push(line);
      const name = line.slice(0, -1);
      if (line.endsWith('?')) socket.write(`${name}=${this.values.get(name) ?? 0}\n`);
      else if (line.startsWith('write ')) this.#write(socket, line);
    });
  }

  #write(socket: Socket, line: string): void {
    const [, number, write = ''] = line.split(' ');
    this.writes.set(write, (this.writes.get(write) ?? 0) + 1);
    const refusal = this.#refusal(write);
    if (refusal !== undefined) socket.write(`no ${number} ${refusal}\n`);
    else if (!write.startsWith('silent=')) socket.write(`ok ${number}\n`);
  }
}
