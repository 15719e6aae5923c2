// Bytes of the archive's files as they are written. Beside them the arrays that encoding a column works in, so that no chunk
// allocates any.
import { ByteSink } from '@telltale/schema/byte-sink';

export class ByteWriter extends ByteSink {
  readonly work = new WorkArrays();

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
