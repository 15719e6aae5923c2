// A client that sends the bytes it is told and shows the bytes that come: requests and answers in hexadecimal, without
// their header.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

export class RawClient {
  readonly socket: Socket;
  readonly #came: string[] = [];
  #rest = Buffer.alloc(0);
  #next = 1;

  static async connect(port: number): Promise<RawClient> {
    const socket = connect({ port, host: '127.0.0.1' });
    socket.on('error', () => {});
    await once(socket, 'connect');
    return new RawClient(socket);
  }

  /** Over a connection that is there. */
  static over(socket: Socket): RawClient {
    return new RawClient(socket);
  }

  private constructor(socket: Socket) {
    this.socket = socket;
    socket.on('close', () => socket.emit('answer'));
    socket.on('data', (chunk: Buffer) => {
      this.#rest = Buffer.concat([this.#rest, chunk]);
      while (this.#rest.length >= 7 && this.#rest.length >= 6 + this.#rest.readUInt16BE(4)) {
        const end = 6 + this.#rest.readUInt16BE(4);
        this.#came.push(this.#rest.subarray(7, end).toString('hex'));
        this.#rest = this.#rest.subarray(end);
        socket.emit('answer');
      }
    });
  }

  async ask(pdu: string, unit = 1): Promise<string> {
    this.send(pdu, unit);
    return this.answer();
  }

  send(pdu: string, unit = 1): void {
    const bytes = Buffer.from(pdu.replaceAll(' ', ''), 'hex');
    const header = Buffer.alloc(7);
    header.writeUInt16BE(this.#next++ & 0xffff, 0);
    header.writeUInt16BE(bytes.length + 1, 4);
    header[6] = unit;
    this.socket.write(Buffer.concat([header, bytes]));
  }

  /** Rejects where the connection is closed before. */
  async answer(): Promise<string> {
    while (this.#came.length === 0) {
      if (this.socket.destroyed) throw new Error('the connection is closed');
      await once(this.socket, 'answer');
    }
    return this.#came.shift() ?? '';
  }

  close(): void {
    this.socket.destroy();
  }
}
