// A store that another thread speaks to: what sends parcels asks it over a link.
import type { Handlers, Link } from '../threads/index.ts';
import type { Claimed, ParcelStore, Received } from './parcel-store.ts';
import { StoreError, type StoreTrouble } from './store-error.ts';

/** What the thread that speaks to the store is asked. */
export interface LinkedStoreAccess {
  newest(site: string, epoch: number): Said<Received | undefined>;
  claim(site: string, given?: number): Said<Claimed>;
  send(site: string, epoch: number, seq: number, parcel: Uint8Array): Said<Received>;
}

/** `mostBytes` as it is then. */
export type Said<T> = { readonly mostBytes: number | undefined } & (
  | { readonly result: T }
  | { readonly trouble: StoreTrouble; readonly message: string }
);

export class LinkedStore implements ParcelStore {
  readonly #link: Pick<Link<LinkedStoreAccess>, 'call'>;
  #mostBytes: number | undefined;

  constructor(link: Pick<Link<LinkedStoreAccess>, 'call'>) {
    this.#link = link;
  }

  get mostBytes(): number | undefined {
    return this.#mostBytes;
  }

  async newest(site: string, epoch: number): Promise<Received | undefined> {
    return this.#heard(await this.#link.call('newest', [site, epoch]));
  }

  async claim(site: string, given?: number): Promise<Claimed> {
    return this.#heard(await this.#link.call('claim', [site, given]));
  }

  async send(site: string, epoch: number, seq: number, parcel: Uint8Array): Promise<Received> {
    return this.#heard(await this.#link.call('send', [site, epoch, seq, parcel]));
  }

  #heard<T>(said: Said<T>): T {
    this.#mostBytes = said.mostBytes;
    if ('trouble' in said) throw new StoreError(said.trouble, said.message);
    return said.result;
  }
}

/** Answers what a `LinkedStore` asks; without a store there is none. */
export function servedStore(store: ParcelStore | undefined): Handlers<LinkedStoreAccess> {
  const said = async <T>(ask: (store: ParcelStore) => Promise<T>): Promise<Said<T>> => {
    if (store === undefined) throw new Error('no store is spoken to here');
    try {
      return { result: await ask(store), mostBytes: store.mostBytes };
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      return { trouble: error.trouble, message: error.message, mostBytes: store.mostBytes };
    }
  };
  return {
    newest: (site, epoch) => said((asked) => asked.newest(site, epoch)),
    claim: (site, given) => said((asked) => asked.claim(site, given)),
    send: (site, epoch, seq, parcel) => said((asked) => asked.send(site, epoch, seq, parcel)),
  };
}
