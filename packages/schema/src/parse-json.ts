// JSON.parse as it should be. V8 takes a key with an escape for another one that an object of the same shape had before:
// once `{"a":1,"\\":1}` was read, `{"a":1,"\"":1}` comes out with the key `\` (nodejs/node issue 63785; Node 24 and 26).
// Texts with such keys are rare; they alone are put together here, so that V8 never has to make one of them.

/** Throws as JSON.parse does. */
export function parseJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  return hasEscapedKey(text) ? new WellFormed(text).read() : value;
}

const quote = 0x22;
const backslash = 0x5c;

function hasEscapedKey(text: string): boolean {
  if (!text.includes('\\')) return false;
  for (let at = text.indexOf('"'); at >= 0; at = text.indexOf('"', at)) {
    const end = endOfText(text, at);
    const isEscaped = text.slice(at, end).includes('\\');
    at = end;
    if (isEscaped && text.charCodeAt(afterSpace(text, at)) === 0x3a) return true;
  }
  return false;
}

/** Behind the closing quote of the text that opens at `at`. */
function endOfText(text: string, at: number): number {
  let end = at + 1;
  while (text.charCodeAt(end) !== quote) end += text.charCodeAt(end) === backslash ? 2 : 1;
  return end + 1;
}

function afterSpace(text: string, from: number): number {
  let at = from;
  while (text.charCodeAt(at) <= 0x20) at++;
  return at;
}

/** Reads a text that JSON.parse has taken: nothing in it needs to be doubted. */
class WellFormed {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  read(): unknown {
    switch (this.#next()) {
      case '{':
        return Object.fromEntries(this.#items('}', () => this.#entry()));
      case '[':
        return this.#items(']', () => this.read());
      case '"':
        return this.#slice(endOfText(this.#text, this.#at));
      default: {
        let end = this.#at;
        while (end < this.#text.length && !' \t\r\n,]}'.includes(this.#text.charAt(end))) end++;
        return this.#slice(end);
      }
    }
  }

  #entry(): [string, unknown] {
    this.#next();
    const key = this.#slice(endOfText(this.#text, this.#at)) as string;
    this.#next();
    this.#at++; // the colon
    return [key, this.read()];
  }

  #items<Item>(closing: string, read: () => Item): Item[] {
    const items: Item[] = [];
    this.#at++;
    while (this.#next() !== closing) {
      items.push(read());
      if (this.#next() === ',') this.#at++;
    }
    this.#at++;
    return items;
  }

  #next(): string {
    this.#at = afterSpace(this.#text, this.#at);
    return this.#text.charAt(this.#at);
  }

  /** A text, number or word up to `end`. */
  #slice(end: number): unknown {
    const value: unknown = JSON.parse(this.#text.slice(this.#at, end));
    this.#at = end;
    return value;
  }
}
