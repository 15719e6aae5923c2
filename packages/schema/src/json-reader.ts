// Reads an untrusted JSON text from its bytes, piece by piece: short values go to JSON.parse, long ones are parsed
// here. So the caller can pause between pieces, and a text that is too deep, too wide, or has a duplicate member is
// refused before anything large is built from it.
import { pointerTo } from './pointer.ts';
import { ProblemError } from './problem.ts';

export interface JsonLimits {
  readonly depth: number;
  /** Of an object. */
  readonly keys: number;
  /** Of a list. */
  readonly items: number;
  /** Of all objects and lists together, except those that are handed on. */
  readonly values: number;
  /** Of a text, as it is written: JSON.parse reads it at once, however long it is. */
  readonly textBytes: number;
}

export interface JsonReaderOptions {
  /** Without them, everything is accepted that JSON.parse accepts: of a duplicate key, the last value counts. */
  readonly limits?: JsonLimits;
  /** The list in this member of the outermost object is handed on as it is read, unless the text is short. */
  readonly handOn?: HandOn;
  /** Of what JSON.parse is given at once; 0: nothing but texts, numbers and words. */
  readonly pieceBytes?: number;
  readonly reviver?: Reviver;
}

/** As JSON.parse has it. */
export type Reviver = (key: string, value: unknown, context?: { readonly source?: string }) => unknown;

export interface HandOn {
  readonly member: string;
  /** With the next items; its exceptions pass through. */
  readonly take: (items: readonly unknown[]) => void;
}

/** Some 0.2 ms of work; longer ones are read no faster. */
const usualPieceBytes = 16 << 10;

const noLimits: JsonLimits = {
  depth: Infinity,
  keys: Infinity,
  items: Infinity,
  values: Infinity,
  textBytes: Infinity,
};

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

const quote = 0x22;
const comma = 0x2c;
const colon = 0x3a;
const openList = 0x5b;
const backslash = 0x5c;
const closeList = 0x5d;
const openObject = 0x7b;
const closeObject = 0x7d;

const takeApart = Symbol('to be taken apart');

export class JsonReader {
  readonly #bytes: Uint8Array;
  readonly #limits: JsonLimits;
  readonly #takesDuplicates: boolean;
  readonly #handOn: HandOn | undefined;
  readonly #pieceBytes: number;
  readonly #reviver: Reviver | undefined;
  readonly #path: (string | number)[] = [];
  #read: unknown;
  #at = 0;
  /** Objects and lists that are being parsed here. */
  #depth = 0;
  #values = 0;
  /** Everything before this offset is parsed here, however short it is. */
  #byHandUntil = 0;
  /** Of what was looked over: its colons, its commas, and whether a key has an escape. */
  #colons = 0;
  #commas = 0;
  #hasEscapedKey = false;

  constructor(bytes: Uint8Array, { limits, handOn, pieceBytes = usualPieceBytes, reviver }: JsonReaderOptions) {
    this.#bytes = bytes;
    this.#limits = limits ?? noLimits;
    this.#takesDuplicates = limits === undefined;
    this.#handOn = handOn;
    this.#pieceBytes = pieceBytes;
    this.#reviver = reviver;
    if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) this.#at = 3;
  }

  /** The result; undefined before it is complete. */
  get value(): unknown {
    return this.#read;
  }

  /** Yields after each piece; throws a `ProblemError` at the first thing that is wrong. */
  *read(): Generator<undefined, void> {
    if (this.#next() === undefined) throw new ProblemError('malformed-json', 'The body is empty.');
    const value = yield* this.#value();
    if (this.#next() !== undefined) throw this.#broken('there is more behind its end');
    this.#read = value;
  }

  *#value(): Generator<undefined, unknown> {
    const first = this.#next();
    const start = this.#at;
    const isLeaf = first !== openObject && first !== openList;
    const end = isLeaf || start >= this.#byHandUntil ? this.#lookOver(start, false) : -1;
    const value = end < 0 ? takeApart : this.#piece(start, end);
    if (value === takeApart && isLeaf) throw this.#broken('a value is expected');
    if (value === takeApart) return first === openObject ? yield* this.#object() : yield* this.#list();
    this.#at = end;
    yield;
    return value;
  }

  *#object(): Generator<undefined, object> {
    const object = {};
    if (this.#isEmpty(closeObject)) return object;
    let keys = 0;
    for (;;) {
      const members = (this.#parts('{', '}') ?? (yield* this.#member())) as Record<string, unknown>;
      for (const key in members) {
        if (++keys > this.#limits.keys) throw this.#tooLarge('keys');
        if (!this.#takesDuplicates && Object.hasOwn(object, key)) throw duplicate([...this.#path, key]);
        put(object, key, members[key]);
      }
      yield;
      if (this.#isLast(closeObject)) return object;
      this.#count(1);
    }
  }

  *#member(): Generator<undefined, object> {
    if (this.#next() !== quote) throw this.#broken('a key in quotes is expected');
    const end = this.#endOfText();
    const key = this.#parse(this.#at, end) as string;
    this.#at = end;
    if (this.#next() !== colon) throw this.#broken('a colon is expected behind a key');
    this.#at++;
    this.#path.push(key);
    const member = {};
    put(member, key, yield* this.#value());
    this.#path.pop();
    return member;
  }

  *#list(): Generator<undefined, unknown[]> {
    const handOn = this.#path.length === 1 && this.#path[0] === this.#handOn?.member ? this.#handOn : undefined;
    const list: unknown[] = [];
    if (this.#isEmpty(closeList)) return list;
    let length = 0;
    for (;;) {
      const items = (this.#parts('[', ']') ?? [yield* this.#item(length)]) as unknown[];
      length += items.length;
      if (length > this.#limits.items) throw this.#tooLarge('items');
      if (handOn === undefined) for (const item of items) list.push(item);
      else {
        handOn.take(items);
        this.#values = 0;
      }
      yield;
      if (this.#isLast(closeList)) return list;
      this.#count(1);
    }
  }

  *#item(index: number): Generator<undefined, unknown> {
    this.#path.push(index);
    const item = yield* this.#value();
    this.#path.pop();
    return item;
  }

  /** The next items of a list, or members of an object, as many as make a piece; undefined where one has to be taken apart. */
  #parts(opening: '[' | '{', closing: ']' | '}'): object | undefined {
    const start = this.#at;
    if (start < this.#byHandUntil) return undefined;
    const end = this.#lookOver(start, true);
    if (end < 0) return undefined;
    const parts = this.#piece(start, end, opening, closing);
    if (parts === takeApart) return undefined;
    for (const _ in parts as object) {
      this.#at = end;
      return parts as object;
    }
    throw this.#broken('a value is expected');
  }

  /** What JSON.parse makes of scanned bytes; or `takeApart`, where a key is there twice or has an escape. */
  #piece(start: number, end: number, opening = '', closing = ''): unknown {
    this.#count(this.#commas);
    if (!this.#hasEscapedKey) {
      const value = this.#parse(start, end, opening, closing);
      if (this.#colons === 0 || keysIn(value) === this.#colons) return value;
    }
    this.#byHandUntil = end;
    return takeApart;
  }

  #parse(start: number, end: number, opening = '', closing = ''): unknown {
    let text: string;
    try {
      text = utf8.decode(this.#bytes.subarray(start, end));
    } catch {
      throw new ProblemError('malformed-json', 'The body is not UTF-8.');
    }
    try {
      return JSON.parse(opening + text + closing, this.#reviver);
    } catch (error) {
      const isWhole = start === 0 && end === this.#bytes.length;
      throw new ProblemError(
        'malformed-json',
        isWhole ? `${(error as Error).message}.` : `From byte ${start} on: ${(error as Error).message}.`,
      );
    }
  }

  /** Where the value, or the last of a piece of items, ends; -1 where an object or list continues after the piece. */
  #lookOver(start: number, isParts: boolean): number {
    const bytes = this.#bytes;
    const { length } = bytes;
    const most = start + this.#pieceBytes;
    const outside = this.#depth;
    let depth = outside;
    let end = -1;
    let colons = 0;
    let commas = 0;
    let isEscaped = false;
    this.#colons = 0;
    this.#commas = 0;
    this.#hasEscapedKey = false;
    for (let at = start; ; at++) {
      if (at >= length) {
        end = length;
        break;
      }
      const byte = bytes[at] as number;
      if (byte === quote) {
        const stop = at + this.#limits.textBytes;
        for (isEscaped = false; ++at < length && bytes[at] !== quote; ) {
          if (at > stop) throw this.#textTooLong(stop);
          if (bytes[at] !== backslash) continue;
          isEscaped = true;
          at++;
        }
        if (depth === outside && !isParts) {
          end = Math.min(at + 1, length);
          break;
        }
      } else if (byte === openObject || byte === openList) {
        if (++depth > this.#limits.depth) throw this.#tooDeep(at);
      } else if (byte === closeObject || byte === closeList) {
        if (depth === outside) {
          end = at;
          break;
        }
        if (--depth === outside && !isParts) {
          end = at + 1;
          break;
        }
      } else if (byte === colon) {
        colons++;
        if (isEscaped) this.#hasEscapedKey = true;
      } else if (byte === comma) {
        if (depth === outside) {
          end = at;
          this.#colons = colons;
          this.#commas = commas;
          if (!isParts || at >= most) return end;
        }
        commas++;
      }
      if (at >= most && depth > outside) return end;
    }
    this.#colons = colons;
    this.#commas = commas;
    return end;
  }

  /** Behind the closing quote of the text that opens here. */
  #endOfText(): number {
    const bytes = this.#bytes;
    const { length } = bytes;
    let at = this.#at + 1;
    const stop = at + this.#limits.textBytes;
    while (at < length && bytes[at] !== quote) {
      if (at > stop) throw this.#textTooLong(stop);
      at += bytes[at] === backslash ? 2 : 1;
    }
    return Math.min(at + 1, length);
  }

  /** The next byte that is no space; undefined at the end. */
  #next(): number | undefined {
    for (;;) {
      const byte = this.#bytes[this.#at];
      if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) return byte;
      this.#at++;
    }
  }

  /** Goes into an object or list; true where it is over at once. */
  #isEmpty(closing: number): boolean {
    if (++this.#depth > this.#limits.depth) throw this.#tooDeep(this.#at);
    this.#at++;
    if (this.#next() !== closing) return false;
    return this.#isLast(closing);
  }

  /** Whether the object or list is over; else another part follows. */
  #isLast(closing: number): boolean {
    const next = this.#next();
    this.#at++;
    if (next === comma) return false;
    if (next !== closing) throw this.#broken(`a comma or ${String.fromCharCode(closing)} is expected`);
    this.#depth--;
    return true;
  }

  #count(values: number): void {
    this.#values += values;
    if (this.#values > this.#limits.values) throw this.#tooLarge('values');
  }

  #broken(what: string): ProblemError {
    return new ProblemError('malformed-json', `At byte ${this.#at}, ${what}.`);
  }

  #tooDeep(at: number): ProblemError {
    const { depth } = this.#limits;
    return new ProblemError('json-too-deep', `At byte ${at} the JSON is deeper than ${depth} levels.`);
  }

  #textTooLong(at: number): ProblemError {
    return new ProblemError('json-too-large', `At byte ${at} a text is longer than ${this.#limits.textBytes} bytes.`);
  }

  #tooLarge(of: 'keys' | 'items' | 'values'): ProblemError {
    const path = of === 'values' ? '' : pointerTo(this.#path);
    const message = `has more than ${this.#limits[of]} ${of}`;
    return new ProblemError('json-too-large', `${path || 'The body'} ${message}.`, [{ path, message }]);
  }
}

/** Without a pause. */
export function readAll(reader: JsonReader): unknown {
  for (const _ of reader.read());
  return reader.value;
}

/** Of what JSON.parse has made: the keys of all objects in it. */
function keysIn(value: unknown): number {
  let keys = 0;
  if (Array.isArray(value)) {
    for (const item of value) if (typeof item === 'object' && item !== null) keys += keysIn(item);
  } else {
    for (const key in value as Record<string, unknown>) {
      keys++;
      const member = (value as Record<string, unknown>)[key];
      if (typeof member === 'object' && member !== null) keys += keysIn(member);
    }
  }
  return keys;
}

/** A key such as `__proto__` is an ordinary one. */
function put(object: Record<string, unknown>, key: string, value: unknown): void {
  if (key !== '__proto__') object[key] = value;
  else Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
}

function duplicate(path: readonly (string | number)[]): ProblemError {
  const pointer = pointerTo(path);
  const message = 'is there twice';
  return new ProblemError('duplicate-key', `${pointer} ${message}.`, [{ path: pointer, message }]);
}
