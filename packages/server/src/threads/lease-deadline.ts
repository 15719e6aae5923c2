// Until when a node may write, in memory that all threads of the process share: a check is synchronous and asks nobody.
import type { Clock } from '@telltale/schema';

const [deadlineSlot, epochSlot] = [0, 1];

export class LeaseDeadline {
  /** Another thread makes its own LeaseDeadline of it. */
  readonly buffer: SharedArrayBuffer;
  protected readonly slots: BigInt64Array;
  readonly #clock: Clock;

  constructor(clock: Clock, buffer = new SharedArrayBuffer(2 * BigInt64Array.BYTES_PER_ELEMENT)) {
    this.#clock = clock;
    this.buffer = buffer;
    this.slots = new BigInt64Array(buffer);
  }

  /** Under which this node leads, or 0. It may lead under it no longer: `isValid` says. */
  get epoch(): number {
    return Number(Atomics.load(this.slots, epochSlot));
  }

  /**
   * Called immediately before each write to a device, with the epoch under which the write was accepted: what was accepted under
   * another one is not written.
   */
  isValid(epoch: number): boolean {
    return this.remainingMs(epoch) > 0;
  }

  /** 0 where the lease is not valid. */
  remainingMs(epoch: number): number {
    // The deadline first: a writer changes it last.
    const deadlineUs = Number(Atomics.load(this.slots, deadlineSlot));
    if (deadlineUs === 0 || epoch === 0 || this.epoch !== epoch) return 0;
    return Math.max(0, deadlineUs / 1000 - this.#clock.monotonicMs());
  }

  /** Since when it is not valid; 0 while it is, infinite where it was ended. */
  overdueMs(epoch: number): number {
    const deadlineUs = Number(Atomics.load(this.slots, deadlineSlot));
    if (deadlineUs === 0 || epoch === 0 || this.epoch !== epoch) return Number.POSITIVE_INFINITY;
    return Math.max(0, this.#clock.monotonicMs() - deadlineUs / 1000);
  }
}

/** That of the thread that holds the lease. */
export class HeldDeadline extends LeaseDeadline {
  /** Never makes it earlier: what was promised stays. */
  extend(epoch: number, untilMs: number): void {
    if (this.epoch !== epoch) this.end();
    const untilUs = BigInt(Math.floor(untilMs * 1000));
    Atomics.store(this.slots, epochSlot, BigInt(epoch));
    if (untilUs > Atomics.load(this.slots, deadlineSlot)) Atomics.store(this.slots, deadlineSlot, untilUs);
  }

  /** From now on, no check holds. */
  end(): void {
    Atomics.store(this.slots, deadlineSlot, 0n);
    Atomics.store(this.slots, epochSlot, 0n);
  }
}
