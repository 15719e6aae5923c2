// Bytes as they are written: a buffer that grows and is used again, little-endian.

export class ByteSink {
  /** What was written is its first `length` bytes; another array after growing. */
  declare bytes: Uint8Array<ArrayBuffer>;
  /** Of all of `bytes`. */
  declare view: DataView;
  length = 0;

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
  written(): Uint8Array<ArrayBuffer> {
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

  raw(bytes: Uint8Array): void {
    this.reserve(bytes.length);
    this.bytes.set(bytes, this.length);
    this.length += bytes.length;
  }

  #lay(bytes: Uint8Array<ArrayBuffer>): void {
    this.bytes = bytes;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }
}
