// What a run prints, on its way into the logs of its module: no faster than these take it, so that the run waits.
import type { Readable } from 'node:stream';
import type { LogLine, LogStream } from '@telltale/schema';
import type { Clock } from '@telltale/schema/values';
import { ModuleLog, stampsOf } from './module-log.ts';

export interface RunOutputOptions {
  /** Of the logs. */
  readonly folder: string;
  readonly clock: Clock;
  readonly out: Readable;
  readonly err: Readable;
  readonly onLines: (lines: readonly LogLine[]) => void;
}

/** Of output at a time: lines of one letter take a hundred times as much for a moment. */
const pieceBytes = 4096;
/** What is in the pipes when no process is alive is read at once; an unknown process may hold them open. */
const [lastOutputMs, lastOutputBytes] = [1000, 256 * 1024];

export class RunOutput {
  readonly #options: RunOutputOptions;
  readonly #closed: Promise<void>[];
  #lastBytes: number | undefined;

  constructor(options: RunOutputOptions) {
    const stamp = stampsOf(options.clock);
    this.#options = options;
    this.#closed = [this.#keep('out', options.out, stamp), this.#keep('err', options.err, stamp)];
  }

  /** No process that prints is alive. */
  async end(): Promise<void> {
    const { clock, out, err } = this.#options;
    this.#lastBytes = lastOutputBytes;
    for (const stream of [out, err]) stream.resume();
    const cancel = clock.after(lastOutputMs, () => this.#cut());
    await Promise.all(this.#closed);
    cancel();
  }

  #keep(stream: LogStream, readable: Readable, stamp: () => number): Promise<void> {
    const { folder, clock, onLines } = this.#options;
    const log = new ModuleLog({ folder, stream, clock, stamp, onDrain: () => readable.resume() });
    log.watch(onLines);
    readable.on('data', (chunk: Buffer) => {
      for (let at = 0; at < chunk.length; at += pieceBytes) {
        const isEnough = !log.write(chunk.subarray(at, at + pieceBytes));
        if (isEnough && this.#lastBytes === undefined) readable.pause();
      }
      if (this.#lastBytes === undefined) return;
      this.#lastBytes -= chunk.length;
      if (this.#lastBytes < 0) this.#cut();
    });
    readable.on('error', () => {}); // it closes as well
    return new Promise((resolve) => {
      readable.once('close', () => {
        log.end();
        resolve();
      });
    });
  }

  #cut(): void {
    this.#options.out.destroy();
    this.#options.err.destroy();
  }
}
