// Elements of array metrics, which cross as packed bytes, little-endian. Pure.
import type { Value } from '@telltale/schema';
import { metricType } from './metric.ts';

interface ArrayForm {
  /** Of an element. */
  readonly type: number;
  readonly size: number;
  readonly read: (view: DataView, at: number) => Value;
}

const forms: Readonly<Record<number, ArrayForm>> = {
  [metricType.int8Array]: { type: metricType.int8, size: 1, read: (view, at) => view.getInt8(at) },
  [metricType.int16Array]: { type: metricType.int16, size: 2, read: (view, at) => view.getInt16(at, true) },
  [metricType.int32Array]: { type: metricType.int32, size: 4, read: (view, at) => view.getInt32(at, true) },
  [metricType.int64Array]: { type: metricType.int64, size: 8, read: (view, at) => view.getBigInt64(at, true) },
  [metricType.uint8Array]: { type: metricType.uint8, size: 1, read: (view, at) => view.getUint8(at) },
  [metricType.uint16Array]: { type: metricType.uint16, size: 2, read: (view, at) => view.getUint16(at, true) },
  [metricType.uint32Array]: { type: metricType.uint32, size: 4, read: (view, at) => view.getUint32(at, true) },
  [metricType.uint64Array]: { type: metricType.uint64, size: 8, read: (view, at) => view.getBigUint64(at, true) },
  [metricType.floatArray]: { type: metricType.float, size: 4, read: (view, at) => view.getFloat32(at, true) },
  [metricType.doubleArray]: { type: metricType.double, size: 8, read: (view, at) => view.getFloat64(at, true) },
  [metricType.dateTimeArray]: { type: metricType.dateTime, size: 8, read: (view, at) => view.getBigInt64(at, true) },
};

/** Of booleans: their number, then eight in a byte, the first in the highest bit. */
const booleanHeader = 4;

/** The type of the elements; undefined where it is no array. */
export function elementType(type: number): number | undefined {
  if (type === metricType.booleanArray) return metricType.boolean;
  if (type === metricType.stringArray) return metricType.string;
  return forms[type]?.type;
}

/** Undefined where it has none at this position, or is no array. */
export function elementAt(bytes: Uint8Array, type: number, position: number): Value | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const form = forms[type];
  if (form !== undefined) {
    const at = position * form.size;
    return at + form.size <= view.byteLength ? form.read(view, at) : undefined;
  }
  if (type === metricType.stringArray) return stringAt(bytes, position);
  if (type !== metricType.booleanArray || position >= elementCount(bytes, type)) return undefined;
  return ((view.getUint8(booleanHeader + (position >> 3)) >> (7 - (position & 7))) & 1) === 1;
}

export function elementCount(bytes: Uint8Array, type: number): number {
  const { byteLength } = bytes;
  if (type === metricType.booleanArray) {
    if (byteLength < booleanHeader) return 0;
    const said = new DataView(bytes.buffer, bytes.byteOffset, byteLength).getUint32(0, true);
    return Math.min(said, (byteLength - booleanHeader) * 8);
  }
  if (type !== metricType.stringArray) return Math.floor(byteLength / (forms[type]?.size ?? Number.POSITIVE_INFINITY));
  let count = 0;
  for (let at = bytes.indexOf(0); at >= 0; at = bytes.indexOf(0, at + 1)) count++;
  return count;
}

/** Each ends with a zero. */
function stringAt(bytes: Uint8Array, position: number): string | undefined {
  let start = 0;
  let end = bytes.indexOf(0);
  for (let before = 0; before < position && end >= 0; before++) {
    start = end + 1;
    end = bytes.indexOf(0, start);
  }
  return end < 0 ? undefined : Buffer.from(bytes.subarray(start, end)).toString();
}
