// The summary of a chunk, so that trends and aggregates over long intervals need not read its records. Numbers only:
// texts have no summary, nor have longs that a double cannot hold.
import { form, qualityMask, traitsOf } from '@telltale/schema/values';
import type { Columns, SeriesKey } from '../records.ts';
import type { ByteReader } from './byte-reader.ts';
import type { ByteWriter } from './byte-writer.ts';
import { mostPlaces, powersOfTen } from './decimals.ts';

const goodStatus = qualityMask.status;

export interface SummaryRecord {
  readonly time: number;
  /** Of numbers as in `Columns.numbers`; of 64-bit integers as a double, exactly. */
  readonly value: number;
  /** As in `Columns.qualities`. */
  readonly quality: number;
}

export interface Summary {
  readonly count: number;
  /** How many records are not bad. Those of commands have no quality, and none of them is bad. */
  readonly good: number;
  /** Every record is good: none is bad, none uncertain. */
  readonly isAllGood: boolean;
  /** Of the values that are not bad, added in their order; finite. */
  readonly sum: number;
  /** Of all records, bad ones included. */
  readonly first: SummaryRecord;
  readonly last: SummaryRecord;
  /** Of the records that are not bad, the first of equal ones; undefined where all are bad. */
  readonly min: SummaryRecord | undefined;
  readonly max: SummaryRecord | undefined;
  /** Undefined where the program that wrote it did not know of them, or where one is beyond all doubles. */
  readonly times: SummaryTimes | undefined;
}

/** What aggregates need to know of the time from the first record to the last, in which each is in force until the next. */
export interface SummaryTimes {
  /** Whole microseconds: of good values, of bad ones, and of those that are neither bad nor zero. */
  readonly goodUs: number;
  readonly badUs: number;
  readonly trueUs: number;
  /** Values that are not bad times their microseconds, added in their order. */
  readonly integral: number;
  /** Of the records that are not bad: the squares of their distances from their mean. */
  readonly squares: number;
  /** How often a value that is not bad is zero and the next one is not, or the other way round. */
  readonly transitions: number;
  /** The quality of the first record of the worst status: bad, else neither bad nor good, else good. */
  readonly worst: number;
}

/** What an index says of a chunk beside its summary, which is written in relation to it. */
export interface ChunkSpan {
  readonly firstUs: number;
  readonly lastUs: number;
  readonly count: number;
}

export function summarize(
  { kind, datatype }: Pick<SeriesKey, 'kind' | 'datatype'>,
  columns: Columns,
  from: number,
  to: number,
): Summary | undefined {
  const { form: held } = traitsOf(datatype);
  if (held === form.text || to <= from) return undefined;
  const { times, qualities } = columns;
  const numbers = held === form.long ? exactNumbers(columns, from, to) : columns.numbers;
  if (numbers === undefined) return undefined;
  // The low byte of a command's quality is zero, which would be bad.
  const judged = kind === 'measurements' ? 0 : goodStatus;
  const shift = held === form.long ? from : 0;
  let good = 0;
  let certain = 0;
  let sum = 0;
  let min = -1;
  let max = -1;
  let low = Infinity;
  let high = -Infinity;
  for (let index = from; index < to; index++) {
    const status = ((qualities[index] as number) | judged) & goodStatus;
    if (status === 0) continue;
    const value = numbers[index - shift] as number;
    good++;
    if (status === goodStatus) certain++;
    sum += value;
    if (value < low) {
      low = value;
      min = index;
    }
    if (value > high) {
      high = value;
      max = index;
    }
  }
  if (!Number.isFinite(sum)) return undefined;
  const recordAt = (index: number): SummaryRecord => ({
    time: times[index] as number,
    value: numbers[index - shift] as number,
    quality: qualities[index] as number,
  });
  return {
    count: to - from,
    good,
    isAllGood: certain === to - from,
    sum,
    first: recordAt(from),
    last: recordAt(to - 1),
    min: min < 0 ? undefined : recordAt(min),
    max: max < 0 ? undefined : recordAt(max),
    times: timesOf({ times, qualities, numbers, shift, judged }, from, to, {
      mean: sum / good,
      low,
      high,
      isAllGood: certain === to - from,
    }),
  };
}

interface SummarizedColumns {
  readonly times: Float64Array;
  readonly qualities: Uint16Array;
  /** Those from `shift` on. */
  readonly numbers: Float64Array;
  readonly shift: number;
  /** Added to each quality. */
  readonly judged: number;
}

interface Values {
  readonly mean: number;
  readonly low: number;
  readonly high: number;
  readonly isAllGood: boolean;
}

function timesOf(columns: SummarizedColumns, from: number, to: number, values: Values): SummaryTimes | undefined {
  const { times, qualities, numbers, shift, judged } = columns;
  const { mean, low, high, isAllGood } = values;
  const end = to - 1;
  // Most chunks are like this.
  if (isAllGood && (low > 0 || high < 0)) return timesOfGood(columns, from, to, values);
  let [goodUs, badUs, trueUs, integral, squares, transitions] = [0, 0, 0, 0, 0, 0];
  let state = -1;
  let worst = (qualities[from] as number) | judged;
  for (let index = from; index < to; index++) {
    const quality = (qualities[index] as number) | judged;
    const status = quality & goodStatus;
    const us = index < end ? (times[index + 1] as number) - (times[index] as number) : 0;
    if (status !== goodStatus && isWorse(status, worst & goodStatus)) worst = quality;
    if (status === 0) {
      badUs += us;
      continue;
    }
    if (status === goodStatus) goodUs += us;
    const value = numbers[index - shift] as number;
    const next = value === 0 ? 0 : 1;
    if (next !== state && state >= 0) transitions++;
    state = next;
    if (value !== 0) trueUs += us;
    integral += value * us;
    squares += (value - mean) * (value - mean);
  }
  if (low === high) [integral, squares] = [low * (spanUs(times, from, to) - badUs), 0];
  if (!Number.isFinite(integral) || !Number.isFinite(squares)) return undefined;
  return { goodUs, badUs, trueUs, integral, squares, transitions, worst: worst & qualityMask.archived };
}

/** All are good, and on one side of zero. */
function timesOfGood(
  { times, qualities, numbers, shift, judged }: SummarizedColumns,
  from: number,
  to: number,
  { mean, low, high }: Values,
): SummaryTimes | undefined {
  const allUs = spanUs(times, from, to);
  let [integral, squares] = [0, 0];
  if (low === high) integral = low * allUs;
  else {
    for (let index = from; index < to; index++) {
      const us = index < to - 1 ? (times[index + 1] as number) - (times[index] as number) : 0;
      const value = numbers[index - shift] as number;
      integral += value * us;
      squares += (value - mean) * (value - mean);
    }
  }
  if (!Number.isFinite(integral) || !Number.isFinite(squares)) return undefined;
  const worst = ((qualities[from] as number) | judged) & qualityMask.archived;
  return { goodUs: allUs, badUs: 0, trueUs: allUs, integral, squares, transitions: 0, worst };
}

function isWorse(status: number, than: number): boolean {
  return status === 0 ? than !== 0 : than === goodStatus;
}

function spanUs(times: Float64Array, from: number, to: number): number {
  return (times[to - 1] as number) - (times[from] as number);
}

/** Longs as doubles; undefined where one cannot be a double. */
function exactNumbers({ numbers }: Columns, from: number, to: number): Float64Array | undefined {
  const words = new Int32Array(numbers.buffer, numbers.byteOffset + 8 * from, 2 * (to - from));
  const exact = new Float64Array(to - from);
  for (let index = 0; index < exact.length; index++) {
    const high = words[2 * index + 1] as number;
    if (high < -(2 ** 21) || high >= 2 ** 21) return undefined;
    exact[index] = high * 2 ** 32 + ((words[2 * index] as number) >>> 0);
  }
  return exact;
}

/** The first byte: no summary, doubles, or `decimals` plus the number of decimal places. */
const head = { none: 0, doubles: 1, decimals: 2 } as const;

/** The second byte: which record the least and the greatest one are, two bits each; how the rest is written. */
const same = { own: 0, first: 1, last: 2, none: 3 } as const;
const lastValueIsFirst = 0x10;
const sumIsDecimal = 0x20;
const notAllGood = 0x40;
const hasTimes = 0x80;

export function writeSummary(out: ByteWriter, summary: Summary | undefined, span: ChunkSpan): void {
  if (summary === undefined) {
    out.u8(head.none);
    return;
  }
  const { first, last, min, max } = summary;
  const places = placesOf([first, last, min ?? first, max ?? first]);
  const isSumDecimal = places >= 0 && isDecimal(summary.sum, places);
  const [least, greatest] = [sameOf(min, first, last), sameOf(max, first, last)];
  const isValueSame = Object.is(first.value, last.value);
  out.u8(places < 0 ? head.doubles : head.decimals + places);
  out.u8(
    least |
      (greatest << 2) |
      (isValueSame ? lastValueIsFirst : 0) |
      (isSumDecimal ? sumIsDecimal : 0) |
      (summary.isAllGood ? 0 : notAllGood) |
      (summary.times === undefined ? 0 : hasTimes),
  );
  if (!summary.isAllGood) out.varint(summary.count - summary.good);
  writeNumber(out, summary.sum, isSumDecimal ? places : -1);
  out.zigzag(first.time - span.firstUs);
  out.varint(first.quality);
  writeNumber(out, first.value, places);
  out.zigzag(last.time - span.lastUs);
  out.zigzag(last.quality - first.quality);
  if (!isValueSame) writeNumber(out, last.value, places);
  if (min !== undefined && least === same.own) writeRecord(out, min, first, places);
  if (max !== undefined && greatest === same.own) writeRecord(out, max, first, places);
  if (summary.times !== undefined) writeTimes(out, summary, summary.times);
}

/** What follows from the rest is not written. */
function writeTimes(out: ByteWriter, { isAllGood, min, max }: Summary, times: SummaryTimes): void {
  if (!isAllGood) {
    out.varint(times.goodUs);
    out.varint(times.badUs);
    out.u8(times.worst);
  }
  if (min === undefined || max === undefined || min.value === max.value) return;
  out.f64(times.integral);
  out.f64(times.squares);
  if (min.value > 0 || max.value < 0) return;
  out.varint(times.trueUs);
  out.varint(times.transitions);
}

/** `span` is the one that the summary was written with. */
export function readSummary(reader: ByteReader, span: ChunkSpan): Summary | undefined {
  const form = reader.u8();
  if (form === head.none) return undefined;
  const places = form - head.decimals;
  if (places > mostPlaces) throw new RangeError(`a summary has no form ${form}`);
  const flags = reader.u8();
  const isAllGood = (flags & notAllGood) === 0;
  const bad = isAllGood ? 0 : reader.varint();
  if (bad > span.count) throw new RangeError(`${bad} of ${span.count} records are bad`);
  const sum = readNumber(reader, (flags & sumIsDecimal) === 0 ? -1 : places);
  const first = {
    time: span.firstUs + reader.zigzag(),
    quality: reader.varint(),
    value: readNumber(reader, places),
  };
  const last = {
    time: span.lastUs + reader.zigzag(),
    quality: first.quality + reader.zigzag(),
    value: (flags & lastValueIsFirst) === 0 ? readNumber(reader, places) : first.value,
  };
  const min = readExtreme(reader, flags & 3, first, last, places);
  const max = readExtreme(reader, (flags >>> 2) & 3, first, last, places);
  const summary = { count: span.count, good: span.count - bad, isAllGood, sum, first, last, min, max };
  return { ...summary, times: (flags & hasTimes) === 0 ? undefined : readTimes(reader, summary) };
}

function readTimes(reader: ByteReader, summary: Omit<Summary, 'times'>): SummaryTimes {
  const { isAllGood, first, last, min, max } = summary;
  const allUs = last.time - first.time;
  const goodUs = isAllGood ? allUs : reader.varint();
  const badUs = isAllGood ? 0 : reader.varint();
  // A command's quality is zero, and counts as good.
  const worst = isAllGood ? (first.quality | goodStatus) & qualityMask.archived : reader.u8();
  if (goodUs + badUs > allUs) throw new RangeError('a summary has more time than its chunk');
  const soundUs = allUs - badUs;
  const constant = { goodUs, badUs, squares: 0, transitions: 0, worst };
  if (min === undefined || max === undefined) return { ...constant, integral: 0, trueUs: 0 };
  if (min.value === max.value) {
    return { ...constant, integral: min.value * soundUs, trueUs: min.value === 0 ? 0 : soundUs };
  }
  const [integral, squares] = [reader.f64(), reader.f64()];
  if (!Number.isFinite(integral) || !(squares >= 0)) throw new RangeError('a summary has impossible sums');
  if (min.value > 0 || max.value < 0) return { ...constant, integral, squares, trueUs: soundUs };
  const [trueUs, transitions] = [reader.varint(), reader.varint()];
  if (trueUs > soundUs) throw new RangeError('a summary has more time than its chunk');
  return { ...constant, integral, squares, trueUs, transitions };
}

function sameOf(record: SummaryRecord | undefined, first: SummaryRecord, last: SummaryRecord): number {
  if (record === undefined) return same.none;
  return isSame(record, first) ? same.first : isSame(record, last) ? same.last : same.own;
}

function isSame(a: SummaryRecord, b: SummaryRecord): boolean {
  return a.time === b.time && a.quality === b.quality && Object.is(a.value, b.value);
}

function writeRecord(out: ByteWriter, record: SummaryRecord, first: SummaryRecord, places: number): void {
  out.zigzag(record.time - first.time);
  out.zigzag(record.quality - first.quality);
  writeNumber(out, record.value, places);
}

function readExtreme(
  reader: ByteReader,
  which: number,
  first: SummaryRecord,
  last: SummaryRecord,
  places: number,
): SummaryRecord | undefined {
  if (which === same.none) return undefined;
  if (which === same.first) return first;
  if (which === same.last) return last;
  const [time, quality] = [first.time + reader.zigzag(), first.quality + reader.zigzag()];
  return { time, value: readNumber(reader, places), quality };
}

/** With places below zero as a double, else as a whole number to be divided. */
function writeNumber(out: ByteWriter, value: number, places: number): void {
  if (places < 0) out.f64(value);
  else out.zigzag(Math.round(value * (powersOfTen[places] as number)));
}

function readNumber(reader: ByteReader, places: number): number {
  return places < 0 ? reader.f64() : reader.zigzag() / (powersOfTen[places] as number);
}

/** The fewest places with which all values are decimals; negative where there is no such number. */
function placesOf(records: readonly SummaryRecord[]): number {
  for (let places = 0; places <= mostPlaces; places++) {
    if (records.every(({ value }) => isDecimal(value, places))) return places;
  }
  return -1;
}

/** A whole number of 2^40 or more is not shorter than the double. */
function isDecimal(value: number, places: number): boolean {
  const scale = powersOfTen[places] as number;
  const whole = Math.round(value * scale);
  return Math.abs(whole) < 2 ** 40 && whole / scale === value && !Object.is(whole, -0);
}
