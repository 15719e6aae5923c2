// The log of the running tick: the changes of measurements that somebody watches, each formatted once, as entries of
// messages that are made of all of them or of some.
import type { Measurements } from '../../points/index.ts';
import { Growing } from './growing.ts';

export const opening = Buffer.from('{"notification":"MeasurementUpdateNotification","updates":[');
export const closing = Buffer.from(']}');
const removedMark = Buffer.from(',"removed":true},');

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

  isRemoval(position: number): boolean {
    return this.#removals.has(position);
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
    const { wire } = this.#measurements;
    this.#makeRoom(wire.itemLength(handle) + removedMark.length);
    const end = wire.writeItem(handle, this.#bytes, this.#length) - 2; // without what closes it
    this.#length = end + removedMark.copy(this.#bytes, end);
    this.#removals.add(this.#ends.length);
    this.#entry(handle);
  }

  clear(): void {
    this.#ends.length = 0;
    this.#handles.length = 0;
    this.#removals.clear();
    this.#length = 0;
  }

  /** The chosen entries as one message, or all of them. */
  message(chosen: Growing | undefined): Buffer {
    const ends = this.#ends.items;
    let bytes = opening.length + closing.length;
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
    closing.copy(message, end); // replaces the last comma
    return message;
  }

  /** One entry as a message. */
  single(position: number): Buffer {
    const chosen = new Growing();
    chosen.push(position);
    return this.message(chosen);
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
