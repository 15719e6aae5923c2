// The bytes of a message that a client of the channel is sending, or that is being processed, in the budget of all
// bodies. The WebSocket library reports only whole messages, so the bytes are counted below it.
import type { BodyBudget, HeldBody } from '../body-budget.ts';

/** So much each client may send uncounted: an ordinary request always has room. */
export const freeBytes = 16 << 10;

/** Header and mask of a control frame. */
const controlBytes = 6;

/** As long as a client may be silent; in the middle of a frame it can say nothing else. */
const patienceMs = 30_000;

export class ArrivingMessage {
  readonly #budget: BodyBudget;
  #bytes = 0;
  #held: HeldBody | undefined;
  #sinceMs = 0;

  constructor(budget: BodyBudget) {
    this.#budget = budget;
  }

  /** So many bytes came. Throws `ProblemError` where there is no room for them. */
  add(bytes: number, nowMs: number): void {
    this.#bytes += bytes;
    if (this.#bytes <= freeBytes) return;
    if (this.#held === undefined) {
      this.#held = this.#budget.open();
      this.#sinceMs = nowMs;
    }
    this.#held.hold(this.#bytes);
  }

  /** A ping or a pong was among them. */
  passOver(payload: Uint8Array): void {
    this.#bytes = Math.max(0, this.#bytes - controlBytes - payload.length);
    if (this.#bytes > freeBytes) return;
    this.#held?.close();
    this.#held = undefined;
  }

  /** It is complete, and counted until its owner calls the returned function. What arrives now is the next one. */
  take(): () => void {
    const held = this.#held;
    this.#bytes = 0;
    this.#held = undefined;
    return () => held?.close();
  }

  /** Others wait for its room, and it does not become whole. */
  isLate(nowMs: number): boolean {
    return this.#held !== undefined && nowMs - this.#sinceMs >= patienceMs;
  }
}
