// A batch of readings: how values travel between devices, threads and points. A structure of arrays in one buffer, so
// that no value costs an object and a batch crosses to another thread without a copy.
import { type Form, form } from './datatype.ts';
import type { Value } from './value-text.ts';

/** What crosses between threads: the buffer and the texts; `transfer` the buffer. */
export interface BatchMessage {
  readonly count: number;
  readonly capacity: number;
  readonly buffer: ArrayBuffer;
  readonly texts: string[];
}

const bytesAReading = 8 + 8 + 4 + 2 + 1;

export class Batch {
  count = 0;
  /** The ids of the points, as the server gave them. */
  declare points: Uint32Array;
  declare forms: Uint8Array;
  declare qualities: Uint16Array;
  /** Microseconds since the epoch. */
  declare times: Float64Array;
  declare numbers: Float64Array;
  /** The same bytes as `numbers`. */
  declare longs: BigInt64Array;
  /** By position in the batch. */
  texts: string[] = [];
  #capacity: number;
  #buffer: ArrayBuffer;

  constructor(capacity = 64) {
    this.#capacity = rounded(capacity);
    this.#buffer = new ArrayBuffer(this.#capacity * bytesAReading);
    this.#lay();
  }

  static from({ count, capacity, buffer, texts }: BatchMessage): Batch {
    const batch = new Batch(0);
    batch.count = count;
    batch.texts = texts;
    batch.#capacity = capacity;
    batch.#buffer = buffer;
    batch.#lay();
    return batch;
  }

  number(point: number, value: number, quality: number, timeUs: number): void {
    const at = this.#next(point, form.number, quality, timeUs);
    this.numbers[at] = value;
  }

  long(point: number, value: bigint, quality: number, timeUs: number): void {
    const at = this.#next(point, form.long, quality, timeUs);
    this.longs[at] = value;
  }

  text(point: number, value: string, quality: number, timeUs: number): void {
    const at = this.#next(point, form.text, quality, timeUs);
    this.texts[at] = value;
  }

  /** A reading without a value: the point retains its current value. */
  none(point: number, quality: number, timeUs: number): void {
    this.#next(point, form.none, quality, timeUs);
  }

  value(point: number, value: Value, quality: number, timeUs: number): void {
    if (typeof value === 'number') this.number(point, value, quality, timeUs);
    else if (typeof value === 'boolean') this.number(point, Number(value), quality, timeUs);
    else if (typeof value === 'bigint') this.long(point, value, quality, timeUs);
    else this.text(point, value, quality, timeUs);
  }

  /** Adds every reading of another batch, which stays as it is. */
  append(from: Batch): void {
    const { count } = from;
    const start = this.count;
    while (start + count > this.#capacity) this.#grow();
    this.longs.set(from.longs.subarray(0, count), start);
    this.times.set(from.times.subarray(0, count), start);
    this.points.set(from.points.subarray(0, count), start);
    this.qualities.set(from.qualities.subarray(0, count), start);
    this.forms.set(from.forms.subarray(0, count), start);
    for (const at of from.texts.keys()) {
      if (at < count && from.forms[at] === form.text) this.texts[start + at] = from.texts[at] as string;
    }
    this.count = start + count;
  }

  copy(from: Batch, at: number): void {
    const [point, quality, timeUs] = [from.points[at], from.qualities[at], from.times[at]] as [number, number, number];
    const value = from.valueAt(at);
    if (value === undefined) this.none(point, quality, timeUs);
    else this.value(point, value, quality, timeUs);
  }

  /** What the reading at this position carries; undefined where it carries nothing. */
  valueAt(at: number): number | bigint | string | undefined {
    switch (this.forms[at]) {
      case form.number:
        return this.numbers[at];
      case form.long:
        return this.longs[at];
      case form.text:
        return this.texts[at];
      default:
        return undefined;
    }
  }

  clear(): void {
    this.count = 0;
    this.texts = [];
  }

  /** For another thread; this batch is empty afterwards and can be filled again. */
  take(): BatchMessage {
    const message = { count: this.count, capacity: this.#capacity, buffer: this.#buffer, texts: this.texts };
    this.#buffer = new ArrayBuffer(this.#capacity * bytesAReading);
    this.#lay();
    this.clear();
    return message;
  }

  #next(point: number, kind: Form, quality: number, timeUs: number): number {
    if (this.count === this.#capacity) this.#grow();
    const at = this.count++;
    this.points[at] = point;
    this.forms[at] = kind;
    this.qualities[at] = quality;
    this.times[at] = timeUs;
    return at;
  }

  #grow(): void {
    const { longs, times, points, qualities, forms } = this;
    this.#capacity *= 2;
    this.#buffer = new ArrayBuffer(this.#capacity * bytesAReading);
    this.#lay();
    this.longs.set(longs);
    this.times.set(times);
    this.points.set(points);
    this.qualities.set(qualities);
    this.forms.set(forms);
  }

  #lay(): void {
    const [buffer, capacity] = [this.#buffer, this.#capacity];
    this.numbers = new Float64Array(buffer, 0, capacity);
    this.longs = new BigInt64Array(buffer, 0, capacity);
    this.times = new Float64Array(buffer, 8 * capacity, capacity);
    this.points = new Uint32Array(buffer, 16 * capacity, capacity);
    this.qualities = new Uint16Array(buffer, 20 * capacity, capacity);
    this.forms = new Uint8Array(buffer, 22 * capacity, capacity);
  }
}

/** A power of two, at least 8: every array in the buffer begins where its elements may. */
function rounded(capacity: number): number {
  return Math.max(8, 2 ** Math.ceil(Math.log2(Math.max(1, capacity))));
}
