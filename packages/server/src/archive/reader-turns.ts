// The turns of the queries in the reader thread. A new query has its first turn, which is short, before the others go
// on: cheap queries are answered then, and wait for no expensive one. The others take turns.

/** First turns in a row, so that a stream of new queries does not hold up the others for ever. */
const mostFirst = 8;

export class ReaderTurns {
  readonly #first = new Set<number>();
  readonly #others = new Set<number>();
  #inARow = 0;

  get isEmpty(): boolean {
    return this.#first.size + this.#others.size === 0;
  }

  /** It has just come. */
  begin(id: number): void {
    this.#first.add(id);
  }

  /** It can go on; behind those that can as well. */
  goOn(id: number): void {
    if (!this.#first.has(id)) this.#others.add(id);
  }

  drop(id: number): void {
    this.#first.delete(id);
    this.#others.delete(id);
  }

  /** Removes it: it registers again when it can go on. Undefined: none can. */
  next(): { readonly id: number; readonly isFirst: boolean } | undefined {
    const isOther = this.#first.size === 0 || (this.#inARow >= mostFirst && this.#others.size > 0);
    const from = isOther ? this.#others : this.#first;
    this.#inARow = isOther ? 0 : this.#inARow + 1;
    for (const id of from) {
      from.delete(id);
      return { id, isFirst: !isOther };
    }
    return undefined;
  }
}
