// A column of texts: places in a dictionary, and plainly where most texts come once.
import { widthOf } from '@telltale/schema/bit-packing';
import { ByteSink } from '@telltale/schema/byte-sink';
import type { Chunk, ChunkWriter } from './chunk-writer.ts';
import { ColumnRows } from './column-rows.ts';
import { type Bounds, encodings, type Field, rowGroupRows } from './format.ts';
import { writeHybrid } from './hybrid.ts';

/** A row group ends where its distinct texts have so many bytes. */
const mostBytes = 16 << 20;

export class TextColumn {
  readonly field: Field;
  /** Whether row groups and pages are found by their texts. */
  readonly #isKey: boolean;
  readonly #rows: ColumnRows;
  /** By row that has a value. */
  readonly #places = new Float64Array(rowGroupRows);
  readonly #placeOf = new Map<string, number>();
  readonly #texts: Buffer[] = [];
  readonly #body = new ByteSink();
  /** As a dictionary, and if every row had its own. */
  #dictionaryBytes = 0;
  #plainBytes = 0;

  constructor(field: Field, isKey = false) {
    this.field = field;
    this.#isKey = isKey;
    this.#rows = new ColumnRows(field.isOptional);
  }

  get isFull(): boolean {
    return this.#dictionaryBytes >= mostBytes;
  }

  add(text: string): void {
    this.fill(text, 1);
  }

  /** The same in all of the next rows. */
  fill(text: string, rows: number): void {
    const place = this.#placeOf.get(text) ?? this.#enter(text);
    const from = this.#rows.have(rows);
    this.#places.fill(place, from, from + rows);
    this.#plainBytes += rows * (4 + (this.#texts[place] as Buffer).length);
  }

  lack(rows: number): void {
    this.#rows.lack(rows);
  }

  clear(): void {
    this.#rows.clear();
    this.#placeOf.clear();
    this.#texts.length = this.#dictionaryBytes = this.#plainBytes = 0;
  }

  write(chunk: ChunkWriter): Chunk {
    const width = widthOf(Math.max(0, this.#texts.length - 1));
    const isPlaced = this.#dictionaryBytes + (this.#rows.values * width) / 8 < this.#plainBytes;
    if (isPlaced) {
      this.#body.reset();
      for (const text of this.#texts) this.#plain(text);
      chunk.dictionary(this.#texts.length, this.#body.written());
    }
    for (const { rows, nulls, from, to } of this.#rows.pages(this.#body)) {
      const encoding = isPlaced && to > from ? encodings.dictionary : encodings.plain;
      if (encoding === encodings.plain)
        for (const place of this.#places.subarray(from, to)) this.#plain(this.#texts[place] as Buffer);
      else {
        this.#body.u8(width);
        writeHybrid(this.#body, this.#places, from, to, width);
      }
      const bounds = this.#isKey ? this.#boundsOf(this.#placesIn(from, to)) : undefined;
      chunk.page({ rows, nulls, encoding, bytes: this.#body.written(), bounds });
    }
    return chunk.end(this.field, this.#isKey ? this.#boundsOf(this.#texts.keys()) : undefined);
  }

  #enter(text: string): number {
    const bytes = Buffer.from(text);
    const place = this.#texts.push(bytes) - 1;
    this.#placeOf.set(text, place);
    this.#dictionaryBytes += 4 + bytes.length;
    return place;
  }

  #plain(text: Buffer): void {
    this.#body.u32(text.length);
    this.#body.raw(text);
  }

  /** The distinct ones; most come in long runs. */
  #placesIn(from: number, to: number): Set<number> {
    const places = new Set<number>();
    let before = -1;
    for (let at = from; at < to; at++) {
      const place = this.#places[at] as number;
      if (place !== before) places.add(place);
      before = place;
    }
    return places;
  }

  #boundsOf(places: Iterable<number>): Bounds | undefined {
    let bounds: Bounds | undefined;
    for (const place of places) {
      const text = this.#texts[place] as Buffer;
      const { least, greatest } = bounds ?? { least: text, greatest: text };
      bounds = {
        least: Buffer.compare(text, least) < 0 ? text : least,
        greatest: Buffer.compare(text, greatest) > 0 ? text : greatest,
      };
    }
    return bounds;
  }
}
