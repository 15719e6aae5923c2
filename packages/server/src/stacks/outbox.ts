// Batches on their way to another thread, bounded: while it has not consumed enough of them, readings wait here as the
// newest of each point. The consumer counts in shared memory, so that an acknowledgement costs no message.
import type { Batch, BatchMessage, Clock } from '@telltale/schema';
import { NewestReadings } from '@telltale/stack-kit/host';

const maxBatches = 64;
/** Room for readings in the batches on their way; one batch may be larger. */
const maxReadings = 262_144;
const retryMs = 5;

/** Shared by both threads: batches consumed, and the room for readings that they had; both wrap around. */
export function createConsumed(): Int32Array<SharedArrayBuffer> {
  return new Int32Array(new SharedArrayBuffer(8));
}

/** Called when a batch is consumed. Returns its memory at once, since a thread with little garbage collects seldom. */
export function consume(consumed: Int32Array<SharedArrayBuffer>, { capacity, buffer }: BatchMessage): void {
  buffer.transfer(0);
  Atomics.add(consumed, 0, 1);
  Atomics.add(consumed, 1, capacity);
}

export interface OutboxOptions {
  readonly consumed: Int32Array<SharedArrayBuffer>;
  readonly clock: Clock;
  /** Of the instance that the batch is of or for. The buffer is to be transferred. */
  readonly post: (id: number, batch: BatchMessage) => void;
}

export class Outbox {
  readonly #options: OutboxOptions;
  readonly #pending = new Map<number, NewestReadings>();
  #sentBatches = 0;
  #sentReadings = 0;
  #cancel: (() => void) | undefined;

  constructor(options: OutboxOptions) {
    this.#options = options;
  }

  /** Takes the batch. Returns how many readings were passed over for newer ones, or since their point is unknown. */
  send(id: number, batch: Batch, isKnown: (point: number) => boolean): number {
    if (batch.count === 0) return 0;
    const pending = this.#pending.get(id);
    if (pending === undefined && this.#hasRoom()) {
      this.#post(id, batch.take());
      return 0;
    }
    const readings = pending ?? new NewestReadings();
    if (pending === undefined) this.#pending.set(id, readings);
    const passedOver = readings.add(batch, isKnown);
    batch.clear();
    this.#sendPending();
    return passedOver;
  }

  /** Sends what waits, room or not: before news that must come after it. */
  flush(id: number): void {
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    if (pending !== undefined && pending.size > 0) this.#post(id, pending.take().take());
  }

  /** What waits is of no use any more. */
  forget(id: number): void {
    this.#pending.delete(id);
  }

  close(): void {
    this.#cancel?.();
    this.#pending.clear();
  }

  #sendPending(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    for (const id of this.#pending.keys()) {
      if (!this.#hasRoom()) break;
      this.flush(id);
    }
    if (this.#pending.size > 0) this.#cancel = this.#options.clock.after(retryMs, () => this.#sendPending());
  }

  #hasRoom(): boolean {
    const { consumed } = this.#options;
    const batches = (this.#sentBatches - Atomics.load(consumed, 0)) | 0;
    const readings = (this.#sentReadings - Atomics.load(consumed, 1)) | 0;
    return batches < maxBatches && readings < maxReadings;
  }

  #post(id: number, message: BatchMessage): void {
    this.#options.post(id, message);
    this.#sentBatches = (this.#sentBatches + 1) | 0;
    this.#sentReadings = (this.#sentReadings + message.capacity) | 0;
  }
}
