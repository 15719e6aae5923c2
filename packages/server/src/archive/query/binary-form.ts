// An answer as columns: frames of many records of one name and datatype, little-endian, each at a multiple of 8 bytes.
// The last frame says that nothing was cut off.

import { wordOf } from '@telltale/schema/digits';
import { type Datatype, form, traitsOf } from '@telltale/schema/values';
import type { Aggregate } from '../archive-access.ts';
import { Columns, flagsOf, type Kind, kinds } from '../records.ts';
import type { AnswerForm } from './answer-form.ts';
import type { Page } from './page.ts';

const frameMagic = wordOf('TTCF');
const aggregateMagic = wordOf('TTCA');
const endMagic = wordOf('TTCE');
const headerBytes = 16;
/** Beside the kind: a column of flags is behind that of the qualities. */
const flagsFollow = 0x80;
/** Of the word of an aggregate. */
const wordBytes = 16;

/** A frame of so many records is about a page. */
export const framedRecords = 3584;
/** Runs from this length on are frames by themselves; shorter ones are gathered. */
const worthAFrame = 512;
/** Of the texts that are gathered for a frame. */
const framedCharacters = 32_768;

export class BinaryForm implements AnswerForm {
  readonly #kind: Kind;
  readonly #hasFlags: boolean;
  #name = Buffer.alloc(0);
  #hasFrame = false;
  #datatype: Datatype = 'd';
  /** Has its room when something is gathered. */
  readonly #gathered = new Columns();
  #characters = 0;

  constructor(kind: Kind, hasFlags: boolean) {
    this.#kind = kind;
    this.#hasFlags = hasFlags;
  }

  begin(): void {}

  beginName(_page: Page, name: string, datatype: Datatype | undefined): void {
    this.#name = Buffer.from(name);
    this.#hasFrame = false;
    this.#datatype = datatype ?? (this.#kind === 'alarms' ? 's' : 'd');
  }

  write(page: Page, datatype: Datatype, columns: Columns, from: number, to: number): number {
    const gathered = this.#gathered;
    if (gathered.count > 0 && datatype !== this.#datatype) this.#flush(page);
    this.#datatype = datatype;
    if (traitsOf(datatype).form === form.text) return this.#gatherTexts(page, columns, from, to);
    let at = from;
    while (at < to && !page.isFull) {
      if (gathered.count === 0 && to - at >= worthAFrame) {
        const end = Math.min(to, at + framedRecords);
        this.#frame(page, columns, at, end);
        at = end;
        continue;
      }
      gathered.reserve(framedRecords);
      const end = Math.min(to, at + framedRecords - gathered.count);
      gathered.times.set(columns.times.subarray(at, end), gathered.count);
      // Copied as integers no bit of a double changes.
      gathered.longs.set(columns.longs.subarray(at, end), gathered.count);
      gathered.qualities.set(columns.qualities.subarray(at, end), gathered.count);
      gathered.count += end - at;
      at = end;
      if (gathered.count === framedRecords) this.#flush(page);
    }
    return at;
  }

  /** A name without records has an empty frame, whose datatype says nothing. */
  endName(page: Page): void {
    if (this.#gathered.count > 0 || !this.#hasFrame) this.#flush(page);
  }

  end(page: Page): void {
    writeEnd(page);
  }

  #gatherTexts(page: Page, columns: Columns, from: number, to: number): number {
    const gathered = this.#gathered;
    gathered.reserve(framedRecords);
    let at = from;
    for (; at < to && !page.isFull; at++) {
      const text = columns.texts[at] as string;
      gathered.times[gathered.count] = columns.times[at] as number;
      gathered.qualities[gathered.count] = columns.qualities[at] as number;
      gathered.texts[gathered.count] = text;
      gathered.count++;
      this.#characters += text.length;
      if (gathered.count === framedRecords || this.#characters >= framedCharacters) this.#flush(page);
    }
    return at;
  }

  #flush(page: Page): void {
    const gathered = this.#gathered;
    this.#frame(page, gathered, 0, gathered.count);
    gathered.clear();
    this.#characters = 0;
  }

  #frame(page: Page, columns: Columns, from: number, to: number): void {
    const head = { kind: this.#kind, name: this.#name, datatype: this.#datatype, hasFlags: this.#hasFlags };
    writeFrame(page, head, columns, from, to);
    this.#hasFrame = true;
  }
}

export interface FrameHead {
  readonly kind: Kind;
  readonly name: Buffer;
  readonly datatype: Datatype;
  readonly hasFlags: boolean;
  /** Of several. */
  readonly aggregate?: Aggregate;
}

export function writeFrame(page: Page, head: FrameHead, columns: Columns, from: number, to: number): void {
  const { kind, name, datatype, hasFlags, aggregate } = head;
  const count = to - from;
  const isText = traitsOf(datatype).form === form.text;
  const texts = isText ? columns.texts.slice(from, to).map((text) => Buffer.from(text)) : undefined;
  const textBytes = texts?.reduce((sum, { length }) => sum + length, 0) ?? 0;
  const valueBytes = texts === undefined ? 8 * count : padded(4 * count) + padded(textBytes);
  page.reserve(headerBytes + wordBytes + padded(name.length) + 8 * count + valueBytes + 2 * padded(count));
  const { bytes, view } = page;
  let at = page.at;
  view.setUint32(at, aggregate === undefined ? frameMagic : aggregateMagic, true);
  view.setUint8(at + 4, kinds.indexOf(kind) | (hasFlags ? flagsFollow : 0));
  view.setUint8(at + 5, datatype.charCodeAt(0));
  view.setUint16(at + 6, name.length, true);
  view.setUint32(at + 8, count, true);
  view.setUint32(at + 12, textBytes, true);
  at += headerBytes;
  if (aggregate !== undefined) {
    bytes.fill(0, at, at + wordBytes);
    bytes.write(aggregate, at, 'latin1');
    at += wordBytes;
  }
  bytes.set(name, at);
  at = pad(bytes, at + name.length);
  new Float64Array(bytes.buffer, at, count).set(columns.times.subarray(from, to));
  at += 8 * count;
  if (texts === undefined) {
    new BigInt64Array(bytes.buffer, at, count).set(columns.longs.subarray(from, to));
    at += 8 * count;
  } else at = writeTexts(bytes, view, at, texts);
  const { qualities } = columns;
  for (let index = 0; index < count; index++) bytes[at + index] = qualities[from + index] as number;
  at = pad(bytes, at + count);
  if (hasFlags) {
    for (let index = 0; index < count; index++) bytes[at + index] = flagsOf(qualities[from + index] as number);
    at = pad(bytes, at + count);
  }
  page.at = at;
}

/** The last frame. */
export function writeEnd(page: Page): void {
  page.reserve(headerBytes);
  page.bytes.fill(0, page.at, page.at + headerBytes);
  page.view.setUint32(page.at, endMagic, true);
  page.at += headerBytes;
}

function writeTexts(bytes: Buffer, view: DataView, start: number, texts: readonly Buffer[]): number {
  let at = start;
  for (const { length } of texts) {
    view.setUint32(at, length, true);
    at += 4;
  }
  at = pad(bytes, at);
  for (const text of texts) {
    bytes.set(text, at);
    at += text.length;
  }
  return pad(bytes, at);
}

function padded(bytes: number): number {
  return (bytes + 7) & ~7;
}

function pad(bytes: Buffer, from: number): number {
  let at = from;
  while ((at & 7) !== 0) bytes[at++] = 0;
  return at;
}
