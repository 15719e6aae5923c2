// A broker of WebSocket that sends pings without an end, and reads nothing.
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';

const magic = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';
const pings = Buffer.concat(Array.from({ length: 500 }, () => Buffer.from([0x89, 125, ...Buffer.alloc(125)])));

export class PingingBroker {
  /** Bytes that the client has taken. */
  taken = 0;
  readonly #sockets: Socket[] = [];
  readonly #server = createServer((socket) => this.#serve(socket));

  static async start(): Promise<PingingBroker> {
    const broker = new PingingBroker();
    broker.#server.listen(0, '127.0.0.1');
    await once(broker.#server, 'listening');
    return broker;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  stop(): void {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
  }

  #serve(socket: Socket): void {
    this.#sockets.push(socket);
    const flood = () => {
      while (!socket.destroyed && socket.write(pings)) this.taken += pings.length;
    };
    socket.on('error', () => {}).on('drain', flood);
    socket.once('data', (request) => {
      socket.pause();
      const [, key = ''] = /sec-websocket-key: (.*)\r\n/i.exec(request.toString()) ?? [];
      const accept = createHash('sha1').update(`${key}${magic}`).digest('base64');
      const headers = ['Upgrade: websocket', 'Connection: Upgrade', 'Sec-WebSocket-Protocol: mqtt'];
      const status = 'HTTP/1.1 101 Switching Protocols';
      socket.write([status, ...headers, `Sec-WebSocket-Accept: ${accept}`, '', ''].join('\r\n'));
      flood();
    });
  }
}
