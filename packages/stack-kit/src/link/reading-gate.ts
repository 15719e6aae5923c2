// The readings of a connector on their way to the host: those published before the link is reported up wait for that, the
// newest of each point; those published without a link are counted and dropped.
import type { Batch } from '@telltale/schema';
import type { ConnectionOptions } from './connection-options.ts';
import { NewestReadings } from './newest-readings.ts';
import type { Counters } from './status.ts';

export class ReadingGate {
  readonly #options: Pick<ConnectionOptions, 'isMeasurement' | 'onReadings'>;
  readonly #counters: Counters;
  #isOpen = false;
  /** While the link is being made. */
  #early: NewestReadings | undefined;

  constructor(options: Pick<ConnectionOptions, 'isMeasurement' | 'onReadings'>, counters: Counters) {
    this.#options = options;
    this.#counters = counters;
  }

  /** The link is being made. */
  prepare(): void {
    this.#early = new NewestReadings();
  }

  /** The link is reported up. */
  open(): void {
    const early = this.#early?.take();
    this.#early = undefined;
    this.#isOpen = true;
    if (early !== undefined) this.take(early);
  }

  /** The link has ended, or could not be made. */
  close(): void {
    this.#counters.dropped += this.#early?.size ?? 0;
    this.#early = undefined;
    this.#isOpen = false;
  }

  /** The batch is empty afterwards. Throws where it is none. */
  take(batch: Batch): void {
    const counters = this.#counters;
    const count = countOf(batch);
    if (count === 0) return;
    if (this.#isOpen) {
      counters.batches++;
      counters.values += count;
      counters.conflated += this.#options.onReadings(batch);
    } else if (this.#early === undefined) this.drop(batch);
    else {
      const passedOver = this.#early.add(batch, this.#options.isMeasurement);
      counters.values += passedOver; // those that stay are counted when they go on, or are dropped
      counters.conflated += passedOver;
      batch.clear();
    }
  }

  /** Nobody wants it. */
  drop(batch: Batch): void {
    this.#counters.dropped += countOf(batch);
    batch.clear();
  }
}

/** Throws where it is no batch. */
function countOf(batch: Batch): number {
  const { count } = batch;
  if (!(count <= batch.points.length)) throw new TypeError('publish requires a batch of readings');
  return count;
}
