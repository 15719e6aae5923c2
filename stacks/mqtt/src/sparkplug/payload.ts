// The payload of Sparkplug B: what an edge node sends and what it is sent, as bytes and back. Pure.
import { type Datatype, firstHolding, form, type IntegerType, traitsOf, type Value } from '@telltale/schema';
import { ProtobufReader, ProtobufWriter } from './protobuf.ts';

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

export interface Metric {
  readonly name?: string | undefined;
  readonly alias?: number | undefined;
  readonly timestampMs?: number | undefined;
  /** Left out of data, since the birth has it. */
  readonly type?: number | undefined;
  readonly isNull?: boolean | undefined;
  readonly isHistorical?: boolean | undefined;
  /** A property: Int32. */
  readonly quality?: number | undefined;
  /** A property, as most hosts know it: engUnit. */
  readonly unit?: string | undefined;
  readonly value?: Value | undefined;
}

export interface SparkplugPayload {
  readonly timestampMs?: number | undefined;
  readonly seq?: number | undefined;
  readonly metrics: readonly Metric[];
}

/** More metrics are not read. */
const maxMetrics = 100_000;

const field = { timestamp: 1, metrics: 2, seq: 3 } as const;
const metricField = {
  name: 1,
  alias: 2,
  timestamp: 3,
  type: 4,
  isHistorical: 5,
  isNull: 7,
  properties: 9,
  int: 10,
  long: 11,
  float: 12,
  double: 13,
  boolean: 14,
  string: 15,
} as const;

const propertyName = { quality: 'Quality', unit: 'engUnit' } as const;

export function encodePayload({ timestampMs, seq, metrics }: SparkplugPayload): Buffer {
  const writer = new ProtobufWriter();
  if (timestampMs !== undefined) writer.varint(field.timestamp, timestampMs);
  for (const metric of metrics) writer.message(field.metrics, (inner) => writeMetric(inner, metric));
  if (seq !== undefined) writer.varint(field.seq, seq);
  return writer.finish();
}

function writeMetric(writer: ProtobufWriter, metric: Metric): void {
  const { name, alias, timestampMs, type, isNull, isHistorical, quality, unit, value } = metric;
  if (name !== undefined) writer.bytes(metricField.name, name);
  if (alias !== undefined) writer.varint(metricField.alias, alias);
  if (timestampMs !== undefined) writer.varint(metricField.timestamp, timestampMs);
  if (type !== undefined) writer.varint(metricField.type, type);
  if (isHistorical) writer.boolean(metricField.isHistorical, true);
  if (isNull) writer.boolean(metricField.isNull, true);
  if (quality !== undefined || unit !== undefined) writeProperties(writer, quality, unit);
  if (value === undefined || isNull) return;
  if (typeof value === 'boolean') writer.boolean(metricField.boolean, value);
  else if (typeof value === 'bigint') writer.varint(metricField.long, BigInt.asUintN(64, value));
  else if (typeof value === 'string') writer.bytes(metricField.string, value);
  else if (type === metricType.float) writer.float(metricField.float, value);
  else if (type === metricType.double) writer.double(metricField.double, value);
  else writer.varint(metricField.int, value >>> 0);
}

/** All keys, then a value for each of them. */
function writeProperties(writer: ProtobufWriter, quality: number | undefined, unit: string | undefined): void {
  writer.message(metricField.properties, (properties) => {
    if (quality !== undefined) properties.bytes(1, propertyName.quality);
    if (unit !== undefined) properties.bytes(1, propertyName.unit);
    if (quality !== undefined) {
      properties.message(2, (property) => {
        property.varint(1, metricType.int32);
        property.varint(3, quality);
      });
    }
    if (unit !== undefined) {
      properties.message(2, (property) => {
        property.varint(1, metricType.string);
        property.bytes(8, unit);
      });
    }
  });
}

/** Throws where the bytes are no payload. Values are as the metric's type says; `typeOf` where it leaves it out. */
export function decodePayload(
  bytes: Uint8Array,
  typeOf: (name: string | undefined, alias: number | undefined) => number | undefined = () => undefined,
): SparkplugPayload {
  const reader = new ProtobufReader(bytes);
  const metrics: Metric[] = [];
  let timestampMs: number | undefined;
  let seq: number | undefined;
  for (let at = reader.next(); at !== undefined; at = reader.next()) {
    if (at === field.timestamp) timestampMs = Number(reader.varint());
    else if (at === field.seq) seq = Number(reader.varint());
    else if (at !== field.metrics) reader.skip();
    else if (metrics.push(readMetric(new ProtobufReader(reader.bytes()), typeOf)) > maxMetrics) {
      throw new RangeError(`more than ${maxMetrics} metrics`);
    }
  }
  return { timestampMs, seq, metrics };
}

function readMetric(reader: ProtobufReader, typeOf: (name?: string, alias?: number) => number | undefined): Metric {
  let name: string | undefined;
  let alias: number | undefined;
  let timestampMs: number | undefined;
  let type: number | undefined;
  let isHistorical = false;
  let isNull = false;
  let properties: ReturnType<typeof readProperties> = {};
  let raw: Value | undefined;
  for (let at = reader.next(); at !== undefined; at = reader.next()) {
    switch (at) {
      case metricField.name:
        name = reader.text();
        break;
      case metricField.alias:
        alias = Number(reader.varint());
        break;
      case metricField.timestamp:
        timestampMs = Number(reader.varint());
        break;
      case metricField.type:
        type = reader.uint32();
        break;
      case metricField.isHistorical:
        isHistorical = reader.boolean();
        break;
      case metricField.isNull:
        isNull = reader.boolean();
        break;
      case metricField.properties:
        properties = readProperties(new ProtobufReader(reader.bytes()));
        break;
      case metricField.int:
        raw = reader.uint32();
        break;
      case metricField.long:
        raw = reader.varint();
        break;
      case metricField.float:
        raw = reader.float();
        break;
      case metricField.double:
        raw = reader.double();
        break;
      case metricField.boolean:
        raw = reader.boolean();
        break;
      case metricField.string:
        raw = reader.text();
        break;
      default:
        reader.skip();
    }
  }
  const own = type ?? typeOf(name, alias);
  const value = isNull ? undefined : signed(raw, own);
  return { name, alias, timestampMs, type, isHistorical, isNull, ...properties, value };
}

/** Those that are known, where they are of the right type. */
function readProperties(reader: ProtobufReader): Pick<Metric, 'quality' | 'unit'> {
  const keys: string[] = [];
  const values: (number | string | undefined)[] = [];
  for (let at = reader.next(); at !== undefined; at = reader.next()) {
    if (at === 1) keys.push(reader.text());
    else if (at === 2) values.push(readProperty(new ProtobufReader(reader.bytes())));
    else reader.skip();
  }
  const quality = values[keys.indexOf(propertyName.quality)];
  const unit = values[keys.indexOf(propertyName.unit)];
  return {
    quality: typeof quality === 'number' ? quality : undefined,
    ...(typeof unit === 'string' && { unit }),
  };
}

function readProperty(reader: ProtobufReader): number | string | undefined {
  let value: number | string | undefined;
  for (let at = reader.next(); at !== undefined; at = reader.next()) {
    if (at === 3) value = reader.uint32();
    else if (at === 4) value = Number(reader.varint());
    else if (at === 8) value = reader.text();
    else reader.skip();
  }
  return value;
}

/** Integers cross without their sign. Peers put 8 and 16 bits into 32 with the sign spread, or without. */
function signed(raw: Value | undefined, type: number | undefined): Value | undefined {
  if (typeof raw === 'number') {
    if (type === metricType.int8) return (raw << 24) >> 24;
    if (type === metricType.int16) return (raw << 16) >> 16;
    if (type === metricType.int32) return raw | 0;
  }
  return typeof raw === 'bigint' && type === metricType.int64 ? BigInt.asIntN(64, raw) : raw;
}
