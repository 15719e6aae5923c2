// Handles: small whole numbers that stand for names. One that was given back rests before another name gets it.
import type { Clock } from '@telltale/schema';
import { RestingNumbers } from './resting-numbers.ts';

export class Handles {
  readonly #numbers: RestingNumbers;
  readonly #byName = new Map<string, number>();
  readonly #names: (string | undefined)[] = [];

  constructor(clock: Clock) {
    this.#numbers = new RestingNumbers(clock);
  }

  /** How many names there are. */
  get size(): number {
    return this.#byName.size;
  }

  /** Every handle ever given is below. */
  get limit(): number {
    return this.#numbers.limit;
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
    const handle = this.#numbers.give();
    this.#byName.set(name, handle);
    this.#names[handle] = name;
    return handle;
  }

  takeBack(handle: number): void {
    this.#byName.delete(this.nameOf(handle));
    this.#names[handle] = undefined;
    this.#numbers.takeBack(handle);
  }

  /** In the order of the handles. */
  *all(): Generator<number> {
    for (let handle = 0; handle < this.#names.length; handle++) if (this.#names[handle] !== undefined) yield handle;
  }
}
