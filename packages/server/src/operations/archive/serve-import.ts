// One import in the thread that parses: takes the body's bytes from a port, and hands batches back over it. Ends with the
// port.
import type { MessagePort } from 'node:worker_threads';
import { type BatchMessage, ProblemError } from '@telltale/schema';
import { backfill } from './backfill.ts';
import { type BeginImport, type FromImport, receivedProblem, sentProblem, type ToImport } from './import-protocol.ts';

/** Resolves when it is over, whatever came of it. */
export async function serveImport({ key, type, port }: BeginImport): Promise<void> {
  const body = new SentBody(port);
  try {
    await backfill({ ...key, type, body, take: (batch) => body.hand(batch) });
    tell(port, { kind: 'done' });
  } catch (error) {
    if (error instanceof ProblemError) tell(port, { kind: 'refused', problem: sentProblem(error) });
    else tell(port, { kind: 'failed', error });
  }
}

class SentBody implements AsyncIterable<Uint8Array> {
  readonly #port: MessagePort;
  readonly #chunks: Uint8Array[] = [];
  #isWhole = false;
  #isClosed = false;
  #wake: (() => void) | undefined;
  /** Of the batch that is on its way. */
  #handed: PromiseWithResolvers<void> | undefined;

  constructor(port: MessagePort) {
    this.#port = port;
    port.on('message', (message: ToImport) => this.#hear(message));
    port.on('close', () => {
      this.#isClosed = true;
      this.#handed?.reject(cancelled());
      this.#wake?.();
    });
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void> {
    for (;;) {
      if (this.#isClosed) throw cancelled();
      const chunk = this.#chunks.shift();
      if (chunk !== undefined) {
        yield chunk;
        tell(this.#port, { kind: 'parsed', bytes: chunk.length });
      } else if (this.#isWhole) return;
      else await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }

  /** Resolves when it is on disk. */
  hand(batch: BatchMessage): Promise<void> {
    if (this.#isClosed) return Promise.reject(cancelled());
    this.#handed = Promise.withResolvers();
    this.#port.postMessage({ kind: 'batch', batch } satisfies FromImport, [batch.buffer]);
    return this.#handed.promise;
  }

  #hear(message: ToImport): void {
    if (message.kind === 'bytes') this.#chunks.push(message.bytes);
    else if (message.kind === 'end') this.#isWhole = true;
    else if (message.kind === 'stored') this.#handed?.resolve();
    else this.#handed?.reject(receivedProblem(message.problem));
    this.#wake?.();
  }
}

const cancelled = () => new Error('The import was cancelled.');

function tell(port: MessagePort, message: FromImport): void {
  port.postMessage(message);
}
