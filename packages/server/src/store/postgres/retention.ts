// Drops the weeks of a store that have expired, whole. Those of hours stay ten times as long: of a series with a record a second they
// take a hundredth of its room, so that there are trends of years where records are kept for months.
import type { Clock } from '@telltale/schema';
import type { Connections } from './connections.ts';

export interface RetentionOptions {
  readonly connections: Pick<Connections, 'use'>;
  readonly clock: Clock;
  /** Of records, behind the end of their week. */
  readonly keepUs: number;
  /** Why expired weeks are there still; undefined: none are. */
  readonly onFailure: (failure: string | undefined) => void;
}

const hoursShare = 10;
const everyMs = 3_600_000;

/** By the clock that is behind: none that is wrong alone makes weeks expire. */
const dropOne = `select telltale.drop_week(now - make_interval(secs => $2), now - make_interval(secs => $3)) as week
  from least(now(), to_timestamp($1)) as now`;

export class Retention {
  readonly #options: RetentionOptions;
  #cancel = () => {};
  #running: Promise<void> | undefined;
  #isStopped = false;

  constructor(options: RetentionOptions) {
    this.#options = options;
  }

  /** At once, and every hour. */
  start(): void {
    this.#running = this.dropExpired().then(
      () => this.#options.onFailure(undefined),
      (error) => this.#options.onFailure((error as Error).message),
    );
    this.#cancel = this.#options.clock.after(everyMs, () => this.start());
  }

  /** Resolves when what is under way has ended. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancel();
    await this.#running;
  }

  /** Answers the names of their tables. Rejects with a `StoreError`. */
  async dropExpired(): Promise<string[]> {
    const { connections, clock, keepUs } = this.#options;
    const keepSeconds = keepUs / 1_000_000;
    const values = [clock.now() / 1_000_000, keepSeconds, hoursShare * keepSeconds];
    const dropped: string[] = [];
    while (!this.#isStopped) {
      const { rows } = await connections.use((connection) =>
        connection.query<{ week: string | null }>(dropOne, values),
      );
      const week = rows[0]?.week;
      if (typeof week !== 'string') break;
      dropped.push(week);
    }
    return dropped;
  }
}
