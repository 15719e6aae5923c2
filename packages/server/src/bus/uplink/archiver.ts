// Takes what sites send over the bus into the store, and answers when it is committed. Any number of archivers share the work:
// each request goes to one of them.
import { BadParcel, decodeParcel } from '../../archive/parcel/index.ts';
import { type ParcelStore, StoreError } from '../../store/index.ts';
import type { BusConnection, BusMessage } from '../connection/bus-connection.ts';
import { archivers, isInboxOf, type UplinkRequest, uplink, uplinkRequest } from '../subjects.ts';
import { givenEpoch, resultText, troubleText, type UplinkResult } from './uplink-answer.ts';

export interface ArchiverOptions {
  readonly bus: Pick<BusConnection, 'subscribe' | 'flushed'>;
  readonly store: ParcelStore;
  /** An answer that is no refusal of the store: something is wrong here. */
  readonly onFault: (error: unknown) => void;
  readonly limits?: ArchiverLimits;
}

/** Of what it has taken and not answered; what comes beyond is refused at once. */
export interface ArchiverLimits {
  readonly requests: number;
  readonly bytes: number;
  /** A site sends one at a time; when it has given one up that is still under way here, two. */
  readonly requestsOfSite: number;
}

/** Since the start. */
export interface ArchiverCounts {
  readonly parcels: number;
  readonly parcelBytes: number;
  /** Refused since too much was under way. */
  readonly busy: number;
  /** Refused by the store, or failed. */
  readonly failed: number;
  readonly underWay: number;
}

/** More than the store has connections: so one is always ready when another is committed. */
const usualLimits: ArchiverLimits = { requests: 1024, bytes: 2 ** 26, requestsOfSite: 4 };

/** Twice what a site puts into a parcel: few bytes may hold many that are the same. */
const mostRecords = 2 ** 18;

export class Archiver {
  readonly #options: ArchiverOptions;
  readonly #limits: ArchiverLimits;
  readonly #underWay = new Set<Promise<void>>();
  readonly #ofSite = new Map<string, number>();
  #bytes = 0;
  #counts = { parcels: 0, parcelBytes: 0, busy: 0, failed: 0 };
  #leave: (() => Promise<void>) | undefined;

  constructor(options: ArchiverOptions) {
    this.#options = options;
    this.#limits = options.limits ?? usualLimits;
  }

  get counts(): ArchiverCounts {
    return { ...this.#counts, underWay: this.#underWay.size };
  }

  start(): void {
    this.#leave ??= this.#options.bus.subscribe(uplink.all, (message) => this.#take(message), archivers);
  }

  /** Others get what comes from now on; what has come here is answered when it resolves. */
  async stop(): Promise<void> {
    await this.#leave?.();
    await Promise.all(this.#underWay);
    // Where the connection is lost, nobody hears the answers: sites ask again.
    await this.#options.bus.flushed().catch(() => undefined);
  }

  #take(message: BusMessage): void {
    const request = uplinkRequest(message.subject);
    if (request === undefined || !isInboxOf(request.site, message.reply)) return;
    const { site } = request;
    const { length } = message.data;
    if (this.#isBusy(site, length)) {
      this.#counts.busy++;
      message.respond(troubleText(new StoreError('busy', 'the archivers have too much to do now')));
      return;
    }
    this.#bytes += length;
    this.#ofSite.set(site, this.#heldOf(site) + 1);
    const work = this.#answer(request, message).finally(() => {
      this.#underWay.delete(work);
      this.#bytes -= length;
      const left = this.#heldOf(site) - 1;
      if (left > 0) this.#ofSite.set(site, left);
      else this.#ofSite.delete(site);
    });
    this.#underWay.add(work);
  }

  #isBusy(site: string, bytes: number): boolean {
    const { requests, bytes: mostBytes, requestsOfSite } = this.#limits;
    if (this.#underWay.size >= requests || this.#heldOf(site) >= requestsOfSite) return true;
    // One that is larger than all of it is taken alone.
    return this.#underWay.size > 0 && this.#bytes + bytes > mostBytes;
  }

  #heldOf(site: string): number {
    return this.#ofSite.get(site) ?? 0;
  }

  async #answer(request: UplinkRequest, message: BusMessage): Promise<void> {
    try {
      const result = await this.#do(request, message.data);
      if (request.kind === 'parcel') {
        this.#counts.parcels++;
        this.#counts.parcelBytes += message.data.length;
      }
      message.respond(resultText(result));
    } catch (error) {
      this.#counts.failed++;
      if (!(error instanceof StoreError)) this.#options.onFault(error);
      const said =
        error instanceof StoreError ? error : new StoreError('refused', 'an archiver has failed: its log says why');
      message.respond(troubleText(said));
    }
  }

  async #do(request: UplinkRequest, data: Uint8Array): Promise<UplinkResult> {
    const { store } = this.#options;
    const { site } = request;
    switch (request.kind) {
      case 'parcel':
        checkParcel(data);
        return store.send(site, request.epoch, request.seq, data);
      case 'newest':
        return store.newest(site, request.epoch);
      case 'claim':
        return store.claim(site, givenEpoch(data));
    }
  }
}

/** What cannot be read once it is in the store would end what is read of other sites with it. Throws `StoreError`. */
function checkParcel(data: Uint8Array): void {
  try {
    decodeParcel(data, mostRecords);
  } catch (error) {
    if (!(error instanceof BadParcel)) throw error;
    throw new StoreError('refused', `an archiver did not take a parcel: ${error.message}`, error);
  }
}
