// One import in the thread that parses: takes the body's bytes from a port, and hands batches back over it. Ends with the
// port.
import type { MessagePort } from 'node:worker_threads';
import type { BatchMessage } from '@telltale/schema';
import { Link, messagePort } from '../../threads/index.ts';
import { backfill } from './backfill.ts';
import type { BeginImport, ImportClient, ImportThread } from './import-protocol.ts';

/** Resolves when it is over, whatever the outcome. */
export async function serveImport({ key, type, port }: BeginImport): Promise<void> {
  const body = new SentBody(port, () => done);
  const done = backfill({ ...key, type, body, take: (batch) => body.hand(batch) });
  await done.catch(() => undefined); // reported to the caller
}

class SentBody implements AsyncIterable<Uint8Array> {
  readonly #client: Link<ImportClient>;
  readonly #chunks: Uint8Array[] = [];
  #isWhole = false;
  #wake: (() => void) | undefined;

  constructor(port: MessagePort, done: () => Promise<void>) {
    this.#client = new Link<ImportClient, ImportThread>(messagePort(port), {
      bytes: (bytes) => {
        this.#chunks.push(bytes);
        this.#wake?.();
      },
      end: () => {
        this.#isWhole = true;
        this.#wake?.();
      },
      done,
    });
    port.on('close', () => {
      this.#client.end(cancelled());
      this.#wake?.();
    });
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void> {
    for (;;) {
      if (!this.#client.isOpen) throw cancelled();
      const chunk = this.#chunks.shift();
      if (chunk !== undefined) {
        yield chunk;
        this.#client.notify('parsed', [chunk.length]);
      } else if (this.#isWhole) return;
      else await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }

  /** Resolves when it is on disk. */
  hand(batch: BatchMessage): Promise<void> {
    return this.#client.call('batch', [batch], { transfer: [batch.buffer] });
  }
}

const cancelled = () => new Error('The import was cancelled.');
