// Objects by a word of their definition: the connector, the datatype, the areas that they are in.
import { KeptIndex } from './kept-index.ts';
import type { Definition, Selectable } from './selectable.ts';

const none: ReadonlySet<number> = new Set();

export class KeyIndex extends KeptIndex {
  readonly #keysOf: (definition: Definition) => readonly string[];
  readonly #handles = new Map<string, Set<number>>();

  /** The keys of an object, each once. */
  constructor(objects: Selectable, keysOf: (definition: Definition) => readonly string[]) {
    super(objects);
    this.#keysOf = keysOf;
  }

  of(key: string): ReadonlySet<number> {
    return this.#handles.get(key) ?? none;
  }

  protected override isSame(before: Definition, after: Definition): boolean {
    const [old, now] = [this.#keysOf(before), this.#keysOf(after)];
    return old.length === now.length && old.every((key, at) => key === now[at]);
  }

  protected override add(handle: number, definition: Definition): void {
    for (const key of this.#keysOf(definition)) {
      const handles = this.#handles.get(key);
      if (handles === undefined) this.#handles.set(key, new Set([handle]));
      else handles.add(handle);
    }
  }

  protected override delete(handle: number, definition: Definition): void {
    for (const key of this.#keysOf(definition)) {
      const handles = this.#handles.get(key);
      handles?.delete(handle);
      if (handles?.size === 0) this.#handles.delete(key);
    }
  }
}
