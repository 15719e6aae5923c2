// A device on a TCP socket that notes every write that reaches it; the other end of test/stacks/recorder.
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { createInterface } from 'node:readline';

export class RecordingDevice {
  /** Every write that came in, as `name=value`, and how often. */
  readonly writes = new Map<string, number>();
  readonly #server = createServer((socket) => this.#serve(socket));
  readonly #sockets = new Set<Socket>();
  readonly #readings = new Map<string, string>();
  readonly #refusal: (write: string) => string | undefined;

  /** `refusal` says why the device does not accept a write, which is `name=value`. */
  constructor(refusal: (write: string) => string | undefined = () => undefined) {
    this.#refusal = refusal;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  async listen(): Promise<void> {
    await once(this.#server.listen(0, '127.0.0.1'), 'listening');
  }

  /** What it tells of this measurement from now on. */
  set(name: string, value: number): void {
    this.#readings.set(name, `${name}=${value}\n`);
    for (const socket of this.#sockets) socket.write(`${name}=${value}\n`);
  }

  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  #serve(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => this.#sockets.delete(socket));
    const lines = createInterface(socket);
    lines.on('error', () => undefined); // the socket's
    lines.on('line', (line) => {
      if (line === 'again') {
        for (const reading of this.#readings.values()) socket.write(reading);
        return;
      }
      const [, number, write = ''] = line.split(' ');
      this.writes.set(write, (this.writes.get(write) ?? 0) + 1);
      const refusal = this.#refusal(write);
      socket.write(refusal === undefined ? `ok ${number}\n` : `no ${number} ${refusal}\n`);
    });
  }
}
