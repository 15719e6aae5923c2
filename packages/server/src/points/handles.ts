// Handles: small whole numbers that stand for names. A handle that was given back rests for a while before another
// name gets it, so that a reading on its way to the old point never reaches a new one.
import type { Clock } from '@telltale/schema';

/** Longer than any reading is on its way. */
const restMs = 60_000;

export class Handles {
  readonly #clock: Clock;
  readonly #byName = new Map<string, number>();
  readonly #names: (string | undefined)[] = [];
  /** Since when each rests, in monotonic milliseconds, the oldest first. */
  readonly #resting = new Map<number, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** How many names there are. */
  get size(): number {
    return this.#byName.size;
  }

  /** Every handle ever given is below. */
  get limit(): number {
    return this.#names.length;
  }

  find(name: string): number {
    return this.#byName.get(name) ?? -1;
  }

  nameOf(handle: number): string {
    return this.#names[handle] ?? '';
  }

  give(name: string): number {
    const known = this.#byName.get(name);
    if (known !== undefined) return known;
    const handle = this.#takeRested() ?? this.#names.length;
    this.#byName.set(name, handle);
    this.#names[handle] = name;
    return handle;
  }

  takeBack(handle: number): void {
    this.#byName.delete(this.nameOf(handle));
    this.#names[handle] = undefined;
    this.#resting.set(handle, this.#clock.monotonicMs());
  }

  #takeRested(): number | undefined {
    const [oldest] = this.#resting;
    if (oldest === undefined || this.#clock.monotonicMs() - oldest[1] < restMs) return undefined;
    this.#resting.delete(oldest[0]);
    return oldest[0];
  }

  /** In the order of the handles. */
  *all(): Generator<number> {
    for (let handle = 0; handle < this.#names.length; handle++) if (this.#names[handle] !== undefined) yield handle;
  }
}
