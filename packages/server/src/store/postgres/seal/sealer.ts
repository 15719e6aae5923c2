// Turns what sites have sent into chunks, again and again: its own site's at once, that of others where nobody else does. Where it
// takes long it rests longer: more is sealed in one go then, which takes less in all.
import { type Clock, onAbort } from '@telltale/schema';
import { StoreError } from '../../store-error.ts';
import type { Connection } from '../connection.ts';
import type { Connections } from '../connections.ts';
import type { SealLimits } from './parcel-batch.ts';
import { type SealedSite, SealSession, sealSite } from './seal-site.ts';

export interface SealerOptions {
  /** Those that write. One of them is used at a time. */
  readonly connections: Pick<Connections, 'use'>;
  readonly clock: Clock;
  /** Id of a site that is sealed each time; others are when they have waited for a few times. Undefined: all are alike. */
  readonly site?: string | undefined;
  readonly everyMs: number;
  readonly limits?: SealLimits;
  readonly onState: (state: SealerState) => void;
}

/** What people see of it. */
export interface SealerState {
  /** Why nothing is sealed now, or something is not; undefined: all is. */
  readonly failure: string | undefined;
  /** Since it was started. */
  readonly parcels: number;
  readonly records: number;
  /** Parcels that could not be read and were passed over: the table `damaged` has them. */
  readonly damaged: number;
}

interface Waiting {
  readonly site: string;
}

/** Large sites have some records of each series then, which is what takes the time. It is 200 MB of memory. */
const usualLimits: SealLimits = { bytes: 2 ** 22, unpackedBytes: 2 ** 27, records: 2 ** 21 };
/** A pause has at least so many times the time that was worked before. */
const restingShare = 3;
/** Before a site is sealed by a server that it is not the site of. */
const othersWait = 3;
const longestPauseMs = 60_000;

const addSites = `insert into telltale.sealed (site, epoch, seq, whole_since, whole_until)
  select distinct site, 0, 0, 0, 0 from telltale.parcel p
  where not exists (select from telltale.sealed s where s.site = p.site) on conflict do nothing`;
const waitingSites = `select site from telltale.parcel group by site
  having site = $1 or min(received) <= clock_timestamp() - make_interval(secs => $2) order by min(received)`;

export class Sealer {
  readonly #options: SealerOptions;
  readonly #stop = new AbortController();
  #state: SealerState = { failure: undefined, parcels: 0, records: 0, damaged: 0 };
  #running: Promise<void> | undefined;
  #session: SealSession | undefined;
  /** Of what is sealed in one go: less where the store does not do that much in time. */
  #share = 1;

  constructor(options: SealerOptions) {
    this.#options = options;
  }

  start(): void {
    this.#running = this.#run();
  }

  /** Resolves when what is under way has ended. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  /** All of it that there is, of all sites. Rejects with the first reason why something is not sealed. */
  async sealAll(): Promise<void> {
    while (await this.#round(0)) {
      if (this.#state.failure !== undefined) break;
    }
    if (this.#state.failure !== undefined) throw new Error(this.#state.failure);
  }

  async #run(): Promise<void> {
    const { clock, everyMs, site } = this.#options;
    let pauseMs = everyMs;
    while (!this.#stop.signal.aborted) {
      const beganMs = clock.monotonicMs();
      const isMore = await this.#round(site === undefined ? 0 : (othersWait * everyMs) / 1000);
      const workedMs = clock.monotonicMs() - beganMs;
      if (this.#state.failure !== undefined) pauseMs = Math.min(longestPauseMs, 2 * pauseMs);
      else pauseMs = Math.max(everyMs, restingShare * workedMs);
      if (!isMore || this.#state.failure !== undefined) await this.#pause(pauseMs);
    }
  }

  /** Each site that waits, once. True: of some there is more. */
  async #round(othersSeconds: number): Promise<boolean> {
    let isMore = false;
    const failures: string[] = [];
    try {
      await this.#use(({ connection }) => connection.query(addSites));
      const sites = await this.#use(async ({ connection }) => {
        const { rows } = await connection.query<Waiting>(waitingSites, [this.#options.site ?? '', othersSeconds]);
        return rows;
      });
      for (const { site } of sites) {
        if (this.#stop.signal.aborted) return false;
        try {
          if (await this.#seal(site)) isMore = true;
        } catch (error) {
          // What one site has sent stops nobody but it.
          if (error instanceof StoreError && error.trouble !== 'refused') throw error;
          failures.push(`what site ${site} has sent is not brought into chunks: ${(error as Error).message}`);
        }
      }
    } catch (error) {
      failures.push((error as Error).message);
    }
    this.#tell({ failure: failures.length === 0 ? undefined : failures.join('; ') });
    return isMore;
  }

  async #seal(site: string): Promise<boolean> {
    const { limits: most = usualLimits } = this.#options;
    const limits = { ...most, bytes: most.bytes * this.#share, records: most.records * this.#share };
    let sealed: SealedSite | undefined;
    try {
      sealed = await this.#use((session) => sealSite(session, site, limits));
    } catch (error) {
      const isLate = error instanceof StoreError && (error.trouble === 'busy' || error.trouble === 'silent');
      if (isLate) this.#share /= 4;
      throw error;
    }
    if (sealed === undefined) return false;
    this.#share = Math.min(1, 2 * this.#share);
    const { parcels, records, damaged } = this.#state;
    this.#tell({
      parcels: parcels + sealed.parcels,
      records: records + sealed.records,
      damaged: damaged + sealed.damaged.length,
    });
    return sealed.isMore;
  }

  #use<T>(work: (session: SealSession) => Promise<T>): Promise<T> {
    return this.#options.connections.use(async (connection: Connection) => {
      if (this.#session?.connection !== connection) this.#session = new SealSession(connection);
      try {
        return await work(this.#session);
      } catch (error) {
        // What was known may have been wrong.
        this.#session = undefined;
        throw error;
      }
    });
  }

  #tell(change: Partial<SealerState>): void {
    this.#state = { ...this.#state, ...change };
    this.#options.onState(this.#state);
  }

  async #pause(ms: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const cancel = this.#options.clock.after(ms, resolve);
    const stopListening = onAbort(this.#stop.signal, () => resolve());
    await promise;
    cancel();
    stopListening();
  }
}
