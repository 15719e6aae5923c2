// Structures in the compact protocol of Thrift, in which headers and the footer of a Parquet file are written.
import { ByteSink } from '@telltale/schema/byte-sink';

const types = { true: 1, false: 2, i32: 5, i64: 6, binary: 8, list: 9, struct: 12 } as const;

/** Fields are written in the order of their ids. */
export class ThriftWriter {
  readonly sink = new ByteSink(1024);
  #lastId = 0;

  /** A structure that stands alone; valid until the next one. */
  alone(fields: () => void): Uint8Array<ArrayBuffer> {
    this.sink.reset();
    this.#structure(fields);
    return this.sink.written();
  }

  boolean(id: number, value: boolean): void {
    this.#field(id, value ? types.true : types.false);
  }

  i32(id: number, value: number): void {
    this.#field(id, types.i32);
    this.#signed(value);
  }

  i64(id: number, value: number): void {
    this.#field(id, types.i64);
    this.#signed(value);
  }

  text(id: number, text: string): void {
    this.bytes(id, Buffer.from(text));
  }

  bytes(id: number, bytes: Uint8Array): void {
    this.#field(id, types.binary);
    this.#binary(bytes);
  }

  structure(id: number, fields: () => void): void {
    this.#field(id, types.struct);
    this.#structure(fields);
  }

  structures<T>(id: number, items: readonly T[], fields: (item: T) => void): void {
    this.#list(id, types.struct, items.length);
    for (const item of items) this.#structure(() => fields(item));
  }

  /** Of structures that are written already. */
  written(id: number, structures: readonly Uint8Array[]): void {
    this.#list(id, types.struct, structures.length);
    for (const structure of structures) this.sink.raw(structure);
  }

  booleans(id: number, values: readonly boolean[]): void {
    this.#list(id, types.true, values.length);
    for (const value of values) this.sink.u8(value ? types.true : types.false);
  }

  i32s(id: number, values: readonly number[]): void {
    this.#list(id, types.i32, values.length);
    for (const value of values) this.#signed(value);
  }

  i64s(id: number, values: readonly number[]): void {
    this.#list(id, types.i64, values.length);
    for (const value of values) this.#signed(value);
  }

  binaries(id: number, values: readonly Uint8Array[]): void {
    this.#list(id, types.binary, values.length);
    for (const value of values) this.#binary(value);
  }

  #structure(fields: () => void): void {
    const outerId = this.#lastId;
    this.#lastId = 0;
    fields();
    this.sink.u8(0);
    this.#lastId = outerId;
  }

  #list(id: number, type: number, count: number): void {
    this.#field(id, types.list);
    this.sink.u8((Math.min(count, 15) << 4) | type);
    if (count >= 15) this.sink.varint(count);
  }

  #field(id: number, type: number): void {
    this.sink.u8(((id - this.#lastId) << 4) | type);
    this.#lastId = id;
  }

  #binary(bytes: Uint8Array): void {
    this.sink.varint(bytes.length);
    this.sink.raw(bytes);
  }

  #signed(value: number): void {
    this.sink.varint(zigzag(value));
  }
}

/** The sign in the lowest bit; of whole numbers from -2^52 to below 2^52. */
export function zigzag(value: number): number {
  return value < 0 ? -2 * value - 1 : 2 * value;
}
