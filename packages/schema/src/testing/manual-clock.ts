// The clock of tests.
import type { Clock } from '../clock.ts';

interface Timer {
  readonly dueUs: number;
  readonly call: () => void;
}

/** Stands still until it is moved; then everything that falls due is called, in order. */
export class ManualClock implements Clock {
  readonly #startUs: number;
  /** As it were without jumps. */
  #nowUs: number;
  #jumpedUs = 0;
  readonly #timers = new Set<Timer>();

  constructor(nowUs = 1_700_000_000_000_000) {
    this.#startUs = nowUs;
    this.#nowUs = nowUs;
  }

  now(): number {
    return this.#nowUs + this.#jumpedUs;
  }

  monotonicMs(): number {
    return (this.#nowUs - this.#startUs) / 1000;
  }

  /** The time of day is set, forwards or backwards; nothing falls due by it. */
  jump(ms: number): void {
    this.#jumpedUs += Math.round(ms * 1000);
  }

  after(ms: number, call: () => void): () => void {
    const pending = { dueUs: this.#nowUs + Math.max(0, ms) * 1000, call };
    this.#timers.add(pending);
    return () => this.#timers.delete(pending);
  }

  /** How many calls are waiting for their time. */
  get pending(): number {
    return this.#timers.size;
  }

  advance(ms: number): void {
    const endUs = this.#nowUs + ms * 1000;
    for (let next = this.#nextDue(endUs); next !== undefined; next = this.#nextDue(endUs)) {
      this.#timers.delete(next);
      this.#nowUs = Math.max(this.#nowUs, Math.round(next.dueUs));
      next.call();
    }
    this.#nowUs = Math.round(endUs);
  }

  #nextDue(endUs: number): Timer | undefined {
    let next: Timer | undefined;
    for (const pending of this.#timers) {
      if (pending.dueUs <= endUs && (next === undefined || pending.dueUs < next.dueUs)) next = pending;
    }
    return next;
  }
}
