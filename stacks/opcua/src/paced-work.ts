// Long work in short stretches: between them the thread answers its clients, and the host that watches over it.

/** A stretch takes no longer, but for a single step. */
const stretchMs = 20;

export class PacedWork {
  #steps: Iterator<void> | undefined;
  #next: NodeJS.Immediate | undefined;
  #done: (() => void) | undefined;

  /** Each `yield` ends a step. What was under way is given up. Resolves when it is done or given up. */
  start(steps: Iterator<void>): Promise<void> {
    this.stop();
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#steps = steps;
    this.#done = resolve;
    this.#stretch();
    return promise;
  }

  stop(): void {
    clearImmediate(this.#next);
    this.#steps = undefined;
    this.#done?.();
    this.#done = undefined;
  }

  #stretch(): void {
    const endMs = performance.now() + stretchMs;
    while (this.#steps !== undefined && performance.now() < endMs) {
      if (this.#steps.next().done) this.stop();
    }
    if (this.#steps !== undefined) this.#next = setImmediate(() => this.#stretch());
  }
}
