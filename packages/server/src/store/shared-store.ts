// The store of this server, as the service sees it: starts the thread that sends to it, again where it ends, and says how it is.
import { MessageChannel, type MessagePort } from 'node:worker_threads';
import { type Clock, type Degradation, type StoreState, toTimestamp } from '@telltale/schema';
import type { Logger } from 'pino';
import { startThread, threadPort, WorkerLink } from '../threads/index.ts';
import { servedStore } from './linked-store.ts';
import type { ParcelStore } from './parcel-store.ts';
import { readAddress, shownAddress } from './postgres/address.ts';
import type { SealingState } from './postgres/seal/sealing.ts';
import type { Site, StoreClient, StoreThread } from './protocol.ts';
import type { SenderState } from './sender.ts';

export interface SharedStoreOptions {
  /** Of PostgreSQL; or what speaks to a store on our behalf, and how that is called. */
  readonly at: string | { readonly store: ParcelStore; readonly name: string };
  readonly siteName: string;
  /** How long records are gathered for a parcel, where none wait. */
  readonly gatherMs: number;
  /** How long the store keeps records, of all sites; undefined: for good, or as whoever speaks to it says. */
  readonly keepUs?: number | undefined;
  /** See `SenderOptions`. */
  readonly areEpochsGiven: boolean;
  readonly clock: Clock;
  readonly log: Logger;
  /** What it goes to is another node of the site; undefined: it is the store. */
  readonly node?: string;
  readonly archive: { serveSender(port: MessagePort, node?: string): void };
}

/** Between a thread that ended and the next one. */
const pauseMs = 5000;

export class SharedStore {
  readonly #options: SharedStoreOptions;
  readonly #address: string;
  /** What it goes to. */
  readonly #to: string;
  #site: Site | undefined;
  #thread: WorkerLink<StoreThread, StoreClient> | undefined;
  #sender: SenderState | undefined;
  #sealing: SealingState | undefined;
  #notSealedSinceUs = 0;
  /** Why the thread ended; undefined: it runs. */
  #ended: string | undefined;
  #state: StoreState['state'] = 'connecting';
  #sinceUs: number;
  #cancel = () => {};

  constructor(options: SharedStoreOptions) {
    this.#options = options;
    const { at, node } = options;
    this.#to = node === undefined ? 'the store' : `node ${node}`;
    this.#address = typeof at === 'string' ? shownAddress(readAddress(at)) : at.name;
    this.#sinceUs = options.clock.now();
  }

  /** As which site it sends. Does not wait for the store. */
  open(id: string): void {
    this.#site = { id, name: this.#options.siteName };
    this.#start(this.#site);
  }

  /** Undefined: nothing of it is known yet. */
  get sender(): SenderState | undefined {
    return this.#sender;
  }

  /** The store has everything that can be sent now. */
  get isIdle(): boolean {
    return this.#sender?.isIdle ?? false;
  }

  get state(): StoreState {
    const { epoch, sent = 0, sentAtUs, waiting = 0, oldestUnsentUs = 0, discarded } = this.#sender ?? {};
    return {
      address: this.#address,
      site: this.#site ?? { id: '', name: this.#options.siteName },
      state: this.#state,
      since: toTimestamp(this.#sinceUs),
      error: this.#failure ?? null,
      epoch: epoch ?? null,
      'sent-records': sent,
      'last-sent': sentAtUs === undefined ? null : toTimestamp(sentAtUs),
      'waiting-records': waiting,
      'oldest-waiting': oldestUnsentUs === 0 ? null : toTimestamp(oldestUnsentUs),
      'lost-records': discarded?.count ?? 0,
    };
  }

  /** The store may be reached again: what failed is tried at once. */
  retry(): void {
    this.#thread?.notify('retry', []);
  }

  get degraded(): Degradation[] {
    const failure = this.#failure;
    const notSealed = this.#sealing?.failure;
    if (failure !== undefined) {
      const { waiting = 0 } = this.#sender ?? {};
      const text = `Nothing goes to ${this.#to}: ${failure}. ${waiting} records wait here, and follow.`;
      return [{ since: toTimestamp(this.#sinceUs), text }];
    }
    if (notSealed === undefined) return [];
    const text = `SQL does not see what came last to the store, servers do: ${notSealed}`;
    return [{ since: toTimestamp(this.#notSealedSinceUs), text }];
  }

  /** A sentence each. */
  get warnings(): string[] {
    const { count = 0, sinceUs = 0, untilUs = 0 } = this.#sender?.discarded ?? {};
    const { damaged = 0, notDropped } = this.#sealing ?? {};
    const discarded =
      `${count} records from ${toTimestamp(sinceUs)} to ${toTimestamp(untilUs)} were deleted for their age or for room before ${this.#to} had ` +
      'them: let the archive keep more (archive-retention, archive-max-size)';
    const unreadable = `${damaged} parcels that the store has could not be read since the start: telltale.damaged there has them, and why`;
    const expired = `weeks that have expired are not dropped from the store: ${notDropped}`;
    return [
      ...(count === 0 ? [] : [discarded]),
      ...(damaged === 0 ? [] : [unreadable]),
      ...(notDropped === undefined ? [] : [expired]),
    ];
  }

  async close(patienceMs: number): Promise<void> {
    this.#cancel();
    const thread = this.#thread;
    this.#thread = undefined;
    await thread?.close(patienceMs, () => thread.call('close', []));
  }

  /** A node that has never led has no epoch, and nothing to send. */
  get #isReached(): boolean {
    return this.#sender?.epoch !== undefined || this.isIdle;
  }

  get #failure(): string | undefined {
    return this.#ended ?? this.#sender?.failure;
  }

  #start(site: Site): void {
    const { archive, at, node, clock, areEpochsGiven, gatherMs, keepUs } = this.#options;
    const ended = ({ message }: Error) => {
      if (this.#thread !== link) return;
      this.#thread = undefined;
      this.#ended = message;
      this.#judge();
      this.#cancel = clock.after(pauseMs, () => this.#start(site));
      void link.kill();
    };
    const thread = startThread(new URL('./store-thread.ts', import.meta.url), 'store');
    const link: WorkerLink<StoreThread, StoreClient> = new WorkerLink<StoreThread, StoreClient>(threadPort(thread), {
      handlers: {
        ...servedStore(typeof at === 'string' ? undefined : at.store),
        state: (state) => {
          this.#ended = undefined;
          this.#sender = state;
          this.#judge();
        },
        sealing: (state) => this.#judgeSealing(state),
      },
      onDeath: ended,
    });
    this.#thread = link;
    const { port1, port2 } = new MessageChannel();
    archive.serveSender(port1, node);
    const address = typeof at === 'string' ? at : undefined;
    link.call('open', [{ address, site, areEpochsGiven, gatherMs, keepUs }, port2], { transfer: [port2] }).catch(ended);
  }

  #judgeSealing(state: SealingState): void {
    const { clock, log } = this.#options;
    const before = this.#sealing?.failure;
    this.#sealing = state;
    if ((state.failure === undefined) === (before === undefined)) return;
    this.#notSealedSinceUs = clock.now();
    if (state.failure !== undefined) log.warn(`SQL does not see what came last to the store: ${state.failure}`);
    else log.info('what came to the store is sealed again');
  }

  #judge(): void {
    const { clock, log } = this.#options;
    const failure = this.#failure;
    const before = this.#state;
    this.#state = failure !== undefined ? 'down' : !this.#isReached ? 'connecting' : 'up';
    if (this.#state === before) return;
    this.#sinceUs = clock.now();
    if (failure !== undefined) log.warn(`nothing goes to ${this.#to}, what is archived waits: ${failure}`);
    else if (before === 'down') log.info(`${this.#to} takes what is archived again`);
    else
      log.info(`what is archived goes to ${this.#to}${this.#options.node === undefined ? ` at ${this.#address}` : ''}`);
  }
}
