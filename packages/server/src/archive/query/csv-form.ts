// An answer as CSV (RFC 4180): one line a record, times in ISO 8601, values without the letter of their datatype.

import {
  mostDigits,
  writeDouble,
  writeFour,
  writeInteger,
  writeLong,
  writeSingle,
  writeWhole,
} from '@telltale/schema/digits';
import { type Datatype, form, type Traits, traitsOf, unpackAlarm } from '@telltale/schema/values';
import { type Columns, flagsOf, type Kind } from '../records.ts';
import type { AnswerForm } from './answer-form.ts';
import type { Page } from './page.ts';

const headers: Readonly<Record<Kind, (value: string) => string>> = {
  measurements: (value) => `name,time,${value},quality`,
  commands: (value) => `name,time,${value}`,
  alarms: () => 'name,time,state,authority,description',
};

const comma = 0x2c;
const colon = 0x3a;
const point = 0x2e;
const zero = 0x30;
/** `\r\n` */
const lineEnd = 0x0a0d;
/** Beside the name: a time, a number, a quality. */
const mostBytes = mostDigits + 64;
const dayUs = 86_400_000_000;

export class CsvForm implements AnswerForm {
  readonly #kind: Kind;
  readonly #hasFlags: boolean;
  readonly #unit: string | undefined;
  /** The name and a comma. */
  #name = Buffer.alloc(0);
  /** `2023-11-14T` */
  readonly #date = Buffer.alloc(11);
  #day = -1;

  /** `unit`: of all values. */
  constructor(kind: Kind, hasFlags: boolean, unit?: string) {
    this.#kind = kind;
    this.#hasFlags = hasFlags;
    this.#unit = unit;
  }

  begin(page: Page): void {
    const value = quoted(this.#unit === undefined ? 'value' : `value [${this.#unit}]`);
    page.text(`${headers[this.#kind](value)}${this.#hasFlags ? ',flags' : ''}\r\n`);
  }

  beginName(_page: Page, name: string): void {
    this.#name = Buffer.from(`${quoted(name)},`);
  }

  write(page: Page, datatype: Datatype, columns: Columns, from: number, to: number): number {
    const { texts, qualities } = columns;
    const of = traitsOf(datatype);
    let index = from;
    for (; index < to && !page.isFull; index++) {
      if (this.#kind === 'alarms') {
        this.#writeAlarm(page, columns, index);
        continue;
      }
      page.reserve(this.#name.length + mostBytes);
      this.#writeStart(page, columns.times[index] as number);
      if (of.form === form.text) page.text(quoted(texts[index] as string));
      else page.at = writeValue(page, of, columns, index);
      page.reserve(mostBytes);
      const { view } = page;
      if (this.#kind === 'measurements') {
        view.setUint8(page.at, comma);
        page.at = writeWhole(view, page.at + 1, (qualities[index] as number) & 0xff);
      }
      if (this.#hasFlags) {
        view.setUint8(page.at, comma);
        page.at = writeWhole(view, page.at + 1, flagsOf(qualities[index] as number));
      }
      view.setUint16(page.at, lineEnd, true);
      page.at += 2;
    }
    return index;
  }

  endName(): void {}

  end(): void {}

  /** What is no transition is left out. */
  #writeAlarm(page: Page, columns: Columns, index: number): void {
    const alarm = unpackAlarm(columns.texts[index] as string);
    if (alarm === undefined) return;
    page.reserve(this.#name.length + mostBytes);
    this.#writeStart(page, columns.times[index] as number);
    const flags = this.#hasFlags ? `,${flagsOf(columns.qualities[index] as number)}` : '';
    page.text(`${alarm.state},${quoted(alarm.authority)},${quoted(alarm.description)}${flags}\r\n`);
  }

  /** `level,2023-11-14T22:13:20.000000Z,` */
  #writeStart(page: Page, timeUs: number): void {
    const { bytes, view } = page;
    const name = this.#name;
    const date = this.#date;
    let { at } = page;
    for (let index = 0; index < name.length; index++) bytes[at++] = name[index] as number;
    const day = Math.floor(timeUs / dayUs);
    if (day !== this.#day) {
      date.write(new Date(day * 86_400_000).toISOString().slice(0, 11));
      this.#day = day;
    }
    for (let index = 0; index < 11; index++) bytes[at++] = date[index] as number;
    const ofDayUs = timeUs - day * dayUs;
    const second = Math.floor(ofDayUs / 1_000_000);
    const us = ofDayUs - second * 1_000_000;
    const minute = (second / 60) | 0;
    const hour = (minute / 60) | 0;
    writePair(bytes, at, hour);
    bytes[at + 2] = colon;
    writePair(bytes, at + 3, minute - hour * 60);
    bytes[at + 5] = colon;
    writePair(bytes, at + 6, second - minute * 60);
    bytes[at + 8] = point;
    const high = (us / 10_000) | 0;
    writePair(bytes, at + 9, high);
    writeFour(view, at + 11, us - high * 10_000);
    bytes[at + 15] = 0x5a;
    bytes[at + 16] = comma;
    page.at = at + 17;
  }
}

function writeValue({ view, at }: Page, { form: held, precision }: Traits, columns: Columns, index: number): number {
  if (precision === 'double') return writeDouble(view, at, columns.numbers[index] as number);
  if (held === form.long) return writeLong(view, at, columns.longs[index] as bigint);
  if (precision === 'single') return writeSingle(view, at, columns.numbers[index] as number);
  return writeInteger(view, at, columns.numbers[index] as number);
}

function writePair(bytes: Buffer, at: number, value: number): void {
  const tens = (value / 10) | 0;
  bytes[at] = zero + tens;
  bytes[at + 1] = zero + value - tens * 10;
}

/** As RFC 4180 has it. */
export function quoted(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
