// The payload of one message, read once for all points that want a part of it.
import { parseJson } from '@telltale/schema';
import { followPointer } from '@telltale/stack-kit';
import type { Selector } from './address.ts';
import { jsonSource } from './json-source.ts';

/** What a part of a payload is: as JSON has it; `undefined` where it is not there. */
export type Part = unknown;

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false });
const unread = Symbol('unread');

export class Payload {
  #bytes: Buffer = Buffer.alloc(0);
  #text: string | undefined | typeof unread = unread;
  #json: unknown = unread;
  #jsonFault: string | undefined;

  /** The same object serves one message after the other. */
  load(bytes: Buffer): this {
    this.#bytes = bytes;
    this.#text = unread;
    this.#json = unread;
    this.#jsonFault = undefined;
    return this;
  }

  get bytes(): Buffer {
    return this.#bytes;
  }

  /** Undefined where it is not UTF-8. */
  get text(): string | undefined {
    if (this.#text === unread) {
      try {
        this.#text = utf8.decode(this.#bytes);
      } catch {
        this.#text = undefined;
      }
    }
    return this.#text;
  }

  get jsonFault(): string | undefined {
    this.#parse();
    return this.#jsonFault;
  }

  /** Of the JSON; undefined if it is not JSON. */
  at(path: readonly string[]): Part {
    return followPointer(this.#parse(), path);
  }

  /** As it stands in the JSON. */
  source(path: readonly string[]): string | undefined {
    return this.text === undefined || this.jsonFault !== undefined ? undefined : jsonSource(this.text, path);
  }

  /** A text or number as it stands: for comparisons, and for people. */
  words(selector: Selector): string | undefined {
    if (selector.kind !== 'json') return this.text;
    const part = this.at(selector.path);
    return typeof part === 'string' ? part : this.source(selector.path);
  }

  #parse(): unknown {
    if (this.#json !== unread) return this.#json;
    this.#json = undefined;
    const { text } = this;
    if (text === undefined) {
      this.#jsonFault = 'the payload is not UTF-8';
      return undefined;
    }
    try {
      this.#json = parseJson(text);
    } catch (error) {
      this.#jsonFault = `the payload is not JSON: ${(error as Error).message}`;
    }
    return this.#json;
  }
}
