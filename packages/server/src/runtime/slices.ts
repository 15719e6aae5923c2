// Long work on the main thread, beside live values: some milliseconds of it per turn of the event loop, over all
// callers, then everything else has a turn.

/** Less than half of the delay that a client would notice. */
const sliceMs = 8;

/** So many steps of some dozen items each are done at once, within some milliseconds; fewer where others wait. */
const stepsAtOnce = 64;
const stepsBeforeOthers = 4;

export class Slices {
  readonly #pending: (() => void)[] = [];
  #begunMs = 0;

  /** Whether the work that has its turn must wait for the next one. */
  get isOver(): boolean {
    return performance.now() - this.#begunMs >= sliceMs;
  }

  /** Resolves when it is the turn of who asks: behind those who asked before, one in a turn of the event loop. */
  next(): Promise<void> {
    return new Promise((resolve) => {
      this.#pending.push(resolve);
      if (this.#pending.length === 1) setImmediate(() => this.#give());
    });
  }

  async each<T>(items: Iterable<T>, apply: (item: T) => void): Promise<void> {
    await this.next();
    for (const item of items) {
      apply(item);
      if (this.isOver) await this.next();
    }
  }

  /** Runs the steps: the first at once, the others in turns. Resolves to undefined where it is no longer wanted. */
  run<T>(steps: Iterator<unknown, T>, isWanted: () => boolean = () => true): T | Promise<T | undefined> {
    const most = this.#pending.length === 0 ? stepsAtOnce : stepsBeforeOthers;
    for (let step = 0; step < most; step++) {
      const { done, value } = steps.next();
      if (done === true) return value;
    }
    return this.#goOn(steps, isWanted);
  }

  async #goOn<T>(steps: Iterator<unknown, T>, isWanted: () => boolean): Promise<T | undefined> {
    while (true) {
      await this.next();
      if (!isWanted()) return undefined;
      do {
        const { done, value } = steps.next();
        if (done === true) return value;
      } while (!this.isOver);
    }
  }

  #give(): void {
    this.#begunMs = performance.now();
    this.#pending.shift()?.();
    if (this.#pending.length > 0) setImmediate(() => this.#give());
  }
}
