// One measurement as the connector reads it: where it stands in an answer, and what is made of it.
import { type Batch, quality } from '@telltale/schema';
import { followPointer, parsePointer, propertyOf, type SourceTimes, type StackPoint } from '@telltale/stack-kit';
import { parseMeasurement } from './address.ts';
import { readQuality, readTime, type TimeUnit } from './read-time.ts';
import { readValue } from './read-value.ts';

export interface Item {
  readonly point: StackPoint;
  readonly path: string;
  readonly pointer: readonly string[];
  readonly timePointer: readonly string[] | undefined;
  readonly qualityPointer: readonly string[] | undefined;
}

/** What a reading is made with, beside the answer itself. */
export interface Reading {
  readonly document: unknown;
  readonly timeUs: number;
  /** What the server's clock said when it answered. */
  readonly serverUs: number | undefined;
  readonly timeUnit: TimeUnit;
  readonly times: SourceTimes;
}

/** Undefined where the address cannot be read. */
export function itemOf(point: StackPoint): Item | undefined {
  const address = parseMeasurement(point.address);
  const timePointer = pointerProperty(point, 'timePointer');
  const qualityPointer = pointerProperty(point, 'qualityPointer');
  if (typeof address === 'string' || typeof timePointer === 'string' || typeof qualityPointer === 'string') {
    return undefined;
  }
  return { point, ...address, timePointer, qualityPointer };
}

export function addReading(item: Item, reading: Reading, batch: Batch): void {
  const { point, pointer } = item;
  const json = followPointer(reading.document, pointer);
  if (json === undefined) {
    batch.none(point.id, quality.bad.configurationError, reading.timeUs);
    return;
  }
  const { timeUs, quality: found } = timeAndQuality(item, reading);
  const value = readValue(point.datatype, json);
  if (value !== undefined) batch.value(point.id, value, found, timeUs);
  else batch.none(point.id, quality.bad.sensorFailure, timeUs);
}

function timeAndQuality(item: Item, reading: Reading): { timeUs: number; quality: number } {
  const { timePointer, qualityPointer } = item;
  const { document, timeUs, serverUs, timeUnit, times } = reading;
  const found = qualityPointer === undefined ? quality.good : readQuality(followPointer(document, qualityPointer));
  if (timePointer === undefined) return { timeUs, quality: found };
  // A time that cannot be read is as good as one that cannot be right.
  times.judge(readTime(followPointer(document, timePointer), timeUnit) ?? Number.NaN, serverUs, found);
  return times;
}

function pointerProperty(point: StackPoint, name: string): readonly string[] | string | undefined {
  const text = propertyOf(point, name);
  return text === undefined ? undefined : parsePointer(text);
}
