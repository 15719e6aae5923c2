// Elements of array metrics, which cross as packed bytes, little-endian. Pure.
import type { Value } from '@telltale/schema';
import { metricType } from './metric.ts';

type NumberName = 'Int8' | 'Int16' | 'Int32' | 'Uint8' | 'Uint16' | 'Uint32' | 'Float32' | 'Float64';
type BigIntName = 'BigInt64' | 'BigUint64';

interface ArrayForm {
  /** Of an element. */
  readonly type: number;
  readonly size: number;
  readonly read: (view: DataView, at: number) => Value;
  readonly write: (view: DataView, at: number, value: Value) => void;
}

function numbers(type: number, size: number, name: NumberName): ArrayForm {
  return {
    type,
    size,
    read: (view, at) => view[`get${name}`](at, true),
    write: (view, at, value) => view[`set${name}`](at, Number(value), true),
  };
}

function bigints(type: number, name: BigIntName): ArrayForm {
  return {
    type,
    size: 8,
    read: (view, at) => view[`get${name}`](at, true),
    write: (view, at, value) => view[`set${name}`](at, BigInt(value), true),
  };
}

const forms: Readonly<Record<number, ArrayForm>> = {
  [metricType.int8Array]: numbers(metricType.int8, 1, 'Int8'),
  [metricType.int16Array]: numbers(metricType.int16, 2, 'Int16'),
  [metricType.int32Array]: numbers(metricType.int32, 4, 'Int32'),
  [metricType.int64Array]: bigints(metricType.int64, 'BigInt64'),
  [metricType.uint8Array]: numbers(metricType.uint8, 1, 'Uint8'),
  [metricType.uint16Array]: numbers(metricType.uint16, 2, 'Uint16'),
  [metricType.uint32Array]: numbers(metricType.uint32, 4, 'Uint32'),
  [metricType.uint64Array]: bigints(metricType.uint64, 'BigUint64'),
  [metricType.floatArray]: numbers(metricType.float, 4, 'Float32'),
  [metricType.doubleArray]: numbers(metricType.double, 8, 'Float64'),
  [metricType.dateTimeArray]: bigints(metricType.dateTime, 'BigInt64'),
};

/** Of booleans: their number, then eight in a byte, the first in the highest bit. */
const booleanHeader = 4;

/** The type of the elements; undefined where it is no array. */
export function elementType(type: number): number | undefined {
  if (type === metricType.booleanArray) return metricType.boolean;
  if (type === metricType.stringArray) return metricType.string;
  return forms[type]?.type;
}

/** The type of an array of such elements; undefined where there is none. */
export function arrayType(type: number): number | undefined {
  if (type === metricType.boolean) return metricType.booleanArray;
  if (type === metricType.string) return metricType.stringArray;
  const found = Object.entries(forms).find(([, form]) => form.type === type);
  return found && Number(found[0]);
}

/** The bytes of an array; undefined where it cannot hold them: a zero ends a text. */
export function arrayBytes(type: number, values: readonly Value[]): Uint8Array | undefined {
  if (type === metricType.stringArray) {
    return values.some((value) => String(value).includes('\0'))
      ? undefined
      : Buffer.from(values.map((value) => `${value}\0`).join(''));
  }
  const form = forms[type];
  if (form !== undefined) {
    const bytes = new Uint8Array(values.length * form.size);
    const view = new DataView(bytes.buffer);
    for (const [at, value] of values.entries()) form.write(view, at * form.size, value);
    return bytes;
  }
  if (type !== metricType.booleanArray) return undefined;
  const bytes = new Uint8Array(booleanHeader + Math.ceil(values.length / 8));
  new DataView(bytes.buffer).setUint32(0, values.length, true);
  for (const [at, value] of values.entries()) {
    if (value) (bytes[booleanHeader + (at >> 3)] as number) |= 0x80 >> (at & 7);
  }
  return bytes;
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
