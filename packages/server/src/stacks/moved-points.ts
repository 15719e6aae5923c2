// Points of one connector that have changed and are on their way to its thread: what is still read of them there lay
// elsewhere, or was another kind of value, and is not told.
import { Batch } from '@telltale/schema';

export class MovedPoints {
  /** How often the points were whole, in the present start. */
  #given = 0;
  /** From which of these times on a reading of the point counts. */
  readonly #countsFrom = new Map<number, number>();
  #wasWhole = false;

  /** In the thread nothing was given yet; it may go on with points of an earlier start. */
  started(): void {
    this.#given = 0;
    this.#countsFrom.clear();
  }

  moved(ids: Iterable<number>): void {
    // Before the first time nobody has read anything.
    if (this.#wasWhole) for (const id of ids) this.#countsFrom.set(id, this.#given + 1);
  }

  whole(): void {
    this.#given++;
    this.#wasWhole = true;
  }

  /** Of a batch from a thread which had got the points so many times, what counts. */
  settled(batch: Batch, given: number): Batch {
    if (this.#countsFrom.size === 0) return batch;
    if (given >= this.#given) {
      for (const [id, from] of this.#countsFrom) if (from <= given) this.#countsFrom.delete(id);
    }
    const settled = new Batch(batch.count);
    for (let at = 0; at < batch.count; at++) {
      if ((this.#countsFrom.get(batch.points[at] as number) ?? 0) <= given) settled.copy(batch, at);
    }
    return settled;
  }
}
