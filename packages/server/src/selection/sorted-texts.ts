// Texts in their order, for those that begin with something: blocks of some hundred, so that adding one moves few.

const mostInBlock = 512;

export class SortedTexts {
  /** None is empty; the first text of each is above the last one of the block before. */
  readonly #blocks: string[][] = [];

  /** Each stands there once. */
  add(text: string): void {
    const number = Math.max(0, this.#blockOf(text));
    const block = this.#blocks[number];
    if (block === undefined) {
      this.#blocks.push([text]);
      return;
    }
    const at = lowerBound(block, text);
    if (block[at] === text) return;
    block.splice(at, 0, text);
    if (block.length > mostInBlock) this.#blocks.splice(number + 1, 0, block.splice(mostInBlock / 2));
  }

  delete(text: string): void {
    const number = this.#blockOf(text);
    const block = this.#blocks[number];
    if (block === undefined) return;
    const at = lowerBound(block, text);
    if (block[at] !== text) return;
    block.splice(at, 1);
    if (block.length === 0) this.#blocks.splice(number, 1);
  }

  countFrom(prefix: string): number {
    return this.#ranges(prefix).reduce((sum, [, from, to]) => sum + to - from, 0);
  }

  /** Copies: what comes and goes later changes nothing. */
  startingWith(prefix: string): readonly string[][] {
    return this.#ranges(prefix).map(([block, from, to]) => block.slice(from, to));
  }

  /** In each block that has some of them. */
  #ranges(prefix: string): [block: string[], from: number, to: number][] {
    const ranges: [string[], number, number][] = [];
    const behind = `${prefix}\uffff`;
    for (let number = Math.max(0, this.#blockOf(prefix)); number < this.#blocks.length; number++) {
      const block = this.#blocks[number] as string[];
      if ((block[0] as string) >= behind) break;
      const [from, to] = [lowerBound(block, prefix), lowerBound(block, behind)];
      if (from < to) ranges.push([block, from, to]);
    }
    return ranges;
  }

  /** The last one that does not begin above the text; -1 where all do. */
  #blockOf(text: string): number {
    let [low, high] = [0, this.#blocks.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#blocks[middle]?.[0] as string) <= text) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }
}

/** Where the first text is that is not below. */
function lowerBound(texts: readonly string[], text: string): number {
  let [low, high] = [0, texts.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((texts[middle] as string) < text) low = middle + 1;
    else high = middle;
  }
  return low;
}
