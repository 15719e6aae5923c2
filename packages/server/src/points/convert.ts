// Values between datatypes, where they fit: numbers are rounded to whole ones where a whole one is wanted; texts are
// read and written in the form of the configuration. What does not fit is no value.
import { type Datatype, formatText, maxTextBytes, parseText, type Value, ValueError } from '@telltale/schema';

/** As a datatype keeps it in memory: a boolean is 0 or 1. */
export type StoredValue = number | bigint | string;

const minInt64 = -(2n ** 63n);
const maxInt64 = 2n ** 63n - 1n;

/** Whether a reading is a value of the datatype as it is; a single may come with more digits than it keeps. */
export function fits(datatype: Datatype, value: StoredValue): boolean {
  switch (datatype) {
    case 'b':
      return value === 0 || value === 1;
    case 'q':
      return value === 0 || value === 1 || value === 2 || value === 3;
    case 'i':
      return typeof value === 'number' && (value | 0) === value;
    case 'l':
      return typeof value === 'bigint' ? value >= minInt64 && value <= maxInt64 : Number.isSafeInteger(value);
    case 'f':
      return typeof value === 'number' && Number.isFinite(Math.fround(value));
    case 'd':
      return typeof value === 'number' && Number.isFinite(value);
    case 's':
      return typeof value === 'string' && isText(value);
  }
}

/** The value as the datatype keeps it; undefined where it does not fit. */
export function converted(datatype: Datatype, value: StoredValue): StoredValue | undefined {
  if (datatype === 's') {
    if (typeof value === 'string') return isText(value) ? value : undefined;
    return typeof value === 'bigint' ? String(value) : Number.isFinite(value) ? formatText('d', value) : undefined;
  }
  if (typeof value === 'string') return parsed(datatype, value);
  if (datatype === 'l') {
    const long = typeof value === 'bigint' ? value : Number.isFinite(value) ? BigInt(Math.round(value)) : undefined;
    return long !== undefined && long >= minInt64 && long <= maxInt64 ? long : undefined;
  }
  const number = Number(value);
  if (datatype === 'd') return Number.isFinite(number) ? number : undefined;
  if (datatype === 'f') {
    const single = Math.fround(number);
    return Number.isFinite(single) ? single : undefined;
  }
  const whole = Math.round(number) + 0; // no negative zero
  return fits(datatype, whole) ? whole : undefined;
}

function parsed(datatype: Datatype, text: string): StoredValue | undefined {
  try {
    return stored(parseText(datatype, text));
  } catch (error) {
    if (error instanceof ValueError) return undefined;
    throw error;
  }
}

function isText(text: string): boolean {
  return text.length <= maxTextBytes && text.isWellFormed() && Buffer.byteLength(text) <= maxTextBytes;
}

export function stored(value: Value): StoredValue {
  return typeof value === 'boolean' ? Number(value) : value;
}

export function unstored(datatype: Datatype, value: StoredValue): Value {
  return datatype === 'b' ? value === 1 : value;
}
