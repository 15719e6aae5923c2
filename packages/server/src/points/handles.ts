// Handles: small whole numbers that stand for names. One can be reserved for a name that is to come, and is not found until
// it is shown. One that was given back rests before another name gets it.
import type { Clock } from '@telltale/schema';
import { RestingNumbers } from './resting-numbers.ts';

export class Handles {
  readonly #numbers: RestingNumbers;
  readonly #byName = new Map<string, number>();
  readonly #names: (string | undefined)[] = [];
  #size = 0;

  constructor(clock: Clock) {
    this.#numbers = new RestingNumbers(clock);
  }

  get size(): number {
    return this.#size;
  }

  /** Every handle ever given is below. */
  get limit(): number {
    return this.#numbers.limit;
  }

  find(name: string): number {
    const handle = this.#byName.get(name);
    return handle !== undefined && this.#names[handle] !== undefined ? handle : -1;
  }

  nameOf(handle: number): string {
    return this.#names[handle] ?? '';
  }

  /** The one that the name has, or is to have. */
  reserve(name: string): number {
    const known = this.#byName.get(name);
    if (known !== undefined) return known;
    const handle = this.#numbers.give();
    this.#byName.set(name, handle);
    return handle;
  }

  /** From now on, `find` returns it. */
  show(handle: number, name: string): void {
    if (this.#names[handle] === undefined) this.#size++;
    this.#names[handle] = name;
  }

  release(handle: number, name: string): void {
    if (this.#names[handle] !== undefined) this.#size--;
    this.#byName.delete(name);
    this.#names[handle] = undefined;
    this.#numbers.release(handle);
  }

  /** In the order of the handles. */
  *all(): Generator<number> {
    for (let handle = 0; handle < this.#names.length; handle++) if (this.#names[handle] !== undefined) yield handle;
  }
}
