// The wire bytes of a whole family of live points, kept ready: each point owns a padded slot in which its value is
// rewritten in place when someone reads it after a change. Reading a collection is then copying; telling fifty watchers
// formats once. What is written into a slot is its owner's business.
import { CollectionCopies, type CopiedPage, type Lease } from './collection-copies.ts';
import { type Gathering, Pieces, stepItems } from './pieces.ts';
import { pad } from './wire-format.ts';

/** A slot in text: what stands before the value, and what stands behind it. */
export interface SlotText {
  readonly name: string;
  /** The fields behind the value, each with a comma before it; the description may be empty. */
  readonly address: string;
  readonly datatypes: string;
  readonly euRange: string;
  readonly rawRange: string;
  readonly description: string;
}

/** Writes a point's value at a position; answers where it ends, or a negative number: minus the bytes that it needs. */
export type WriteValue = (handle: number, bytes: Buffer, at: number, room: number) => number;

const slotsAPage = 64;
const pageShift = 6;
const space = 0x20;
const closingBrace = 0x7d;
const comma = 0x2c;

interface Page extends CopiedPage {
  bytes: Buffer;
  length: number;
  version: number;
  /** False where slots came, went or grew: they are laid anew before the next use. */
  laid: boolean;
  /** Slots whose text is new. */
  texts: Map<number, SlotText>;
}

const datatypeLength = ',"datatype":"d"'.length;
const rawDatatypeLength = ',"raw-datatype":"d"'.length;
const noDescription = Buffer.from(',"description":""');

export class WireSlots {
  readonly #valueField: string;
  readonly #write: WriteValue;
  readonly #pages: Page[] = [];
  /** Slots, and pages with slots in them, whose value has changed since it was written. */
  #stale = new Uint8Array(0);
  #isShown = new Uint8Array(0);
  #stalePages = new Uint8Array(0);
  /** Where a slot begins in its page, and its parts, in bytes. */
  #start = new Uint32Array(0);
  #length = new Uint32Array(0);
  #keyLength = new Uint8Array(0);
  #headLength = new Uint8Array(0);
  #tailLength = new Uint32Array(0);
  #room = new Uint32Array(0);
  #valueLength = new Uint32Array(0);
  #addressLength = new Uint32Array(0);
  #euRangeLength = new Uint16Array(0);
  #rawRangeLength = new Uint16Array(0);
  #version = 0;
  /** Another one whenever a slot lies elsewhere. */
  #layout = 0;
  readonly #copies = new CollectionCopies();

  constructor(valueField: 'vtq' | 'vt', write: WriteValue) {
    this.#valueField = valueField;
    this.#write = write;
  }

  /** Grows with every change of any point; equal versions have equal bytes. */
  get version(): number {
    return this.#version;
  }

  /** `room` is what most values of the point need, in bytes; longer ones make the slot grow. */
  put(handle: number, text: SlotText, room: number): void {
    this.prepare(handle, text, room);
    this.show(handle);
  }

  /** As `put`, but it is not there before `show`. */
  prepare(handle: number, text: SlotText, room: number): void {
    this.#reserve(handle);
    this.#pageOf(handle).texts.set(handle, text);
    this.#room[handle] = room;
  }

  show(handle: number): void {
    this.#isShown[handle] = 1;
    this.#pageOf(handle).laid = false;
    this.touch(handle);
  }

  remove(handle: number): void {
    const page = this.#pageOf(handle);
    page.texts.delete(handle);
    page.laid = false;
    this.#isShown[handle] = 0;
    this.#length[handle] = 0;
    this.#room[handle] = 0;
    this.#changed();
  }

  /** The value of the point is another one now. */
  touch(handle: number): void {
    this.#stale[handle] = 1;
    this.#stalePages[handle >>> pageShift] = 1;
    this.#changed();
  }

  /** The same of many. */
  touchAll({ handles, count }: { readonly handles: Uint32Array; readonly count: number }): void {
    const stale = this.#stale;
    const stalePages = this.#stalePages;
    for (let index = 0; index < count; index++) {
      const handle = handles[index] as number;
      stale[handle] = 1;
      stalePages[handle >>> pageShift] = 1;
    }
    this.#changed();
  }

  /** The whole collection, a JSON object from name to object. The same bytes until something changes. */
  collection(): Lease {
    for (let number = 0; number < this.#pages.length; number++) this.#fresh(number);
    return this.#copies.lend(this.#pages, this.#version, this.#layout);
  }

  /** A JSON object of some points, each as it is when its turn comes. What is negative or gone by then is left out. */
  selection(handles: Iterable<number>, fields: readonly string[] | undefined): Gathering {
    return this.#gather(handles, fields, true);
  }

  /** The same as a JSON array. */
  array(handles: Iterable<number>): Gathering {
    return this.#gather(handles, undefined, false);
  }

  /** One whole object. */
  object(handle: number): Buffer {
    this.#freshOf(handle);
    const bytes = Buffer.allocUnsafe(at(this.#length, handle));
    const end = this.#writeWhole(handle, false, bytes, 0);
    return bytes.subarray(0, end - 1);
  }

  /** The bytes that `writeItem` needs for this point. */
  itemLength(handle: number): number {
    this.#freshOf(handle);
    return at(this.#headLength, handle) - at(this.#keyLength, handle) + at(this.#valueLength, handle) + 2;
  }

  /** `{"name":"level","vtq":[…]},`: an item of a notification. Call `itemLength` before. */
  writeItem(handle: number, target: Buffer, targetAt: number): number {
    const page = this.#pages[handle >>> pageShift] as Page;
    const start = at(this.#start, handle);
    const end = start + at(this.#headLength, handle) + at(this.#valueLength, handle);
    const behind = targetAt + page.bytes.copy(target, targetAt, start + at(this.#keyLength, handle), end);
    target[behind] = closingBrace;
    target[behind + 1] = comma;
    return behind + 2;
  }

  #changed(): void {
    this.#version++;
  }

  #pageOf(handle: number): Page {
    const number = handle >>> pageShift;
    while (this.#pages.length <= number) {
      this.#pages.push({ bytes: Buffer.alloc(0), length: 0, version: 0, laid: true, texts: new Map() });
    }
    return this.#pages[number] as Page;
  }

  #freshOf(handle: number): Page {
    return this.#fresh(handle >>> pageShift);
  }

  /** The page with every value in it as it is now. */
  #fresh(number: number): Page {
    const page = this.#pages[number] as Page;
    if (!page.laid) this.#lay(number, page);
    while (this.#stalePages[number] === 1) {
      this.#stalePages[number] = 0;
      page.version = this.#version;
      this.#rewriteStale(number, page);
    }
    return page;
  }

  /** Where values have outgrown their slots, the page is laid anew once for all of them, and is stale again. */
  #rewriteStale(number: number, page: Page): void {
    let isOutgrown = false;
    const first = number << pageShift;
    const behind = Math.min(first + slotsAPage, this.#stale.length);
    for (let handle = first; handle < behind; handle++) {
      if (this.#stale[handle] === 0) continue;
      this.#stale[handle] = 0;
      if (at(this.#length, handle) > 0 && !this.#rewrite(page, handle)) isOutgrown = true;
    }
    if (isOutgrown) this.#lay(number, page);
  }

  /** False where the slot is too small: it has been given more room, and the page must be laid anew. */
  #rewrite(page: Page, handle: number): boolean {
    const valueAt = at(this.#start, handle) + at(this.#headLength, handle);
    const end = this.#write(handle, page.bytes, valueAt, at(this.#room, handle));
    if (end < 0) {
      this.#room[handle] = 2 ** Math.ceil(Math.log2(-end));
      return false;
    }
    const before = at(this.#valueLength, handle);
    this.#valueLength[handle] = end - valueAt;
    pad(page.bytes, end, valueAt + before);
    return true;
  }

  /** Makes the page anew from the slots that it has and the texts that are new. */
  #lay(number: number, page: Page): void {
    const first = number << pageShift;
    const behind = Math.min(first + slotsAPage, this.#length.length);
    const slots = new Map<number, { head: Buffer; tail: Buffer }>();
    let length = 0;
    for (let handle = first; handle < behind; handle++) {
      if (this.#isShown[handle] === 0) continue;
      const text = page.texts.get(handle);
      page.texts.delete(handle);
      const parts = text === undefined ? this.#cut(handle, page) : this.#measure(handle, text);
      slots.set(handle, parts);
      length += parts.head.length + at(this.#room, handle) + parts.tail.length;
    }
    const bytes = Buffer.alloc(length, space);
    let start = 0;
    for (const [handle, { head, tail }] of slots) {
      const room = at(this.#room, handle);
      head.copy(bytes, start);
      tail.copy(bytes, start + head.length + room);
      this.#start[handle] = start;
      this.#length[handle] = head.length + room + tail.length;
      this.#valueLength[handle] = 0;
      this.#stale[handle] = 1;
      start += head.length + room + tail.length;
    }
    page.bytes = bytes;
    page.length = length;
    page.laid = true;
    page.version = this.#version;
    this.#layout++;
    this.#stalePages[number] = 1;
  }

  #measure(handle: number, text: SlotText): { head: Buffer; tail: Buffer } {
    const key = `"${text.name}":`;
    const head = Buffer.from(`${key}{"name":"${text.name}","${this.#valueField}":`);
    this.#keyLength[handle] = key.length;
    this.#headLength[handle] = head.length;
    this.#addressLength[handle] = Buffer.byteLength(text.address);
    this.#euRangeLength[handle] = text.euRange.length;
    this.#rawRangeLength[handle] = text.rawRange.length;
    const tail = Buffer.from(`${text.address}${text.datatypes}${text.euRange}${text.rawRange}${text.description}},`);
    this.#tailLength[handle] = tail.length;
    return { head, tail };
  }

  /** The parts of a slot that stays, out of the page as it was. */
  #cut(handle: number, page: Page): { head: Buffer; tail: Buffer } {
    const start = at(this.#start, handle);
    const end = start + at(this.#length, handle);
    const headEnd = start + at(this.#headLength, handle);
    return {
      head: page.bytes.subarray(start, headEnd),
      tail: page.bytes.subarray(end - at(this.#tailLength, handle), end),
    };
  }

  *#gather(handles: Iterable<number>, fields: readonly string[] | undefined, keyed: boolean): Gathering {
    const pieces = new Pieces();
    pieces.byte(keyed ? 0x7b : 0x5b);
    let items = 0;
    let isEmpty = true;
    for (const handle of handles) {
      if (handle >= 0) {
        this.#freshOf(handle);
        const length = at(this.#length, handle);
        if (length > 0) {
          isEmpty = false;
          pieces.reserve(length + noDescription.length);
          pieces.length =
            fields === undefined
              ? this.#writeWhole(handle, keyed, pieces.bytes, pieces.length)
              : this.#writeFields(handle, fields, pieces.bytes, pieces.length);
        }
      }
      if (++items % stepItems === 0) yield;
    }
    if (!isEmpty) pieces.length--; // the last comma
    pieces.byte(keyed ? closingBrace : 0x5d);
    return { pieces: pieces.end() };
  }

  /** `"level":{…},` or, without its key, `{…},`; and without what pads the value. */
  #writeWhole(handle: number, keyed: boolean, target: Buffer, targetAt: number): number {
    const { bytes } = this.#pages[handle >>> pageShift] as Page;
    const start = at(this.#start, handle);
    const end = start + at(this.#length, handle);
    const from = keyed ? start : start + at(this.#keyLength, handle);
    const valueEnd = start + at(this.#headLength, handle) + at(this.#valueLength, handle);
    const behind = targetAt + bytes.copy(target, targetAt, from, valueEnd);
    return behind + bytes.copy(target, behind, end - at(this.#tailLength, handle), end);
  }

  /** `"level":{…},` with the chosen fields alone, in the order of the whole object. */
  #writeFields(handle: number, fields: readonly string[], target: Buffer, targetAt: number): number {
    const { bytes } = this.#pages[handle >>> pageShift] as Page;
    const start = at(this.#start, handle);
    const keyEnd = start + at(this.#keyLength, handle);
    const valueAt = start + at(this.#headLength, handle);
    const nameEnd = valueAt - this.#valueField.length - 4;
    let end = targetAt + bytes.copy(target, targetAt, start, keyEnd);
    const opening = end;
    target[end++] = 0x7b;
    if (fields.includes('name')) {
      target[end++] = comma;
      end += bytes.copy(target, end, keyEnd + 1, nameEnd);
    }
    if (fields.includes(this.#valueField)) {
      end += bytes.copy(target, end, nameEnd, valueAt + at(this.#valueLength, handle));
    }
    let from = start + at(this.#length, handle) - at(this.#tailLength, handle);
    const parts: readonly [field: string, length: number][] = [
      ['address', at(this.#addressLength, handle)],
      ['datatype', datatypeLength],
      ['raw-datatype', rawDatatypeLength],
      ['eu-range', at(this.#euRangeLength, handle)],
      ['raw-range', at(this.#rawRangeLength, handle)],
    ];
    for (const [field, length] of parts) {
      if (fields.includes(field)) end += bytes.copy(target, end, from, from + length);
      from += length;
    }
    if (fields.includes('description')) {
      const behind = start + at(this.#length, handle) - 2;
      end += from === behind ? noDescription.copy(target, end) : bytes.copy(target, end, from, behind);
    }
    if (end === opening + 1) end++;
    else target.copyWithin(opening + 1, opening + 2, end); // without the comma before the first field
    target[end - 1] = closingBrace;
    target[end] = comma;
    return end + 1;
  }

  #reserve(handle: number): void {
    if (handle < this.#length.length) return;
    const capacity = Math.max(slotsAPage, 2 ** Math.ceil(Math.log2(handle + 1)));
    this.#stale = grown(this.#stale, new Uint8Array(capacity));
    this.#isShown = grown(this.#isShown, new Uint8Array(capacity));
    this.#stalePages = grown(this.#stalePages, new Uint8Array(capacity >>> pageShift));
    this.#start = grown(this.#start, new Uint32Array(capacity));
    this.#length = grown(this.#length, new Uint32Array(capacity));
    this.#keyLength = grown(this.#keyLength, new Uint8Array(capacity));
    this.#headLength = grown(this.#headLength, new Uint8Array(capacity));
    this.#tailLength = grown(this.#tailLength, new Uint32Array(capacity));
    this.#room = grown(this.#room, new Uint32Array(capacity));
    this.#valueLength = grown(this.#valueLength, new Uint32Array(capacity));
    this.#addressLength = grown(this.#addressLength, new Uint32Array(capacity));
    this.#euRangeLength = grown(this.#euRangeLength, new Uint16Array(capacity));
    this.#rawRangeLength = grown(this.#rawRangeLength, new Uint16Array(capacity));
  }
}

function at(array: Uint8Array | Uint16Array | Uint32Array, handle: number): number {
  return array[handle] as number;
}

export function grown<A extends { set(from: A): void }>(old: A, fresh: A): A {
  fresh.set(old);
  return fresh;
}
