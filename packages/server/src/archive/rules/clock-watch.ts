// Watches the time of day for jumps: compares it with a monotonic clock once a second.
import type { Clock } from '@telltale/schema';

export interface ClockJump {
  /** The time of day after it. */
  readonly atUs: number;
  /** How far; backwards it is negative. */
  readonly byUs: number;
}

const intervalMs = 1000;
const leastJumpUs = 1_000_000;
const mostJumps = 100;

export class ClockWatch {
  /** How many there were. */
  count = 0;
  readonly #clock: Clock;
  readonly #onJump: (jump: ClockJump) => void;
  readonly #last: ClockJump[] = [];
  #offsetUs: number;
  #stop: () => void;

  constructor(clock: Clock, onJump: (jump: ClockJump) => void) {
    this.#clock = clock;
    this.#onJump = onJump;
    this.#offsetUs = this.#measure();
    this.#stop = clock.after(intervalMs, () => this.#look());
  }

  /** The newest, oldest first. */
  get last(): readonly ClockJump[] {
    return this.#last;
  }

  close(): void {
    this.#stop();
  }

  #look(): void {
    this.#stop = this.#clock.after(intervalMs, () => this.#look());
    const offsetUs = this.#measure();
    const byUs = offsetUs - this.#offsetUs;
    this.#offsetUs = offsetUs;
    if (Math.abs(byUs) <= leastJumpUs) return;
    const jump = { atUs: this.#clock.now(), byUs };
    this.count++;
    if (this.#last.push(jump) > mostJumps) this.#last.shift();
    this.#onJump(jump);
  }

  #measure(): number {
    return this.#clock.now() - Math.round(this.#clock.monotonicMs() * 1000);
  }
}
