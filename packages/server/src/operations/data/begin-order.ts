// The order in which operations on one object begin: in which they came, also where those of a long batch wait for room.

const kinds = ['measurements', 'commands', 'alarms', 'function_modules'] as const;

/** What an operation changes. */
export type ChangedKind = (typeof kinds)[number];

export class BeginOrder {
  /** By name, the last operation that came and has not begun. */
  readonly #last = new Map(kinds.map((kind) => [kind, new Map<string, Place>()]));

  /** An operation has come. */
  place(kind: ChangedKind, name: string): Place {
    const last = this.#last.get(kind) as Map<string, Place>;
    const place = new Place(last, name);
    last.set(name, place);
    return place;
  }
}

export class Place {
  readonly #last: Map<string, Place>;
  readonly #name: string;
  /** Made only where somebody waits: a batch has thousands of these. */
  #begun: PromiseWithResolvers<void> | undefined;
  readonly #before: Promise<void> | undefined;

  constructor(last: Map<string, Place>, name: string) {
    this.#last = last;
    this.#name = name;
    this.#before = last.get(name)?.whenBegun();
  }

  /** Called once. Begins the operation when those on its object that came before have begun. */
  async begin<Result>(carryOut: () => Promise<Result>): Promise<Result> {
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
