// Measurements whose values a test sets by hand, read as the rest of the server reads live ones.
import { type Datatype, quality, type Value, zeroOf } from '@telltale/schema';
import type { Changes, MeasurementReader } from '../src/points/index.ts';

interface PlainMeasurement {
  readonly name: string;
  readonly datatype: Datatype;
  value: Value;
  quality: number;
  timeUs: number;
}

export class PlainMeasurements implements MeasurementReader {
  readonly #measurements: (PlainMeasurement | undefined)[] = [];

  /** Before its first value. Takes the lowest handle that is free. */
  add(name: string, datatype: Datatype): number {
    const free = this.#measurements.indexOf(undefined);
    const handle = free < 0 ? this.#measurements.length : free;
    const value = zeroOf(datatype);
    this.#measurements[handle] = { name, datatype, value, quality: quality.bad.notConnected, timeUs: 0 };
    return handle;
  }

  remove(name: string): void {
    this.#measurements[this.find(name)] = undefined;
  }

  /** The changes that the alarms are to be told. */
  set(name: string, value: Value, q: number = quality.good, timeUs = 0): Changes {
    const handle = this.find(name);
    Object.assign(this.#at(handle), { value, quality: q, timeUs });
    return {
      handles: Uint32Array.of(handle),
      doubles: Float64Array.of(this.datatypeOf(handle) === 'd' ? Number(value) : Number.NaN),
      count: 1,
    };
  }

  find(name: string): number {
    return this.#measurements.findIndex((measurement) => measurement?.name === name);
  }

  nameOf(handle: number): string {
    return this.#at(handle).name;
  }

  datatypeOf(handle: number): Datatype {
    return this.#at(handle).datatype;
  }

  numberOf(handle: number): number {
    const { value, datatype } = this.#at(handle);
    if (datatype === 'l' || datatype === 's') return Number.NaN;
    return Number(value);
  }

  longOf(handle: number): bigint {
    return this.#at(handle).value as bigint;
  }

  textOf(handle: number): string {
    return this.#at(handle).value as string;
  }

  qualityOf(handle: number): number {
    return this.#at(handle).quality;
  }

  timeOf(handle: number): number {
    return this.#at(handle).timeUs;
  }

  #at(handle: number): PlainMeasurement {
    const measurement = this.#measurements[handle];
    if (measurement === undefined) throw new RangeError(`There is no measurement at ${handle}`);
    return measurement;
  }
}
