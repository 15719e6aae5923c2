// A device of the test's own making, over TCP with the frames of Modbus TCP or of serial lines: what it answers is a function
// of the unit and the request.
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { rtuFrame } from '../src/rtu-frame.ts';
import { TcpFrames, tcpFrame } from '../src/tcp-frame.ts';

/** Requests and answers in hexadecimal; undefined: it is silent. A promise: it answers later. */
export type Script = (unit: number, request: string) => string | undefined | Promise<string>;

/** Of a serial line, reads and single writes alone: a unit, function, two words and the checksum. */
const rtuRequestBytes = 8;

export class ScriptedDevice {
  script: Script;
  readonly asked: string[] = [];
  connections = 0;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  static async start(script: Script, framing: 'tcp' | 'rtu' = 'tcp'): Promise<ScriptedDevice> {
    const device = new ScriptedDevice(script, framing);
    device.#server.listen(0, '127.0.0.1');
    await once(device.#server, 'listening');
    return device;
  }

  private constructor(script: Script, framing: 'tcp' | 'rtu') {
    this.script = script;
    this.#server = createServer((socket) => {
      this.connections++;
      this.#sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => this.#sockets.delete(socket));
      if (framing === 'tcp') this.#serve(socket);
      else this.#serveLine(socket);
    });
  }

  #serve(socket: Socket): void {
    const frames = new TcpFrames();
    socket.on('data', (chunk: Buffer) => {
      frames.push(chunk, (transaction, unit, pdu) => {
        this.#answer(unit, pdu, (answer) => socket.write(tcpFrame(transaction, unit, answer)));
      });
    });
  }

  #serveLine(socket: Socket): void {
    let rest = Buffer.alloc(0);
    socket.on('data', (chunk: Buffer) => {
      rest = Buffer.concat([rest, chunk]);
      for (; rest.length >= rtuRequestBytes; rest = rest.subarray(rtuRequestBytes)) {
        const unit = rest[0] ?? 0;
        this.#answer(unit, rest.subarray(1, rtuRequestBytes - 2), (answer) => socket.write(rtuFrame(unit, answer)));
      }
    });
  }

  #answer(unit: number, pdu: Uint8Array, send: (answer: Uint8Array) => void): void {
    const request = Buffer.from(pdu).toString('hex');
    this.asked.push(`${unit}/${request}`);
    const answer = this.script(unit, request);
    if (answer instanceof Promise) answer.then((late) => send(Buffer.from(late, 'hex')));
    else if (answer !== undefined) send(Buffer.from(answer, 'hex'));
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, 'close');
  }
}

/** Every register has its own number, but for those of which the test says something else by an exception. */
export function registersScript(exceptionAt: (register: number) => number | undefined): Script {
  return (_, request) => {
    const [start, count] = [Number.parseInt(request.slice(2, 6), 16), Number.parseInt(request.slice(6, 10), 16)];
    const registers = Array.from({ length: count }, (_, at) => start + at);
    for (const register of registers) {
      const code = exceptionAt(register);
      if (code !== undefined) return `83${code.toString(16).padStart(2, '0')}`;
    }
    const data = registers.map((register) => register.toString(16).padStart(4, '0')).join('');
    return `03${(2 * count).toString(16).padStart(2, '0')}${data}`;
  };
}
