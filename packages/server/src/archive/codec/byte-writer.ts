// Bytes as they are written: a buffer that grows and is used again, little-endian. Beside it the arrays that encoding a
// column works in, so that no chunk allocates any.

export class ByteWriter {
  /** What was written is its first `length` bytes; another array after growing. */
  declare bytes: Uint8Array;
  /** Of all of `bytes`. */
  declare view: DataView;
  length = 0;
  readonly work = new WorkArrays();

  constructor(capacity = 65536) {
    this.#lay(new Uint8Array(Math.max(16, capacity)));
  }

  reset(): void {
    this.length = 0;
  }

  reserve(more: number): void {
    const needed = this.length + more;
    if (needed <= this.bytes.length) return;
    const old = this.bytes;
    this.#lay(new Uint8Array(Math.max(needed, 2 * old.length)));
    this.bytes.set(old.subarray(0, this.length));
  }

  /** What was written, until the next write. */
  written(): Uint8Array {
    return this.bytes.subarray(0, this.length);
  }

  u8(value: number): void {
    this.reserve(1);
    this.bytes[this.length++] = value;
  }

  u16(value: number): void {
    this.reserve(2);
    this.view.setUint16(this.length, value, true);
    this.length += 2;
  }

  u32(value: number): void {
    this.reserve(4);
    this.view.setUint32(this.length, value, true);
    this.length += 4;
  }

  f64(value: number): void {
    this.reserve(8);
    this.view.setFloat64(this.length, value, true);
    this.length += 8;
  }

  /** A whole number from 0 to 2^53, seven bits a byte, the low ones first. */
  varint(value: number): void {
    this.reserve(8);
    let rest = value;
    while (rest >= 128) {
      this.bytes[this.length++] = (rest % 128) | 128;
      rest = Math.floor(rest / 128);
    }
    this.bytes[this.length++] = rest;
  }

  /** A whole number from -2^53 to 2^53: its sign is the lowest bit of the first byte. */
  zigzag(value: number): void {
    const size = Math.abs(value);
    const low = ((size % 64) << 1) | (value < 0 ? 1 : 0);
    if (size < 64) {
      this.u8(low);
      return;
    }
    this.u8(low | 128);
    this.varint(Math.floor(size / 64));
  }

  raw(bytes: Uint8Array): void {
    this.reserve(bytes.length);
    this.bytes.set(bytes, this.length);
    this.length += bytes.length;
  }

  #lay(bytes: Uint8Array): void {
    this.bytes = bytes;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }
}

/** Each has its one use; none is read after the call that filled it. */
export class WorkArrays {
  /** Whole numbers that the values of a column were turned into. */
  values = new Float64Array(0);
  /** Of an integer column: multiples of its divisor. */
  multiples = new Float64Array(0);
  /** Of an integer column: what is packed. */
  terms = new Float64Array(0);
  /** Of a dictionary: the distinct values, and for each record which one it has. */
  distinct = new Float64Array(0);
  indexes = new Float64Array(0);
  /** Of a dictionary: a hash table. */
  slots = new Int32Array(0);

  reserve(count: number): void {
    if (count <= this.values.length) return;
    const capacity = 2 ** Math.ceil(Math.log2(Math.max(1024, count)));
    this.values = new Float64Array(capacity);
    this.multiples = new Float64Array(capacity);
    this.terms = new Float64Array(capacity);
    this.distinct = new Float64Array(capacity);
    this.indexes = new Float64Array(capacity);
    this.slots = new Int32Array(4 * capacity);
  }
}
