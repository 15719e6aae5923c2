// The data set of the archive's benchmarks: what a plant's points give, the same in every run. In 20 series there are 12
// slow decimals with 2 places, 4 counters and integers, 3 states that rarely change, and 1 noisy double.
import type { Datatype } from '@telltale/schema';

/** In one form the points of a scan share its time; in the other each record has a jitter of ±0.5 ms of its own. */
export type TimeForm = 'shared' | 'jitter';

export interface DataSeries {
  readonly name: string;
  readonly datatype: Datatype;
}

export interface DataSet {
  readonly series: readonly DataSeries[];
  readonly scans: number;
  readonly records: number;
  /** By `scan * series.length + series`, as are `times` and `qualities`. */
  readonly values: Float64Array;
  /** Whole microseconds, a second apart. */
  readonly times: Float64Array;
  readonly qualities: Uint8Array;
}

export const startUs = 1_760_000_000_000_000;
export const scanUs = 1_000_000;
const jitterUs = 500;
const goodQuality = 0xc0;
const lostQuality = 0x18;
const walkStep = 8;
const walkLimit = 10_000;
const countedAtMost = 9;
const recordsAState = 500;

/** Bits of the values of 20 series, and bytes of a time with jitter: nothing lossless does with less. */
const bitsOfTwenty = 12 * Math.log2(2 * walkStep + 1) + 2 * Math.log2(countedAtMost + 1) + 2 * Math.log2(11) + 52;
export const entropyBytes = { value: bitsOfTwenty / 20 / 8, jitter: Math.log2(2 * jitterUs + 1) / 8 };

const datatypes: readonly Datatype[] = [...'dddddddddddd', ...'liii', ...'bqq', 'd'] as Datatype[];

export function dataSeries(count: number): DataSeries[] {
  return Array.from({ length: count }, (_, index) => ({
    name: `point_${String(index).padStart(5, '0')}`,
    datatype: datatypes[index % datatypes.length] ?? 'd',
  }));
}

export function makeData(seriesCount: number, scans: number, form: TimeForm): DataSet {
  const records = seriesCount * scans;
  const data: DataSet = {
    series: dataSeries(seriesCount),
    scans,
    records,
    values: new Float64Array(records),
    times: new Float64Array(records),
    qualities: new Uint8Array(records),
  };
  fill(data, form);
  return data;
}

function fill({ values, times, qualities, series, scans }: DataSet, form: TimeForm): void {
  const random = randomSource(1);
  const state = new Float64Array(series.length);
  for (let scan = 0, at = 0; scan < scans; scan++) {
    const time = startUs + scan * scanUs;
    for (let index = 0; index < series.length; index++, at++) {
      const next = nextState(index % 20, state[index] as number, random);
      state[index] = next;
      values[at] = index % 20 < 12 ? next / 100 : next;
      times[at] = form === 'shared' ? time : time + (random() % (2 * jitterUs + 1)) - jitterUs;
      qualities[at] = qualityOf(index, scan);
    }
  }
}

/** The next value of a series at this place of 20, of decimals in hundredths. */
function nextState(place: number, before: number, random: () => number): number {
  if (place < 12) {
    const step = (random() % (2 * walkStep + 1)) - walkStep;
    return Math.abs(before + step) > walkLimit ? before - step : before + step;
  }
  if (place < 14) return before + (random() % (countedAtMost + 1));
  if (place < 16) return before + (random() % 11) - 5;
  if (place < 19) return random() % recordsAState === 0 ? (before + 1) % (place === 16 ? 2 : 4) : before;
  return (100 * ((random() >>> 6) * 2 ** 26 + (random() >>> 6))) / 2 ** 52;
}

/** Good, but for 16 scans now and then in which a device was lost: a record in a thousand. */
export function qualityOf(index: number, scan: number): number {
  return ((scan >>> 4) * 31 + index * 17) % 1009 === 0 ? lostQuality : goodQuality;
}

/** Whole numbers below 2^32, evenly; the same ones for the same seed. */
export function randomSource(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
}
