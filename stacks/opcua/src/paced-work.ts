// Long work in short stretches: between them the thread answers its clients, and the host that watches over it.

/** A stretch takes no longer, but for a single step. */
const stretchMs = 20;

export class PacedWork {
  #steps: Iterator<void> | undefined;
  #next: NodeJS.Immediate | undefined;
  #ended: PromiseWithResolvers<void> | undefined;

  /** Each `yield` ends a step; what was under way is given up. Resolves when done or given up. */
  start(steps: Iterator<void>): Promise<void> {
    this.stop();
    const ended = Promise.withResolvers<void>();
    this.#steps = steps;
    this.#ended = ended;
    this.#stretch();
    return ended.promise;
  }

  stop(): void {
    clearImmediate(this.#next);
    this.#steps = undefined;
    this.#ended?.resolve();
    this.#ended = undefined;
  }

  #stretch(): void {
    const endMs = performance.now() + stretchMs;
    try {
      while (this.#steps !== undefined && performance.now() < endMs) {
        if (this.#steps.next().done) this.stop();
      }
    } catch (error) {
      this.#ended?.reject(error);
      this.stop();
    }
    if (this.#steps !== undefined) this.#next = setImmediate(() => this.#stretch());
  }
}
