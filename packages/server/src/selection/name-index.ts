// Names in order, for what they begin with; and read backwards, for what they end with.
import { KeptIndex } from './kept-index.ts';
import type { Definition, Selectable } from './selectable.ts';
import { SortedTexts } from './sorted-texts.ts';

export class NameIndex extends KeptIndex {
  readonly #objects: Selectable;
  readonly #texts = new SortedTexts();
  readonly #isBackwards: boolean;

  constructor(objects: Selectable, isBackwards: boolean) {
    super(objects);
    this.#objects = objects;
    this.#isBackwards = isBackwards;
  }

  /** How many names begin, or end, with it; some may be gone. */
  count(end: string): number {
    return this.#texts.countFrom(this.#read(end));
  }

  *names(end: string): Generator<string> {
    for (const texts of this.#texts.startingWith(this.#read(end))) for (const text of texts) yield this.#read(text);
  }

  protected override isSame(before: Definition, after: Definition): boolean {
    return before.name === after.name;
  }

  protected override add(_handle: number, { name }: Definition): void {
    this.#texts.add(this.#read(name));
  }

  /** Another object may have the name by now. */
  protected override delete(_handle: number, { name }: Definition): void {
    if (this.#objects.find(name) < 0) this.#texts.delete(this.#read(name));
  }

  #read(name: string): string {
    if (!this.#isBackwards) return name;
    let backwards = '';
    for (let at = name.length - 1; at >= 0; at--) backwards += name[at];
    return backwards;
  }
}
