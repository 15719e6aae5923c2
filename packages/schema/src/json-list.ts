// Reads a long JSON list piece by piece, so that memory does not grow with it: `[…]`, or `{"name": […]}` with one member.
import { maxJsonDepth } from './json.ts';
import { parseJson } from './parse-json.ts';
import { ProblemError } from './problem.ts';

/** Longer than any record: a text of 64 KiB, each byte of it escaped, is shorter. */
const mostItemLength = 1 << 20;
/** Far more than any record has: an item is not made before it is known to be small. */
const mostItemParts = 1000;

const space = /\s*/y;
const member = /\s*("(?:[^"\\]|\\.)*")\s*:\s*/y;

type Position = 'start' | 'before the list' | 'first item' | 'item' | 'after the list' | 'end';

export class JsonListReader {
  readonly #onItem: (item: unknown) => void;
  readonly #utf8 = new TextDecoder('utf-8', { fatal: true });
  #text = '';
  #at = 0;
  /** Of the item that is being read. */
  #depth = 0;
  #parts = 0;
  #inText = false;
  #scanned = 0;
  #position: Position = 'start';
  #isMember = false;
  #key: string | undefined;
  #items = 0;

  /** Called with each item in order; its exceptions pass through. */
  constructor(onItem: (item: unknown) => void) {
    this.#onItem = onItem;
  }

  /** The name of the member whose value is the list, once it is known; undefined where the list is the whole text. */
  get key(): string | undefined {
    return this.#key;
  }

  /** Throws a problem at the first fault: all items before it were handed on. */
  feed(bytes: Uint8Array): void {
    this.#take(this.#decode(bytes, true));
  }

  /** Throws where the list is not whole. */
  end(): void {
    this.#take(this.#decode(new Uint8Array(), false));
    if (this.#position === 'end') return;
    throw broken(this.#position === 'start' ? 'The body is empty.' : 'The JSON ends too early.');
  }

  #decode(bytes: Uint8Array, stream: boolean): string {
    try {
      return this.#utf8.decode(bytes, { stream });
    } catch {
      throw broken('The body is not UTF-8.');
    }
  }

  #take(text: string): void {
    this.#text = this.#text.slice(this.#at) + text;
    this.#scanned -= this.#at;
    this.#at = 0;
    while (this.#step());
    if (this.#text.length - this.#at > mostItemLength) {
      throw broken(`Item ${this.#items + 1} is longer than ${mostItemLength} characters.`);
    }
  }

  /** True where there may be more to do with what is there. */
  #step(): boolean {
    if (this.#position === 'item') return this.#item();
    this.#skip(space);
    const next = this.#text.charAt(this.#at);
    if (next === '') return false;
    switch (this.#position) {
      case 'start':
        if (next === '{') {
          this.#isMember = true;
          this.#at++;
        } else if (next !== '[') throw broken('A list is expected: [ … ].');
        this.#position = 'before the list';
        return true;
      case 'before the list':
        return this.#open();
      case 'first item':
        if (next === ']') return this.#close();
        this.#startItem();
        return true;
      case 'after the list':
        if (next !== '}') throw broken('Behind the list of a member nothing but } is expected.');
        this.#at++;
        this.#position = 'end';
        return true;
      default:
        throw broken('There is something behind the end of the JSON.');
    }
  }

  #open(): boolean {
    if (this.#isMember && this.#key === undefined) {
      const [, name] = this.#skip(member) ?? [];
      if (name === undefined) {
        if (this.#text.charAt(this.#at) !== '"') throw broken('One member with a list is expected: {"name": [ … ]}.');
        return false;
      }
      this.#key = String(parsed(name, 0));
    }
    const next = this.#text.charAt(this.#at);
    if (next === '') return false;
    if (next !== '[') throw broken('A list is expected: [ … ].');
    this.#at++;
    this.#position = 'first item';
    return true;
  }

  #startItem(): void {
    this.#position = 'item';
    this.#depth = 0;
    this.#parts = 0;
    this.#inText = false;
    this.#scanned = this.#at;
  }

  /** Looks on for the end of the item; the next one begins behind a comma. */
  #item(): boolean {
    const text = this.#text;
    for (let at = this.#scanned; at < text.length; at++) {
      const code = text.charCodeAt(at);
      if (this.#inText) {
        if (code === 0x5c) at++;
        else if (code === 0x22) this.#inText = false;
      } else if (code === 0x22) this.#inText = true;
      else if (code === 0x5b || code === 0x7b) {
        if (++this.#depth > maxJsonDepth) {
          throw new ProblemError('json-too-deep', `Item ${this.#items + 1} is deeper than ${maxJsonDepth} levels.`);
        }
      } else if (this.#depth > 0) {
        if (code === 0x5d || code === 0x7d) this.#depth--;
        else if (code === 0x2c && ++this.#parts > mostItemParts) {
          throw new ProblemError('json-too-large', `Item ${this.#items + 1} has more than ${mostItemParts} parts.`);
        }
      } else if (code === 0x2c || code === 0x5d) {
        this.#onItem(parsed(text.slice(this.#at, at), this.#items + 1));
        this.#items++;
        this.#at = at;
        if (code === 0x5d) return this.#close();
        this.#at++;
        this.#startItem();
        return true;
      }
      // Of an escape whose second half has not arrived.
      this.#scanned = at + 1;
    }
    return false;
  }

  #close(): boolean {
    this.#at++;
    this.#position = this.#isMember ? 'after the list' : 'end';
    return true;
  }

  #skip(form: RegExp): RegExpExecArray | null {
    form.lastIndex = this.#at;
    const found = form.exec(this.#text);
    if (found !== null) this.#at = form.lastIndex;
    return found;
  }
}

function parsed(text: string, item: number): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    throw broken(`Item ${item} is not JSON: ${(error as Error).message}.`);
  }
}

function broken(detail: string): ProblemError {
  return new ProblemError('malformed-json', detail);
}
