// A device that speaks lines over TCP, for the stack line_device: tests set its values and see what it was asked.
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { createInterface } from 'node:readline';

export class LineDevice {
  readonly values = new Map<string, number>();
  /** The lines that it got. */
  readonly heard: string[] = [];
  connections = 0;
  readonly sockets = new Set<Socket>();
  readonly #server: Server = createServer((socket) => this.#serve(socket));

  static async start(values: Record<string, number> = {}): Promise<LineDevice> {
    const device = new LineDevice();
    for (const [name, value] of Object.entries(values)) device.values.set(name, value);
    device.#server.listen(0, '127.0.0.1');
    await once(device.#server, 'listening');
    return device;
  }

  get port(): string {
    return String((this.#server.address() as AddressInfo).port);
  }

  /** Tells a new value unasked. */
  tell(name: string, value: number): void {
    this.values.set(name, value);
    for (const socket of this.sockets) socket.write(`${name}=${value}\n`);
  }

  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #serve(socket: Socket): void {
    this.connections++;
    this.sockets.add(socket.on('error', () => undefined).on('close', () => this.sockets.delete(socket)));
    const lines = createInterface(socket).on('error', () => undefined); // it has the socket's errors, too
    lines.on('line', (line) => {
      this.heard.push(line);
      const [, name = '', value = ''] = /^(?:write )?([a-z]+)[?=]?(.*)$/.exec(line) ?? [];
      if (line.endsWith('?')) socket.write(`${name}=${this.values.get(name) ?? 0}\n`);
      else if (Number(value) > 100) socket.write(`no ${name} too much\n`);
      else socket.write(`ok ${name}\n`);
    });
  }
}
