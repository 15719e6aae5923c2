// A point of an edge node as it was sent last: whether it has changed, its link has failed, and what is sent of it.
import { isBad, isGood, quality } from '@telltale/schema';
import type { ServedPoint } from '@telltale/stack-kit';
import { type Metric, metricQuality, metricType, type Property, propertyName, typeOfDatatype } from './metric.ts';
import type { Whole } from './whole.ts';

/** A point as it was sent last. */
export interface SentPoint {
  readonly served: ServedPoint;
  readonly device: ServedDevice;
  readonly metric: NodeMetric;
  /** Which member of an instance, or part of a whole it is. */
  readonly member: string | undefined;
  /** Its link has failed: it counts for the loss of its device. */
  isLost: boolean;
  /** It has had a value; before, what it has is the zero of its datatype. */
  hasValue: boolean;
  sent: { readonly value: unknown; readonly quality: number; readonly timeUs: number; readonly sentUs: number };
}

/** A scalar has one point, an instance one for each member, an array and a data set one for each element or cell. */
export interface NodeMetric {
  readonly name: string;
  readonly alias: number;
  readonly template: string | undefined;
  /** It is an array or a data set. */
  readonly whole: Whole | undefined;
  readonly points: Map<string, SentPoint>;
}

export interface ServedDevice {
  readonly name: string;
  readonly metrics: NodeMetric[];
  /** How many measurements it has, and of how many the link has failed. */
  measurements: number;
  lost: number;
}

/** Not sent yet. */
export const never = { value: undefined, quality: -1, timeUs: -1, sentUs: -1 };

/** After each reading: whether its link has failed, and whether it has a value by now. Commands have no link of their own. */
export function noteLink(point: SentPoint): void {
  const { served, device } = point;
  const isLost = !served.isCommand && isLinkLoss(served.quality);
  if (isLost !== point.isLost) device.lost += isLost ? 1 : -1;
  point.isLost = isLost;
  if (served.timeUs === 0) point.hasValue = false;
  else if (!isBad(served.quality)) point.hasValue = true;
}

/** All that is behind it: a device without measurements cannot be lost. */
export function isLost({ measurements, lost }: ServedDevice): boolean {
  return measurements > 0 && lost === measurements;
}

/** It is sent again, as it is now. */
export function sendAgain(point: SentPoint): void {
  point.sent = { ...never, value: point.served.value, sentUs: Number.POSITIVE_INFINITY };
}

/** Whether there is something that the host application does not have. */
export function hasChanged({ served, sent }: SentPoint): boolean {
  return served.value !== sent.value || served.quality !== sent.quality || served.timeUs !== sent.timeUs;
}

function isLinkLoss(own: number): boolean {
  // Limits do not count; what is simulated is not lost.
  const status = own & 0xff_fc;
  return status === quality.bad.communicationFailure || status === quality.bad.outOfService;
}

export function reading(point: SentPoint, nowUs: number): Pick<Metric, 'timestampMs' | 'isNull' | 'value'> {
  const { served, sent, hasValue } = point;
  const { value, quality: own, timeUs } = served;
  // A value that was sent, and is good or bad again with the time that it had: it is so now.
  const isAgain = value === sent.value && own !== sent.quality && timeUs <= sent.sentUs;
  const sentUs = timeUs === 0 || isAgain ? nowUs : timeUs;
  point.sent = { value, quality: own, timeUs, sentUs };
  const isNull = value === undefined || !hasValue;
  return { timestampMs: Math.floor(sentUs / 1000), isNull, value: isNull ? undefined : value };
}

export function typeOf({ served }: SentPoint): number {
  return typeOfDatatype(served.point.datatype);
}

export function qualityProperty(own: number): Property {
  const value = isGood(own) ? metricQuality.good : isBad(own) ? metricQuality.bad : metricQuality.stale;
  return { type: metricType.int32, value };
}

export function propertiesOf({ served }: SentPoint, isBirth: boolean): Map<string, Property> {
  const { quality: own, point } = served;
  const properties = new Map<string, Property>([[propertyName.quality, qualityProperty(own)]]);
  if (!isBirth) return properties;
  const text = (key: string, value: string | undefined) => {
    if (value !== undefined && value !== '') properties.set(key, { type: metricType.string, value });
  };
  text(propertyName.unit, point.eu);
  text(propertyName.description, point.description);
  const [low, high] = point.euRange ?? [];
  if (low !== undefined) properties.set(propertyName.low, { type: metricType.double, value: low });
  if (high !== undefined) properties.set(propertyName.high, { type: metricType.double, value: high });
  return properties;
}
