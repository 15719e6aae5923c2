// Reads bytes between two bounds: a read past the end is a RangeError.

export class ByteReader {
  declare bytes: Uint8Array;
  /** Of all of `bytes`, which may go on behind `end`. */
  declare view: DataView;
  declare at: number;
  declare end: number;
  #work = new Float64Array(0);

  constructor(bytes: Uint8Array, at = 0, end = bytes.length) {
    this.reset(bytes, at, end);
  }

  /** Goes on with other bytes: a reader that is used again allocates less. */
  reset(bytes: Uint8Array, at = 0, end = bytes.length): void {
    if (!(at >= 0 && at <= end && end <= bytes.length)) throw new RangeError(`no bytes from ${at} to ${end}`);
    if (this.bytes !== bytes) {
      this.bytes = bytes;
      this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    }
    this.at = at;
    this.end = end;
  }

  get left(): number {
    return this.end - this.at;
  }

  /** Steps over so many bytes and answers where they begin. */
  skip(count: number): number {
    const at = this.at;
    if (!(count >= 0 && count <= this.end - at)) throw new RangeError(`${count} bytes at ${at} end behind ${this.end}`);
    this.at = at + count;
    return at;
  }

  u8(): number {
    return this.bytes[this.skip(1)] as number;
  }

  u16(): number {
    return this.view.getUint16(this.skip(2), true);
  }

  u32(): number {
    return this.view.getUint32(this.skip(4), true);
  }

  f64(): number {
    return this.view.getFloat64(this.skip(8), true);
  }

  varint(): number {
    return this.#rest(0, 1);
  }

  zigzag(): number {
    const first = this.u8();
    const low = (first >>> 1) & 63;
    const size = first < 128 ? low : this.#rest(low, 64);
    return (first & 1) === 1 ? 0 - size : size;
  }

  /** The bytes themselves, not a copy. */
  raw(count: number): Uint8Array {
    const at = this.skip(count);
    return this.bytes.subarray(at, at + count);
  }

  work(count: number): Float64Array {
    if (this.#work.length < count) this.#work = new Float64Array(Math.max(1024, count));
    return this.#work;
  }

  #rest(low: number, unit: number): number {
    let value = low;
    let scale = unit;
    for (;;) {
      const byte = this.u8();
      value += (byte & 127) * scale;
      if (value > most) throw new RangeError(`the number at ${this.at} is beyond 2^53`);
      if (byte < 128) return value;
      scale *= 128;
      if (scale > most) throw new RangeError(`the number at ${this.at} has too many bytes`);
    }
  }
}

const most = 2 ** 53;
