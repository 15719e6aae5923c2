// Asynchronous operations by name: one at a time on each name, in the order in which they came.

export class Turns {
  /** By name, the end of the last operation on it. */
  readonly #last = new Map<string, Promise<void>>();
  #pending = 0;

  get pending(): number {
    return this.#pending;
  }

  isBusy(name: string): boolean {
    return this.#last.has(name);
  }

  /** Settles as the operation does, which begins at once where none on the name is under way. */
  take<Result>(name: string, carryOut: () => Promise<Result>): Promise<Result> {
    const before = this.#last.get(name);
    const operating = before === undefined ? carryOut() : before.then(carryOut);
    const end: Promise<void> = operating.then(
      () => this.#ended(name, end),
      () => this.#ended(name, end),
    );
    this.#last.set(name, end);
    this.#pending++;
    return operating;
  }

  #ended(name: string, end: Promise<void>): void {
    this.#pending--;
    if (this.#last.get(name) === end) this.#last.delete(name);
  }
}
