// The order in which operations on one object begin: in which they came, also where those of a long batch wait for others.
import type { Resource } from '@telltale/schema';

export class BeginOrder {
  /** By resource and name, the last operation that has arrived and not started. */
  readonly #last = new Map<Resource, Map<string, Turn>>();

  turn(resource: Resource, name: string): Turn {
    const last = this.#last.get(resource) ?? new Map<string, Turn>();
    this.#last.set(resource, last);
    const turn = new Turn(last, name);
    last.set(name, turn);
    return turn;
  }
}

export class Turn {
  readonly #last: Map<string, Turn>;
  readonly #name: string;
  /** Made only where somebody waits: a batch has thousands of these. */
  #begun: PromiseWithResolvers<void> | undefined;
  readonly #before: Promise<void> | undefined;

  constructor(last: Map<string, Turn>, name: string) {
    this.#last = last;
    this.#name = name;
    this.#before = last.get(name)?.whenBegun();
  }

  /** Called once. Starts the operation when the earlier ones on its object have started. */
  async begin<Result>(carryOut: () => Promise<Result> | Result): Promise<Result> {
    await this.#before;
    try {
      return carryOut();
    } finally {
      if (this.#last.get(this.#name) === this) this.#last.delete(this.#name);
      this.#begun?.resolve();
    }
  }

  whenBegun(): Promise<void> {
    this.#begun ??= Promise.withResolvers();
    return this.#begun.promise;
  }
}
