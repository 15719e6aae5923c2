// Columns of 64-bit integers: the times of records, and the values of counters, as differences from one to the next.
import { ByteSink } from '@telltale/schema/byte-sink';
import type { Chunk, ChunkWriter } from './chunk-writer.ts';
import { ColumnRows } from './column-rows.ts';
import { writeDeltas } from './deltas.ts';
import { type Bounds, type Encoding, encodings, type Field, pageRows, rowGroupRows } from './format.ts';

export class TimeColumn {
  readonly field: Field;
  readonly #rows = new ColumnRows(false);
  readonly #times = new Float64Array(rowGroupRows);
  readonly #body = new ByteSink();

  constructor(field: Field) {
    this.field = field;
  }

  add(times: Float64Array): void {
    this.#times.set(times, this.#rows.have(times.length));
  }

  clear(): void {
    this.#rows.clear();
  }

  write(chunk: ChunkWriter): Chunk {
    for (const { rows, nulls, from, to } of this.#rows.pages(this.#body)) {
      const isShort = writeDeltas(this.#body, this.#times, from, to);
      if (!isShort) this.#body.raw(bytesOf(BigInt64Array.from(this.#times.subarray(from, to), BigInt)));
      const encoding = isShort ? encodings.deltas : encodings.plain;
      const bounds = this.#boundsOf(from, to);
      chunk.page({ rows, nulls, encoding, bytes: this.#body.written(), bounds });
    }
    return chunk.end(this.field, this.#boundsOf(0, this.#rows.values));
  }

  #boundsOf(from: number, to: number): Bounds {
    let [least, greatest] = [Number.POSITIVE_INFINITY, 0];
    for (let at = from; at < to; at++) {
      const time = this.#times[at] as number;
      if (time < least) least = time;
      if (time > greatest) greatest = time;
    }
    return boundsOf(BigInt(least), BigInt(greatest));
  }
}

export class LongColumn {
  readonly field: Field;
  readonly #rows: ColumnRows;
  readonly #longs = new BigInt64Array(rowGroupRows);
  readonly #halves = new Int32Array(this.#longs.buffer);
  readonly #numbers = new Float64Array(pageRows);
  readonly #body = new ByteSink();

  constructor(field: Field) {
    this.field = field;
    this.#rows = new ColumnRows(field.isOptional);
  }

  add(longs: BigInt64Array): void {
    this.#longs.set(longs, this.#rows.have(longs.length));
  }

  lack(rows: number): void {
    this.#rows.lack(rows);
  }

  clear(): void {
    this.#rows.clear();
  }

  write(chunk: ChunkWriter): Chunk {
    for (const { rows, nulls, from, to } of this.#rows.pages(this.#body)) {
      const encoding = this.#writeValues(from, to);
      chunk.page({ rows, nulls, encoding, bytes: this.#body.written() });
    }
    return chunk.end(this.field, this.#bounds());
  }

  #bounds(): Bounds | undefined {
    let [least, greatest] = [this.#longs[0] as bigint, this.#longs[0] as bigint];
    for (const long of this.#longs.subarray(0, this.#rows.values)) {
      if (long < least) least = long;
      if (long > greatest) greatest = long;
    }
    return this.#rows.values === 0 ? undefined : boundsOf(least, greatest);
  }

  #writeValues(from: number, to: number): Encoding {
    if (to > from && this.#areExact(from, to) && writeDeltas(this.#body, this.#numbers, 0, to - from))
      return encodings.deltas;
    this.#body.raw(bytesOf(this.#longs.subarray(from, to)));
    return encodings.plain;
  }

  /** Takes them as doubles; false where one of them is rounded. */
  #areExact(from: number, to: number): boolean {
    for (let at = from; at < to; at++) {
      const high = this.#halves[2 * at + 1] as number;
      if (high >= 2 ** 21 || high < -(2 ** 21)) return false;
      this.#numbers[at - from] = high * 2 ** 32 + ((this.#halves[2 * at] as number) >>> 0);
    }
    return true;
  }
}

function boundsOf(least: bigint, greatest: bigint): Bounds {
  return { least: bytesOf(BigInt64Array.of(least)), greatest: bytesOf(BigInt64Array.of(greatest)) };
}

function bytesOf({ buffer, byteOffset, byteLength }: BigInt64Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}
