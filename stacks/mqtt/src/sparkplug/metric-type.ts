// Types of Sparkplug metrics and our datatypes, in both directions. Pure.
import { type Datatype, fitValue, type Value } from '@telltale/schema';
import { metricType } from './metric.ts';

/** Those that hold whatever such a metric may come to have. */
const datatypes: Readonly<Record<number, Datatype>> = {
  [metricType.int8]: 'i',
  [metricType.int16]: 'i',
  [metricType.int32]: 'i',
  [metricType.uint8]: 'i',
  [metricType.uint16]: 'i',
  [metricType.uint32]: 'l',
  [metricType.int64]: 'l',
  [metricType.uint64]: 'l',
  [metricType.dateTime]: 'l',
  [metricType.float]: 'f',
  [metricType.double]: 'd',
  [metricType.boolean]: 'b',
  [metricType.string]: 's',
  [metricType.text]: 's',
  [metricType.uuid]: 's',
};

/** Of the types that hold less than their datatype. */
const ranges: Readonly<Record<number, readonly [least: number, most: number]>> = {
  [metricType.int8]: [-128, 127],
  [metricType.int16]: [-32_768, 32_767],
  [metricType.uint8]: [0, 255],
  [metricType.uint16]: [0, 65_535],
  [metricType.uint32]: [0, 4_294_967_295],
  [metricType.uint64]: [0, Number.POSITIVE_INFINITY],
  [metricType.dateTime]: [0, Number.POSITIVE_INFINITY],
};

/** Undefined for data sets, templates and arrays. */
export function datatypeOfType(type: number): Datatype | undefined {
  return datatypes[type];
}

/** The value as a metric of this type has it; undefined where it cannot hold it. */
export function fitType(type: number, value: Value): Value | undefined {
  const datatype = datatypeOfType(type);
  const fitted = datatype === undefined ? undefined : fitValue(datatype, value);
  const [least, most] = ranges[type] ?? [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
  if (typeof fitted !== 'number' && typeof fitted !== 'bigint') return fitted;
  return fitted >= least && fitted <= most ? fitted : undefined;
}
