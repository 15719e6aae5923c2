// What COPY … TO STDOUT (FORMAT binary) gives, field by field, without strings or objects in between.

/** "PGCOPY\n\377\r\n\0", four bytes of flags, and the length of what is between them and the first row. */
const signatureBytes = 11;
const headBytes = signatureBytes + 8;

export class CopyReader {
  readonly #bytes: Buffer;
  readonly #view: DataView;
  #at: number;

  /** Of one statement, all of it. */
  constructor(bytes: Buffer) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#at = headBytes + this.#view.getInt32(signatureBytes + 4);
  }

  /** To the next row. False: there is none. */
  nextRow(): boolean {
    const fields = this.#view.getInt16(this.#at);
    this.#at += 2;
    return fields >= 0;
  }

  /** The next field of the row; undefined where it is null. */
  field(): DataView | undefined {
    const length = this.#view.getInt32(this.#at);
    const start = this.#at + 4;
    this.#at = start + Math.max(0, length);
    return length < 0 ? undefined : new DataView(this.#bytes.buffer, this.#bytes.byteOffset + start, length);
  }

  /** The same, where it is never null. */
  int2(): number {
    return this.#value().getInt16(0);
  }

  int4(): number {
    return this.#value().getInt32(0);
  }

  /** As all in our tables, below 2^53. */
  int8(): number {
    return int8At(this.#value(), 0);
  }

  text(): string {
    return textOf(this.#value());
  }

  bytes(): Buffer {
    const { buffer, byteOffset, byteLength } = this.#value();
    return Buffer.from(buffer, byteOffset, byteLength);
  }

  #value(): DataView {
    const field = this.field();
    if (field === undefined) throw new RangeError('a value that is null');
    return field;
  }
}

/** Above 2^53, about. */
export function int8At(view: DataView, at: number): number {
  return view.getInt32(at) * 2 ** 32 + view.getUint32(at + 4);
}

export function textOf({ buffer, byteOffset, byteLength }: DataView): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString();
}

/** Of an array with one dimension, before its elements. */
const arrayHeadBytes = 20;
const [dimensionsAt, hasNullAt, countAt] = [0, 4, 12];

/** Where the elements of an array are, each with its length in front of it; null ones have none. */
export class ArrayReader {
  readonly count: number;
  readonly view: DataView;

  /** Of so many elements. Throws RangeError where it has others. */
  constructor(view: DataView, count: number) {
    const found = view.getInt32(dimensionsAt) === 1 ? view.getInt32(countAt) : 0;
    if (found !== count) throw new RangeError(`an array has ${found} elements in the place of ${count}`);
    this.view = view;
    this.count = count;
  }

  /** Of an element of an array of numbers, none of them null, that have so many bytes each. */
  at(index: number, bytes: number): number {
    return arrayHeadBytes + (bytes + 4) * index + 4;
  }

  /** One by one; undefined where one is null. */
  *elements(): Generator<DataView | undefined, void> {
    const { buffer, byteOffset } = this.view;
    for (let index = 0, at = arrayHeadBytes; index < this.count; index++) {
      const length = this.view.getInt32(at);
      at += 4;
      yield length < 0 ? undefined : new DataView(buffer, byteOffset + at, length);
      at += Math.max(0, length);
    }
  }
}

/** Throws RangeError where it has others, or null ones. */
export function arrayOfNumbers(view: DataView, count: number): ArrayReader {
  if (view.getInt32(hasNullAt) !== 0) throw new RangeError('an array has elements that are null');
  return new ArrayReader(view, count);
}
