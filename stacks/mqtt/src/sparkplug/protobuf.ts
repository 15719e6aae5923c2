// As much of the wire format of protocol buffers as Sparkplug's payload needs. Pure.

export const wire = { varint: 0, fixed64: 1, bytes: 2, fixed32: 5 } as const;

export class ProtobufWriter {
  #bytes = Buffer.allocUnsafe(256);
  #length = 0;

  finish(): Buffer {
    return Buffer.from(this.#bytes.subarray(0, this.#length));
  }

  /** A whole number, not negative. */
  varint(field: number, value: number | bigint): void {
    this.#tag(field, wire.varint);
    this.#varint(value);
  }

  boolean(field: number, value: boolean): void {
    this.varint(field, value ? 1 : 0);
  }

  float(field: number, value: number): void {
    this.#tag(field, wire.fixed32);
    this.#room(4);
    this.#length = this.#bytes.writeFloatLE(value, this.#length);
  }

  double(field: number, value: number): void {
    this.#tag(field, wire.fixed64);
    this.#room(8);
    this.#length = this.#bytes.writeDoubleLE(value, this.#length);
  }

  bytes(field: number, value: Uint8Array | string): void {
    const bytes = typeof value === 'string' ? Buffer.from(value) : value;
    this.#tag(field, wire.bytes);
    this.#varint(bytes.length);
    this.#room(bytes.length);
    this.#bytes.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  message(field: number, write: (inner: ProtobufWriter) => void): void {
    const inner = new ProtobufWriter();
    write(inner);
    this.bytes(field, inner.#bytes.subarray(0, inner.#length));
  }

  #tag(field: number, type: number): void {
    this.#varint(field * 8 + type);
  }

  #varint(value: number | bigint): void {
    this.#room(10);
    let rest = BigInt(value);
    do {
      const low = Number(rest & 0x7fn);
      rest >>= 7n;
      this.#bytes[this.#length++] = rest > 0n ? low | 0x80 : low;
    } while (rest > 0n);
  }

  #room(count: number): void {
    if (this.#length + count <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.max(this.#bytes.length * 2, this.#length + count));
    this.#bytes.copy(larger, 0, 0, this.#length);
    this.#bytes = larger;
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Every method throws where the bytes are not what they should be. */
export class ProtobufReader {
  readonly #bytes: Buffer;
  #at = 0;
  #type = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  /** The number of the next field; undefined at the end. One read or `skip` follows. */
  next(): number | undefined {
    if (this.#at >= this.#bytes.length) return undefined;
    const tag = Number(this.#varint() & 0xffff_ffffn);
    this.#type = tag & 7;
    if (tag >> 3 === 0) throw new RangeError('a field without a number');
    return tag >>> 3;
  }

  varint(): bigint {
    this.#expect(wire.varint);
    return this.#varint();
  }

  uint32(): number {
    return Number(this.varint() & 0xffff_ffffn);
  }

  /** Of a repeated field: one, or several packed together. */
  uint32s(): number[] {
    if (this.#type === wire.varint) return [this.uint32()];
    const inner = new ProtobufReader(this.bytes());
    const numbers: number[] = [];
    while (inner.#at < inner.#bytes.length) numbers.push(Number(inner.#varint() & 0xffff_ffffn));
    return numbers;
  }

  boolean(): boolean {
    return this.varint() !== 0n;
  }

  float(): number {
    this.#expect(wire.fixed32);
    return this.#bytes.readFloatLE(this.#pass(4));
  }

  double(): number {
    this.#expect(wire.fixed64);
    return this.#bytes.readDoubleLE(this.#pass(8));
  }

  bytes(): Buffer {
    this.#expect(wire.bytes);
    const length = Number(this.#varint());
    const start = this.#pass(length);
    return this.#bytes.subarray(start, start + length);
  }

  text(): string {
    return utf8.decode(this.bytes());
  }

  skip(): void {
    if (this.#type === wire.varint) this.#varint();
    else if (this.#type === wire.fixed64) this.#pass(8);
    else if (this.#type === wire.fixed32) this.#pass(4);
    else this.bytes();
  }

  #varint(): bigint {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = this.#bytes[this.#pass(1)] as number;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return BigInt.asUintN(64, value);
    }
    throw new RangeError('a number of more than 10 bytes');
  }

  #pass(count: number): number {
    const start = this.#at;
    if (!(start + count <= this.#bytes.length)) throw new RangeError('the bytes end too soon');
    this.#at += count;
    return start;
  }

  #expect(type: number): void {
    if (this.#type !== type) throw new RangeError(`wire type ${this.#type} where ${type} is expected`);
  }
}
