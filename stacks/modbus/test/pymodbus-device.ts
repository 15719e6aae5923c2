// A device of pymodbus in a process of its own, and the way to tell it what it has.
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { fileURLToPath } from 'node:url';
import { accepts, freePort, PeerProcess } from '@telltale/stack-kit/testing';
import { temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import type { Area } from '../src/address.ts';

const python = '/usr/bin/python3';
const script = fileURLToPath(new URL('./modbus-device.py', import.meta.url));

/** Why tests with pymodbus are skipped; undefined where it is there. */
export function missingPymodbus(): string | undefined {
  try {
    execFileSync(python, ['-c', 'import pymodbus.server.async_io'], { stdio: 'ignore' });
    return undefined;
  } catch {
    return 'python3-pymodbus cannot be found: test/install-peers.sh installs what these tests talk to';
  }
}

export class PymodbusDevice {
  readonly process: PeerProcess;
  readonly port: number;
  /** Of the serial line. */
  readonly path: string;
  readonly #controlPort: number;
  readonly #cleanup: AsyncDisposableStack;

  /** With `tls`, `env` names the files. */
  static async start(
    kind: 'tcp' | 'tls' | 'rtu-tcp' | 'serial',
    units: readonly number[] = [1],
    env: Readonly<Record<string, string>> = {},
  ): Promise<PymodbusDevice> {
    await using cleanup = new AsyncDisposableStack();
    const [port, controlPort] = [await freePort(), await freePort()];
    const peer = await PeerProcess.start({
      command: python,
      args: [script, kind, String(port), String(controlPort), units.join(',')],
      folder: temporaryFolder(cleanup),
      env,
      isReady: ({ said }) => said.includes('ready at') && (kind === 'serial' || accepts(port)),
    });
    cleanup.defer(() => peer.stop());
    return new PymodbusDevice(peer, port, controlPort, cleanup.move());
  }

  private constructor(peer: PeerProcess, port: number, controlPort: number, cleanup: AsyncDisposableStack) {
    this.process = peer;
    this.port = port;
    this.path = /ready at (\/dev\S+)/.exec(peer.said)?.[1] ?? '';
    this.#controlPort = controlPort;
    this.#cleanup = cleanup;
  }

  /** Registers, or bits as 0 and 1. */
  async set(area: Area, start: number, values: readonly number[], unit = 1): Promise<void> {
    await this.#send(`set ${unit} ${area} ${start} ${values.map((each) => each.toString(16)).join(',')}`);
  }

  async get(area: Area, start: number, count = 1, unit = 1): Promise<number[]> {
    const line = await this.#send(`get ${unit} ${area} ${start} ${count}`);
    return line.split(',').map((each) => Number.parseInt(each, 16));
  }

  async stop(): Promise<void> {
    await this.#cleanup.disposeAsync();
  }

  async #send(line: string): Promise<string> {
    const socket = connect({ port: this.#controlPort, host: '127.0.0.1' });
    try {
      socket.setEncoding('utf8').end(`${line}\n`);
      const [answer] = await once(socket, 'data');
      return String(answer).trim();
    } finally {
      socket.destroy();
    }
  }
}
