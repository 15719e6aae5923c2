// The ids under which stacks know points: a new id for each version of a point, so that a reading, a write or a value
// that is still on its way under an old id is ignored.
import type { Batch, Clock } from '@telltale/schema';
import { RestingNumbers } from '../points/index.ts';

export type PointKind = 'measurements' | 'commands';

export class StackIds {
  readonly #numbers: RestingNumbers;
  readonly #ids = { measurements: new NumberTable(), commands: new NumberTable() };
  readonly #handles = { measurements: new NumberTable(), commands: new NumberTable() };

  constructor(clock: Clock) {
    this.#numbers = new RestingNumbers(clock);
  }

  reserve(): number {
    return this.#numbers.give();
  }

  /** It was not needed, though it may have been assigned. */
  giveBack(kind: PointKind, id: number): void {
    const handle = this.handleOf(kind, id);
    if (handle < 0) this.#numbers.release(id);
    else this.end(kind, handle);
  }

  /** From now on the point is known by this id, and by no other. */
  assign(kind: PointKind, handle: number, id: number): void {
    this.end(kind, handle);
    this.#ids[kind].set(handle, id);
    this.#handles[kind].set(id, handle);
  }

  /** No stack knows the point any more. */
  end(kind: PointKind, handle: number): void {
    const id = this.idOf(kind, handle);
    if (id < 0) return;
    this.#ids[kind].set(handle, -1);
    this.#handles[kind].set(id, -1);
    this.#numbers.release(id);
  }

  /** -1 where it has none. */
  idOf(kind: PointKind, handle: number): number {
    return this.#ids[kind].get(handle);
  }

  /** -1 where the id no longer refers to such a point. */
  handleOf(kind: PointKind, id: number): number {
    return this.#handles[kind].get(id);
  }

  /** The readings under the handles of their measurements; obsolete ones get a handle that is never assigned. */
  toHandles(batch: Batch): void {
    const { points, count } = batch;
    const handles = this.#handles.measurements;
    for (let at = 0; at < count; at++) points[at] = handles.get(points[at] as number);
  }
}

/** A map between small whole numbers; -1 for a missing key. */
class NumberTable {
  #all = new Int32Array(0);

  get(at: number): number {
    return at < this.#all.length ? (this.#all[at] as number) : -1;
  }

  set(at: number, number: number): void {
    if (at >= this.#all.length) {
      const larger = new Int32Array(Math.max(64, 2 * at)).fill(-1);
      larger.set(this.#all);
      this.#all = larger;
    }
    this.#all[at] = number;
  }
}
