// From what a payload says to the value of a point, and to its time and quality. Pure.
import {
  type Datatype,
  fits,
  isFitText,
  maxNumberLength,
  parseIsoMs,
  quality,
  form as storage,
  traitsOf,
  type Value,
} from '@telltale/schema';
import type { BinaryType, Selector } from './address.ts';
import type { TimeFormat } from './measurement-settings.ts';
import type { Payload } from './payload.ts';

export interface ValueForm {
  readonly datatype: Datatype;
  readonly on: string | undefined;
  readonly off: string | undefined;
}

/** The part is not in the message. */
export const missing = Symbol('missing');
/** It is there, and cannot be the value of a point of this datatype. */
export const unusable = Symbol('unusable');

const decimal = /^[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,4})?$/u;
const whole = /^[+-]?[0-9]{1,25}$/u;

/** A number may be outside the datatype: the server judges it. */
export function readValue(
  payload: Payload,
  selector: Selector,
  form: ValueForm,
): Value | typeof missing | typeof unusable {
  switch (selector.kind) {
    case 'plain': {
      const { text } = payload;
      return text === undefined ? unusable : ofText(text, form);
    }
    case 'binary':
      return ofBinary(payload.bytes, selector, form);
    case 'json': {
      const part = payload.at(selector.path);
      if (part === undefined) return payload.jsonFault === undefined ? missing : unusable;
      return ofJson(part, form, () => payload.source(selector.path));
    }
  }
}

function ofJson(part: unknown, form: ValueForm, source: () => string | undefined): Value | typeof unusable {
  const { datatype, on, off } = form;
  if (typeof part === 'string') return ofText(part, form);
  if (part === null) return unusable;
  const { form: held, isBoolean } = traitsOf(datatype);
  if (on !== undefined || off !== undefined || held === storage.text) return ofText(source() ?? '', form);
  if (typeof part === 'boolean') return held === storage.long ? BigInt(part) : isBoolean ? part : Number(part);
  if (typeof part !== 'number') return unusable;
  if (held === storage.long && !Number.isSafeInteger(part)) return ofText(source() ?? '', form);
  return ofNumber(part, datatype);
}

function ofText(text: string, { datatype, on, off }: ValueForm): Value | typeof unusable {
  const { form: held, isBoolean } = traitsOf(datatype);
  if (held === storage.text) return isFitText(text) ? text : unusable;
  const word = text.trim();
  if (word === on) return ofNumber(1, datatype);
  if (word === off) return ofNumber(0, datatype);
  if (isBoolean) {
    const lower = word.length > 5 ? '' : word.toLowerCase();
    if (lower === 'true' || lower === 'on') return true;
    if (lower === 'false' || lower === 'off') return false;
  }
  if (held === storage.long && whole.test(word)) return ofLong(BigInt(word.replace('+', '')), datatype);
  return word.length <= maxNumberLength && decimal.test(word) ? ofNumber(Number(word), datatype) : unusable;
}

function ofNumber(number: number, datatype: Datatype): Value | typeof unusable {
  const { form: held, isBoolean } = traitsOf(datatype);
  if (held === storage.long) return Number.isSafeInteger(number) ? BigInt(number) : unusable;
  if (isBoolean) return number === 0 || number === 1 ? number === 1 : unusable;
  return number;
}

function ofBinary(
  bytes: Buffer,
  { type, isLittleEndian, offset }: Selector & { kind: 'binary' },
  { datatype }: ValueForm,
): Value | typeof missing | typeof unusable {
  if (bytes.length < offset + binarySize(type)) return missing;
  const view = new DataView(bytes.buffer, bytes.byteOffset + offset, binarySize(type));
  const number = binaryReaders[type](view, isLittleEndian);
  return typeof number === 'bigint' ? ofLong(number, datatype) : ofNumber(number, datatype);
}

const binaryReaders: Readonly<Record<BinaryType, (view: DataView, isLittleEndian: boolean) => number | bigint>> = {
  int8: (view) => view.getInt8(0),
  uint8: (view) => view.getUint8(0),
  int16: (view, isLittleEndian) => view.getInt16(0, isLittleEndian),
  uint16: (view, isLittleEndian) => view.getUint16(0, isLittleEndian),
  int32: (view, isLittleEndian) => view.getInt32(0, isLittleEndian),
  uint32: (view, isLittleEndian) => view.getUint32(0, isLittleEndian),
  float32: (view, isLittleEndian) => view.getFloat32(0, isLittleEndian),
  float64: (view, isLittleEndian) => view.getFloat64(0, isLittleEndian),
  int64: (view, isLittleEndian) => view.getBigInt64(0, isLittleEndian),
  uint64: (view, isLittleEndian) => view.getBigUint64(0, isLittleEndian),
};

function ofLong(long: bigint, datatype: Datatype): Value | typeof unusable {
  if (traitsOf(datatype).form !== storage.long) return ofNumber(Number(long), datatype);
  return fits(traitsOf(datatype), long) ? long : unusable;
}

export function binarySize(type: BinaryType): number {
  return Number(/[0-9]+$/.exec(type)?.[0]) / 8;
}

const unitUs: Readonly<Record<Exclude<TimeFormat, 'iso'>, number>> = { s: 1e6, ms: 1e3, us: 1, ns: 1e-3 };

/** Microseconds since 1970; NaN where the part is no such time. Texts of digits are numbers. */
export function readTime(part: unknown, format: TimeFormat): number {
  if (format !== 'iso') {
    const number = typeof part === 'string' && decimal.test(part) ? Number(part) : part;
    return typeof number === 'number' ? number * unitUs[format] : Number.NaN;
  }
  if (typeof part !== 'string') return Number.NaN;
  // Date.parse takes much else for a time, and knows milliseconds alone.
  const [, upToSeconds, fraction = '', zone] =
    /^([0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}(?::[0-9]{2})?)(?:[.,]([0-9]{1,9}))?(Z|[+-][0-9]{2}:?[0-9]{2})?$/iu.exec(
      part,
    ) ?? [];
  if (upToSeconds === undefined) return Number.NaN;
  const offset = zone === undefined ? 'Z' : zone.length === 5 ? `${zone.slice(0, 3)}:${zone.slice(3)}` : zone;
  return (
    parseIsoMs(`${upToSeconds.replace(' ', 'T')}${offset.toUpperCase()}`) * 1000 + Number(`0.${fraction || 0}`) * 1e6
  );
}

/** Of a part that is a quality; any other value is uncertain. */
export function readQuality(part: unknown): number {
  if (typeof part === 'boolean') return part ? quality.good : quality.bad.nonSpecific;
  if (typeof part === 'number') {
    const isQuality = Number.isInteger(part) && part >= 0 && part <= 0xff && (part & 0xc0) !== 0x80;
    return isQuality ? part : quality.uncertain.nonSpecific;
  }
  switch (typeof part === 'string' ? part.toLowerCase() : '') {
    case 'good':
    case 'ok':
    case 'true':
      return quality.good;
    case 'bad':
    case 'false':
      return quality.bad.nonSpecific;
    default:
      return quality.uncertain.nonSpecific;
  }
}
