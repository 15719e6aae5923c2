// An answer as JSON: `{"level":[["d21.5",[1700000000,0],192],…],…}`. Digits are written directly into the buffer.

import {
  mostDigits,
  wordOf,
  writeDouble,
  writeFour,
  writeInteger,
  writeLong,
  writeSingle,
  writeWhole,
} from '@telltale/schema/digits';
import { type Datatype, datatypes, form, traitsOf, unpackAlarm } from '@telltale/schema/values';
import { type Columns, flagsOf, type Kind, simulated } from '../records.ts';
import type { AnswerForm } from './answer-form.ts';
import type { Page } from './page.ts';

const comma = 0x2c;

/** A record that is no text, with everything around its value. */
const mostBytes = mostDigits + 64;
/** `,["d`, with the letter of each datatype. */
const beforeValues = new Map(datatypes.map((letter) => [letter, wordOf(`,["${letter}`)]));

export class JsonForm implements AnswerForm {
  readonly #kind: Kind;
  readonly #time = new TimeWriter();
  readonly #quality: QualityWriter;
  readonly #hasFlags: boolean;
  #hasName = false;
  #hasRecord = false;

  constructor(kind: Kind, hasFlags: boolean) {
    this.#kind = kind;
    this.#hasFlags = hasFlags;
    this.#quality = new QualityWriter(kind === 'measurements', hasFlags);
  }

  begin(page: Page): void {
    page.text('{');
  }

  beginName(page: Page, name: string): void {
    page.text(`${this.#hasName ? ',' : ''}${JSON.stringify(name)}:`);
    this.#hasName = true;
    this.#hasRecord = false;
  }

  /** The first record of a name opens its list. */
  write(page: Page, datatype: Datatype, columns: Columns, from: number, to: number): number {
    if (from >= to) return to;
    const start = page.at;
    const next =
      this.#kind === 'alarms'
        ? writeAlarms(page, columns, from, to, this.#hasFlags)
        : traitsOf(datatype).form === form.text
          ? this.#writeTexts(page, columns, from, to)
          : this.#writeNumbers(page, datatype, columns, from, to);
    if (!this.#hasRecord && page.at > start) {
      page.bytes[start] = 0x5b;
      this.#hasRecord = true;
    }
    return next;
  }

  endName(page: Page): void {
    page.text(this.#hasRecord ? ']' : '[]');
  }

  end(page: Page): void {
    page.text('}');
  }

  #writeNumbers(page: Page, datatype: Datatype, columns: Columns, from: number, to: number): number {
    page.reserve(mostBytes);
    const { bytes, view } = page;
    const { times, numbers, longs, qualities } = columns;
    const beforeValue = beforeValues.get(datatype) as number;
    const { form: held, precision } = traitsOf(datatype);
    const [isLong, isSingle, isDouble] = [held === form.long, precision === 'single', precision === 'double'];
    const limit = Math.min(page.fullBytes, bytes.length - mostBytes);
    const time = this.#time;
    const quality = this.#quality;
    let at = page.at;
    let index = from;
    for (; index < to && at <= limit; index++) {
      view.setUint32(at, beforeValue, true);
      at += 4;
      if (isDouble) at = writeDouble(view, at, numbers[index] as number);
      else if (isLong) at = writeLong(view, at, longs[index] as bigint);
      else if (isSingle) at = writeSingle(view, at, numbers[index] as number);
      else at = writeInteger(view, at, numbers[index] as number);
      at = time.write(view, at, times[index] as number);
      at = quality.write(view, at, qualities[index] as number);
    }
    page.at = at;
    return index;
  }

  #writeTexts(page: Page, columns: Columns, from: number, to: number): number {
    const { times, texts, qualities } = columns;
    let index = from;
    for (; index < to && !page.isFull; index++) {
      page.text(`,["s${JSON.stringify(texts[index]).slice(1, -1)}`);
      page.reserve(mostBytes);
      page.at = this.#time.write(page.view, page.at, times[index] as number);
      page.at = this.#quality.write(page.view, page.at, qualities[index] as number);
    }
    return index;
  }
}

/** What is no transition is left out. */
function writeAlarms(page: Page, columns: Columns, from: number, to: number, hasFlags: boolean): number {
  let index = from;
  for (; index < to && !page.isFull; index++) {
    const alarm = unpackAlarm(columns.texts[index] as string);
    if (alarm === undefined) continue;
    const { state, description, authority } = alarm;
    const timeUs = columns.times[index] as number;
    const seconds = Math.floor(timeUs / 1_000_000);
    const t = [seconds, timeUs - seconds * 1_000_000];
    const flags = hasFlags ? { flags: flagsOf(columns.qualities[index] as number) } : {};
    page.text(`,${JSON.stringify({ t, state, description, authority, ...flags })}`);
  }
  return index;
}

/** 10,000 seconds. */
const myriadUs = 10_000_000_000;

/** Writes `",[1700000000,0`, which follows a value. All but the last four digits of the seconds seldom change. */
class TimeWriter {
  #startUs = Number.NaN;
  #first = 0;
  #second = 0;
  #third = 0;
  #length = 0;

  write(view: DataView, start: number, timeUs: number): number {
    let restUs = timeUs - this.#startUs;
    if (!(restUs >= 0 && restUs < myriadUs)) {
      this.#begin(Math.floor(timeUs / myriadUs));
      restUs = timeUs - this.#startUs;
    }
    // Half a microsecond more, and a product is as exact as a quotient.
    const seconds = ((restUs + 0.5) * 1e-6) | 0;
    view.setUint32(start, this.#first, true);
    view.setUint32(start + 4, this.#second, true);
    view.setUint32(start + 8, this.#third, true);
    let at = start + this.#length;
    if (this.#startUs > 0) {
      writeFour(view, at, seconds);
      at += 4;
    } else at = writeWhole(view, at, seconds);
    view.setUint8(at, comma);
    return writeWhole(view, at + 1, restUs - seconds * 1_000_000);
  }

  #begin(myriad: number): void {
    const text = `",[${myriad > 0 ? myriad : ''}`;
    const words = Buffer.from(text.padEnd(12));
    this.#startUs = myriad * myriadUs;
    this.#first = words.readUInt32LE(0);
    this.#second = words.readUInt32LE(4);
    this.#third = words.readUInt32LE(8);
    this.#length = text.length;
  }
}

/** Writes `],192]`, or with flags `],216,1]`, which follows the time and seldom changes; of a command `]]` or `],0]`. */
class QualityWriter {
  readonly #hasQuality: boolean;
  readonly #hasFlags: boolean;
  /** Of the quality of a record what is written. */
  readonly #shown: number;
  #quality = -1;
  #first = 0;
  #second = 0;
  #length = 0;

  constructor(hasQuality: boolean, hasFlags: boolean) {
    this.#hasQuality = hasQuality;
    this.#hasFlags = hasFlags;
    this.#shown = (hasQuality ? 0xff : 0) | (hasFlags ? simulated : 0);
  }

  /** `quality` is that of the record, with its marks. */
  write(view: DataView, at: number, quality: number): number {
    const shown = quality & this.#shown;
    if (shown !== this.#quality) this.#begin(shown);
    view.setUint32(at, this.#first, true);
    view.setUint32(at + 4, this.#second, true);
    return at + this.#length;
  }

  #begin(quality: number): void {
    const fields = [...(this.#hasQuality ? [quality & 0xff] : []), ...(this.#hasFlags ? [flagsOf(quality)] : [])];
    const text = `${[']', ...fields].join()}]`;
    const words = Buffer.from(text.padEnd(8));
    this.#quality = quality;
    this.#first = words.readUInt32LE(0);
    this.#second = words.readUInt32LE(4);
    this.#length = text.length;
  }
}
