// What is open at sites for callers of this centre, such as the channel: it ends when a caller may do something else, or is gone.
import type { Caller, Identities } from '../access/index.ts';

export class OpenForCallers {
  readonly #open = new Map<Caller, Set<() => void>>();

  constructor(identities: Pick<Identities, 'onChanged'>) {
    identities.onChanged((caller) => {
      for (const end of [...(this.#open.get(caller) ?? [])]) end();
    });
  }

  /** The returned function says that it is over. */
  enter(caller: Caller, end: () => void): () => void {
    const all = this.#open.get(caller) ?? new Set();
    this.#open.set(caller, all.add(end));
    return () => {
      all.delete(end);
      if (all.size === 0 && this.#open.get(caller) === all) this.#open.delete(caller);
    };
  }
}
