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
  /** By which its status comes about: the time of good and of bad values, or their number; or it is good, whatever they are. */
  readonly judgedBy: 'time' | 'number' | 'nothing';
  /** It says of no interval that only a part of it is known. */
  readonly isNeverPartial?: boolean;
}

const double = (value: number) => new Variant({ dataType: DataType.Double, value });
const milliseconds = (value: number) => double(value * 1000);

const int32 = (value: number) => new Variant({ dataType: DataType.Int32, value });
const byTime = { judgedBy: 'time' } as const;
const certain = { judgedBy: 'nothing' } as const;

export const servedAggregates: ReadonlyMap<number, ServedAggregate> = new Map<number, ServedAggregate>([
  [AggregateFunction.Average, { aggregate: 'mean', variant: double, judgedBy: 'number', isNeverPartial: true }],
  [AggregateFunction.TimeAverage2, { aggregate: 'avg', variant: double, ...byTime }],
  [AggregateFunction.Total2, { aggregate: 'total', variant: double, ...byTime }],
  [AggregateFunction.Minimum2, { aggregate: 'min', ...byTime }],
  [AggregateFunction.Maximum2, { aggregate: 'max', ...byTime }],
  [AggregateFunction.Range2, { aggregate: 'range', variant: double, ...byTime }],
  [AggregateFunction.Count, { aggregate: 'count', variant: int32, judgedBy: 'number' }],
  [AggregateFunction.DurationInStateZero, { aggregate: 'duration-false', variant: milliseconds, ...byTime }],
  [AggregateFunction.DurationInStateNonZero, { aggregate: 'duration-true', variant: milliseconds, ...byTime }],
  [AggregateFunction.DurationGood, { aggregate: 'duration-good', variant: milliseconds, ...certain }],
  [AggregateFunction.DurationBad, { aggregate: 'duration-bad', variant: milliseconds, ...certain }],
  [AggregateFunction.PercentGood, { aggregate: 'percent-good', variant: double, ...certain }],
  [
    AggregateFunction.PercentBad,
    {
      aggregate: 'duration-bad',
      variant: (seconds, stepUs) => double((seconds / (stepUs / 1e6)) * 100),
      ...certain,
    },
  ],
  [
    AggregateFunction.WorstQuality2,
    {
      aggregate: 'worst-quality',
      variant: (quality) => new Variant({ dataType: DataType.StatusCode, value: statusOfQuality(quality) }),
      ...certain,
    },
  ],
]);

/** From which share of good values on, of time or by number, the result is good; and from which share of bad ones on it is bad. */
export interface Shares {
  readonly percentGood: number;
  readonly percentBad: number;
}

/** What else the archive is asked for, to judge the result by. The quality that it gives by itself is by time, with shares of 100. */
export function judgesOf({ judgedBy }: ServedAggregate, shares: Shares): readonly Aggregate[] {
  if (judgedBy === 'nothing' || (judgedBy === 'time' && isWhole(shares))) return [];
  return judgedBy === 'number' ? ['count', 'count-good', 'count-bad'] : ['duration-good', 'duration-bad'];
}

function isWhole({ percentGood, percentBad }: Shares): boolean {
  return percentGood === 100 && percentBad === 100;
}

export interface ProcessedRequest {
  readonly startUs: number;
  readonly endUs: number;
  /** 0: one interval of all. */
  readonly intervalUs: number;
  readonly shares: Shares;
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

/** What the archive says of an interval, by aggregate. */
export type Found = (aggregate: Aggregate) => HistoryRecord | undefined;

export function aggregateValue(
  served: ServedAggregate,
  { sinceUs, untilUs, isCut }: Interval,
  found: Found,
  shares: Shares,
  { firstUs, nowUs }: Extent,
  plain: (record: HistoryRecord) => Variant,
): AggregateValue {
  const isOutside = firstUs === undefined || untilUs <= firstUs || sinceUs >= nowUs;
  const record = found(served.aggregate);
  if (isOutside || record === undefined) return noData;
  const judgement = judge(served, found, shares, Math.min(untilUs, nowUs) - sinceUs);
  const value = () =>
    served.variant === undefined ? plain(record) : served.variant(Number(record.value), untilUs - sinceUs);
  if (judgement === 'none') return noData;
  // A count is zero where nothing is good.
  if (judgement === 'bad') {
    return { variant: served.aggregate === 'count' ? value() : undefined, status: StatusCodes.Bad.value };
  }
  const isPartial = !served.isNeverPartial && (isCut || sinceUs < firstUs || untilUs > nowUs);
  const bits = aggregateBits.info | aggregateBits.calculated | (isPartial ? aggregateBits.partial : 0);
  const status = judgement === 'good' ? 0 : StatusCodes.UncertainDataSubNormal.value;
  return { variant: value(), status: (status | bits) >>> 0 };
}

const noData: AggregateValue = { variant: undefined, status: StatusCodes.BadNoData.value };

/** After 5.4.3.2 of Part 13. Of an interval of which nothing is but bad, there is no value, but a count. */
function judge(
  { judgedBy, aggregate }: ServedAggregate,
  found: Found,
  { percentGood, percentBad }: Shares,
  lengthUs: number,
): 'good' | 'uncertain' | 'bad' | 'none' {
  if (judgedBy === 'nothing') return 'good';
  if (judgedBy === 'time' && isWhole({ percentGood, percentBad })) {
    const status = (found(aggregate)?.quality ?? 0) & 0xc0;
    return status === 0xc0 ? 'good' : status === 0 ? 'none' : 'uncertain';
  }
  const number = (each: Aggregate) => Number(found(each)?.value ?? 0);
  const [good, bad, all] =
    judgedBy === 'number'
      ? [number('count-good'), number('count-bad'), number('count') + number('count-bad')]
      : [number('duration-good'), number('duration-bad'), lengthUs / 1e6];
  const isCount = aggregate === 'count';
  if (all === 0) return isCount ? 'good' : 'none';
  if (bad >= all && !isCount) return 'none';
  // Sums of microseconds in seconds: what is all of it may be a little less.
  const share = (part: number) => (part / all) * 100 + 1e-9;
  if (bad > 0 && share(bad) >= percentBad) return 'bad';
  return share(good) >= percentGood ? 'good' : 'uncertain';
}
