// Values of OPC UA and values of points, both ways. 64-bit integers stay exact; a value out of range is reported, never
// bent. The README has the table.
import {
  type Batch,
  type Datatype,
  firstHolding,
  fits,
  form,
  formatText,
  type IntegerType,
  isFitText,
  isGood,
  parseIsoMs,
  quality,
  traitsOf,
  type Value,
} from '@telltale/schema';
import { DataType, VariantArrayType } from 'node-opcua-client';
import type { Part } from './structure-path.ts';

/** A Date of the library: what a millisecond leaves over hangs on it. */
export type PreciseDate = Date & { picoseconds?: number };

const minLong = -(2n ** 63n);
const maxLong = 2n ** 63n - 1n;

const integers: readonly IntegerType<DataType>[] = [
  [DataType.Byte, 0, 255],
  [DataType.Int32, -(2 ** 31), 2 ** 31 - 1],
  [DataType.UInt32, 0, 2 ** 32 - 1],
  [DataType.Int64, minLong, maxLong],
];

/** The default type in OPC UA of a point of the datatype. */
export function typeOf(datatype: Datatype): DataType {
  const { form: held, precision, isBoolean } = traitsOf(datatype);
  if (held === form.text) return DataType.String;
  if (isBoolean) return DataType.Boolean;
  if (precision === 'single') return DataType.Float;
  return firstHolding(datatype, integers) ?? DataType.Double;
}

/** The beginning and the end of time in OPC UA (Part 6, 5.2.2.5): these are no times. */
const beginningMs = Date.UTC(1601, 0, 1);
const endMs = Date.UTC(9999, 11, 31, 23, 59, 59);
/** The greatest Int64, which is how the end is sent; the library reads a negative number as one that is greater. */
const greatestMs = 910_692_730_085_477;
const restOfGreatest = 580_700_000;

export function isTime(date: Date | null): date is Date {
  return date !== null && date.getTime() > beginningMs && date.getTime() < endMs;
}

/** Whatever lies outside is one of the ends. */
function withinTime(date: PreciseDate): PreciseDate {
  const ms = date.getTime();
  if (isTime(date)) return date;
  return new Date(ms >= endMs && ms <= greatestMs ? endMs : beginningMs);
}

/** Microseconds since the epoch. */
export function timeUsOf(date: Date, picoseconds = 0): number {
  return date.getTime() * 1000 + Math.round(picoseconds / 1e6);
}

/**
 * Adds what the node said. `isElement`: the address names one element of an array, which comes as an array of one.
 * Returns what is wrong with the value, where something is: the reading carries none then.
 */
export function addReading(
  batch: Batch,
  { id, datatype }: { readonly id: number; readonly datatype: Datatype },
  variant: Part | null | undefined,
  isElement: boolean,
  q: number,
  timeUs: number,
): string | undefined {
  if (variant === null || variant === undefined || variant.dataType === DataType.Null) {
    batch.none(id, quality.bad.sensorFailure, timeUs);
    return 'the node has no value';
  }
  const isArray = variant.arrayType !== VariantArrayType.Scalar;
  const values = isArray ? (variant.value as ArrayLike<unknown> | null) : undefined;
  if (isArray !== isElement || (isArray && values?.length !== 1)) {
    batch.none(id, quality.bad.configurationError, timeUs);
    return isArray
      ? 'the node is an array: name an element, as in ;[0]'
      : 'the node is no array: leave out the element';
  }
  const value = toPoint(variant.dataType, isArray ? values?.[0] : variant.value, datatype);
  if (value === undefined) batch.none(id, quality.bad.sensorFailure, timeUs);
  else batch.value(id, value, isEndOfTime(variant) ? uncertainOf(q) : q, timeUs);
  return value === undefined ? `${DataType[variant.dataType]} does not fit datatype ${datatype}` : undefined;
}

function isEndOfTime({ dataType, value }: Part): boolean {
  if (dataType !== DataType.DateTime) return false;
  const date: unknown = Array.isArray(value) ? value[0] : value;
  return date instanceof Date && !isTime(date);
}

function uncertainOf(q: number): number {
  return isGood(q) ? quality.uncertain.nonSpecific : q;
}

/** Undefined where the datatype has no place for it. Numbers out of a datatype's range are the server's to judge. */
export function toPoint(type: DataType, value: unknown, datatype: Datatype): number | bigint | string | undefined {
  const isText = traitsOf(datatype).form === form.text;
  switch (type) {
    case DataType.Boolean:
      return isText ? String(value) : fromNumber(Number(value), datatype);
    case DataType.SByte:
    case DataType.Byte:
    case DataType.Int16:
    case DataType.UInt16:
    case DataType.Int32:
    case DataType.UInt32:
    case DataType.Float:
    case DataType.Double:
      return typeof value === 'number' ? fromNumber(value, datatype) : undefined;
    case DataType.Int64:
      return Array.isArray(value) ? fromLong(BigInt.asIntN(64, longOf(value)), datatype) : undefined;
    case DataType.UInt64:
      return Array.isArray(value) ? fromLong(BigInt.asUintN(64, longOf(value)), datatype) : undefined;
    case DataType.DateTime:
      return value instanceof Date ? fromTime(withinTime(value), datatype) : undefined;
    case DataType.StatusCode: {
      const { name, value: code } = value as { name: string; value: number };
      return isText ? name : fromNumber(code, datatype);
    }
    default:
      return isText ? textOf(type, value) : undefined;
  }
}

function fromNumber(number: number, datatype: Datatype): number | bigint | string | undefined {
  const { form: held, precision } = traitsOf(datatype);
  if (held === form.text) return Number.isFinite(number) ? formatText('d', number) : undefined;
  if (held === form.long) return Number.isInteger(number) ? fromLong(BigInt(number), datatype) : undefined;
  return precision === 'single' ? Math.fround(number) : number;
}

function fromLong(long: bigint, datatype: Datatype): number | bigint | string | undefined {
  const traits = traitsOf(datatype);
  if (traits.form === form.text) return String(long);
  if (traits.form === form.long) return fits(traits, long) ? long : undefined;
  return fromNumber(Number(long), datatype);
}

function fromTime(date: PreciseDate, datatype: Datatype): number | bigint | string | undefined {
  const us = timeUsOf(date, date.picoseconds);
  if (!Number.isFinite(us)) return undefined;
  const { form: held, precision } = traitsOf(datatype);
  if (held === form.long) return BigInt(us);
  if (precision === 'double') return us / 1e6;
  if (held !== form.text) return undefined;
  const fraction = String(((us % 1e6) + 1e6) % 1e6).padStart(6, '0');
  return `${new Date(Math.floor(us / 1e6) * 1000).toISOString().slice(0, -5)}.${fraction}Z`;
}

/** Undefined where it is too long, or has no text. */
function textOf(type: DataType, value: unknown): string | undefined {
  if (value === null || value === undefined) return '';
  const text = anyTextOf(type, value);
  return text !== undefined && isFitText(text) ? text : undefined;
}

function anyTextOf(type: DataType, value: unknown): string | undefined {
  switch (type) {
    case DataType.String:
    case DataType.XmlElement:
      return String(value);
    case DataType.Guid:
      return String(value).toLowerCase();
    case DataType.ByteString:
      return Buffer.isBuffer(value) ? value.toString('hex') : undefined;
    case DataType.LocalizedText:
      return (value as { text: string | null }).text ?? '';
    case DataType.QualifiedName: {
      const { namespaceIndex, name } = value as { namespaceIndex: number; name: string | null };
      return `${namespaceIndex}:${name ?? ''}`;
    }
    case DataType.NodeId:
    case DataType.ExpandedNodeId:
      return String(value);
    default:
      return undefined;
  }
}

/** The library has a 64-bit integer as two halves, high and low. */
function longOf([high = 0, low = 0]: readonly number[]): bigint {
  return (BigInt(high | 0) << 32n) | BigInt(low >>> 0);
}

function halvesOf(long: bigint): [number, number] {
  return [Number(BigInt.asUintN(32, long >> 32n)), Number(BigInt.asUintN(32, long))];
}

/** What a node of the type takes, or an error that says what it would. */
export function toNode(type: DataType, value: Value): unknown {
  switch (type) {
    case DataType.Boolean: {
      const number = Number(value);
      if (typeof value !== 'string' && (number === 0 || number === 1)) return number === 1;
      throw unfit(value, type, 'true or false');
    }
    case DataType.SByte:
      return whole(value, type, -128n, 127n);
    case DataType.Byte:
      return whole(value, type, 0n, 255n);
    case DataType.Int16:
      return whole(value, type, -32_768n, 32_767n);
    case DataType.UInt16:
      return whole(value, type, 0n, 65_535n);
    case DataType.Int32:
      return whole(value, type, -(2n ** 31n), 2n ** 31n - 1n);
    case DataType.UInt32:
      return whole(value, type, 0n, 2n ** 32n - 1n);
    case DataType.Int64:
      return halvesOf(long(value, type, minLong, maxLong));
    case DataType.UInt64:
      return halvesOf(long(value, type, 0n, 2n ** 64n - 1n));
    case DataType.Float: {
      const single = Math.fround(double(value, type));
      if (Number.isFinite(single)) return single;
      throw unfit(value, type, 'a number of single precision');
    }
    case DataType.Double:
      return double(value, type);
    case DataType.DateTime:
      return dateOf(value);
    default:
      return fromText(type, value);
  }
}

function whole(value: Value, type: DataType, low: bigint, high: bigint): number {
  return Number(long(value, type, low, high));
}

function long(value: Value, type: DataType, low: bigint, high: bigint): bigint {
  // A point has no number above 2^63: a text has.
  if (typeof value === 'string' && isLong(type) && /^-?[0-9]{1,20}$/.test(value))
    return long(BigInt(value), type, low, high);
  if (typeof value !== 'string' && (typeof value !== 'number' || Number.isInteger(value))) {
    const number = BigInt(value);
    if (number >= low && number <= high) return number;
  }
  throw unfit(value, type, `a whole number from ${low} to ${high}`);
}

function isLong(type: DataType): boolean {
  return type === DataType.Int64 || type === DataType.UInt64;
}

/** A 64-bit integer that a double cannot hold is refused, not rounded. */
function double(value: Value, type: DataType): number {
  const number = Number(value);
  if (typeof value !== 'string' && (typeof value !== 'bigint' || BigInt(number) === value)) return number;
  throw unfit(value, type, 'a number');
}

const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.(\d{1,6}))?(?:Z|[+-]\d\d:\d\d)$/;

function dateOf(value: Value): PreciseDate {
  const [, fraction = ''] = typeof value === 'string' ? (instant.exec(value) ?? []) : [];
  const seconds = typeof value === 'string' && instant.test(value) ? value.replace(/\.\d+/, '') : undefined;
  const us =
    typeof value === 'bigint'
      ? Number(value)
      : typeof value === 'number'
        ? Math.round(value * 1e6)
        : parseIsoMs(seconds ?? '') * 1000 + Number(fraction.padEnd(6, '0'));
  if (!(us >= beginningMs * 1000 && us <= endMs * 1000)) {
    throw unfit(value, DataType.DateTime, 'a time such as 2026-05-01T12:00:00Z');
  }
  if (us === endMs * 1000) return Object.assign(new Date(greatestMs), { picoseconds: restOfGreatest });
  const date: PreciseDate = new Date(Math.floor(us / 1000));
  date.picoseconds = (us - Math.floor(us / 1000) * 1000) * 1e6;
  return date;
}

function fromText(type: DataType, value: Value): unknown {
  if (typeof value === 'string') {
    if (type === DataType.String || type === DataType.XmlElement) return value;
    if (type === DataType.LocalizedText) return { text: value };
    if (type === DataType.Guid && /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(value)) {
      return value.toUpperCase();
    }
    if (type === DataType.ByteString && /^(?:[0-9a-f]{2})*$/i.test(value)) return Buffer.from(value, 'hex');
  }
  const expected = new Map([
    [DataType.Guid, 'a GUID'],
    [DataType.ByteString, 'bytes in hexadecimal'],
    [DataType.String, 'a text'],
    [DataType.XmlElement, 'a text'],
    [DataType.LocalizedText, 'a text'],
  ]).get(type);
  if (expected !== undefined) throw unfit(value, type, expected);
  throw new RangeError(`the node is of type ${DataType[type] ?? type}, which cannot be written`);
}

function unfit(value: Value, type: DataType, expected: string): RangeError {
  const shown = typeof value === 'string' ? JSON.stringify(value.slice(0, 40)) : String(value);
  return new RangeError(`the node is of type ${DataType[type]} and takes ${expected}, not ${shown}`);
}
