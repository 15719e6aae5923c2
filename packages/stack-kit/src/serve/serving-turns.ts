// The turns of all clients of the providers in a thread. In each turn of the event loop they get a slice; then timers and
// sockets of everybody else, above all of connectors, are served before the next one.
import type { Clock } from '@telltale/schema';

/** Somebody who waits for a turn: a client of a provider, or work that is done in steps. */
export interface Waiting {
  /** Written by the turns alone; 0 at first. */
  usedMs: number;
  /** Does one piece of work; false: there is no more for now. Never throws. */
  next(): boolean;
}

/** What a turn of the event loop is longer by: neither a scan of a connector nor a client notices. */
const sliceMs = 1;
/** Where the others needed this long since the last slice, they are late already: then a slice is one piece of work. */
const lateMs = 10;
/** Where more is waiting to be heard, it is heard for so long before the next piece of work. */
const hearMs = 1;
/** Counted for a piece of work at least. */
const leastMs = 0.001;

/**
 * Whoever has used the least time is next (start-time fair queueing): a client that asks once in a while does not wait
 * behind those that never stop, whether they send many requests or expensive ones.
 */
export class ServingTurns {
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  /** Of those that have used the same, the one that waits longest is first. */
  readonly #waiting = new Set<Waiting>();
  /** What the one served last had used: nobody begins with less. */
  #usedMs = 0;
  /** When the last slice ended and more was waiting. */
  #endedMs: number | undefined;
  #isHurried = false;
  /** Until the slice has ended. */
  #nextSlice: NodeJS.Immediate | undefined;

  constructor(clock: Pick<Clock, 'monotonicMs'>) {
    this.#clock = clock;
  }

  /** It has something to do; nothing changes where it waits already. */
  join(waiting: Waiting): void {
    if (this.#waiting.has(waiting)) return;
    waiting.usedMs = Math.max(waiting.usedMs, this.#usedMs);
    this.#waiting.add(waiting);
    this.#nextSlice ??= setImmediate(() => this.#slice());
  }

  /** More is waiting to be heard: so that it does not get lost, it is heard first, and the next slice is one piece of work. */
  hurry(): void {
    this.#isHurried = true;
  }

  /** It wants no more turns. */
  leave(waiting: Waiting): void {
    this.#waiting.delete(waiting);
  }

  /** Carries out steps, each a piece of work; resolves when all are done, or it is aborted. Rejects with what a step throws. */
  run(steps: Iterator<void>, signal?: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const next = (): boolean => {
      try {
        const isDone = signal?.aborted === true || steps.next().done === true;
        if (isDone) resolve();
        return !isDone;
      } catch (error) {
        reject(error);
        return false;
      }
    };
    this.join({ usedMs: 0, next });
    return promise;
  }

  /**
   * For work that waits for others now and then: what it does when a call resolves, until it waits for something, is a piece of
   * work.
   */
  pieces(): () => Promise<void> {
    let begin = () => {};
    const next = () => {
      begin();
      return false;
    };
    const waiting: Waiting = { usedMs: 0, next };
    return () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      begin = resolve;
      this.join(waiting);
      return promise;
    };
  }

  #slice(): void {
    const nowMs = this.#clock.monotonicMs();
    const passedMs = this.#endedMs === undefined ? undefined : nowMs - this.#endedMs;
    const isHurried = this.#isHurried;
    this.#isHurried = false;
    if (isHurried && passedMs !== undefined && passedMs < hearMs) {
      this.#nextSlice = setImmediate(() => this.#slice());
      return;
    }
    const isLate = passedMs !== undefined && passedMs > lateMs;
    this.#piece(nowMs, isLate || isHurried ? nowMs : nowMs + sliceMs);
  }

  #piece(startMs: number, endMs: number): void {
    const waiting = this.#least();
    if (waiting === undefined) {
      this.#end(undefined);
      return;
    }
    this.#waiting.delete(waiting);
    if (waiting.next()) this.#waiting.add(waiting); // at the end
    const ended = () => {
      const nowMs = this.#clock.monotonicMs();
      waiting.usedMs += Math.max(leastMs, nowMs - startMs);
      if (nowMs < endMs) this.#piece(nowMs, endMs);
      else this.#end(nowMs);
    };
    // What it left to promises is part of it: this comes when they have all run.
    queueMicrotask(() => process.nextTick(ended));
  }

  #end(nowMs: number | undefined): void {
    const hasMore = this.#waiting.size > 0;
    this.#endedMs = hasMore ? nowMs : undefined;
    this.#nextSlice = hasMore ? setImmediate(() => this.#slice()) : undefined;
  }

  #least(): Waiting | undefined {
    let least: Waiting | undefined;
    for (const waiting of this.#waiting) if (least === undefined || waiting.usedMs < least.usedMs) least = waiting;
    if (least !== undefined) this.#usedMs = least.usedMs;
    return least;
  }
}
