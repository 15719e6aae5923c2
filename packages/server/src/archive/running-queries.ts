// Running queries of the archive: pages come from the reader thread as fast as they are taken, and no faster. Their
// number is limited, in total, per client and per connection. Each has a first turn, unless its parameters make it
// long; a query that is not answered by then is long as well, and waits until few enough others run.
import { type Clock, onAbort, ProblemError } from '@telltale/schema';
import type { Handlers } from '../threads/index.ts';
import type { ArchiveReader, QueryResult, ReadRequest } from './archive-access.ts';
import type { Begin, ReaderClient } from './protocol.ts';
import { leastUsOf } from './query/calendar-grid.ts';
import { Turnstile, type TurnstileLimits } from './turnstile.ts';

/** Pages that may be made ahead of who takes them. */
const pagesAhead = 2;
/** Buffers that wait for the next query to serve again. */
const mostSpare = 4;

/** Readings in their first turn. Those that wait for it hold no page. */
const first: TurnstileLimits = { inside: 8, insideOfConnection: 4, queued: 96, queuedOfConnection: 64 };
/** Readings that go on, with up to three pages each; those that wait for it have one. */
const long: TurnstileLimits = { inside: 16, insideOfConnection: 4, queued: 48, queuedOfConnection: 16 };
/** More records than a first turn has time for: a query whose parameters exceed it queues as long at once. */
const mostShort = 20_000;
/** While others are queued, a query whose answer was not taken for so long gives way. */
const mostIdleMs = 5000;

/** The thread that makes the pages, as it is spoken to. */
export interface QueryThread<Request extends ReadRequest = ReadRequest> {
  read(begin: Begin<Request>): void;
  cancel(id: number): void;
  /** So many more pages may be made. A page was taken, and its buffer can serve again. */
  credit(id: number, pages: number, buffer: ArrayBuffer | undefined): void;
  /** Resolves when it is gone. */
  kill(): Promise<void>;
}

export interface QueryThreadEvents {
  readonly handlers: Handlers<ReaderClient>;
  /** A `ProblemError`: it could not start now. */
  readonly onDeath: (error: Error) => void;
}

export interface RunningQueriesOptions<Request extends ReadRequest> {
  readonly clock: Clock;
  readonly start: (events: QueryThreadEvents) => QueryThread<Request>;
  readonly onDeath: (error: Error) => void;
}

export class RunningQueries<Request extends ReadRequest = ReadRequest> {
  readonly #options: RunningQueriesOptions<Request>;
  readonly #queries = new Map<number, RunningQuery>();
  #isOpen = false;
  #thread: QueryThread<Request> | undefined;
  #lastId = 0;
  #spare: ArrayBuffer[] = [];
  readonly #first = new Turnstile(first, 'queries of the archive');
  readonly #long = new Turnstile(long, 'queries of the archive');
  #stopLooking: (() => void) | undefined;

  constructor(options: RunningQueriesOptions<Request>) {
    this.#options = options;
  }

  get counts(): QueryCounts {
    let pages = 0;
    for (const query of this.#queries.values()) pages += query.pages;
    return {
      underWay: this.#queries.size,
      queued: this.#first.queued + this.#long.queued,
      refused: this.#first.refused + this.#long.refused,
      pages,
    };
  }

  /** The thread is started by the first query: a plant may never have one. */
  open(): void {
    this.#isOpen = true;
  }

  /** Where there is no room for a thread now, pending queries are refused, and the next one retries. */
  #start(): QueryThread<Request> {
    return this.#options.start({
      handlers: {
        page: (id, buffer, bytes, isLast) => this.#queries.get(id)?.add(new Uint8Array(buffer, 0, bytes), isLast),
        problem: (id, problem, detail) => this.#queries.get(id)?.fail(new ProblemError(problem, detail)),
      },
      onDeath: (error) => {
        this.#thread = undefined;
        for (const query of this.#queries.values()) query.fail(error);
        if (error instanceof ProblemError) return;
        this.#options.onDeath(error);
      },
    });
  }

  /** Resolves when the first page is there. */
  async read(request: Request, reader: ArchiveReader = {}): Promise<QueryResult> {
    try {
      if (isLong(request)) return await this.#readLong(request, reader);
      const query = await this.#readFirst(request, reader);
      if (!query.isComplete) await this.#goOn(query, reader, this.#enterLong(reader));
      return query;
    } catch (error) {
      if (reader.signal?.aborted) throw new ProblemError('malformed-request', 'The client has closed the connection.');
      throw error;
    }
  }

  /** Has its first turn. */
  async #readFirst(request: Request, reader: ArchiveReader): Promise<RunningQuery> {
    const leave = await this.#first.enter(reader, reader.signal);
    try {
      const query = this.#begin(request);
      await query.begun(reader.signal);
      return query;
    } finally {
      leave();
    }
  }

  async #readLong(request: Request, reader: ArchiveReader): Promise<RunningQuery> {
    const leave = await this.#enterLong(reader);
    try {
      const query = this.#begin(request);
      await query.begun(reader.signal);
      if (query.isComplete) leave();
      else await this.#goOn(query, reader, leave);
      return query;
    } catch (error) {
      leave();
      throw error;
    }
  }

  #begin(request: Request): RunningQuery {
    if (!this.#isOpen) throw new ProblemError('storage-failed', 'The archive is not open.');
    this.#thread ??= this.#start();
    const thread = this.#thread;
    const id = ++this.#lastId;
    const query = new RunningQuery({
      nowMs: () => this.#options.clock.monotonicMs(),
      onWanted: (pages, buffer) => this.#want(id, pages, buffer),
      onOver: (isCancelled) => {
        this.#queries.delete(id);
        if (isCancelled) thread.cancel(id);
      },
    });
    this.#queries.set(id, query);
    const buffers = this.#spare;
    this.#spare = [];
    thread.read({ id, request, buffers });
    return query;
  }

  #enterLong(reader: ArchiveReader): Promise<() => void> {
    const entering = this.#long.enter(reader, reader.signal);
    if (this.#long.queued > 0) this.#lookForIdle();
    return entering;
  }

  /** Of one that is long, once it is let in. */
  async #goOn(
    query: RunningQuery,
    { signal }: ArchiveReader,
    entering: (() => void) | Promise<() => void>,
  ): Promise<void> {
    try {
      query.goOn(await entering);
      await query.begun(signal);
    } catch (error) {
      query.cancel();
      throw error;
    }
  }

  /** While any are queued: those whose answers are not taken give way. */
  #lookForIdle(): void {
    this.#stopLooking ??= this.#options.clock.after(mostIdleMs / 5, () => {
      this.#stopLooking = undefined;
      for (const query of this.#queries.values()) {
        if (this.#long.queued === 0) return;
        if (query.idleMs >= mostIdleMs) {
          query.fail(
            new ProblemError('overloaded', 'The client does not read its answer, and other queries are waiting.'),
          );
        }
      }
      if (this.#long.queued > 0) this.#lookForIdle();
    });
  }

  async close(): Promise<void> {
    const thread = this.#thread;
    this.#thread = undefined;
    this.#stopLooking?.();
    this.#isOpen = false;
    for (const query of this.#queries.values()) {
      query.fail(new ProblemError('stopping', 'The service is stopping.'));
    }
    await thread?.kill();
  }

  /** When the query has no more pages, the buffer is saved for the next one: a thread is not woken for nothing. */
  #want(id: number, pages: number, buffer: ArrayBuffer | undefined): void {
    if (this.#queries.get(id)?.isComplete === false) this.#thread?.credit(id, pages, buffer);
    else if (buffer !== undefined && this.#spare.length < mostSpare) this.#spare.push(buffer);
  }
}

/** By its parameters: the number of plain records is not known in advance. */
function isLong(request: ReadRequest): boolean {
  const { names, sinceUs, untilUs, resampleUs, calendar, aggregates = [], limit = Number.POSITIVE_INFINITY } = request;
  const stepUs = resampleUs ?? (calendar === undefined ? undefined : leastUsOf(calendar.step));
  if (stepUs === undefined) return false;
  return Math.min(limit, (untilUs - sinceUs) / stepUs) * Math.max(1, aggregates.length) * names.length > mostShort;
}

export interface QueryCounts {
  readonly underWay: number;
  readonly queued: number;
  /** Since the start. */
  readonly refused: number;
  /** Made, and not yet taken. */
  readonly pages: number;
}

interface QueryEvents {
  readonly nowMs: () => number;
  /** More pages can be made; the buffer of one that was taken can serve again. */
  readonly onWanted: (pages: number, buffer: ArrayBuffer | undefined) => void;
  readonly onOver: (isCancelled: boolean) => void;
}

class RunningQuery implements QueryResult {
  readonly #events: QueryEvents;
  readonly #pages: Uint8Array<ArrayBuffer>[] = [];
  /** The first turn has had a result. */
  #isBegun = false;
  #isComplete = false;
  /** Nothing of it is taken any more. */
  #isOver = false;
  #error: Error | undefined;
  #wake: (() => void) | undefined;
  /** Of one that is long. */
  #leave: (() => void) | undefined;
  /** Since when there is a page that is not taken. */
  #idleSinceMs: number | undefined;

  constructor(events: QueryEvents) {
    this.#events = events;
  }

  /** All pages are here. */
  get isComplete(): boolean {
    return this.#isComplete;
  }

  /** Here, and not yet taken. */
  get pages(): number {
    return this.#pages.length;
  }

  /** For how long the pages here have not been taken; 0 where the consumer is waiting. */
  get idleMs(): number {
    return this.#idleSinceMs === undefined ? 0 : this.#events.nowMs() - this.#idleSinceMs;
  }

  add(page: Uint8Array<ArrayBuffer>, isLast: boolean): void {
    this.#isBegun = true;
    if (page.length > 0 || isLast) this.#pages.push(page);
    this.#isComplete = isLast;
    this.#wake?.();
  }

  /** It may go on, until it is over: then `leave` is called. */
  goOn(leave: () => void): void {
    if (this.#isOver) {
      leave();
      return;
    }
    this.#leave = leave;
    this.#events.onWanted(pagesAhead - this.#pages.length, undefined);
  }

  fail(error: Error): void {
    this.#error ??= error;
    this.#end();
    this.#wake?.();
  }

  cancel(): void {
    this.#pages.length = 0;
    this.fail(new Error('The query was cancelled.'));
  }

  /** Resolves after the first turn, and of one that goes on when there is a page. The signal cancels it. */
  async begun(signal: AbortSignal | undefined): Promise<void> {
    const stopListening = onAbort(signal, () => this.cancel());
    if (this.#leave === undefined) while (!this.#isBegun && this.#error === undefined) await this.#next();
    else await this.#something();
    stopListening();
    if (this.#error !== undefined) throw this.#error;
    this.#idleSinceMs = this.#events.nowMs();
  }

  takeWhole(): { readonly bytes: Buffer; release(): void } | undefined {
    const [page] = this.#pages;
    if (!this.#isComplete || this.#pages.length > 1 || page === undefined) return undefined;
    this.#pages.length = 0;
    this.#end();
    const release = () => this.#events.onWanted(1, page.buffer);
    return { bytes: Buffer.from(page.buffer, 0, page.length), release };
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void> {
    try {
      for (;;) {
        this.#idleSinceMs = undefined;
        await this.#something();
        if (this.#error !== undefined) throw this.#error;
        const page = this.#pages.shift();
        if (page === undefined) return;
        this.#idleSinceMs = this.#events.nowMs();
        if (page.length > 0) yield page;
        this.#events.onWanted(1, page.buffer);
      }
    } finally {
      this.cancel();
    }
  }

  async #something(): Promise<void> {
    while (this.#pages.length === 0 && !this.#isComplete && this.#error === undefined) await this.#next();
  }

  #next(): Promise<void> {
    return new Promise<void>((resolve) => (this.#wake = resolve));
  }

  #end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#leave?.();
    this.#events.onOver(!this.#isComplete);
  }
}
