// The archives of sites as the store has them, as the service reads them. A thread does the work, started by the first who asks.
import { type Clock, ProblemError } from '@telltale/schema';
import {
  type ArchiveReading,
  type Kind,
  type QueryCounts,
  type QueryThread,
  type QueryThreadEvents,
  RunningQueries,
} from '../../archive/index.ts';
import type { ReaderClient } from '../../archive/query/index.ts';
import { startThread, threadPort, WorkerLink } from '../../threads/index.ts';
import type { NameInInterval, StoreReaderThread } from './protocol.ts';
import type { StoreReadRequest } from './store-source.ts';

export interface StoreArchiveOptions {
  /** Of PostgreSQL; a standby does as well. */
  readonly address: string;
  readonly clock: Clock;
  /** An answer of the store that takes longer is given up; by default after 20 s. */
  readonly limitMs?: number;
  /** The thread has ended by itself; whoever asks next has another one. */
  readonly onFailure: (error: Error) => void;
}

/** To tell the store that its connections end. */
const closeMs = 1000;

export class StoreArchive {
  readonly #options: StoreArchiveOptions;
  readonly #queries: RunningQueries<StoreReadRequest>;
  #thread: WorkerLink<StoreReaderThread, ReaderClient> | undefined;
  #events: QueryThreadEvents | undefined;
  #isClosed = false;

  constructor(options: StoreArchiveOptions) {
    this.#options = options;
    this.#queries = new RunningQueries({
      clock: options.clock,
      start: (events) => this.#serve(events),
      onDeath: () => {},
    });
    this.#queries.open();
  }

  /** Of a site, known by its id; undefined: of all sites together, each name as `site/name`. */
  of(site: string | undefined): ArchiveReading {
    const datatypeOf: ArchiveReading['datatypeOf'] = (kind, name) => this.#ask('datatypeOf', [site, kind, name]);
    return {
      has: async (kind, name) => (await datatypeOf(kind, name)) !== undefined,
      datatypeOf,
      names: (kind) => this.#ask('names', [site, kind]),
      read: (request, reader) => this.#queries.read({ ...request, site }, reader),
    };
  }

  /** Names of all sites, each as `site/name`: sorted, and whether each surely has records of the interval. */
  namesIn(kind: Kind, sinceUs: number, untilUs: number): Promise<NameInInterval[]> {
    return this.#ask('namesIn', [kind, sinceUs, untilUs]);
  }

  get queries(): QueryCounts {
    return this.#queries.counts;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#queries.close();
    const thread = this.#thread;
    await thread?.close(closeMs, () => thread.call('close', []));
  }

  #ask: WorkerLink<StoreReaderThread>['call'] = async (method, args) => {
    if (this.#isClosed) throw new ProblemError('stopping', 'The service is stopping.');
    return this.#started().call(method, args);
  };

  /** Queries, of which there may be some on the thread already. */
  #serve(events: QueryThreadEvents): QueryThread<StoreReadRequest> {
    this.#events = events;
    const thread = this.#started();
    return {
      read: (begin) => void thread.notify('read', [begin], [...begin.buffers]),
      cancel: (id) => void thread.notify('cancel', [id]),
      credit: (id, pages, buffer) =>
        void thread.notify('credit', [id, pages, buffer], buffer === undefined ? [] : [buffer]),
      // With the archive.
      kill: async () => {},
    };
  }

  #started(): WorkerLink<StoreReaderThread, ReaderClient> {
    this.#thread ??= this.#start();
    return this.#thread;
  }

  #start(): WorkerLink<StoreReaderThread, ReaderClient> {
    const { address, limitMs, onFailure } = this.#options;
    const started = startThread(new URL('./store-reader-thread.ts', import.meta.url), 'store reader');
    const thread = new WorkerLink<StoreReaderThread, ReaderClient>(threadPort(started), {
      handlers: {
        page: (...page) => this.#events?.handlers.page(...page),
        problem: (...problem) => this.#events?.handlers.problem(...problem),
      },
      onDeath: (error) => {
        const events = this.#events;
        this.#thread = this.#events = undefined;
        const { message } = error;
        events?.onDeath(
          error instanceof ProblemError
            ? error
            : new ProblemError('store-unavailable', `What reads the store has ended: ${message}.`),
        );
        onFailure(error);
      },
    });
    thread.notify('open', [{ address, limitMs }]);
    return thread;
  }
}
