// The store as a site has it over the bus: any archiver takes what it sends, and answers when the store has committed it.
import { type Claimed, type ParcelStore, type Received, StoreError, type StoreTrouble } from '../../store/index.ts';
import type { BusConnection } from '../connection/bus-connection.ts';
import { BusError, type BusFailure } from '../connection/bus-error.ts';
import { uplink } from '../subjects.ts';
import { claimText, readClaimed, readReceived } from './uplink-answer.ts';

export interface BusStoreOptions {
  readonly bus: Pick<BusConnection, 'request' | 'mostBytes'>;
  /** An answer that takes longer is given up. */
  readonly answerMs?: number;
}

const usualAnswerMs = 10_000;
/** When thousands of sites send at once what has waited, the servers of the bus have a parcel of each in memory. */
const mostOfParcel = 2 ** 17;

const troubleOf: Readonly<Record<BusFailure, StoreTrouble>> = {
  'not-connected': 'unreachable',
  nobody: 'unreachable',
  'not-permitted': 'rights',
  'no-answer': 'silent',
  lost: 'unreachable',
};

export class BusStore implements ParcelStore {
  readonly #bus: BusStoreOptions['bus'];
  readonly #answerMs: number;

  constructor({ bus, answerMs = usualAnswerMs }: BusStoreOptions) {
    this.#bus = bus;
    this.#answerMs = answerMs;
  }

  get mostBytes(): number {
    return Math.min(mostOfParcel, this.#bus.mostBytes || mostOfParcel);
  }

  async newest(site: string, epoch: number): Promise<Received | undefined> {
    return readReceived(await this.#request(uplink.newest(site, epoch), ''));
  }

  async claim(site: string, given?: number): Promise<Claimed> {
    return readClaimed(await this.#request(uplink.claim(site), claimText(given)));
  }

  async send(site: string, epoch: number, seq: number, parcel: Uint8Array): Promise<Received> {
    const most = this.#bus.mostBytes;
    if (most > 0 && parcel.length > most) {
      const text = `a parcel has ${parcel.length} bytes, and the bus takes ${most}: give its servers a larger max_payload`;
      throw new StoreError('refused', text);
    }
    const received = readReceived(await this.#request(uplink.parcel(site, epoch, seq), parcel));
    if (received === undefined) throw new StoreError('epoch', `the store does not know epoch ${epoch} of ${site}`);
    return received;
  }

  async #request(subject: string, data: Uint8Array | string): Promise<Uint8Array> {
    try {
      return await this.#bus.request(subject, data, this.#answerMs);
    } catch (error) {
      if (!(error instanceof BusError)) throw error;
      throw new StoreError(troubleOf[error.failure], textOf(error), error);
    }
  }
}

function textOf({ failure, message }: BusError): string {
  if (failure === 'nobody')
    return 'no archiver is on the bus: start one at the centre, or look why it is not connected';
  if (failure === 'no-answer') return 'no archiver has answered in time';
  return message;
}
