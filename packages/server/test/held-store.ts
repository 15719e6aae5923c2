// A store in memory, of many sites, that waits before it answers, or fails, as it is told.
import { type Claimed, type ParcelStore, type Received, StoreError } from '../src/store/index.ts';
import { PlainStore } from './plain-store.ts';

export class HeldStore implements ParcelStore {
  /** What becomes of everything: it is full, or breaks in another way. */
  fails: 'full' | 'by mistake' | undefined;
  claims = 0;
  readonly #sites = new Map<string, PlainStore>();
  #held: Promise<void> | undefined;
  #release = () => {};

  /** Nothing is answered until it is released. */
  hold(): void {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#held = promise;
    this.#release = resolve;
  }

  release(): void {
    this.#held = undefined;
    this.#release();
  }

  of(site: string): PlainStore {
    const known = this.#sites.get(site) ?? new PlainStore();
    this.#sites.set(site, known);
    return known;
  }

  async newest(site: string, epoch: number): Promise<Received | undefined> {
    return (await this.#ready(site)).newest(site, epoch);
  }

  async claim(site: string, given?: number): Promise<Claimed> {
    this.claims++;
    return (await this.#ready(site)).claim(site, given);
  }

  async send(site: string, epoch: number, seq: number, parcel: Uint8Array): Promise<Received> {
    return (await this.#ready(site)).send(site, epoch, seq, parcel);
  }

  async #ready(site: string): Promise<PlainStore> {
    await this.#held;
    if (this.fails === 'full') throw new StoreError('full', 'the store has no room');
    if (this.fails !== undefined) throw new Error('it fails by mistake');
    return this.of(site);
  }
}
