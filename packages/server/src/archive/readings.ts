// Readings of the archive under way: pages come from the thread that reads as fast as they are taken, and no faster.
import { type MessagePort, Worker } from 'node:worker_threads';
import { ProblemError } from '@telltale/schema';
import type { ArchiveReading, ReadRequest } from './archive-access.ts';
import type { FromReader, ToReader, ToWriter } from './protocol.ts';

/** Pages that may be made ahead of who takes them. */
const pagesAhead = 2;
/** Buffers that wait for the next reading to serve again. */
const mostSpare = 4;

export interface ReadingsOptions {
  /** To the thread that writes, which knows what there is to read and hands it on. */
  readonly tellWriter: (message: ToWriter, transfer?: readonly ArrayBuffer[]) => void;
  readonly onDeath: (error: Error) => void;
}

export class Readings {
  readonly #options: ReadingsOptions;
  readonly #readings = new Map<number, Reading>();
  #prepared: Worker | undefined;
  #thread: Worker | undefined;
  #lastId = 0;
  #spare: ArrayBuffer[] = [];

  constructor(options: ReadingsOptions) {
    this.#options = options;
  }

  /** How many are under way. */
  get size(): number {
    return this.#readings.size;
  }

  /** Starts the thread. */
  prepare(): void {
    if (this.#prepared !== undefined) return;
    const thread = new Worker(new URL('./reader-thread.ts', import.meta.url), { name: 'archive reader' });
    thread.on('message', (message: FromReader) => {
      const reading = this.#readings.get(message.id);
      if (message.kind === 'page') reading?.add(new Uint8Array(message.buffer, 0, message.bytes), message.isLast);
      else reading?.fail(new ProblemError(message.problem.problem, message.problem.detail));
    });
    thread.on('error', (error: Error) => {
      this.#thread = undefined;
      for (const reading of this.#readings.values()) reading.fail(error);
      this.#options.onDeath(error);
    });
    this.#prepared = thread;
  }

  /** `writer` is where the thread asks what there is. */
  open(writer: MessagePort): void {
    this.prepare();
    this.#thread = this.#prepared;
    this.#thread?.postMessage({ kind: 'open', writer } satisfies ToReader, [writer]);
  }

  /** Resolves when the first page is there. */
  async read(request: ReadRequest): Promise<ArchiveReading> {
    if (this.#thread === undefined) throw new ProblemError('storage-failed', 'The archive is not open.');
    const id = ++this.#lastId;
    const reading = new Reading({
      onTaken: (buffer) => this.#taken(id, buffer),
      onOver: (isCancelled) => {
        this.#readings.delete(id);
        if (isCancelled) this.#options.tellWriter({ kind: 'cancel', id });
      },
    });
    this.#readings.set(id, reading);
    const buffers = this.#spare;
    this.#spare = [];
    this.#options.tellWriter({ kind: 'read', id, request, credit: pagesAhead, buffers }, buffers);
    await reading.begun();
    return reading;
  }

  async close(): Promise<void> {
    this.#thread = undefined;
    for (const reading of this.#readings.values()) {
      reading.fail(new ProblemError('stopping', 'The service is stopping.'));
    }
    await this.#prepared?.terminate();
  }

  /** Where no more pages come of the reading, the buffer waits for the next one: waking a thread is not for nothing. */
  #taken(id: number, buffer: ArrayBuffer): void {
    if (this.#readings.has(id)) this.#thread?.postMessage({ kind: 'credit', id, buffer } satisfies ToReader, [buffer]);
    else if (this.#spare.length < mostSpare) this.#spare.push(buffer);
  }
}

interface ReadingEvents {
  /** The buffer of a page can serve again. */
  readonly onTaken: (buffer: ArrayBuffer) => void;
  readonly onOver: (isCancelled: boolean) => void;
}

class Reading implements ArchiveReading {
  readonly #events: ReadingEvents;
  readonly #pages: Uint8Array<ArrayBuffer>[] = [];
  #isComplete = false;
  #isOver = false;
  #error: Error | undefined;
  #wake: (() => void) | undefined;

  constructor(events: ReadingEvents) {
    this.#events = events;
  }

  add(page: Uint8Array<ArrayBuffer>, isLast: boolean): void {
    this.#pages.push(page);
    this.#isComplete = isLast;
    if (isLast) this.#end(false);
    this.#wake?.();
  }

  fail(error: Error): void {
    this.#error ??= error;
    this.#end(false);
    this.#wake?.();
  }

  cancel(): void {
    this.#pages.length = 0;
    this.#error ??= new Error('The reading was cancelled.');
    this.#end(true);
    this.#wake?.();
  }

  async begun(): Promise<void> {
    await this.#something();
    if (this.#error !== undefined) throw this.#error;
  }

  takeWhole(): { readonly bytes: Buffer; release(): void } | undefined {
    const [page] = this.#pages;
    if (!this.#isComplete || this.#pages.length > 1 || page === undefined) return undefined;
    this.#pages.length = 0;
    return { bytes: Buffer.from(page.buffer, 0, page.length), release: () => this.#events.onTaken(page.buffer) };
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void> {
    try {
      for (;;) {
        await this.#something();
        if (this.#error !== undefined) throw this.#error;
        const page = this.#pages.shift();
        if (page === undefined) return;
        if (page.length > 0) yield page;
        this.#events.onTaken(page.buffer);
      }
    } finally {
      if (!this.#isOver) this.cancel();
    }
  }

  async #something(): Promise<void> {
    while (this.#pages.length === 0 && !this.#isComplete && this.#error === undefined) {
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }

  #end(isCancelled: boolean): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#events.onOver(isCancelled);
  }
}
