// The aggregates of Part 13 that the archive answers: which it is, how its value is given, and how its status comes about. Values are
// stepped; a value is in force until the next one, and the last one until now.
import type { Aggregate } from '@telltale/schema';
import type { AggregateRequest, HistoryRecord } from '@telltale/stack-kit';
import { AggregateFunction, DataType, StatusCodes, Variant } from 'node-opcua-client';
import { statusOfQuality } from './status-quality.ts';

export interface ServedAggregate {
  readonly aggregate: Aggregate;
  /** Of the value of the archive what the client gets; without it, the value of the point itself. */
  readonly variant?: (value: number, stepUs: number) => Variant;
  /** Whatever the values are, what it says of them is certain. */
  readonly isAlwaysGood?: boolean;
}

const double = (value: number) => new Variant({ dataType: DataType.Double, value });
const milliseconds = (value: number) => double(value * 1000);

export const servedAggregates: ReadonlyMap<number, ServedAggregate> = new Map<number, ServedAggregate>([
  [AggregateFunction.Average, { aggregate: 'mean', variant: double }],
  [AggregateFunction.TimeAverage2, { aggregate: 'avg', variant: double }],
  [AggregateFunction.Total2, { aggregate: 'total', variant: double }],
  [AggregateFunction.Minimum2, { aggregate: 'min' }],
  [AggregateFunction.Maximum2, { aggregate: 'max' }],
  [AggregateFunction.Range2, { aggregate: 'range', variant: double }],
  [
    AggregateFunction.Count,
    { aggregate: 'count', variant: (value) => new Variant({ dataType: DataType.Int32, value }), isAlwaysGood: true },
  ],
  [AggregateFunction.DurationInStateZero, { aggregate: 'duration-false', variant: milliseconds }],
  [AggregateFunction.DurationInStateNonZero, { aggregate: 'duration-true', variant: milliseconds }],
  [AggregateFunction.DurationGood, { aggregate: 'duration-good', variant: milliseconds, isAlwaysGood: true }],
  [AggregateFunction.DurationBad, { aggregate: 'duration-bad', variant: milliseconds, isAlwaysGood: true }],
  [AggregateFunction.PercentGood, { aggregate: 'percent-good', variant: double, isAlwaysGood: true }],
  [
    AggregateFunction.PercentBad,
    {
      aggregate: 'duration-bad',
      variant: (seconds, stepUs) => double((seconds / (stepUs / 1e6)) * 100),
      isAlwaysGood: true,
    },
  ],
  [
    AggregateFunction.WorstQuality2,
    {
      aggregate: 'worst-quality',
      variant: (quality) => new Variant({ dataType: DataType.StatusCode, value: statusOfQuality(quality) }),
      isAlwaysGood: true,
    },
  ],
]);

export interface ProcessedRequest {
  readonly startUs: number;
  readonly endUs: number;
  /** 0: one interval of all. */
  readonly intervalUs: number;
}

/** A processing interval: from `sinceUs` until before `untilUs`, given with the time `timeUs`. */
export interface Interval {
  readonly timeUs: number;
  readonly sinceUs: number;
  readonly untilUs: number;
  /** Cut off by the end of the request. */
  readonly isCut: boolean;
}

/** Intervals from the `from`-th on, at most `most`. Backwards they count from the later end, which belongs to them, to the earlier. */
export function intervalsOf({ startUs, endUs, intervalUs }: ProcessedRequest, from: number, most: number): Interval[] {
  const lengthUs = Math.abs(endUs - startUs);
  const stepUs = intervalUs === 0 ? lengthUs : intervalUs;
  const count = Math.ceil(lengthUs / stepUs);
  const intervals: Interval[] = [];
  for (let at = from; at < Math.min(count, from + most); at++) {
    const isCut = (at + 1) * stepUs > lengthUs;
    const [nearUs, farUs] = [at * stepUs, Math.min(lengthUs, (at + 1) * stepUs)];
    intervals.push(
      startUs < endUs
        ? { timeUs: startUs + nearUs, sinceUs: startUs + nearUs, untilUs: startUs + farUs, isCut }
        : { timeUs: startUs - nearUs, sinceUs: startUs - farUs + 1, untilUs: startUs - nearUs + 1, isCut },
    );
  }
  return intervals;
}

/** What the archive is asked for intervals that follow each other: whole ones together, one that is cut off alone. */
export function requestsOf(intervals: readonly Interval[], aggregate: Aggregate): AggregateRequest[] {
  const groups = [intervals.filter(({ isCut }) => !isCut), intervals.filter(({ isCut }) => isCut)];
  return groups.flatMap((group) => {
    const [one, other] = [group[0], group.at(-1)];
    if (one === undefined || other === undefined) return [];
    const [sinceUs, untilUs] = [Math.min(one.sinceUs, other.sinceUs), Math.max(one.untilUs, other.untilUs)];
    return [{ sinceUs, untilUs, stepUs: one.untilUs - one.sinceUs, aggregate }];
  });
}

const aggregateBits = { info: 0x0400, calculated: 0x01, partial: 0x04 } as const;

export interface AggregateValue {
  /** Undefined: there is none. */
  readonly variant: Variant | undefined;
  readonly status: number;
}

/** The data of the archive: from its first record until now. */
export interface Extent {
  readonly firstUs: number | undefined;
  readonly nowUs: number;
}

export function aggregateValue(
  served: ServedAggregate,
  { sinceUs, untilUs, isCut }: Interval,
  found: HistoryRecord | undefined,
  { firstUs, nowUs }: Extent,
  plain: (record: HistoryRecord) => Variant,
): AggregateValue {
  const { variant = undefined, isAlwaysGood = false } = served;
  const isOutside = firstUs === undefined || untilUs <= firstUs || sinceUs >= nowUs;
  const isBad = found === undefined || (!isAlwaysGood && (found.quality & 0xc0) === 0);
  if (isOutside || isBad) return { variant: undefined, status: StatusCodes.BadNoData.value };
  const isPartial = isCut || sinceUs < firstUs || untilUs > nowUs;
  const isGood = isAlwaysGood || (found.quality & 0xc0) === 0xc0;
  const bits = aggregateBits.info | aggregateBits.calculated | (isPartial ? aggregateBits.partial : 0);
  return {
    variant: variant === undefined ? plain(found) : variant(Number(found.value), untilUs - sinceUs),
    status: ((isGood ? 0 : StatusCodes.UncertainDataSubNormal.value) | bits) >>> 0,
  };
}
