// A connector of the suite's own, in the thread of the provider under test: scans a device in another process, and counts
// how often a scan was left out.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { type Batch, quality, systemClock } from '@telltale/schema';
import { NoAnswer } from '../connector.ts';
import { Poller } from '../poll/poller.ts';
import type { PollRequest } from '../poll/poller-options.ts';
import { PeerProcess } from './peer-process.ts';

const program = fileURLToPath(new URL('./echo-device.ts', import.meta.url));
const quiet = () => {};
/** Round trips of one scan. */
const requestsAScan = 10;

export class ScannedDevice implements AsyncDisposable {
  overruns = 0;
  scans = 0;
  readonly #cleanup: AsyncDisposableStack;

  static async start(folder: string, scanPeriodMs: number): Promise<ScannedDevice> {
    await using cleanup = new AsyncDisposableStack();
    const device = await PeerProcess.start({
      command: process.execPath,
      args: [program],
      folder,
      isReady: ({ said }) => said.includes('\n'),
    });
    cleanup.defer(() => device.stop());
    const socket = connect({ port: Number.parseInt(device.said, 10), host: '127.0.0.1', noDelay: true });
    cleanup.defer(() => void socket.destroy());
    await once(socket, 'connect');
    return new ScannedDevice(socket, scanPeriodMs, cleanup.move());
  }

  private constructor(socket: Socket, scanPeriodMs: number, cleanup: AsyncDisposableStack) {
    this.#cleanup = cleanup;
    const poller = new Poller<PollRequest>({
      clock: systemClock,
      meter: { answered: quiet, failed: quiet, overrun: () => this.overruns++ },
      log: { debug: quiet, info: quiet, warn: quiet, error: quiet },
      publish: (batch) => batch.clear(),
      scanPeriodMs,
      reconnectMaxMs: scanPeriodMs,
      deviceOf: () => 'echo',
      plan: (points) => [{ points }],
      read: ({ points }, batch, signal) => this.#read(socket, points[0]?.id ?? 0, batch, signal),
    });
    poller.setPoints([{ id: 1, name: 'echoed', address: 'echoed', datatype: 'i', properties: {} }]);
    const ending = new AbortController();
    const running = poller.run(ending.signal);
    cleanup.defer(() => running);
    cleanup.defer(() => ending.abort());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#cleanup.disposeAsync();
  }

  async #read(socket: Socket, id: number, batch: Batch, signal: AbortSignal): Promise<void> {
    for (let each = 0; each < requestsAScan; each++) {
      const answered = once(socket, 'data', { signal });
      socket.write('ask');
      await answered.catch(() => {
        throw new NoAnswer('it is over');
      });
    }
    this.scans++;
    batch.value(id, this.scans, quality.good, systemClock.now());
  }
}
