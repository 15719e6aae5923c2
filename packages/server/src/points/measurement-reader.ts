// What the rest of the server reads of live measurements, by handle: names are resolved once, at the edge.
import type { Datatype } from '@telltale/schema';

/** A handle stays the same for as long as the measurement is configured, whatever else of it changes. */
export interface MeasurementReader {
  /** The handle of a live measurement; -1 where there is none. */
  find(name: string): number;
  nameOf(handle: number): string;
  datatypeOf(handle: number): Datatype;
  /** The published value, simulated or not, where it is stored as a number; else a number without meaning. */
  numberOf(handle: number): number;
  /** The same of a 64-bit integer. */
  longOf(handle: number): bigint;
  /** The same of a text. */
  textOf(handle: number): string;
  qualityOf(handle: number): number;
  /** Microseconds since the epoch. */
  timeOf(handle: number): number;
}

/** Measurements whose published value, quality or time changed; each stands in it once. Valid during the call alone. */
export interface Changes {
  readonly handles: Uint32Array;
  /** Of each, beside its handle, the published value as `numberOf` has it, or NaN: then the reader knows it. */
  readonly doubles: Float64Array;
  readonly count: number;
}
