// A client and a device of libmodbus, each in a process of its own.
import { execFile, execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { accepts, freePort, PeerProcess } from '@telltale/stack-kit/testing';
import { temporaryFolder } from '@telltale/stack-kit/testing/cleanup';

const python = '/usr/bin/python3';
const script = fileURLToPath(new URL('./libmodbus.py', import.meta.url));

/** Why tests with libmodbus are skipped; undefined where it is there. */
export function missingLibmodbus(): string | undefined {
  try {
    execFileSync(python, ['-c', 'import ctypes; ctypes.CDLL("libmodbus.so.5")'], { stdio: 'ignore' });
    return undefined;
  } catch {
    return 'libmodbus5 or Python cannot be found: test/install-peers.sh installs what these tests talk to';
  }
}

/** Carries out calls over one connection: a line each, as `libmodbus.py` says. */
export async function askByLibmodbus(port: number, unit: number, ...calls: string[]): Promise<string[]> {
  const { stdout } = await promisify(execFile)(python, [script, 'client', String(port), String(unit), ...calls]);
  return stdout.trimEnd().split('\n');
}

export class LibmodbusDevice {
  readonly port: number;
  readonly #cleanup: AsyncDisposableStack;

  static async start(): Promise<LibmodbusDevice> {
    await using cleanup = new AsyncDisposableStack();
    const port = await freePort();
    const peer = await PeerProcess.start({
      command: python,
      args: [script, 'device', String(port)],
      folder: temporaryFolder(cleanup),
      isReady: ({ said }) => said.includes('ready') && accepts(port),
    });
    cleanup.defer(() => peer.stop());
    return new LibmodbusDevice(port, cleanup.move());
  }

  private constructor(port: number, cleanup: AsyncDisposableStack) {
    this.port = port;
    this.#cleanup = cleanup;
  }

  async stop(): Promise<void> {
    await this.#cleanup.disposeAsync();
  }
}
