// Writes the payload of Sparkplug B as bytes. Pure.
import type { Value } from '@telltale/schema';
import {
  type DataSet,
  isDataSet,
  isTemplate,
  type Metric,
  metricType,
  type Properties,
  type Property,
  type SparkplugPayload,
  type Template,
} from './metric.ts';
import { ProtobufWriter } from './protobuf.ts';

export function encodePayload({ timestampMs, seq, metrics }: SparkplugPayload): Buffer {
  const writer = new ProtobufWriter();
  if (timestampMs !== undefined) writer.varint(1, timestampMs);
  for (const metric of metrics) writer.message(2, (inner) => writeMetric(inner, metric));
  if (seq !== undefined) writer.varint(3, seq);
  return writer.finish();
}

/** A metric of data or of a command: its type is that of the birth. */
export interface UntypedMetric extends Metric {
  /** In which form the value is written. */
  readonly bornType?: number | undefined;
}

function writeMetric(writer: ProtobufWriter, metric: UntypedMetric): void {
  const { name, alias, timestampMs, type, isNull, isHistorical, properties, value, bornType = type } = metric;
  if (name !== undefined) writer.bytes(1, name);
  if (alias !== undefined) writer.varint(2, alias);
  if (timestampMs !== undefined) writer.varint(3, timestampMs);
  if (type !== undefined) writer.varint(4, type);
  if (isHistorical) writer.boolean(5, true);
  if (isNull) writer.boolean(7, true);
  if (properties !== undefined && properties.size > 0) {
    writer.message(9, (inner) => writeProperties(inner, properties));
  }
  if (value === undefined || isNull) return;
  if (isTemplate(value)) writer.message(18, (inner) => writeTemplate(inner, value));
  else if (isDataSet(value)) writer.message(17, (inner) => writeDataSet(inner, value));
  else if (typeof value === 'object') writer.bytes(16, value);
  else writeValue(writer, 10, bornType, value);
}

/** Of a metric, a property or a parameter: the same forms, one field after the other. */
function writeValue(writer: ProtobufWriter, first: number, type: number | undefined, value: Value): void {
  if (typeof value === 'boolean') writer.boolean(first + 4, value);
  else if (typeof value === 'bigint') writer.varint(first + 1, BigInt.asUintN(64, value));
  else if (typeof value === 'string') writer.bytes(first + 5, value);
  else if (type === metricType.float) writer.float(first + 2, value);
  else if (type === metricType.double) writer.double(first + 3, value);
  else writer.varint(first, value >>> 0);
}

/** All keys, then a value for each of them. */
function writeProperties(writer: ProtobufWriter, properties: Properties): void {
  for (const key of properties.keys()) writer.bytes(1, key);
  for (const property of properties.values()) writer.message(2, (inner) => writeProperty(inner, property));
}

function writeProperty(writer: ProtobufWriter, { type, value }: Property): void {
  if (type !== undefined) writer.varint(1, type);
  if (value === undefined) writer.boolean(2, true);
  else if (typeof value === 'object') writer.message(9, (inner) => writeProperties(inner, value));
  else writeValue(writer, 3, type, value);
}

function writeTemplate(writer: ProtobufWriter, { members, ref, isDefinition }: Template): void {
  for (const member of members) writer.message(2, (inner) => writeMetric(inner, member));
  if (ref !== undefined) writer.bytes(4, ref);
  writer.boolean(5, isDefinition);
}

/** A cell has no null: each of them has a value. */
function writeDataSet(writer: ProtobufWriter, { columns, types, rows }: DataSet): void {
  writer.varint(1, columns.length);
  for (const column of columns) writer.bytes(2, column);
  for (const type of types) writer.varint(3, type);
  for (const row of rows) writer.message(4, (inner) => writeRow(inner, types, row));
}

function writeRow(writer: ProtobufWriter, types: readonly number[], row: DataSet['rows'][number]): void {
  for (const [at, value] of row.entries()) {
    writer.message(1, (inner) => {
      if (value !== undefined) writeValue(inner, 1, types[at], value);
    });
  }
}
