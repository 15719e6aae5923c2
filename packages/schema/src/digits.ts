// Writes numbers as digits in place, four at a time from tables. Each function answers where it ended. The caller has
// made room for `mostDigits` bytes, all of which may be written to; short numbers need `mostShortDigits`.
import { formatDouble, formatSingle } from './value-text.ts';

/** The longest number: the least double takes 17 digits behind some 310 zeros. */
export const mostDigits = 400;
export const mostShortDigits = 24;

const minus = 0x2d;
const point = 0x2e;
const zero = 0x30;

/** Four digits of each number below 10,000, as they stand in memory. */
const quads = new Uint32Array(10_000);
/** The same without zeros before them; what follows does not count. */
const leading = new Uint32Array(10_000);
const leadingDigits = new Uint8Array(10_000);
/** How many of the four digits are left without zeros behind them. */
const fractionDigits = new Uint8Array(10_000);
for (let number = 0; number < 10_000; number++) {
  const text = String(number);
  quads[number] = wordOf(text.padStart(4, '0'));
  leading[number] = wordOf(text.padEnd(4, '0'));
  leadingDigits[number] = text.length;
  fractionDigits[number] = text.padStart(4, '0').replace(/0+$/, '').length;
}

/** Four characters as they stand in memory. */
export function wordOf(text: string): number {
  return [...text].reduceRight((word, character) => word * 256 + character.charCodeAt(0), 0);
}

/** A whole number from 0 to 2^53. */
export function writeWhole(view: DataView, at: number, value: number): number {
  return value < 100_000_000 ? writeUpToEight(view, at, value | 0) : writeLarge(view, at, value);
}

function writeLarge(view: DataView, at: number, value: number): number {
  const high = Math.floor(value / 100_000_000);
  const next = writeWhole(view, at, high);
  writeEight(view, next, (value - high * 100_000_000) | 0);
  return next + 8;
}

function writeUpToEight(view: DataView, at: number, value: number): number {
  if (value < 10_000) return writeLeading(view, at, value);
  const high = (value / 10_000) | 0;
  const next = writeLeading(view, at, high);
  view.setUint32(next, quads[value - high * 10_000] as number, true);
  return next + 4;
}

/** Four digits, with zeros before them. */
export function writeFour(view: DataView, at: number, value: number): void {
  view.setUint32(at, quads[value] as number, true);
}

function writeEight(view: DataView, at: number, value: number): void {
  const high = (value / 10_000) | 0;
  view.setUint32(at, quads[high] as number, true);
  view.setUint32(at + 4, quads[value - high * 10_000] as number, true);
}

function writeLeading(view: DataView, at: number, value: number): number {
  view.setUint32(at, leading[value] as number, true);
  return at + (leadingDigits[value] as number);
}

/** Of at most 53 bits. */
export function writeInteger(view: DataView, at: number, value: number): number {
  if (value >= 0) return writeWhole(view, at, value);
  view.setUint8(at, minus);
  return writeWhole(view, at + 1, -value);
}

const minSafe = -(2n ** 53n);
const maxSafe = 2n ** 53n;

export function writeLong(view: DataView, at: number, value: bigint): number {
  const end = writeShortLong(view, at, value);
  return end < 0 ? writeText(view, at, String(value)) : end;
}

export function writeDouble(view: DataView, at: number, value: number): number {
  const end = writeShortDouble(view, at, value);
  return end < 0 ? writeOther(view, at, formatDouble, value) : end;
}

export function writeSingle(view: DataView, at: number, value: number): number {
  const end = writeShortSingle(view, at, value);
  return end < 0 ? writeOther(view, at, formatSingle, value) : end;
}

/** Of a number beyond 2^53 a negative number. */
export function writeShortLong(view: DataView, at: number, value: bigint): number {
  return value > minSafe && value < maxSafe ? writeInteger(view, at, Number(value)) : -1;
}

/**
 * A decimal of up to eight places and fifteen digits in all that reads as exactly this double is the only one so short.
 * Returns a negative number for zeros and for other numbers, for which the engine's shortest digits are used.
 */
export function writeShortDouble(view: DataView, at: number, value: number): number {
  const size = Math.abs(value);
  const scaled = Math.round(size * 10_000);
  if (scaled < 1e13 && scaled / 10_000 === size && scaled !== 0) return writeScaled(view, at, value, scaled);
  const finer = Math.round(size * 100_000_000);
  if (finer < 1e15 && finer / 100_000_000 === size && finer !== 0) return writeFine(view, at, value, finer);
  return -1;
}

/** As `writeShortDouble`, with six digits, which is the precision of singles. */
export function writeShortSingle(view: DataView, at: number, value: number): number {
  const size = Math.abs(value);
  const scale = size < 100 ? 10_000 : size < 10_000 ? 100 : 1;
  const scaled = Math.round(size * scale);
  if (scaled <= 1e6 && Math.fround(scaled / scale) === size && scaled !== 0) {
    return writeScaled(view, at, value, scaled * (10_000 / scale));
  }
  return -1;
}

function writeScaled(view: DataView, start: number, value: number, scaled: number): number {
  let at = start;
  if (value < 0) view.setUint8(at++, minus);
  const whole = (scaled / 10_000) | 0;
  at = writeWhole(view, at, whole);
  const fraction = (scaled - whole * 10_000) | 0;
  if (fraction === 0) return at;
  view.setUint8(at, point);
  view.setUint32(at + 1, quads[fraction] as number, true);
  return at + 1 + (fractionDigits[fraction] as number);
}

function writeFine(view: DataView, start: number, value: number, scaled: number): number {
  let at = start;
  if (value < 0) view.setUint8(at++, minus);
  const whole = (scaled / 100_000_000) | 0;
  at = writeWhole(view, at, whole);
  const fraction = (scaled - whole * 100_000_000) | 0;
  const high = (fraction / 10_000) | 0;
  const low = fraction - high * 10_000;
  view.setUint8(at, point);
  writeEight(view, at + 1, fraction);
  // Where the lower four are zeros the number was written with the upper four alone.
  return at + 5 + (fractionDigits[low] as number);
}

function writeOther(view: DataView, at: number, format: (value: number) => string, value: number): number {
  if (value !== 0 || Object.is(value, -0)) return writeText(view, at, format(value));
  view.setUint8(at, zero);
  return at + 1;
}

function writeText(view: DataView, at: number, digits: string): number {
  for (let index = 0; index < digits.length; index++) view.setUint8(at + index, digits.charCodeAt(index));
  return at + digits.length;
}
