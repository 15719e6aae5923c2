// The log of the running tick: the changes of measurements that somebody watches, each formatted once, as entries of
// messages that are made of all of them or of some.
import type { Measurements } from '../../points/index.ts';
import type { ChannelClient, UpdateSource } from './channel-client.ts';
import { Growing } from './growing.ts';

/** Changes are gathered for so long at most. */
export const gatherMs = 20;

/** Sooner, when so much has come together. */
export const mostLogBytes = 4 << 20;

/** Of a watch by selector, with its number. */
export function openingOf(selection?: number): Buffer {
  const tag = selection === undefined ? '' : `"selection":${selection},`;
  return Buffer.from(`{"notification":"MeasurementUpdateNotification",${tag}"updates":[`);
}

export const opening = openingOf();
export const closing = Buffer.from(']}');
const removedMark = Buffer.from(',"removed":true},');
const leftMark = Buffer.from(',"left":true},');

/** The present values of these, which are there. */
export function newestMessage({ wire }: Measurements, handles: readonly number[], skipped: number): Buffer {
  const marks = skipped > 0 ? `],"skipped":${skipped}}` : ']}';
  let bytes = opening.length + marks.length;
  for (const handle of handles) bytes += wire.itemLength(handle);
  const message = Buffer.allocUnsafeSlow(bytes - 1);
  let end = opening.copy(message);
  for (const handle of handles) end = wire.writeItem(handle, message, end);
  message.write(marks, end - 1); // replaces the last comma
  return message;
}

export class UpdateLog {
  readonly #measurements: Measurements;
  #bytes = Buffer.allocUnsafeSlow(1 << 16);
  #length = 0;
  /** Of each entry: where it ends, and of which measurement it is. */
  readonly #ends = new Growing();
  readonly #handles = new Growing();
  /** The entries that report a removal. */
  readonly #removals = new Set<number>();

  constructor(measurements: Measurements) {
    this.#measurements = measurements;
  }

  get size(): number {
    return this.#ends.length;
  }

  get bytes(): number {
    return this.#length;
  }

  handleAt(position: number): number {
    return this.#handles.items[position] as number;
  }

  /** The measurement as it is now. */
  note(handle: number): void {
    const { wire } = this.#measurements;
    this.#makeRoom(wire.itemLength(handle));
    this.#length = wire.writeItem(handle, this.#bytes, this.#length);
    this.#entry(handle);
  }

  /** The same, for the last time. */
  noteRemoval(handle: number): void {
    this.#removals.add(this.#ends.length);
    this.#noteMarked(handle, removedMark);
  }

  /** The same, for the last time while it does not match the selector. */
  noteLeft(handle: number): void {
    this.#noteMarked(handle, leftMark);
  }

  /** For a client that falls behind: it is told of removals at once, and later of the newest values, by the source. */
  passOver(client: ChannelClient, source: UpdateSource, opening: Buffer, chosen?: Growing): void {
    const count = chosen?.length ?? this.size;
    for (let at = 0; at < count; at++) {
      const position = chosen === undefined ? at : (chosen.items[at] as number);
      const handle = this.handleAt(position);
      if (this.#removals.has(position)) client.sendRemoval(source, handle, this.#single(opening, position));
      else client.passOver(source, handle);
    }
  }

  clear(): void {
    this.#ends.length = 0;
    this.#handles.length = 0;
    this.#removals.clear();
    this.#length = 0;
  }

  /** The chosen entries as one message, or all of them. */
  message(opening: Buffer, chosen: Growing | undefined, skipped = 0): Buffer {
    const ending = skipped === 0 ? closing : Buffer.from(`],"skipped":${skipped}}`);
    const ends = this.#ends.items;
    let bytes = opening.length + ending.length;
    if (chosen === undefined) bytes += this.#length;
    else {
      for (let at = 0; at < chosen.length; at++) {
        const position = chosen.items[at] as number;
        bytes += (ends[position] as number) - (position === 0 ? 0 : (ends[position - 1] as number));
      }
    }
    const message = Buffer.allocUnsafeSlow(bytes - 1);
    let end = opening.copy(message);
    if (chosen === undefined) end += this.#bytes.copy(message, end, 0, this.#length - 1);
    else end = this.#copyChosen(chosen, message, end) - 1;
    ending.copy(message, end); // replaces the last comma
    return message;
  }

  /** One entry as a message. */
  #single(opening: Buffer, position: number): Buffer {
    const chosen = new Growing();
    chosen.push(position);
    return this.message(opening, chosen);
  }

  #noteMarked(handle: number, mark: Buffer): void {
    const { wire } = this.#measurements;
    this.#makeRoom(wire.itemLength(handle) + mark.length);
    const end = wire.writeItem(handle, this.#bytes, this.#length) - 2; // without what closes it
    this.#length = end + mark.copy(this.#bytes, end);
    this.#entry(handle);
  }

  #entry(handle: number): void {
    this.#ends.push(this.#length);
    this.#handles.push(handle);
  }

  #makeRoom(bytes: number): void {
    if (this.#length + bytes <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafeSlow(2 ** Math.ceil(Math.log2(this.#length + bytes)));
    this.#bytes.copy(larger, 0, 0, this.#length);
    this.#bytes = larger;
  }

  /** Consecutive entries are copied together. */
  #copyChosen(chosen: Growing, message: Buffer, start: number): number {
    const ends = this.#ends.items;
    let end = start;
    for (let at = 0; at < chosen.length; ) {
      const first = chosen.items[at] as number;
      let last = first;
      while (++at < chosen.length && chosen.items[at] === last + 1) last++;
      const from = first === 0 ? 0 : (ends[first - 1] as number);
      end += this.#bytes.copy(message, end, from, ends[last] as number);
    }
    return end;
  }
}
