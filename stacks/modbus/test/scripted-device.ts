// A Modbus TCP device of the test's own making: what it answers is a function of the unit and the request.
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { TcpFrames, tcpFrame } from '../src/tcp-frame.ts';

/** Requests and answers in hexadecimal; undefined: it is silent. */
export type Script = (unit: number, request: string) => string | undefined;

export class ScriptedDevice {
  script: Script;
  readonly asked: string[] = [];
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  static async start(script: Script): Promise<ScriptedDevice> {
    const device = new ScriptedDevice(script);
    device.#server.listen(0, '127.0.0.1');
    await once(device.#server, 'listening');
    return device;
  }

  private constructor(script: Script) {
    this.script = script;
    this.#server = createServer((socket) => {
      const frames = new TcpFrames();
      this.#sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => this.#sockets.delete(socket));
      socket.on('data', (chunk: Buffer) => {
        frames.push(chunk, (transaction, unit, pdu) => {
          const request = Buffer.from(pdu).toString('hex');
          this.asked.push(`${unit}/${request}`);
          const answer = this.script(unit, request);
          if (answer !== undefined) socket.write(tcpFrame(transaction, unit, Buffer.from(answer, 'hex')));
        });
      });
    });
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
