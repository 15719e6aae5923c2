// Records of a point as trends draw them: typed arrays in time order, each value in force until the next.
import {
  type ArchiveColumns,
  archiveFlag,
  type Datatype,
  formatPrefixed,
  isBad,
  isUncertain,
  quality,
  unstored,
} from '@telltale/schema/values';

export interface Trace {
  readonly datatype: Datatype;
  /** Microseconds since 1970. */
  readonly times: Float64Array;
  /** Not a number where the value is a text. */
  readonly values: Float64Array;
  readonly qualities: Uint8Array;
  /** As in the archive: 1 is simulated. */
  readonly flags: Uint8Array;
  /** Of texts, and of 64-bit integers, which a number cannot hold. */
  readonly exact: readonly string[] | BigInt64Array | undefined;
}

/** A part of a trace; the record in force at `from` is in it, or there was none. */
export interface Piece {
  readonly trace: Trace;
  readonly from: number;
  readonly until: number;
  /** Nothing is known of what comes after `until`: it had not happened when this was read. */
  readonly isOpen?: boolean;
}

export const emptyTrace: Trace = {
  datatype: 'd',
  times: new Float64Array(),
  values: new Float64Array(),
  qualities: new Uint8Array(),
  flags: new Uint8Array(),
  exact: undefined,
};

/** Index of the record in force at a time; -1: there is none. */
export function indexAt({ times }: Trace, us: number): number {
  let low = 0;
  let high = times.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((times[middle] ?? 0) <= us) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** What a record looks like: nothing is drawn of bad ones. */
export const look = { good: 0, uncertain: 1, bad: 2 } as const;

export function lookOf(q: number): 0 | 1 | 2 {
  return isBad(q) ? look.bad : isUncertain(q) ? look.uncertain : look.good;
}

/** As live values have it: with the bit that says that it was forced. */
export function qualityAt({ qualities, flags }: Trace, at: number): number {
  const isForced = ((flags[at] ?? 0) & archiveFlag.simulated) !== 0;
  return (qualities[at] ?? 0) | (isForced ? quality.simulated : 0);
}

/** The frames of one name are one trace. */
export function traceOf(frames: readonly ArchiveColumns[]): Trace {
  const [first] = frames;
  if (first === undefined) return emptyTrace;
  if (frames.length === 1) return fromFrame(first);
  const parts = frames.map(fromFrame);
  const count = parts.reduce((sum, { times }) => sum + times.length, 0);
  const joined = {
    datatype: first.datatype,
    times: new Float64Array(count),
    values: new Float64Array(count),
    qualities: new Uint8Array(count),
    flags: new Uint8Array(count),
  };
  let at = 0;
  for (const part of parts) {
    joined.times.set(part.times, at);
    joined.values.set(part.values, at);
    joined.qualities.set(part.qualities, at);
    joined.flags.set(part.flags, at);
    at += part.times.length;
  }
  return { ...joined, exact: joinedExact(parts) };
}

function joinedExact(parts: readonly Trace[]): Trace['exact'] {
  const texts = parts.flatMap(({ exact }) => (exact === undefined || exact instanceof BigInt64Array ? [] : [exact]));
  if (texts.length > 0) return texts.flat();
  const longs = parts.flatMap(({ exact }) => (exact instanceof BigInt64Array ? [...exact] : []));
  return longs.length > 0 ? BigInt64Array.from(longs) : undefined;
}

function fromFrame({ datatype, times, values, qualities, flags, kind }: ArchiveColumns): Trace {
  const isNumbers = values instanceof Float64Array;
  return {
    datatype,
    times,
    values: numbersOf(values),
    // Those of commands say nothing.
    qualities: kind === 'commands' ? new Uint8Array(times.length).fill(quality.good) : qualities,
    flags: flags ?? new Uint8Array(times.length),
    exact: isNumbers ? undefined : values,
  };
}

function numbersOf(values: ArchiveColumns['values']): Float64Array {
  if (values instanceof Float64Array) return values;
  return values instanceof BigInt64Array
    ? Float64Array.from(values, Number)
    : new Float64Array(values.length).fill(Number.NaN);
}

/** The value of a record with its prefix, as live values have it. */
export function prefixedAt({ datatype, values, exact }: Trace, at: number): string {
  const value = exact?.[at] ?? values[at] ?? Number.NaN;
  return typeof value === 'bigint' ? `${datatype}${value}` : formatPrefixed(datatype, unstored(datatype, value));
}
