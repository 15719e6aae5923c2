// Has what sites archive taken into the store of this centre, on a thread of its own, which is started again when it ends.
import type { Clock } from '@telltale/schema';
import type { Logger } from 'pino';
import { startThread, threadPort, WorkerLink } from '../threads/index.ts';
import type { ArchiverClient, ArchiverState, ArchiverThread, OpenArchiver } from './archiver-protocol.ts';

export interface CentreArchiverOptions extends OpenArchiver, Pick<ArchiverClient, 'sites'> {
  readonly clock: Clock;
  readonly log: Logger;
}

/** Between a thread that ended and the next one. */
const pauseMs = 5000;

export class CentreArchiver {
  readonly #options: CentreArchiverOptions;
  #thread: WorkerLink<ArchiverThread, ArchiverClient> | undefined;
  #state: ArchiverState | undefined;
  #ended: { readonly sinceUs: number; readonly reason: string } | undefined;
  #cancel = () => {};

  constructor(options: CentreArchiverOptions) {
    this.#options = options;
  }

  start(): void {
    const { clock, log, store, bus, name, sites } = this.#options;
    const ended = ({ message }: Error) => {
      if (this.#thread !== link) return;
      this.#thread = undefined;
      this.#ended = { sinceUs: clock.now(), reason: message };
      log.error(`what takes parcels of sites has ended, and is started again: ${message}`);
      this.#cancel = clock.after(pauseMs, () => this.start());
      void link.kill();
    };
    const thread = startThread(new URL('./archiver-thread.ts', import.meta.url), 'store');
    const link: WorkerLink<ArchiverThread, ArchiverClient> = new WorkerLink<ArchiverThread, ArchiverClient>(
      threadPort(thread),
      {
        handlers: {
          state: (state) => {
            this.#state = state;
            this.#ended = undefined;
          },
          sites,
          fault: (err) => log.error({ err }, 'a parcel of a site could not be taken'),
        },
        onDeath: ended,
      },
    );
    this.#thread = link;
    link.call('open', [{ store, bus: { address: bus.address, files: bus.files }, name }]).catch(ended);
  }

  /** For people. */
  nameSite(site: string, name: string): void {
    this.#thread?.notify('nameSite', [site, name]);
  }

  /** What was taken since the start. */
  get counts(): ArchiverState['counts'] | undefined {
    return this.#state?.counts;
  }

  /** Why the thread has ended, and since when; undefined: it runs. */
  get ended(): { readonly sinceUs: number; readonly reason: string } | undefined {
    return this.#ended;
  }

  async close(patienceMs: number): Promise<void> {
    this.#cancel();
    const thread = this.#thread;
    this.#thread = undefined;
    await thread?.close(patienceMs, () => thread.call('close', []));
  }
}
