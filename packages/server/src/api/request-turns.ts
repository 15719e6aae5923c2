// How many requests start in one turn of the event loop, over all connections: as many as fit in a few milliseconds.
// The others wait for the next turns, in an order in which no crowd of connections starves a single one.
import type { Clock } from '@telltale/schema';

/** Including what a turn reads before and writes after, within the 20 ms for which nothing may block the loop. */
const turnMs = 10;

/** So many begin in any case: where others use the processors, the time is soon up, and who has just come must not wait. */
const leastBegun = 8;

/** Of those that wait, so many are tried in a turn. */
const mostTried = 64;

type Begin = () => void;

interface Single {
  readonly begin: Begin;
  /** Whether its client has sent others behind it by now: then it has no right to be first. */
  readonly hasOthers: () => boolean;
}

export class RequestTurns {
  readonly #clock: Clock;
  /** Only requests of their connections, as far as is known; the oldest first. */
  readonly #single: Single[] = [];
  /** Requests that their clients sent behind others, or others behind them. */
  readonly #behind: Begin[] = [];
  #sinceMs = Number.NEGATIVE_INFINITY;
  #hasTurned = true;
  #begun = 0;
  #tries = 0;
  #picks = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get pending(): number {
    return this.#single.length + this.#behind.length;
  }

  /** Whether the only request of a connection may begin now; else it waits. */
  hasTime(nowMs = this.#clock.monotonicMs()): boolean {
    return this.#single.length === 0 && this.#isInTime(nowMs);
  }

  wait(begin: Begin, hasOthers: () => boolean): void {
    this.#single.push({ begin, hasOthers });
    this.#try();
  }

  /** Begins it in a later turn in any case. */
  waitBehind(begin: Begin): void {
    this.#behind.push(begin);
    this.#try();
  }

  /** Looks whether the loop has turned only when the time is up: so a request costs no more than reading the clock. */
  #isInTime(nowMs: number): boolean {
    this.#begun++;
    if (nowMs - this.#sinceMs < turnMs) return true;
    if (!this.#hasTurned) return this.#begun <= leastBegun;
    this.#sinceMs = nowMs;
    this.#hasTurned = false;
    this.#begun = 1;
    setImmediate(() => {
      this.#hasTurned = true;
    });
    return true;
  }

  /** Each in an immediate of its own: its microtasks run before the clock is read again. */
  #try(): void {
    if (this.#tries >= Math.min(mostTried, this.pending)) return;
    this.#tries++;
    setImmediate(() => {
      this.#tries--;
      if (this.#isInTime(this.#clock.monotonicMs())) this.#next()?.();
      this.#try();
    });
  }

  /** Alternates between the newest, the oldest and a pipelined one: a new one waits for two, none for ever. */
  #next(): Begin | undefined {
    const pick = this.#picks++ % 3;
    if (pick === 2) return this.#behind.shift() ?? this.#nextSingle(false);
    return this.#nextSingle(pick === 0) ?? this.#behind.shift();
  }

  #nextSingle(isNewest: boolean): Begin | undefined {
    for (;;) {
      const single = isNewest ? this.#single.pop() : this.#single.shift();
      if (single?.hasOthers() !== true) return single?.begin;
      this.#behind.push(single.begin);
    }
  }
}
