// JSON as it was written: whole numbers that a double does not hold are bigints.
import { parseJson } from '@telltale/schema';

/** Throws as JSON.parse does. */
export function parseExactJson(text: string): unknown {
  const value = parseJson(text);
  // Nearly no document has such a number: what has no sixteen digits in a row needs no second look.
  return /[0-9]{16}/.test(text) ? new Exact(text).read(0) : value;
}

const maxDepth = 1000;
/** More digits than any 64-bit integer has say nothing more: it is too large for all. */
const maxDigits = 40;

/** Reads a text that JSON.parse has taken: nothing in it needs to be doubted. */
class Exact {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  read(depth: number): unknown {
    if (depth > maxDepth) throw new SyntaxError(`is nested deeper than ${maxDepth}`);
    this.#skipSpace();
    switch (this.#text[this.#at]) {
      case '{':
        return this.#object(depth);
      case '[':
        return this.#array(depth);
      case '"':
        return this.#string();
      default:
        return this.#word();
    }
  }

  #object(depth: number): unknown {
    const entries: [string, unknown][] = [];
    for (this.#open(); !this.#closes('}'); this.#pass(',')) {
      const key = this.#string();
      this.#pass(':');
      entries.push([key, this.read(depth + 1)]);
    }
    return Object.fromEntries(entries);
  }

  #array(depth: number): unknown {
    const items: unknown[] = [];
    for (this.#open(); !this.#closes(']'); this.#pass(',')) items.push(this.read(depth + 1));
    return items;
  }

  #string(): string {
    const start = this.#at++;
    let isPlain = true;
    for (let code = this.#code(); code !== marks.quote; code = this.#code()) {
      if (code === marks.backslash) isPlain = false;
      this.#at += code === marks.backslash ? 2 : 1;
    }
    this.#at++;
    return isPlain
      ? this.#text.slice(start + 1, this.#at - 1)
      : (JSON.parse(this.#text.slice(start, this.#at)) as string);
  }

  #word(): unknown {
    const start = this.#at;
    for (let code = this.#code(); code > 0x20 && !endsWord(code); code = this.#code()) this.#at++;
    const source = this.#text.slice(start, this.#at);
    if (source === 'null') return null;
    if (source === 'true' || source === 'false') return source === 'true';
    const value = Number(source);
    if (Number.isSafeInteger(value)) return value;
    return /^-?[0-9]+$/.test(source) && source.length <= maxDigits ? BigInt(source) : value;
  }

  #open(): void {
    this.#at++;
    this.#skipSpace();
  }

  #closes(bracket: string): boolean {
    this.#skipSpace();
    if (this.#text[this.#at] !== bracket) return false;
    this.#at++;
    return true;
  }

  /** A comma is not there before the closing bracket. */
  #pass(mark: string): void {
    this.#skipSpace();
    if (this.#text[this.#at] === mark) this.#at++;
    this.#skipSpace();
  }

  #skipSpace(): void {
    while (this.#code() <= 0x20) this.#at++;
  }

  /** NaN, which is neither above nor below anything, at the end. */
  #code(): number {
    return this.#text.charCodeAt(this.#at);
  }
}

/** Of characters, by their codes: a large document is read in a fraction of the time. */
const marks = { quote: 0x22, comma: 0x2c, backslash: 0x5c, bracket: 0x5d, brace: 0x7d } as const;

function endsWord(code: number): boolean {
  return code === marks.comma || code === marks.bracket || code === marks.brace;
}
