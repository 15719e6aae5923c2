// The texts of values, without a prefix: each function reads or writes one form of the data-access document, and emits the
// shortest decimal that reads back as the same number. Which datatype has which form is said in datatype.ts.

/** In memory: a boolean, a number, a 64-bit integer or a text. */
export type Value = boolean | number | bigint | string;

/** The message is for people: what is wrong and what is expected. */
export class ValueError extends Error {
  override name = 'ValueError';
}

/** The exact decimal expansion of any double has at most 1077 characters; more digits add cost and say nothing. */
export const maxNumberLength = 1100;

export const maxTextBytes = 65536;

/** For the document's `[0-9]*\.?[0-9]+` a form that cannot be made to backtrack over a long run of digits. */
export const decimalPattern = '[+-]?(?:[0-9]+(?:[.][0-9]+)?|[.][0-9]+)';
export const integerPattern = '[+-]?[0-9]+';

export const int32 = { lowest: -(2 ** 31), highest: 2 ** 31 - 1 } as const;
export const int64 = { lowest: -(2n ** 63n), highest: 2n ** 63n - 1n } as const;

export function parseBoolean(text: string): boolean {
  if (text === '0') return false;
  if (text === '1') return true;
  throw new ValueError(`${quoted(text)} is not a boolean: 0 or 1 is expected`);
}

export function formatBoolean(value: Value): string {
  if (typeof value === 'boolean') return value ? '1' : '0';
  throw unfit(value, 'true or false');
}

export function parseState(text: string): number {
  const state = text.charCodeAt(0) - zero;
  if (text.length === 1 && state >= 0 && state <= 3) return state;
  throw new ValueError(`${quoted(text)} is not a two-bit state: 0, 1, 2 or 3 is expected`);
}

export function formatState(value: Value): string {
  if (typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= 3) return String(value);
  throw unfit(value, 'a two-bit state, 0 to 3,');
}

export function formatInt32(value: Value): string {
  if (typeof value === 'number' && (value | 0) === value) return String(value);
  throw unfit(value, `a whole number from ${int32.lowest} to ${int32.highest}`);
}

export function formatInt64(value: Value): string {
  if (typeof value === 'bigint' && value >= int64.lowest && value <= int64.highest) return String(value);
  throw unfit(value, `a bigint from ${int64.lowest} to ${int64.highest}`);
}

export function parseSingle(text: string): number {
  refuseUnlessDecimal(text);
  return finite(singleOf(text, Number(text)), text, 'single');
}

export function formatSingle(value: Value): string {
  if (typeof value === 'number' && Number.isFinite(value) && Math.fround(value) === value) return singleText(value);
  throw unfit(value, 'a finite number of single precision');
}

export function parseDouble(text: string): number {
  refuseUnlessDecimal(text);
  return finite(Number(text), text, 'double');
}

export function formatDouble(value: Value): string {
  if (typeof value === 'number' && Number.isFinite(value)) return doubleText(value);
  throw unfit(value, 'a finite number');
}

export function parseAnyText(text: string): string {
  refuseUnfitText(text);
  return text;
}

export function formatAnyText(value: Value): string {
  if (typeof value !== 'string') throw unfit(value, 'a text');
  refuseUnfitText(value);
  return value;
}

const zero = 0x30;
const int64Digits = 19;

export function parseInt32(text: string): number {
  const start = refuseUnlessInteger(text);
  let size = 0;
  for (let at = start; at < text.length && size <= 2 ** 31; at++) size = size * 10 + text.charCodeAt(at) - zero;
  const value = text.charCodeAt(0) === 0x2d ? 0 - size : size;
  if (value < int32.lowest || value > int32.highest) {
    throw new ValueError(`${quoted(text)} is out of range: ${int32.lowest} to ${int32.highest} is expected`);
  }
  return value;
}

export function parseInt64(text: string): bigint {
  let start = refuseUnlessInteger(text);
  while (text.charCodeAt(start) === zero) start++;
  if (text.length - start <= int64Digits) {
    const value = BigInt(text);
    if (value >= int64.lowest && value <= int64.highest) return value;
  }
  throw new ValueError(`${quoted(text)} is out of range: ${int64.lowest} to ${int64.highest} is expected`);
}

/** Returns where the digits start. */
function refuseUnlessInteger(text: string): number {
  refuseLongNumber(text);
  const start = afterSign(text);
  if (start === text.length || afterDigits(text, start) !== text.length) {
    throw new ValueError(`${quoted(text)} is not a whole number: digits are expected, with + or - before them or none`);
  }
  return start;
}

function refuseUnlessDecimal(text: string): void {
  refuseLongNumber(text);
  const start = afterSign(text);
  const end = afterDigits(text, start);
  if (end === text.length && end > start) return;
  if (text.charCodeAt(end) === 0x2e && end + 1 < text.length && afterDigits(text, end + 1) === text.length) return;
  throw new ValueError(
    `${quoted(text)} is not a decimal number: a form such as 12, -0.5 or .5 is expected, no exponent`,
  );
}

function refuseLongNumber(text: string): void {
  if (text.length > maxNumberLength) {
    throw new ValueError(`${quoted(text)} is too long: at most ${maxNumberLength} characters are expected of a number`);
  }
}

function afterSign(text: string): number {
  const first = text.charCodeAt(0);
  return first === 0x2b || first === 0x2d ? 1 : 0;
}

function afterDigits(text: string, start: number): number {
  let at = start;
  while (at < text.length) {
    const code = text.charCodeAt(at);
    if (code < zero || code > 0x39) break;
    at++;
  }
  return at;
}

function finite(value: number, text: string, precision: string): number {
  if (Number.isFinite(value)) return value;
  throw new ValueError(`${quoted(text)} is out of range of a ${precision} precision number`);
}

/**
 * The single nearest to a decimal text, whose nearest double is given. Rounding twice is right except where the double
 * is midway between two singles: there only the text decides whether the number is above or below.
 */
function singleOf(text: string, double: number): number {
  const single = Math.fround(double);
  if (single === double || !Number.isFinite(single)) return single;
  const other = 2 * double - single;
  if (Math.fround(other) !== other) return single;
  const point = text.indexOf('.');
  const decimals = point < 0 ? 0 : text.length - point - 1;
  const number = BigInt(text.replace('.', '')) << 150n; // a number midway between singles is a multiple of 2^-150
  const midway = BigInt(double * 2 ** 150) * 10n ** BigInt(decimals);
  return number !== midway && number > midway === other > single ? other : single;
}

const smallestNormalSingle = 2 ** -126;

/** Singles are denser below a power of two: of these the closest decimal of 8 digits misses, and the next one reads. */
const offCentreSingles = [2 ** -96, 2 ** 87, 2 ** 90];

function singleText(value: number): string {
  const size = Math.abs(value);
  if (size < 1e6 && Number.isInteger(value)) return doubleText(value);
  const aim = offCentreSingles.includes(size) ? value * (1 + 2 ** -26) : value;
  const reach = Math.max(size * 2 ** -24, 2 ** -150);
  // No two decimals of up to 6 digits are the same normal single: the one that reads back is the shortest.
  for (let digits = size < smallestNormalSingle ? 1 : 6; ; digits++) {
    const rounded = roundedTo(digits, aim);
    if (Math.abs(rounded - value) > reach) continue;
    const text = doubleText(rounded);
    if (singleOf(text, rounded) === value) return text;
  }
}

/** The double nearest to the number rounded to so many significant digits. */
function roundedTo(digits: number, value: number): number {
  const decimals = digits - 1 - Math.floor(Math.log10(Math.abs(value)));
  // Up to 22 a power of ten is an exact double, so that the quotient is the nearest one.
  if (decimals < 0 || decimals > 22) return Number(value.toPrecision(digits));
  const scale = 10 ** decimals;
  return Math.round(value * scale) / scale;
}

function doubleText(value: number): string {
  const text = String(value);
  const size = Math.abs(value);
  if (size >= 1e-6 && size < 1e21) return text;
  if (size === 0) return Object.is(value, -0) ? '-0' : '0';
  const sign = value < 0 ? '-' : '';
  const e = text.indexOf('e');
  const digits = text.slice(sign.length, e).replace('.', '');
  const exponent = Number(text.slice(e + 1));
  return exponent < 0
    ? `${sign}0.${'0'.repeat(-exponent - 1)}${digits}`
    : sign + digits + '0'.repeat(exponent + 1 - digits.length);
}

export function isFitText(text: string): boolean {
  return !isLongText(text) && text.isWellFormed();
}

function isLongText(text: string): boolean {
  return text.length * 3 > maxTextBytes && (text.length > maxTextBytes || utf8Length(text) > maxTextBytes);
}

function refuseUnfitText(text: string): void {
  if (isLongText(text)) {
    throw new ValueError(`${quoted(text)} is too long: at most ${maxTextBytes} bytes of UTF-8 are expected`);
  }
  if (!text.isWellFormed()) {
    throw new ValueError(`${quoted(text)} has half a surrogate pair in it: well-formed Unicode is expected`);
  }
}

function utf8Length(text: string): number {
  let bytes = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code < 0x80) bytes += 1;
    else if (code < 0x800 || (code >= 0xd800 && code <= 0xdfff)) bytes += 2;
    else bytes += 3;
  }
  return bytes;
}

function unfit(value: Value, expected: string): ValueError {
  // The digits of a bigint may be without end, and costly to find.
  const shown = typeof value === 'bigint' ? 'This bigint' : typeof value === 'string' ? quoted(value) : String(value);
  return new ValueError(`${shown} does not fit: ${expected} is expected`);
}

export function quoted(text: string): string {
  return JSON.stringify(text.length > 40 ? `${text.slice(0, 40)}…` : text);
}
