// Long work beside live values: a few milliseconds at a time, then everybody else has a turn.

/** Less than half of what nobody notices. */
const sliceMs = 8;

/** When the work that is under way has to pause. */
export class Slices {
  #begunMs = performance.now();

  get isOver(): boolean {
    return performance.now() - this.#begunMs >= sliceMs;
  }

  /** Lets others have their turn. */
  async next(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    this.#begunMs = performance.now();
  }
}

export async function inSlices<T>(items: Iterable<T>, apply: (item: T) => void): Promise<void> {
  const slices = new Slices();
  for (const item of items) {
    apply(item);
    if (slices.isOver) await slices.next();
  }
}
