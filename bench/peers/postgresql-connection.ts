// As much of PostgreSQL's protocol as a benchmark needs: statements, COPY in binary, prepared reads with binary rows.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

export class PostgresqlConnection {
  readonly #socket: Socket;
  #rest: Buffer = Buffer.alloc(0);
  #rows = 0;
  #refused: string | undefined;
  #answered: (() => void) | undefined;
  #failed: ((error: Error) => void) | undefined;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('data', (chunk: Buffer) => this.#take(chunk));
    socket.once('error', (error) => this.#failed?.(error));
    socket.once('close', () => this.#failed?.(new Error('PostgreSQL has closed the connection')));
  }

  static async open(port: number, user: string): Promise<PostgresqlConnection> {
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    socket.setNoDelay();
    const connection = new PostgresqlConnection(socket);
    const words = Buffer.from(`user\0${user}\0database\0postgres\0\0`);
    await connection.#ask(Buffer.concat([int32(8 + words.length), int32(3 << 16), words]));
    return connection;
  }

  /** Gives the number of rows. */
  query(sql: string): Promise<number> {
    return this.#ask(message('Q', text(sql)));
  }

  /** One COPY, which is one transaction, of a whole body in the binary form. */
  copy(sql: string, body: Uint8Array): Promise<number> {
    return this.#ask(message('Q', text(sql)), message('d', body), message('c'));
  }

  prepare(name: string, sql: string): Promise<number> {
    return this.#ask(message('P', text(name), text(sql), int16(0)), message('S'));
  }

  execute(name: string, parameters: readonly (string | number)[]): Promise<number> {
    const values = parameters.flatMap((value) => {
      const bytes = Buffer.from(String(value));
      return [int32(bytes.length), bytes];
    });
    const binaryRows = [int16(1), int16(1)];
    return this.#ask(
      message('B', text(''), text(name), int16(0), int16(parameters.length), ...values, ...binaryRows),
      message('E', text(''), int32(0)),
      message('S'),
    );
  }

  close(): void {
    this.#failed = undefined;
    this.#socket.end(message('X'));
  }

  async #ask(...messages: Buffer[]): Promise<number> {
    const answered = new Promise<void>((resolve, reject) => {
      this.#answered = resolve;
      this.#failed = reject;
    });
    [this.#rows, this.#refused] = [0, undefined];
    this.#socket.cork();
    for (const each of messages) this.#socket.write(each);
    this.#socket.uncork();
    await answered;
    if (this.#refused !== undefined) throw new Error(`PostgreSQL: ${this.#refused}`);
    return this.#rows;
  }

  #take(chunk: Buffer): void {
    const bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    let at = 0;
    while (at + 5 <= bytes.length) {
      const end = at + 1 + bytes.readInt32BE(at + 1);
      if (end > bytes.length) break;
      const kind = bytes[at];
      if (kind === row) this.#rows++;
      else if (kind === refusal) this.#refused = bytes.toString('utf8', at + 5, end).replaceAll('\0', ' ');
      else if (kind === readyForQuery) this.#answered?.();
      at = end;
    }
    this.#rest = bytes.subarray(at);
  }
}

const row = 'D'.charCodeAt(0);
const refusal = 'E'.charCodeAt(0);
const readyForQuery = 'Z'.charCodeAt(0);

function message(kind: string, ...parts: Uint8Array[]): Buffer {
  const length = parts.reduce((sum, part) => sum + part.length, 4);
  return Buffer.concat([Buffer.from(kind), int32(length), ...parts]);
}

const text = (value: string) => Buffer.from(`${value}\0`);

function int16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeInt16BE(value);
  return bytes;
}

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}
