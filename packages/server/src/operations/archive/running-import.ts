// One import on the main thread: moves the bytes of a body to the thread that parses, no more than it has room for, and
// the batches that come back to the archive. Looks into neither.
import type { Readable } from 'node:stream';
import type { MessagePort } from 'node:worker_threads';
import type { BatchMessage } from '@telltale/schema';
import { Link, messagePort, ownBuffers } from '../../threads/index.ts';
import type { ImportClient, ImportThread } from './import-protocol.ts';

/** Bytes that are sent and not yet parsed. */
export const mostInFlight = 256 << 10;
const pieceBytes = 64 << 10;

export interface RunningImportOptions {
  readonly port: MessagePort;
  readonly body: Readable;
  /** Resolves when the batch is on disk. */
  readonly take: (batch: BatchMessage) => Promise<void>;
}

export class RunningImport {
  readonly #options: RunningImportOptions;
  readonly #thread: Link<ImportThread>;
  #inFlight = 0;
  #received = 0;
  #isWhole = false;
  #isOver = false;
  #wake: (() => void) | undefined;

  constructor(options: RunningImportOptions) {
    this.#options = options;
    this.#thread = new Link<ImportThread, ImportClient>(messagePort(options.port), {
      parsed: (bytes) => {
        this.#inFlight -= bytes;
        this.#wake?.();
      },
      batch: (batch) => options.take(batch),
    });
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  get received(): number {
    return this.#received;
  }

  /** Whether it is blocked until its client sends more. */
  get awaitsClient(): boolean {
    return !this.#isWhole && this.#inFlight === 0;
  }

  /** Resolves when all records are on disk. */
  async run(): Promise<void> {
    const { port, body } = this.#options;
    const done = this.#thread.call('done', []);
    this.#send().catch((error: Error) => this.fail(error));
    try {
      await done;
    } finally {
      this.#isOver = true;
      this.#wake?.();
      port.close();
      body.destroy();
    }
  }

  fail(error: Error): void {
    this.#thread.end(error);
  }

  async #send(): Promise<void> {
    for await (const chunk of this.#options.body as AsyncIterable<Uint8Array>) {
      this.#received += chunk.length;
      for (let at = 0; at < chunk.length; at += pieceBytes) {
        const piece = chunk.subarray(at, at + pieceBytes);
        while (!this.#isOver && this.#inFlight + piece.length > mostInFlight) {
          await new Promise<void>((resolve) => (this.#wake = resolve));
        }
        if (this.#isOver) return;
        this.#inFlight += piece.length;
        // In memory of its own, so that it can be transferred.
        const bytes = ownBuffers([piece]).length > 0 ? piece : new Uint8Array(piece);
        this.#thread.notify('bytes', [bytes], ownBuffers([bytes]));
      }
    }
    this.#isWhole = true;
    this.#thread.notify('end', []);
  }
}
