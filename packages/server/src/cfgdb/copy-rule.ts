// A rule by which names and addresses of copies are made: a text with `*`, and what it becomes.
import type { CopyRule } from '@telltale/schema';

export class Rewriting {
  readonly #parts: readonly string[];
  readonly #to: readonly string[];
  /** Whether any text has matched. */
  isUsed = false;

  constructor({ from, to }: CopyRule) {
    this.#parts = from.split('*');
    this.#to = to.split('*');
  }

  /** What is wrong with the rule; undefined where nothing is. */
  get fault(): string | undefined {
    if (this.#parts.length === this.#to.length) return undefined;
    return `has ${this.#parts.length - 1} * in from and ${this.#to.length - 1} in to: write as many in both`;
  }

  /** Undefined where the text does not match. */
  apply(text: string): string | undefined {
    const stars = matched(this.#parts, text);
    if (stars === undefined) return undefined;
    this.isUsed = true;
    return this.#to.map((part, at) => part + (stars[at] ?? '')).join('');
  }
}

/** What each `*` stands for: the shortest, from left to right. One pass over the text, whatever the pattern. */
function matched(parts: readonly string[], text: string): string[] | undefined {
  const [prefix = '', ...rest] = parts;
  const suffix = rest.pop();
  if (suffix === undefined) return text === prefix ? [] : undefined;
  const end = text.length - suffix.length;
  if (end < prefix.length || !text.startsWith(prefix) || !text.endsWith(suffix)) return undefined;
  const stars: string[] = [];
  let from = prefix.length;
  for (const part of rest) {
    const at = text.indexOf(part, from);
    if (at < 0 || at + part.length > end) return undefined;
    stars.push(text.slice(from, at));
    from = at + part.length;
  }
  return [...stars, text.slice(from, end)];
}
