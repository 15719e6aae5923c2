// The present values of very many measurements as one notification, gathered in slices. Values that change meanwhile
// are rewritten, so that in the end each measurement is in it once, with its present value.
import { type Measurements, Pieces, stepItems } from '../../points/index.ts';
import { Growing } from './growing.ts';
import { closing } from './update-log.ts';

const space = 0x20;
const comma = 0x2c;

/** At most so many are rewritten at once, when all the others are complete. */
const fewChanges = 1000;

/** Where everything changes all the time, the end does not wait until little is left. */
const mostRounds = 8;

export class PresentValues {
  readonly #measurements: Measurements;
  readonly #pieces = new Pieces();
  /** By handle, the number of its entry plus one; 0 where it has no entry. */
  #entryOf = new Uint32Array(1024);
  /** Of each entry: its piece, where it begins there, and how long it is. */
  readonly #piece = new Growing();
  readonly #start = new Growing();
  readonly #length = new Growing();
  #changed = new Set<number>();
  readonly #isOfAll: boolean;
  /** Of all there is: up to where they were written, in the order of the handles. */
  #reached = -1;
  count = 0;

  /** With `all`, measurements that are added meanwhile are reported too. */
  constructor(measurements: Measurements, of: 'all' | 'names', opening: Buffer) {
    this.#measurements = measurements;
    this.#isOfAll = of === 'all';
    this.#pieces.append(opening);
  }

  /** The measurement has another value now. */
  changed(handle: number): void {
    if (this.#has(handle) || (this.#isOfAll && handle <= this.#reached)) this.#changed.add(handle);
  }

  /** The measurement belongs to it now. */
  entered(handle: number): void {
    this.#changed.add(handle);
  }

  /** The measurement is about to go, or belongs to it no more. */
  removed(handle: number): void {
    this.#changed.delete(handle);
    this.#blank(handle);
  }

  /** In steps: what is there of the handles, each given once or more; negative ones are left out. */
  *gather(handles: Iterable<number>): Generator<void, void> {
    let items = 0;
    for (const handle of handles) {
      if (handle >= 0 && !this.#has(handle)) this.#write(handle);
      this.#reached = handle;
      if (++items % stepItems === 0) yield;
    }
    for (let round = 0; round < mostRounds && this.#changed.size > fewChanges; round++) {
      const changed = this.#changed;
      this.#changed = new Set();
      for (const handle of changed) {
        this.#rewrite(handle);
        if (++items % stepItems === 0) yield;
      }
    }
  }

  /** Undefined where there is nothing to report. */
  message(): readonly Buffer[] | undefined {
    for (const handle of this.#changed) this.#rewrite(handle);
    if (this.count === 0) return undefined;
    const pieces = this.#pieces.end();
    // The last comma is behind the last value that was not blanked.
    for (let last = pieces.pop(); last !== undefined; last = pieces.pop()) {
      let end = last.length;
      while (end > 0 && last[end - 1] === space) end--;
      if (end === 0) continue;
      if (last[end - 1] !== comma) throw new Error('a notification without its last comma');
      return [...pieces, last.subarray(0, end - 1), closing];
    }
    return undefined;
  }

  #has(handle: number): boolean {
    return (this.#entryOf[handle] ?? 0) > 0;
  }

  #rewrite(handle: number): void {
    this.#blank(handle);
    this.#write(handle);
  }

  #write(handle: number): void {
    const { wire } = this.#measurements;
    if (this.#measurements.nameOf(handle) === '') return;
    const bytes = wire.itemLength(handle);
    this.#pieces.reserve(bytes);
    if (handle >= this.#entryOf.length) {
      const larger = new Uint32Array(2 ** Math.ceil(Math.log2(handle + 1)));
      larger.set(this.#entryOf);
      this.#entryOf = larger;
    }
    this.#piece.push(this.#pieces.number);
    this.#start.push(this.#pieces.length);
    this.#length.push(bytes);
    this.#entryOf[handle] = this.#piece.length;
    this.#pieces.length = wire.writeItem(handle, this.#pieces.bytes, this.#pieces.length);
    this.count++;
  }

  /** White space means nothing between the items of a list. */
  #blank(handle: number): void {
    if (!this.#has(handle)) return;
    const entry = (this.#entryOf[handle] as number) - 1;
    const start = this.#start.items[entry] as number;
    const end = start + (this.#length.items[entry] as number);
    this.#pieces.at(this.#piece.items[entry] as number).fill(space, start, end);
    this.#entryOf[handle] = 0;
    this.count--;
  }
}
