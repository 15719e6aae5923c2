// One import on the main thread: moves the bytes of a body to the thread that parses, no more than it has room for, and
// the batches that come back to the archive. Looks into neither.
import type { Readable } from 'node:stream';
import type { MessagePort } from 'node:worker_threads';
import { type BatchMessage, ProblemError } from '@telltale/schema';
import { type FromImport, receivedProblem, sentProblem, type ToImport } from './import-protocol.ts';

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
  readonly #outcome = Promise.withResolvers<void>();
  #inFlight = 0;
  #received = 0;
  #isWhole = false;
  #isOver = false;
  #wake: (() => void) | undefined;

  constructor(options: RunningImportOptions) {
    this.#options = options;
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  /** Bytes of the body that came so far. */
  get received(): number {
    return this.#received;
  }

  /** Whether nothing can be done before its client sends more. */
  get awaitsClient(): boolean {
    return !this.#isWhole && this.#inFlight === 0;
  }

  /** Resolves when all records are on disk. */
  async run(): Promise<void> {
    const { port, body } = this.#options;
    port.on('message', (message: FromImport) => this.#hear(message));
    this.#send().catch((error: Error) => this.fail(error));
    try {
      await this.#outcome.promise;
    } finally {
      this.#isOver = true;
      this.#wake?.();
      port.close();
      body.destroy();
    }
  }

  fail(error: unknown): void {
    this.#outcome.reject(error);
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
        // In memory of its own, that it may be given away.
        const isAlone = piece.length === piece.buffer.byteLength;
        const bytes = isAlone ? (piece as Uint8Array<ArrayBuffer>) : new Uint8Array(piece);
        this.#tell({ kind: 'bytes', bytes }, [bytes.buffer]);
      }
    }
    this.#isWhole = true;
    this.#tell({ kind: 'end' });
  }

  #hear(message: FromImport): void {
    if (message.kind === 'parsed') {
      this.#inFlight -= message.bytes;
      this.#wake?.();
    } else if (message.kind === 'batch') this.#take(message.batch);
    else if (message.kind === 'done') this.#outcome.resolve();
    else if (message.kind === 'failed') this.fail(message.error);
    else this.fail(receivedProblem(message.problem));
  }

  async #take(batch: BatchMessage): Promise<void> {
    try {
      await this.#options.take(batch);
      this.#tell({ kind: 'stored' });
    } catch (error) {
      if (error instanceof ProblemError) this.#tell({ kind: 'refused', problem: sentProblem(error) });
      else this.fail(error);
    }
  }

  #tell(message: ToImport, transfer: ArrayBuffer[] = []): void {
    this.#options.port.postMessage(message, transfer);
  }
}
