// What is sent of an array or a data set: all its parts at once. Neither has null, time or quality of a part.
import { quality, qualityMask, type Value } from '@telltale/schema';
import { type Metric, type Property, propertyName } from './metric.ts';
import { hasChanged, type NodeMetric, propertiesOf, qualityProperty, reading, type SentPoint } from './sent-point.ts';
import type { Whole } from './whole.ts';

/** Nothing until each part has a value: an array is null, a data set without rows. Of the newest time, and the worst quality. */
export function wholeReading(
  { members, value: valueWith }: Whole,
  { points }: NodeMetric,
  nowUs: number,
): Pick<Metric, 'timestampMs' | 'isNull' | 'value' | 'properties'> {
  const values: Value[] = [];
  let newestUs = 0;
  let worst: number = quality.good;
  for (const member of members) {
    const point = points.get(member) as SentPoint;
    const { value, quality: own } = point.served;
    // What has not changed keeps the time with which it was sent: the time of the whole does not go back.
    if (hasChanged(point)) reading(point, nowUs);
    newestUs = Math.max(newestUs, point.sent.sentUs);
    // Of the status alone, the worse is the less.
    worst = Math.min(worst, own & qualityMask.status);
    if (point.hasValue && value !== undefined) values.push(value);
  }
  const isWhole = values.length === members.length;
  const value = valueWith(isWhole ? values : undefined);
  const isNull = value === undefined;
  const own = isNull || !isWhole ? quality.bad.nonSpecific : worst;
  const properties = new Map([[propertyName.quality, qualityProperty(own)]]);
  return { timestampMs: Math.floor(newestUs / 1000), isNull, value, properties };
}

/** For births: what all parts have alike. */
export function sharedProperties({ points }: NodeMetric): Map<string, Property> {
  const [first, ...others] = points.values();
  const shared = first === undefined ? new Map<string, Property>() : propertiesOf(first, true);
  for (const other of others) {
    const own = propertiesOf(other, true);
    for (const [key, { value }] of shared) if (own.get(key)?.value !== value) shared.delete(key);
  }
  shared.delete(propertyName.quality);
  return shared;
}

/** Stands for all parts of its metric, which are sent as one. */
export function senderOf(point: SentPoint): SentPoint {
  const { whole, points } = point.metric;
  return whole === undefined ? point : (points.get(whole.members[0] as string) as SentPoint);
}

/** Some of those that are to be sent, about as many as `most` with all their parts. */
export function firstOf(changed: Iterable<SentPoint>, most: number): SentPoint[] {
  const some: SentPoint[] = [];
  let count = 0;
  for (const point of changed) {
    if (count >= most) break;
    some.push(point);
    count += point.metric.whole?.members.length ?? 1;
  }
  return some;
}
