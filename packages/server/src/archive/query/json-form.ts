// An answer as JSON: `{"level":[["d21.5",[1700000000,0],192],…],…}`. Digits are written in place.
import type { Datatype } from '@telltale/schema';
import { unpackAlarm } from '../alarm-text.ts';
import type { Columns, Kind } from '../records.ts';
import type { AnswerForm } from './answer-form.ts';
import { mostDigits, wordOf, writeDouble, writeInteger, writeLong, writeSingle, writeWhole } from './digits.ts';
import { type Page, pageBytes } from './page.ts';

const comma = 0x2c;
const closing = 0x5d;

/** A record that is no text, with everything around its value. */
const mostBytes = mostDigits + 64;
/** `",[` behind a value. */
const behindValue = wordOf('",[ ');
/** `],` behind a time. */
const behindTime = 0x2c5d;
/** `]]` behind the time of a command. */
const behindCommand = 0x5d5d;

export class JsonForm implements AnswerForm {
  readonly #kind: Kind;
  #hasName = false;
  #hasRecord = false;

  constructor(kind: Kind) {
    this.#kind = kind;
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
        ? writeAlarms(page, columns, from, to)
        : datatype === 's'
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
    const hasQuality = this.#kind === 'measurements';
    const beforeValue = wordOf(`,["${datatype}`);
    const limit = Math.min(pageBytes, bytes.length - mostBytes);
    let at = page.at;
    let index = from;
    for (; index < to && at <= limit; index++) {
      view.setUint32(at, beforeValue, true);
      at += 4;
      if (datatype === 'd') at = writeDouble(bytes, view, at, numbers[index] as number);
      else if (datatype === 'l') at = writeLong(bytes, view, at, longs[index] as bigint);
      else if (datatype === 'f') at = writeSingle(bytes, view, at, numbers[index] as number);
      else at = writeInteger(view, at, numbers[index] as number);
      at = writeTime(view, at, times[index] as number);
      if (hasQuality) {
        view.setUint16(at, behindTime, true);
        at = writeWhole(view, at + 2, (qualities[index] as number) & 0xff);
        view.setUint8(at++, closing);
      } else {
        view.setUint16(at, behindCommand, true);
        at += 2;
      }
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
      page.at = writeTime(page.view, page.at, times[index] as number);
      page.text(this.#kind === 'measurements' ? `],${(qualities[index] as number) & 0xff}]` : ']]');
    }
    return index;
  }
}

/** What is no transition is left out. */
function writeAlarms(page: Page, columns: Columns, from: number, to: number): number {
  let index = from;
  for (; index < to && !page.isFull; index++) {
    const alarm = unpackAlarm(columns.texts[index] as string);
    if (alarm === undefined) continue;
    const { state, description, authority } = alarm;
    const timeUs = columns.times[index] as number;
    const seconds = Math.floor(timeUs / 1_000_000);
    const t = [seconds, timeUs - seconds * 1_000_000];
    page.text(`,${JSON.stringify({ t, state, description, authority })}`);
  }
  return index;
}

/** `",[1700000000,0`, behind a value. */
function writeTime(view: DataView, start: number, timeUs: number): number {
  view.setUint32(start, behindValue, true);
  const seconds = Math.floor(timeUs / 1_000_000);
  const at = writeWhole(view, start + 3, seconds);
  view.setUint8(at, comma);
  return writeWhole(view, at + 1, timeUs - seconds * 1_000_000);
}
