// A device that records who writes to it, and under which epoch: one line a write, which it answers with one.
import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { onFreePort } from '@telltale/stack-kit/testing';
import { cleanupOf, type Scope } from '@telltale/stack-kit/testing/cleanup';

export interface RecordedWrite {
  readonly epoch: number;
  readonly node: string;
}

export class RecordingDevice {
  readonly port: number;
  writes = 0;
  /** Of the highest epoch, the newest. */
  newest: RecordedWrite = { epoch: 0, node: '' };
  /** Those of an epoch after the first one of a later epoch. */
  readonly late: (RecordedWrite & { readonly after: number })[] = [];
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  /** Ends with the scope. */
  static async start(scope: Scope): Promise<RecordingDevice> {
    const device = await onFreePort(async (port) => {
      const started = new RecordingDevice(port);
      await once(started.#server.listen(port, '127.0.0.1'), 'listening');
      return started;
    });
    cleanupOf(scope).defer(() => device.#close());
    return device;
  }

  private constructor(port: number) {
    this.port = port;
    this.#server = createServer({ noDelay: true }, (socket) => this.#accept(socket));
  }

  #accept(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on('error', () => socket.destroy()).on('close', () => this.#sockets.delete(socket));
    let rest = '';
    socket.setEncoding('utf8').on('data', (text: string) => {
      const lines = (rest + text).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) this.#record(line);
      socket.write('done\n'.repeat(lines.length));
    });
  }

  #record(line: string): void {
    const [epoch, node = ''] = line.split(' ');
    const write = { epoch: Number(epoch), node };
    this.writes++;
    if (write.epoch < this.newest.epoch) this.late.push({ ...write, after: this.newest.epoch });
    else this.newest = write;
  }

  #close(): void {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }
}
