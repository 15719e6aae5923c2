// A column of doubles, or of small whole numbers: places in a dictionary, and plainly where most values of a page are new.
import { widthOf } from '@telltale/schema/bit-packing';
import { ByteSink } from '@telltale/schema/byte-sink';
import type { Chunk, ChunkWriter } from './chunk-writer.ts';
import { ColumnRows, type PageRows } from './column-rows.ts';
import { type Bounds, encodings, type Field, rowGroupRows } from './format.ts';
import { writeHybrid } from './hybrid.ts';
import { NumberDictionary } from './number-dictionary.ts';

/** About so many bytes are left of a double when it is compressed, in the dictionary or plainly. */
const compressedBytes = 6;

export class NumberColumn {
  readonly field: Field;
  readonly #rows: ColumnRows;
  readonly #numbers = new Float64Array(rowGroupRows);
  readonly #bits = new Int32Array(this.#numbers.buffer);
  readonly #places = new Float64Array(rowGroupRows);
  readonly #dictionary = new NumberDictionary();
  readonly #body = new ByteSink();

  constructor(field: Field) {
    this.field = field;
    this.#rows = new ColumnRows(field.isOptional);
  }

  add(numbers: Float64Array | Uint8Array): void {
    this.#numbers.set(numbers, this.#rows.have(numbers.length));
  }

  lack(rows: number): void {
    this.#rows.lack(rows);
  }

  clear(): void {
    this.#rows.clear();
    this.#dictionary.clear();
  }

  write(chunk: ChunkWriter): Chunk {
    const placed = new Set<number>();
    for (const page of this.#rows.pages(this.#body)) if (this.#place(page)) placed.add(page.from);
    const { count, numbers } = this.#dictionary;
    if (count > 0) chunk.dictionary(count, this.#plain(numbers, 0, count));
    for (const page of this.#rows.pages(this.#body)) {
      const { rows, nulls, from, to } = page;
      const isPlaced = to > from && placed.has(from);
      if (isPlaced) this.#writePlaces(from, to);
      else this.#body.raw(this.#plain(this.#numbers, from, to));
      const encoding = isPlaced ? encodings.dictionary : encodings.plain;
      chunk.page({ rows, nulls, encoding, bytes: this.#body.written() });
    }
    return chunk.end(this.field, this.#boundsOf(this.#numbers.subarray(0, this.#rows.values)));
  }

  /** Finds the places of a page's numbers; false where it is shorter without the dictionary, which then stays what it was. */
  #place({ from, to }: PageRows): boolean {
    const dictionary = this.#dictionary;
    const before = dictionary.count;
    let [low, high, place] = [0, 0, -1];
    for (let at = from; at < to; at++) {
      const [nextLow, nextHigh] = [this.#bits[2 * at] as number, this.#bits[2 * at + 1] as number];
      if (place < 0 || nextLow !== low || nextHigh !== high) {
        low = nextLow;
        high = nextHigh;
        place = dictionary.placeOf(low, high);
      }
      this.#places[at] = place;
    }
    const placesBytes = ((to - from) * widthOf(dictionary.count - 1)) / 8;
    const isShorter = (dictionary.count - before) * compressedBytes + placesBytes < (to - from) * compressedBytes;
    if (!isShorter) dictionary.cutTo(before);
    return isShorter;
  }

  #writePlaces(from: number, to: number): void {
    const width = widthOf(this.#dictionary.count - 1);
    this.#body.u8(width);
    writeHybrid(this.#body, this.#places, from, to, width);
  }

  #plain(numbers: Float64Array, from: number, to: number): Uint8Array {
    const some = numbers.subarray(from, to);
    if (this.field.type === 'int32') return new Uint8Array(new Int32Array(some).buffer);
    return new Uint8Array(some.buffer, some.byteOffset, some.byteLength);
  }

  /** None where one is not a number: readers do not agree whether that is greater than all others. */
  #boundsOf(numbers: Float64Array): Bounds | undefined {
    let [least, greatest] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
    for (const number of numbers) {
      if (Number.isNaN(number)) return undefined;
      if (number < least) least = number;
      if (number > greatest) greatest = number;
    }
    if (least > greatest) return undefined;
    // Of the two zeroes, -0 is the least and 0 the greatest, whichever is there.
    const ends = Float64Array.of(least === 0 ? -0 : least, greatest === 0 ? 0 : greatest);
    return { least: this.#plain(ends, 0, 1), greatest: this.#plain(ends, 1, 2) };
  }
}
