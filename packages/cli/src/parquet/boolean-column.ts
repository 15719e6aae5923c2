// A column of booleans: one bit each.
import { pack } from '@telltale/schema/bit-packing';
import { ByteSink } from '@telltale/schema/byte-sink';
import type { Chunk, ChunkWriter } from './chunk-writer.ts';
import { ColumnRows } from './column-rows.ts';
import { encodings, type Field, rowGroupRows } from './format.ts';

export class BooleanColumn {
  readonly field: Field;
  readonly #rows: ColumnRows;
  /** 0 or 1. */
  readonly #bits = new Float64Array(rowGroupRows);
  readonly #body = new ByteSink();

  constructor(field: Field) {
    this.field = field;
    this.#rows = new ColumnRows(field.isOptional);
  }

  add(bits: Float64Array | Uint8Array): void {
    this.#bits.set(bits, this.#rows.have(bits.length));
  }

  lack(rows: number): void {
    this.#rows.lack(rows);
  }

  clear(): void {
    this.#rows.clear();
  }

  write(chunk: ChunkWriter): Chunk {
    for (const { rows, nulls, from, to } of this.#rows.pages(this.#body)) {
      pack(this.#body, this.#bits, from, to, 0, 1);
      chunk.page({ rows, nulls, encoding: encodings.plain, bytes: this.#body.written() });
    }
    return chunk.end(this.field, undefined);
  }
}
