// From the references of the record queue to series of the store. A series that the archive has no room for has no
// number: its records are discarded.
import { Batch } from '@telltale/schema/values';
import type { SeriesKey } from './records.ts';
import type { ArchiveStore } from './store/archive-store.ts';

/** Instead of the number of a series. */
const noSeries = 0xffff_ffff;

export class SeriesRefs {
  readonly #store: Pick<ArchiveStore, 'seriesOf'>;
  readonly #onFull: (reason: string) => void;
  #numbers = new Uint32Array(1024);
  #count = 0;
  #isFull = false;

  /** `onFull` is called once, with the first that there is no room for. */
  constructor(store: Pick<ArchiveStore, 'seriesOf'>, onFull: (reason: string) => void) {
    this.#store = store;
    this.#onFull = onFull;
  }

  /** By reference; another array after `add`. */
  get numbers(): Uint32Array {
    return this.#numbers;
  }

  /** New ones, numbered on from those before. */
  add(keys: readonly SeriesKey[]): void {
    for (const key of keys) {
      if (this.#count === this.#numbers.length) {
        const numbers = new Uint32Array(2 * this.#numbers.length);
        numbers.set(this.#numbers);
        this.#numbers = numbers;
      }
      this.#numbers[this.#count++] = this.#numberOf(key);
    }
  }

  recordsOf(batch: Batch): Batch {
    if (!this.#isFull) return batch;
    const retained = new Batch(batch.count);
    for (let at = 0; at < batch.count; at++) {
      if (this.#numbers[batch.points[at] as number] !== noSeries) retained.copy(batch, at);
    }
    return retained;
  }

  #numberOf(key: SeriesKey): number {
    try {
      return this.#store.seriesOf(key).number;
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      if (!this.#isFull) this.#onFull(error.message);
      this.#isFull = true;
      return noSeries;
    }
  }
}
