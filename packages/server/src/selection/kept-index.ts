// An index of live objects by something that their definitions say. It costs nothing before its first use; then it is
// built, and brought up to date before each use, by the objects that have changed since.
import { stepItems } from '../points/index.ts';
import type { Definition, Selectable } from './selectable.ts';

export abstract class KeptIndex {
  readonly #objects: Selectable;
  /** Objects that came, changed or went since they were indexed; undefined before the first use. */
  #pending: Set<number> | undefined;
  /** By handle, what it was indexed by. */
  readonly #known: (Definition | undefined)[] = [];

  constructor(objects: Selectable) {
    this.#objects = objects;
  }

  changed(handle: number): void {
    this.#pending?.add(handle);
  }

  /** In steps. Two may run at once: they share the work. */
  *refresh(): Generator<void, void> {
    this.#pending ??= new Set(this.#objects.all());
    let items = 0;
    for (const handle of this.#pending) {
      this.#pending.delete(handle);
      this.#update(handle);
      if (++items % stepItems === 0) yield;
    }
  }

  /** Everything is indexed again, before the next use. */
  protected restart(): void {
    this.#pending = undefined;
    this.#known.length = 0;
  }

  protected abstract isSame(before: Definition, after: Definition): boolean;
  protected abstract add(handle: number, definition: Definition): void;
  protected abstract delete(handle: number, definition: Definition): void;

  #update(handle: number): void {
    const before = this.#known[handle];
    const after = this.#objects.definitionAt(handle);
    while (this.#known.length <= handle) this.#known.push(undefined);
    this.#known[handle] = after;
    if (before !== undefined && after !== undefined && this.isSame(before, after)) return;
    if (before !== undefined) this.delete(handle, before);
    if (after !== undefined) this.add(handle, after);
  }
}
