// A client of a provider that writes its messages byte by byte, without security: for what no library sends.
import { once } from 'node:events';
import { createConnection, type Socket } from 'node:net';
import type { TestContext } from 'node:test';
import { cleanupOf } from '@telltale/stack-kit/testing/cleanup';

const policyNone = 'http://opcfoundation.org/UA/SecurityPolicy#None';
const [openRequest, writeRequest] = [446, 673];

export class RawChannel {
  readonly socket: Socket;
  #channel = 0;
  #token = 0;
  #sequence = 1;

  static async open(t: TestContext, port: number): Promise<RawChannel> {
    const channel = new RawChannel(createConnection({ port, host: '127.0.0.1' }).on('error', () => {}));
    cleanupOf(t).defer(async () => void channel.socket.destroy());
    await channel.#greet(`opc.tcp://127.0.0.1:${port}`);
    return channel;
  }

  private constructor(socket: Socket) {
    this.socket = socket;
  }

  /** Variants to as many nodes, which need not be there. */
  write(variants: readonly Buffer[]): void {
    const values = variants.flatMap((variant) => [Buffer.from([0, 99]), uint32(13), noText, Buffer.from([1]), variant]);
    this.#send('MSG', [uint32(this.#token)], writeRequest, [uint32(variants.length), ...values]);
  }

  async #greet(url: string): Promise<void> {
    const hello = [0, 65_536, 65_536, 0, 0].map(uint32);
    this.socket.write(message('HEL', [...hello, text(url)]));
    await once(this.socket, 'data');
    const settings = [0, 0, 1].map(uint32);
    this.#send('OPN', [text(policyNone), noText, noText], openRequest, [...settings, noText, uint32(3_600_000)]);
    const [answer] = (await once(this.socket, 'data')) as [Buffer];
    this.#channel = answer.readUInt32LE(8);
    this.#token = 1;
  }

  #send(kind: 'OPN' | 'MSG', security: readonly Buffer[], type: number, body: readonly Buffer[]): void {
    const at = uint32(this.#sequence++);
    const encoding = Buffer.from([1, 0, type & 0xff, type >> 8]);
    const header = [Buffer.alloc(2 + 8 + 4 + 4), noText, Buffer.alloc(4 + 3)];
    this.socket.write(message(kind, [uint32(this.#channel), ...security, at, at, encoding, ...header, ...body]));
  }
}

const noText = Buffer.alloc(4, 0xff);

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

function text(value: string): Buffer {
  return Buffer.concat([uint32(value.length), Buffer.from(value)]);
}

function message(kind: string, parts: readonly Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  return Buffer.concat([Buffer.from(`${kind}F`), uint32(8 + body.length), body]);
}
