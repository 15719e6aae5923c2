// What names and descriptions have in them: for every three characters behind each other, where they occur. It leads to
// objects that may match; whoever asks looks at them. Neighbours have much in common, so the lists name pages of them.
import { KeptIndex } from './kept-index.ts';
import type { Definition, Selectable } from './selectable.ts';

const gramLength = 3;

/** Grams share lists by a hash, so that no text makes more of them. */
const listBits = 16;

/** A page is so many handles: measured with names of one form, where 16 take a fifth of the memory of single handles. */
const pageShift = 4;

/** What left a list stays in it: after so many updates, and twice as many as there are objects, all is built again. */
const leastUpdates = 10_000;

export class GramIndex extends KeptIndex {
  readonly #objects: Selectable;
  #lists: (number[] | undefined)[] = [];
  #updates = 0;

  constructor(objects: Selectable) {
    super(objects);
    this.#objects = objects;
  }

  override *refresh(): Generator<void, void> {
    if (this.#updates > Math.max(leastUpdates, 2 * this.#objects.size)) {
      this.#lists = [];
      this.#updates = 0;
      this.restart();
    }
    yield* super.refresh();
  }

  /** At most so many objects have all of these texts in them; undefined where that is not known: they are too short. */
  count(texts: readonly string[]): number | undefined {
    const pages = this.#shortest(texts);
    return pages === undefined ? undefined : pages.length << pageShift;
  }

  /** Those objects, and others; some more than once. */
  *handles(texts: readonly string[]): Generator<number> {
    for (const page of [...(this.#shortest(texts) ?? [])]) {
      const first = page << pageShift;
      for (let handle = first; handle < first + (1 << pageShift); handle++) yield handle;
    }
  }

  protected override isSame(before: Definition, after: Definition): boolean {
    return before.name === after.name && before.description === after.description;
  }

  protected override add(handle: number, definition: Definition): void {
    const page = handle >>> pageShift;
    const text = searchedText(definition);
    this.#updates++;
    while (this.#lists.length < 1 << listBits) this.#lists.push(undefined);
    for (let at = 0; at + gramLength <= text.length; at++) {
      const number = listOf(text, at);
      const list = this.#lists[number];
      if (list === undefined) this.#lists[number] = [page];
      else if (list[list.length - 1] !== page) list.push(page);
    }
  }

  protected override delete(): void {
    this.#updates++;
  }

  #shortest(texts: readonly string[]): readonly number[] | undefined {
    let shortest: readonly number[] | undefined;
    for (const text of texts) {
      const folded = text.toLowerCase();
      for (let at = 0; at + gramLength <= folded.length; at++) {
        const list = this.#lists[listOf(folded, at)] ?? [];
        if (shortest === undefined || list.length < shortest.length) shortest = list;
      }
    }
    return shortest;
  }
}

/** What a search looks at, folded. */
export function searchedText({ name, description }: Definition): string {
  return (description === undefined ? name : `${name}\n${description}`).toLowerCase();
}

function listOf(text: string, at: number): number {
  let hash = Math.imul(text.charCodeAt(at), 0x9e37_79b1);
  hash = Math.imul(hash ^ text.charCodeAt(at + 1), 0x85eb_ca6b);
  hash = Math.imul(hash ^ text.charCodeAt(at + 2), 0xc2b2_ae35);
  return hash >>> (32 - listBits);
}
