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
import { startThread, threadPort, WorkerLink } from '../../threads/index.ts';
import type { DamagedParcel, NameInInterval, StoreReaderClient, StoreReaderThread } from './protocol.ts';
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
/** That are told apart. */
const mostDamaged = 1000;

export class StoreArchive {
  readonly #options: StoreArchiveOptions;
  readonly #queries: RunningQueries<StoreReadRequest>;
  #thread: WorkerLink<StoreReaderThread, StoreReaderClient> | undefined;
  readonly #damaged = new Map<string, DamagedParcel>();
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

  /** What is left out of answers. */
  get warnings(): string[] {
    const last = [...this.#damaged.values()].at(-1);
    if (last === undefined) return [];
    const { site, epoch, seq, reason } = last;
    return [
      `Parcels in the store that could not be read, and were left out of answers since the start: ${this.#damaged.size}, of which the last is ` +
        `parcel ${seq} of epoch ${epoch} of the site ${site}: ${reason}. When they are sealed, telltale.damaged has them.`,
    ];
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

  #started(): WorkerLink<StoreReaderThread, StoreReaderClient> {
    this.#thread ??= this.#start();
    return this.#thread;
  }

  #leaveOut(parcel: DamagedParcel): void {
    const { site, epoch, seq } = parcel;
    if (this.#damaged.size < mostDamaged) this.#damaged.set(`${epoch} ${seq} ${site}`, parcel);
  }

  #start(): WorkerLink<StoreReaderThread, StoreReaderClient> {
    const { address, limitMs, onFailure } = this.#options;
    const started = startThread(new URL('./store-reader-thread.ts', import.meta.url), 'store reader');
    const thread = new WorkerLink<StoreReaderThread, StoreReaderClient>(threadPort(started), {
      handlers: {
        page: (...page) => this.#events?.handlers.page(...page),
        problem: (...problem) => this.#events?.handlers.problem(...problem),
        damaged: (parcel) => this.#leaveOut(parcel),
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
