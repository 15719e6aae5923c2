// Persists what of points must survive a restart. Operations on one point are carried out in the order in which they
// came. A write that the disk refused is retried every second, with the state of that moment, until it succeeds: a restart
// must neither show an older state, nor bring back what has ended.
import type { Clock } from '@telltale/schema';
import { Turns } from './turns.ts';

const retryMs = 1000;

/** Each resolves when it is on disk, in the order of the calls. */
export interface PointStore<Stored> {
  save(stored: Stored): Promise<void>;
  delete(name: string): Promise<void>;
}

export class PointPersistence<Stored extends { readonly name: string }> {
  readonly #store: PointStore<Stored>;
  readonly #clock: Clock;
  readonly #present: (name: string) => Stored | undefined;
  readonly #turns = new Turns();
  /** Names for which the disk may have another state than `present` returns. */
  readonly #unsaved = new Set<string>();
  #cancelRetry: (() => void) | undefined;
  #isClosed = false;

  /** `present` returns what should be on disk; undefined: nothing about this name. */
  constructor(store: PointStore<Stored>, clock: Clock, present: (name: string) => Stored | undefined) {
    this.#store = store;
    this.#clock = clock;
    this.#present = present;
  }

  /** For how many names the disk has refused the present state. */
  get unsaved(): number {
    return this.#unsaved.size;
  }

  /** Whether the disk may have another state of the name than the present one. */
  isUnsaved(name: string): boolean {
    return this.#unsaved.has(name);
  }

  /** One operation at a time on each name; only the one that has its turn calls `save` and `delete`. */
  operate(name: string, carryOut: () => Promise<void>): Promise<void> {
    return this.#turns.take(name, carryOut);
  }

  /** Resolves when it is on disk. Refused, the present state is saved again later: the write may have succeeded all the same. */
  save(stored: Stored): Promise<void> {
    return this.#attempt(stored.name, this.#store.save(stored));
  }

  /** Resolves when nothing is on disk about the name. */
  delete(name: string): Promise<void> {
    return this.#attempt(name, this.#store.delete(name));
  }

  /** The present state of the name is no longer what is on disk: it is saved in the background. */
  changed(name: string): void {
    this.#saveInTurn(name, () => true);
  }

  /** Tries the disk for the last time. */
  close(): void {
    this.#isClosed = true;
    this.#cancelRetry?.();
    for (const name of this.#unsaved) if (!this.#turns.isBusy(name)) void this.#savePresent(name);
  }

  #saveInTurn(name: string, isDue: () => boolean): void {
    this.operate(name, async () => {
      await undefined; // the caller may be in the middle of the change
      if (!this.#isClosed && isDue()) await this.#savePresent(name);
    });
  }

  async #savePresent(name: string): Promise<void> {
    const present = this.#present(name);
    // A refusal is remembered.
    await (present === undefined ? this.delete(name) : this.save(present)).catch(() => undefined);
  }

  async #attempt(name: string, written: Promise<void>): Promise<void> {
    try {
      await written;
      this.#unsaved.delete(name);
    } catch (error) {
      this.#unsaved.add(name);
      this.#retryLater();
      throw error;
    }
  }

  #retryLater(): void {
    if (this.#isClosed) return;
    this.#cancelRetry ??= this.#clock.after(retryMs, () => {
      this.#cancelRetry = undefined;
      for (const name of this.#unsaved) this.#saveInTurn(name, () => this.#unsaved.has(name));
    });
  }
}
