// Which live objects of one kind somebody may view: a bitset by handle. An object is decided on when it is configured; one
// that was there before, at its first use.
import type { Definition, Selectable } from './selectable.ts';
import type { Matcher } from './selection-index.ts';

export class Visible {
  readonly #objects: Selectable;
  readonly #sees: (definition: Definition) => boolean;
  #known = new Uint32Array(0);
  #bits = new Uint32Array(0);
  #version = 0;

  constructor(objects: Selectable, sees: (definition: Definition) => boolean) {
    this.#objects = objects;
    this.#sees = sees;
  }

  /** Another number whenever an object of it came, went or is configured otherwise. */
  get version(): number {
    return this.#version;
  }

  /** Of an object that is there. */
  has(handle: number): boolean {
    const word = handle >>> 5;
    const mask = 1 << (handle & 31);
    if (((this.#known[word] ?? 0) & mask) === 0) {
      const definition = this.#objects.definitionAt(handle);
      if (definition === undefined) return false;
      this.#decide(handle, definition);
    }
    return ((this.#bits[word] as number) & mask) !== 0;
  }

  /** Whether it would be one of them. */
  sees(definition: Definition): boolean {
    return this.#sees(definition);
  }

  /** In the order of the objects; -1 for each that is none of them, so that looking for them can be done in steps. */
  *handles(): Generator<number> {
    for (const handle of this.#objects.all()) yield this.has(handle) ? handle : -1;
  }

  /** The object comes, or is configured otherwise, before that takes effect. */
  define(handle: number, definition: Definition): void {
    const wasThere = this.has(handle);
    if (this.#decide(handle, definition) || wasThere) this.#version++;
  }

  /** The object is about to go. */
  remove(handle: number): void {
    if (this.has(handle)) this.#version++;
  }

  #decide(handle: number, definition: Definition): boolean {
    const word = handle >>> 5;
    const mask = 1 << (handle & 31);
    if (word >= this.#known.length) this.#grow(word + 1);
    const isVisible = this.#sees(definition);
    this.#known[word] = (this.#known[word] as number) | mask;
    const others = (this.#bits[word] as number) & ~mask;
    this.#bits[word] = isVisible ? others | mask : others;
    return isVisible;
  }

  #grow(words: number): void {
    const capacity = Math.max(32, 2 ** Math.ceil(Math.log2(words)));
    const [known, bits] = [new Uint32Array(capacity), new Uint32Array(capacity)];
    known.set(this.#known);
    bits.set(this.#bits);
    this.#known = known;
    this.#bits = bits;
  }
}

/** Of what a selector means, that which is in view. */
export function within(matcher: Matcher, visible: Visible | undefined): Matcher {
  if (visible === undefined) return matcher;
  return { ...matcher, matches: (handle) => matcher.matches(handle) && visible.has(handle) };
}
