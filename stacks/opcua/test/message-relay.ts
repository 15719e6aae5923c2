// Sits between a client and a provider and keeps the headers of what passes, in the order in which it passed.
import { once } from 'node:events';
import { type AddressInfo, createConnection, createServer, type Socket } from 'node:net';
import type { TestContext } from 'node:test';
import { cleanupOf } from '@telltale/stack-kit/testing/cleanup';

export interface Passed {
  readonly from: 'client' | 'server';
  /** HEL, ACK, ERR, OPN, MSG or CLO. */
  readonly kind: string;
  /** Of MSG; without encryption also the id of the request. */
  readonly token: number;
  readonly request: number;
  readonly bytes: Buffer;
}

export class MessageRelay {
  readonly passed: Passed[] = [];
  readonly #server;
  readonly #sockets = new Set<Socket>();

  static async start(t: TestContext, port: number): Promise<MessageRelay> {
    const relay = new MessageRelay(port);
    cleanupOf(t).defer(() => relay.#stop());
    relay.#server.listen(0, '127.0.0.1');
    await once(relay.#server, 'listening');
    return relay;
  }

  private constructor(port: number) {
    this.#server = createServer((client) => {
      const server = createConnection({ host: '127.0.0.1', port });
      this.#carry('client', client, server);
      this.#carry('server', server, client);
    });
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  of(from: Passed['from'], kind: string): Passed[] {
    return this.passed.filter((each) => each.from === from && each.kind === kind);
  }

  #carry(from: Passed['from'], socket: Socket, other: Socket): void {
    let held = Buffer.alloc(0);
    this.#sockets.add(socket);
    socket.on('error', () => {}).on('close', () => other.destroy());
    socket.on('data', (bytes: Buffer) => {
      held = Buffer.concat([held, bytes]);
      while (held.length >= 8 && held.length >= held.readUInt32LE(4)) {
        const message = held.subarray(0, held.readUInt32LE(4));
        held = held.subarray(message.length);
        this.passed.push(headerOf(from, message));
      }
      other.write(bytes);
    });
  }

  async #stop(): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }
}

function headerOf(from: Passed['from'], bytes: Buffer): Passed {
  const kind = bytes.toString('latin1', 0, 3);
  const isMessage = kind === 'MSG' && bytes.length >= 24;
  const [token, request] = isMessage ? [bytes.readUInt32LE(12), bytes.readUInt32LE(20)] : [0, 0];
  return { from, kind, token, request, bytes };
}
