// From the value of a point to what a payload says: as text, as JSON, as bytes. Pure.
import { type Datatype, form, formatText, traitsOf, type Value } from '@telltale/schema';
import type { Selector } from './address.ts';
import { binarySize } from './read-value.ts';

/** As it stands in a JSON text. */
export function jsonOf(datatype: Datatype, value: Value): string {
  const { form: held, isBoolean } = traitsOf(datatype);
  if (held === form.text) return JSON.stringify(value);
  return isBoolean ? String(value === true || value === 1) : formatText(datatype, value);
}

/** Undefined where the number does not fit. */
export function bytesOf(
  { type, isLittleEndian, offset }: Selector & { kind: 'binary' },
  value: Value,
): Buffer | undefined {
  const bytes = Buffer.alloc(offset + binarySize(type));
  const view = new DataView(bytes.buffer, bytes.byteOffset + offset);
  const number = Number(value);
  if (type === 'float32' || type === 'float64') {
    if (type === 'float32') view.setFloat32(0, number, isLittleEndian);
    else view.setFloat64(0, number, isLittleEndian);
    return type === 'float64' || Number.isFinite(Math.fround(number)) ? bytes : undefined;
  }
  if (typeof value !== 'bigint' && !Number.isInteger(number)) return undefined;
  const long = typeof value === 'bigint' ? value : BigInt(number);
  const bits = binarySize(type) * 8;
  const isSigned = type.startsWith('int');
  if ((isSigned ? BigInt.asIntN(bits, long) : BigInt.asUintN(bits, long)) !== long) return undefined;
  const low = BigInt.asUintN(bits, long);
  if (bits === 64) view.setBigUint64(0, low, isLittleEndian);
  else if (bits === 32) view.setUint32(0, Number(low), isLittleEndian);
  else if (bits === 16) view.setUint16(0, Number(low), isLittleEndian);
  else view.setUint8(0, Number(low));
  return bytes;
}
