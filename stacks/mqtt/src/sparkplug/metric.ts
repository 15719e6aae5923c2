// What a payload of Sparkplug B is made of: metrics, their types, properties, templates and data sets. Pure.
import { type Datatype, firstHolding, form, type IntegerType, traitsOf, type Value } from '@telltale/schema';

export const metricType = {
  int8: 1,
  int16: 2,
  int32: 3,
  int64: 4,
  uint8: 5,
  uint16: 6,
  uint32: 7,
  uint64: 8,
  float: 9,
  double: 10,
  boolean: 11,
  string: 12,
  dateTime: 13,
  text: 14,
  uuid: 15,
  dataSet: 16,
  template: 19,
  int8Array: 22,
  int16Array: 23,
  int32Array: 24,
  int64Array: 25,
  uint8Array: 26,
  uint16Array: 27,
  uint32Array: 28,
  uint64Array: 29,
  floatArray: 30,
  doubleArray: 31,
  booleanArray: 32,
  stringArray: 33,
  dateTimeArray: 34,
} as const;

const integers: readonly IntegerType<number>[] = [
  [metricType.uint8, 0, 255],
  [metricType.int32, -(2 ** 31), 2 ** 31 - 1],
  [metricType.uint32, 0, 2 ** 32 - 1],
  [metricType.int64, -(2n ** 63n), 2n ** 63n - 1n],
];

export function typeOfDatatype(datatype: Datatype): number {
  const { form: held, precision, isBoolean } = traitsOf(datatype);
  if (held === form.text) return metricType.string;
  if (isBoolean) return metricType.boolean;
  if (precision === 'single') return metricType.float;
  return firstHolding(datatype, integers) ?? metricType.double;
}

/** What Sparkplug has for the quality of a metric: there are no others. */
export const metricQuality = { bad: 0, good: 192, stale: 500 } as const;

/** Keys of properties: the first is Sparkplug's own, the others are those that most hosts know. */
export const propertyName = {
  quality: 'Quality',
  unit: 'engUnit',
  low: 'engLow',
  high: 'engHigh',
  description: 'description',
} as const;

export interface Property {
  readonly type: number | undefined;
  /** Undefined: it is null. */
  readonly value: Value | Properties | undefined;
}

export type Properties = ReadonlyMap<string, Property>;

export interface DataSet {
  readonly kind: 'dataSet';
  readonly columns: readonly string[];
  readonly types: readonly number[];
  readonly rows: readonly (readonly (Value | undefined)[])[];
}

export interface Template {
  readonly kind: 'template';
  readonly isDefinition: boolean;
  /** The name of the definition; only instances have one. */
  readonly ref?: string | undefined;
  readonly members: readonly Metric[];
  /** The same, of one that was read. */
  readonly byName?: ReadonlyMap<string, Metric>;
  readonly parameters?: Properties;
}

export type MetricValue = Value | DataSet | Template | Uint8Array;

export interface Metric {
  readonly name?: string | undefined;
  readonly alias?: number | undefined;
  readonly timestampMs?: number | undefined;
  /** Left out of data and commands, since the birth has it. */
  readonly type?: number | undefined;
  readonly isNull?: boolean | undefined;
  readonly isHistorical?: boolean | undefined;
  readonly properties?: Properties | undefined;
  /** Of an array, of a file and of bytes: the bytes. */
  readonly value?: MetricValue | undefined;
}

export interface SparkplugPayload {
  readonly timestampMs?: number | undefined;
  readonly seq?: number | undefined;
  readonly metrics: readonly Metric[];
}

/** Undefined where it is a template, a data set or bytes. */
export function scalarOf(value: MetricValue | undefined): Value | undefined {
  return typeof value === 'object' ? undefined : value;
}

export function isTemplate(value: MetricValue | undefined): value is Template {
  return typeof value === 'object' && 'kind' in value && value.kind === 'template';
}

export function isDataSet(value: MetricValue | undefined): value is DataSet {
  return typeof value === 'object' && 'kind' in value && value.kind === 'dataSet';
}

export function metricsByName(metrics: readonly Metric[]): Map<string, Metric> {
  return new Map(metrics.flatMap((metric) => (metric.name === undefined ? [] : [[metric.name, metric]])));
}

/** Undefined where it has none, or something else in its place. */
export function qualityOf({ properties }: Metric): number | undefined {
  const value = properties?.get(propertyName.quality)?.value;
  return typeof value === 'number' ? value : undefined;
}

export function bdSeqOf(metrics: readonly Metric[]): string | undefined {
  const value = metrics.find(({ name }) => name === 'bdSeq')?.value;
  return value === undefined ? undefined : String(value);
}
