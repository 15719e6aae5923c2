// One column of a row group in a file: pages, each compressed and with a checksum, behind the page of their dictionary.
import { crc32, zstdCompressSync } from 'node:zlib';
import type { ByteSink } from '@telltale/schema/byte-sink';
import { type Bounds, type Encoding, encodings, type Field, pageTypes } from './format.ts';
import type { ThriftWriter } from './thrift-writer.ts';

export interface Page {
  readonly rows: number;
  /** Rows without a value. */
  readonly nulls: number;
  readonly encoding: Encoding;
  /** Not compressed: definition levels where the field is optional, then the values. */
  readonly bytes: Uint8Array;
  /** Of a column whose pages are found by their bounds. */
  readonly bounds?: Bounds | undefined;
}

export interface WrittenPage extends Omit<Page, 'bytes'> {
  readonly offset: number;
  /** In the file, with its header. */
  readonly length: number;
  readonly firstRow: number;
}

/** As it was written. */
export interface Chunk {
  readonly field: Field;
  readonly offset: number;
  readonly length: number;
  /** With the headers of pages, not compressed. */
  readonly plainLength: number;
  readonly hasDictionary: boolean;
  /** Of the first page that is not the dictionary. */
  readonly dataOffset: number;
  readonly pages: readonly WrittenPage[];
  readonly rows: number;
  readonly nulls: number;
  /** Of all values; undefined where nothing follows from them. */
  readonly bounds: Bounds | undefined;
}

export class ChunkWriter {
  readonly #out: ByteSink;
  readonly #base: number;
  readonly #thrift: ThriftWriter;
  readonly #offset: number;
  #dataOffset: number;
  readonly #pages: WrittenPage[] = [];
  #rows = 0;
  #plainLength = 0;

  /** `out` begins at `base` of the file. */
  constructor(out: ByteSink, base: number, thrift: ThriftWriter) {
    this.#out = out;
    this.#base = base;
    this.#thrift = thrift;
    this.#offset = this.#dataOffset = this.#end;
  }

  get #end(): number {
    return this.#base + this.#out.length;
  }

  /** Before all pages: distinct values, plainly. */
  dictionary(values: number, bytes: Uint8Array): void {
    const fields = () => {
      this.#thrift.i32(1, values);
      this.#thrift.i32(2, encodings.plain);
    };
    this.#append(pageTypes.dictionary, bytes, () => this.#thrift.structure(7, fields));
    this.#dataOffset = this.#end;
  }

  page(page: Page): void {
    const { rows, nulls, encoding, bytes, bounds } = page;
    const offset = this.#end;
    const fields = () => {
      this.#thrift.i32(1, rows);
      this.#thrift.i32(2, encoding);
      this.#thrift.i32(3, encodings.hybrid);
      this.#thrift.i32(4, encodings.hybrid);
    };
    this.#append(pageTypes.data, bytes, () => this.#thrift.structure(5, fields));
    this.#pages.push({ rows, nulls, encoding, bounds, offset, length: this.#end - offset, firstRow: this.#rows });
    this.#rows += rows;
  }

  /** Behind its last page. */
  end(field: Field, bounds: Bounds | undefined): Chunk {
    return {
      field,
      offset: this.#offset,
      length: this.#end - this.#offset,
      plainLength: this.#plainLength,
      hasDictionary: this.#dataOffset > this.#offset,
      dataOffset: this.#dataOffset,
      pages: this.#pages,
      rows: this.#rows,
      nulls: this.#pages.reduce((sum, { nulls }) => sum + nulls, 0),
      bounds,
    };
  }

  #append(type: number, bytes: Uint8Array, rest: () => void): void {
    const compressed = zstdCompressSync(bytes);
    const header = this.#thrift.alone(() => {
      this.#thrift.i32(1, type);
      this.#thrift.i32(2, bytes.length);
      this.#thrift.i32(3, compressed.length);
      this.#thrift.i32(4, crc32(compressed) | 0);
      rest();
    });
    this.#plainLength += header.length + bytes.length;
    this.#out.raw(header);
    this.#out.raw(compressed);
  }
}
