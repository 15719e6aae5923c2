// Rows as COPY … FROM STDIN (FORMAT binary) takes them, field by field, without strings or objects in between.

const head = Buffer.concat([Buffer.from('PGCOPY\n\xff\r\n\0', 'latin1'), Buffer.alloc(8)]);
/** In the place of the number of fields, behind the last row. */
const noMore = -1;
const elementTypes = { int2: 21, int4: 23, int8: 20, float4: 700, float8: 701, text: 25, bytea: 17 } as const;
/** Of an array with one dimension, before its elements. */
const arrayHeadBytes = 20;

export class CopyWriter {
  #bytes = Buffer.allocUnsafeSlow(2 ** 16);
  #view = viewOf(this.#bytes);
  #length = 0;

  constructor() {
    this.#begin();
  }

  get length(): number {
    return this.#length;
  }

  get isEmpty(): boolean {
    return this.#length === head.length;
  }

  /** Everything so far; valid until something is added. */
  take(): Uint8Array {
    this.#reserve(2);
    this.#view.setInt16(this.#length, noMore);
    const all = this.#bytes.subarray(0, this.#length + 2);
    this.#begin();
    return all;
  }

  row(fields: number): void {
    this.#reserve(2);
    this.#view.setInt16(this.#length, fields);
    this.#length += 2;
  }

  none(): void {
    this.#reserve(4);
    this.#view.setInt32(this.#length, -1);
    this.#length += 4;
  }

  int2(value: number): void {
    const at = this.#field(2);
    this.#view.setInt16(at, value);
  }

  int4(value: number): void {
    const at = this.#field(4);
    this.#view.setInt32(at, value);
  }

  int8(value: number): void {
    this.#setInt8(this.#field(8), value);
  }

  float8(value: number): void {
    const at = this.#field(8);
    this.#view.setFloat64(at, value);
  }

  bytes(value: Uint8Array): void {
    const at = this.#field(value.length);
    this.#bytes.set(value, at);
  }

  int2s(values: Uint16Array, from: number, to: number): void {
    let at = this.#array(elementTypes.int2, to - from, 2);
    for (let index = from; index < to; index++, at += 6) {
      this.#view.setInt32(at, 2);
      this.#view.setInt16(at + 4, values[index] as number);
    }
  }

  int4s(values: Float64Array, from: number, to: number): void {
    let at = this.#array(elementTypes.int4, to - from, 4);
    for (let index = from; index < to; index++, at += 8) {
      this.#view.setInt32(at, 4);
      this.#view.setInt32(at + 4, values[index] as number);
    }
  }

  int8s(values: Float64Array, from: number, to: number): void {
    let at = this.#array(elementTypes.int8, to - from, 8);
    for (let index = from; index < to; index++, at += 12) {
      this.#view.setInt32(at, 8);
      this.#setInt8(at + 4, values[index] as number);
    }
  }

  float4s(values: Float64Array, from: number, to: number): void {
    let at = this.#array(elementTypes.float4, to - from, 4);
    for (let index = from; index < to; index++, at += 8) {
      this.#view.setInt32(at, 4);
      this.#view.setFloat32(at + 4, values[index] as number);
    }
  }

  /** Eight bytes each, bit by bit: doubles, which may be no numbers, or 64-bit integers. */
  words(type: 'int8' | 'float8', values: Float64Array, from: number, to: number): void {
    const words = new Int32Array(values.buffer, values.byteOffset, 2 * values.length);
    let at = this.#array(elementTypes[type], to - from, 8);
    for (let index = from; index < to; index++, at += 12) {
      this.#view.setInt32(at, 8);
      this.#view.setInt32(at + 4, words[2 * index + 1] as number);
      this.#view.setInt32(at + 8, words[2 * index] as number);
    }
  }

  /** Null where there is no element. */
  elements(type: 'text' | 'bytea', values: readonly (Uint8Array | undefined)[]): void {
    const bytes = values.reduce((sum, value) => sum + (value?.length ?? 0), 0);
    let at = this.#array(elementTypes[type], values.length, 0, bytes);
    for (const value of values) {
      this.#view.setInt32(at, value?.length ?? -1);
      at += 4;
      if (value === undefined) continue;
      this.#bytes.set(value, at);
      at += value.length;
    }
    if (values.includes(undefined)) this.#view.setInt32(at - bytes - 4 * values.length - arrayHeadBytes + 4, 1);
  }

  #begin(): void {
    this.#bytes.set(head);
    this.#length = head.length;
  }

  #setInt8(at: number, value: number): void {
    this.#view.setInt32(at, Math.floor(value / 2 ** 32));
    this.#view.setInt32(at + 4, value | 0);
  }

  /** Where its first element goes: all of the same size, or of so many bytes together. */
  #array(type: number, count: number, elementBytes: number, bytes = count * elementBytes): number {
    const at = this.#field(arrayHeadBytes + 4 * count + bytes);
    this.#view.setInt32(at, 1);
    this.#view.setInt32(at + 4, 0);
    this.#view.setInt32(at + 8, type);
    this.#view.setInt32(at + 12, count);
    this.#view.setInt32(at + 16, 1);
    return at + arrayHeadBytes;
  }

  /** Where its bytes go; the memory of all may be another afterwards. */
  #field(bytes: number): number {
    this.#reserve(4 + bytes);
    this.#view.setInt32(this.#length, bytes);
    const at = this.#length + 4;
    this.#length = at + bytes;
    return at;
  }

  #reserve(bytes: number): void {
    const needed = this.#length + bytes;
    if (needed <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(needed, 2 * this.#bytes.length));
    this.#bytes.copy(larger, 0, 0, this.#length);
    this.#bytes = larger;
    this.#view = viewOf(larger);
  }
}

function viewOf({ buffer, byteOffset, byteLength }: Buffer): DataView {
  return new DataView(buffer, byteOffset, byteLength);
}
