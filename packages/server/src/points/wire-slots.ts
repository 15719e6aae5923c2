// The wire bytes of a whole family of live points, ready to be sent: each point owns a padded slot in which its value is
// rewritten in place when someone reads it after a change. Reading a collection is then copying; notifying fifty
// watchers formats once. What is written into a slot is its owner's business.
import type { PointFields } from '@telltale/schema';
import { type ChosenHandles, ChosenPages, type Slots } from './chosen-pages.ts';
import { CollectionCopies, type CopiedPage, type Lease } from './collection-copies.ts';
import { type DefinitionText, definitionText } from './definition-text.ts';
import { type Gathering, Pieces, stepItems } from './pieces.ts';
import { pad } from './wire-format.ts';

/** Writes a point's value at a position; answers where it ends, or a negative number: minus the bytes that it needs. */
export type WriteValue = (handle: number, bytes: Buffer, at: number, room: number) => number;

const slotsAPage = 64;
const pageShift = 6;
const space = 0x20;
const closingBrace = 0x7d;
const comma = 0x2c;

/** Of a slot that has to be written again: its point has changed, or it merely lies elsewhere. */
const hasChanged = 1;
const hasMoved = 2;

interface Page extends CopiedPage {
  bytes: Buffer;
  length: number;
  version: number;
  /** False where slots came, went or grew: they are laid out again before the next use. */
  laid: boolean;
}

interface Chosen<Point> {
  readonly name: boolean;
  readonly live: boolean;
  readonly textOf: DefinitionText<Point>;
}

export class WireSlots<Point extends { readonly name: string }> implements Slots {
  readonly #fields: PointFields<Point>;
  readonly #definitionOf: (handle: number) => Point;
  readonly #textOf: DefinitionText<Point>;
  readonly #write: WriteValue;
  readonly #pages: Page[] = [];
  /** Slots, and pages with slots in them, whose value has changed since it was written. */
  #stale = new Uint8Array(0);
  #isShown = new Uint8Array(0);
  #stalePages = new Uint8Array(0);
  /** Of each slot, the version at which a change of its point was written. */
  #changedAt = new Float64Array(0);
  /** Where a slot begins in its page, and its parts, in bytes. */
  #start = new Uint32Array(0);
  #length = new Uint32Array(0);
  #keyLength = new Uint8Array(0);
  #headLength = new Uint8Array(0);
  #tailLength = new Uint32Array(0);
  #room = new Uint32Array(0);
  #valueLength = new Uint32Array(0);
  #version = 0;
  /** Another one whenever a slot lies elsewhere. */
  #layout = 0;
  readonly #copies = new CollectionCopies();
  /** For readers who see some of the points. */
  readonly #chosenPages = new WeakMap<ChosenHandles, ChosenPages>();

  /** `definitionOf` gives the definition of a point that is shown; it is called again after each `put` and `show`. */
  constructor(fields: PointFields<Point>, definitionOf: (handle: number) => Point, write: WriteValue) {
    this.#fields = fields;
    this.#definitionOf = definitionOf;
    this.#textOf = definitionText(fields);
    this.#write = write;
  }

  /** Grows with every change of any point; equal versions have equal bytes. */
  get version(): number {
    return this.#version;
  }

  /** `room` is what most values of the point need, in bytes; longer ones make the slot grow. */
  put(handle: number, room: number): void {
    this.prepare(handle, room);
    this.show(handle);
  }

  /** As `put`, but it is not there before `show`. */
  prepare(handle: number, room: number): void {
    this.#reserve(handle);
    this.#room[handle] = room;
  }

  show(handle: number): void {
    this.#isShown[handle] = 1;
    this.#pageOf(handle).laid = false;
    this.touch(handle);
  }

  remove(handle: number): void {
    this.#pageOf(handle).laid = false;
    this.#isShown[handle] = 0;
    this.#length[handle] = 0;
    this.#room[handle] = 0;
    this.#changed();
  }

  /** The value of the point is another one now. */
  touch(handle: number): void {
    this.#stale[handle] = hasChanged;
    this.#stalePages[handle >>> pageShift] = 1;
    this.#changed();
  }

  /** The same of many. */
  touchAll({ handles, count }: { readonly handles: Uint32Array; readonly count: number }): void {
    const stale = this.#stale;
    const stalePages = this.#stalePages;
    for (let index = 0; index < count; index++) {
      const handle = handles[index] as number;
      stale[handle] = hasChanged;
      stalePages[handle >>> pageShift] = 1;
    }
    this.#changed();
  }

  /** The whole collection, or some of it, a JSON object from name to object. The same bytes until something changes. */
  collection(chosen?: ChosenHandles): Lease {
    for (let number = 0; number < this.#pages.length; number++) this.#fresh(number);
    if (chosen === undefined) return this.#copies.lend(this.#pages, this.#version, this.#layout);
    return this.#chosenPagesOf(chosen).lend(this, this.#version);
  }

  /** Of some of it: the same until something of it changes. All of the points are looked at. */
  versionOf(chosen: ChosenHandles): string {
    for (let number = 0; number < this.#pages.length; number++) this.#fresh(number);
    return this.#chosenPagesOf(chosen).versionIn(this);
  }

  /** A JSON object of some points, each as it is when its turn comes. What is negative or gone by then is left out. */
  selection(handles: Iterable<number>, fields: readonly string[] | undefined): Gathering {
    return this.#gather(handles, fields, true);
  }

  /** The same as a JSON array. */
  array(handles: Iterable<number>): Gathering {
    return this.#gather(handles, undefined, false);
  }

  object(handle: number): Buffer {
    this.#freshOf(handle);
    const bytes = Buffer.allocUnsafe(at(this.#length, handle));
    const end = this.#writeWhole(handle, false, bytes, 0);
    return bytes.subarray(0, end - 1);
  }

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

  get pages(): readonly CopiedPage[] {
    return this.#pages;
  }

  handlesIn(page: number): number[] {
    const first = page << pageShift;
    const all = Array.from({ length: slotsAPage }, (_, index) => first + index);
    return all.filter((handle) => this.#isShown[handle] === 1);
  }

  startOf(handle: number): number {
    return at(this.#start, handle);
  }

  lengthOf(handle: number): number {
    return at(this.#length, handle);
  }

  changedAt(handle: number): number {
    return this.#changedAt[handle] ?? 0;
  }

  #chosenPagesOf(chosen: ChosenHandles): ChosenPages {
    const known = this.#chosenPages.get(chosen);
    if (known !== undefined) return known;
    const pages = new ChosenPages(chosen);
    this.#chosenPages.set(chosen, pages);
    return pages;
  }

  /** What stands before the value. */
  #headOf({ name }: Point): string {
    return `"${name}":{"name":"${name}","${this.#fields.live}":`;
  }

  #changed(): void {
    this.#version++;
  }

  #pageOf(handle: number): Page {
    const number = handle >>> pageShift;
    while (this.#pages.length <= number) {
      this.#pages.push({ bytes: Buffer.alloc(0), length: 0, version: 0, laid: true });
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

  /** Where values have outgrown their slots, the page is laid out again once for all of them, and is stale again. */
  #rewriteStale(number: number, page: Page): void {
    let isOutgrown = false;
    const first = number << pageShift;
    const behind = Math.min(first + slotsAPage, this.#stale.length);
    for (let handle = first; handle < behind; handle++) {
      if (this.#stale[handle] === 0) continue;
      if (this.#stale[handle] === hasChanged) this.#changedAt[handle] = this.#version;
      this.#stale[handle] = 0;
      if (at(this.#length, handle) > 0 && !this.#rewrite(page, handle)) isOutgrown = true;
    }
    if (isOutgrown) this.#lay(number, page);
  }

  /** False where the slot is too small: it has been given more room, and the page must be laid out again. */
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

  /** Rebuilds the page from the definitions of its points. */
  #lay(number: number, page: Page): void {
    const first = number << pageShift;
    const behind = Math.min(first + slotsAPage, this.#length.length);
    const tails = new Map<number, string>();
    let length = 0;
    for (let handle = first; handle < behind; handle++) {
      if (this.#isShown[handle] === 0) continue;
      const definition = this.#definitionOf(handle);
      const tail = `${this.#textOf(definition)}},`;
      tails.set(handle, tail);
      this.#keyLength[handle] = definition.name.length + 3;
      this.#headLength[handle] = this.#headOf(definition).length;
      this.#tailLength[handle] = Buffer.byteLength(tail);
      this.#length[handle] = at(this.#headLength, handle) + at(this.#room, handle) + at(this.#tailLength, handle);
      this.#start[handle] = length;
      this.#valueLength[handle] = 0;
      if (this.#stale[handle] === 0) this.#stale[handle] = hasMoved;
      length += at(this.#length, handle);
    }
    const bytes = Buffer.alloc(length, space);
    for (const [handle, tail] of tails) {
      const start = at(this.#start, handle);
      bytes.write(this.#headOf(this.#definitionOf(handle)), start, 'latin1');
      bytes.write(tail, start + at(this.#length, handle) - at(this.#tailLength, handle));
    }
    page.bytes = bytes;
    page.length = length;
    page.laid = true;
    page.version = this.#version;
    this.#layout++;
    this.#stalePages[number] = 1;
  }

  *#gather(handles: Iterable<number>, fields: readonly string[] | undefined, keyed: boolean): Gathering {
    const pieces = new Pieces();
    const chosen = fields === undefined ? undefined : this.#chosen(fields);
    pieces.byte(keyed ? 0x7b : 0x5b);
    let items = 0;
    let isEmpty = true;
    for (const handle of handles) {
      if (handle >= 0) {
        this.#freshOf(handle);
        if (at(this.#length, handle) > 0) {
          isEmpty = false;
          if (chosen === undefined) this.#appendWhole(handle, keyed, pieces);
          else this.#appendChosen(handle, chosen, pieces);
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

  #appendWhole(handle: number, keyed: boolean, pieces: Pieces): void {
    pieces.reserve(at(this.#length, handle));
    pieces.length = this.#writeWhole(handle, keyed, pieces.bytes, pieces.length);
  }

  #chosen(fields: readonly string[]): Chosen<Point> {
    return {
      name: fields.includes('name'),
      live: fields.includes(this.#fields.live),
      textOf: definitionText(this.#fields, fields),
    };
  }

  /** `"level":{…},` with the chosen fields alone, in the order of the whole object. */
  #appendChosen(handle: number, { name, live, textOf }: Chosen<Point>, pieces: Pieces): void {
    const text = textOf(this.#definitionOf(handle));
    pieces.reserve(at(this.#length, handle) + Buffer.byteLength(text));
    const { bytes: target, length: targetAt } = pieces;
    const { bytes } = this.#pages[handle >>> pageShift] as Page;
    const start = at(this.#start, handle);
    const keyEnd = start + at(this.#keyLength, handle);
    const valueAt = start + at(this.#headLength, handle);
    const nameEnd = valueAt - this.#fields.live.length - 4;
    let end = targetAt + bytes.copy(target, targetAt, start, keyEnd);
    const opening = end;
    target[end++] = 0x7b;
    if (name) {
      target[end++] = comma;
      end += bytes.copy(target, end, keyEnd + 1, nameEnd);
    }
    if (live) end += bytes.copy(target, end, nameEnd, valueAt + at(this.#valueLength, handle));
    end += target.write(text, end);
    if (end === opening + 1) end++;
    else target.copyWithin(opening + 1, opening + 2, end); // without the comma before the first field
    target[end - 1] = closingBrace;
    target[end] = comma;
    pieces.length = end + 1;
  }

  #reserve(handle: number): void {
    if (handle < this.#length.length) return;
    const capacity = Math.max(slotsAPage, 2 ** Math.ceil(Math.log2(handle + 1)));
    this.#stale = grown(this.#stale, new Uint8Array(capacity));
    this.#isShown = grown(this.#isShown, new Uint8Array(capacity));
    this.#stalePages = grown(this.#stalePages, new Uint8Array(capacity >>> pageShift));
    this.#changedAt = grown(this.#changedAt, new Float64Array(capacity));
    this.#start = grown(this.#start, new Uint32Array(capacity));
    this.#length = grown(this.#length, new Uint32Array(capacity));
    this.#keyLength = grown(this.#keyLength, new Uint8Array(capacity));
    this.#headLength = grown(this.#headLength, new Uint8Array(capacity));
    this.#tailLength = grown(this.#tailLength, new Uint32Array(capacity));
    this.#room = grown(this.#room, new Uint32Array(capacity));
    this.#valueLength = grown(this.#valueLength, new Uint32Array(capacity));
  }
}

function at(array: Uint8Array | Uint32Array, handle: number): number {
  return array[handle] as number;
}

export function grown<A extends { set(from: A): void }>(old: A, fresh: A): A {
  fresh.set(old);
  return fresh;
}
