// Imports in progress. A thread parses them: it starts with the first import and ends after a while without any. A
// limited number run at once; others wait with their bodies unread, and those beyond the queue are refused.
import type { Readable } from 'node:stream';
import { MessageChannel } from 'node:worker_threads';
import { type BatchMessage, type Clock, ProblemError } from '@telltale/schema';
import { Turnstile, type Visitor } from '../../archive/index.ts';
import { startThread, threadPort, WorkerLink } from '../../threads/index.ts';
import type { ImportKey, ParserThread } from './import-protocol.ts';
import { RunningImport } from './running-import.ts';

export interface ImportsOptions {
  readonly clock: Clock;
  /** Resolves when the batch is on disk. */
  readonly take: (key: ImportKey, batch: BatchMessage) => Promise<void>;
}

/** Clients take turns. */
export interface ImportRequest extends Visitor {
  readonly key: ImportKey;
  readonly type: string;
  readonly body: Readable;
  /** Aborted when the client is gone. */
  readonly signal?: AbortSignal;
}

export interface ImportCounts {
  readonly running: number;
  readonly queued: number;
  readonly refused: number;
  /** Sent to the thread and not yet parsed. */
  readonly bytesInFlight: number;
}

/** Each that runs has up to two batches in memory. */
export const limits = { inside: 8, insideOfConnection: 2, queued: 32, queuedOfConnection: 8 } as const;
/** While others wait, one whose client sends less than this in so long gives way. */
export const lookMs = 5000;
export const leastBytes = 64 << 10;
/** The thread ends when there was no import for so long. */
export const idleMs = 60_000;

export class Imports {
  readonly #options: ImportsOptions;
  readonly #turnstile = new Turnstile(limits, 'imports');
  /** Those under way, with how many bytes of each had come at the last look. */
  readonly #running = new Map<RunningImport, number>();
  #thread: WorkerLink<ParserThread> | undefined;
  #stopLooking: (() => void) | undefined;
  #stopIdling: (() => void) | undefined;
  #isClosed = false;

  constructor(options: ImportsOptions) {
    this.#options = options;
  }

  get counts(): ImportCounts {
    let bytesInFlight = 0;
    for (const each of this.#running.keys()) bytesInFlight += each.inFlight;
    const { queued, refused } = this.#turnstile;
    return { running: this.#running.size, queued, refused, bytesInFlight };
  }

  get hasThread(): boolean {
    return this.#thread !== undefined;
  }

  /** Resolves when all records of the body are on disk. Records that were stored before a fault stay. */
  async import(request: ImportRequest): Promise<void> {
    const entering = this.#turnstile.enter(request, request.signal);
    if (this.#turnstile.queued > 0) this.#lookForSlow();
    const leave = await entering.catch((error: unknown) => {
      request.body.destroy();
      throw request.signal?.aborted
        ? new ProblemError('malformed-request', 'The client has closed the connection.')
        : error;
    });
    try {
      await this.#run(request);
    } finally {
      leave();
    }
  }

  /** Those under way fail. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#stopLooking?.();
    for (const each of this.#running.keys()) each.fail(stopping());
    await this.#end();
  }

  async #run({ key, type, body }: ImportRequest): Promise<void> {
    if (this.#isClosed) throw stopping();
    this.#stopIdling?.();
    this.#thread ??= this.#start();
    const { port1, port2 } = new MessageChannel();
    this.#thread.notify('begin', [{ key, type, port: port2 }], [port2]);
    const take = (batch: BatchMessage) => this.#options.take(key, batch);
    const running = new RunningImport({ port: port1, body, take });
    this.#running.set(running, Number.NEGATIVE_INFINITY);
    try {
      await running.run();
    } finally {
      this.#running.delete(running);
      if (this.#running.size === 0 && !this.#isClosed) {
        this.#stopIdling = this.#options.clock.after(idleMs, () => this.#end());
      }
    }
  }

  #start(): WorkerLink<ParserThread> {
    const thread = startThread(new URL('./import-thread.ts', import.meta.url), 'archive import');
    return new WorkerLink(threadPort(thread), {
      handlers: {},
      onDeath: (error) => {
        this.#thread = undefined;
        for (const each of this.#running.keys()) each.fail(error);
      },
    });
  }

  async #end(): Promise<void> {
    this.#stopIdling?.();
    const thread = this.#thread;
    this.#thread = undefined;
    await thread?.kill();
  }

  #lookForSlow(): void {
    this.#stopLooking ??= this.#options.clock.after(lookMs, () => {
      this.#stopLooking = undefined;
      if (this.#turnstile.queued === 0) return;
      for (const [each, before] of this.#running) {
        this.#running.set(each, each.received);
        if (!each.awaitsClient || each.received - before >= leastBytes) continue;
        const detail = `Others wait, and less than ${leastBytes} bytes of the body came in ${lookMs / 1000} s.`;
        each.fail(new ProblemError('overloaded', detail));
      }
      this.#lookForSlow();
    });
  }
}

const stopping = () => new ProblemError('stopping', 'The service is stopping.');
