// The result of each name of a requested watch.
import { type ItemResult, isPattern, maxBatchItems, type Problem, ProblemError } from '@telltale/schema';
import { stepItems } from '../../points/index.ts';

/** What there is, and what of it the client watches already. */
export interface WatchedKind {
  has(name: string): boolean;
  isWatched(name: string): boolean;
  /** Why one that is there may not be watched. */
  refusalOf?(name: string): ProblemError | undefined;
}

export class WatchBatch {
  readonly found: string[] = [];
  readonly #field: string;
  readonly #kind: WatchedKind;
  readonly #added = new Set<string>();
  readonly #results: ItemResult[] = [];
  #failures = 0;

  constructor(field: string, kind: WatchedKind) {
    this.#field = field;
    this.#kind = kind;
  }

  get added(): number {
    return this.#added.size;
  }

  /** Undefined where all of them are there. */
  get results(): readonly ItemResult[] | undefined {
    return this.#failures === 0 ? undefined : this.#results;
  }

  /** In steps. */
  *take(names: readonly string[]): Generator<void, void> {
    let items = 0;
    for (const name of names) {
      this.#take(name);
      if (++items % stepItems === 0) yield;
    }
  }

  #take(name: string): void {
    const isThere = this.#kind.has(name);
    const refusal = isThere ? this.#kind.refusalOf?.(name) : undefined;
    if (isThere && refusal === undefined) {
      if (!this.#kind.isWatched(name)) this.#added.add(name);
      this.found.push(name);
      this.#results.push({ name, result: true });
    } else {
      this.#failures++;
      this.#results.push({
        name,
        result: false,
        ...(this.#failures <= maxBatchItems && { error: refusal?.toJSON() ?? this.#unknown(name) }),
      });
    }
  }

  #unknown(name: string): Problem {
    const shown = JSON.stringify(name.slice(0, 80));
    const hint = isPattern(name) ? ` A pattern is watched by a selector: {"names": [${shown}]}.` : '';
    return new ProblemError('unknown-object', `${this.#field} has no ${shown}.${hint}`).toJSON();
  }
}
