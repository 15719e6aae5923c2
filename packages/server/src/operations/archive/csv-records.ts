// Rows of CSV as records: a header that names the columns, times as people and as programs write them, values without
// the letter of their datatype.
import { archiveFlag, type Datatype, parseIsoMs, parseText, quality, type Value, ValueError } from '@telltale/schema';

export interface CsvRecordsOptions {
  readonly kind: 'measurements' | 'commands';
  /** Where rows say whose they are, they are to be of this one. */
  readonly name: string;
  readonly datatype: Datatype;
  readonly onRecord: (value: Value, timeUs: number, quality: number, flags: number) => void;
}

const zero = 0x30;

const columns = ['name', 'time', 'value', 'quality', 'flags'] as const;
type Column = (typeof columns)[number];

export class CsvRecords {
  readonly #options: CsvRecordsOptions;
  #width = 0;
  /** The position of each column; -1 for a missing one. */
  #at: Record<Column, number> = { name: -1, time: -1, value: -1, quality: -1, flags: -1 };

  constructor(options: CsvRecordsOptions) {
    this.#options = options;
  }

  get isHeaderRead(): boolean {
    return this.#width > 0;
  }

  /** The first one is the header. Throws a ValueError. */
  row(fields: readonly string[]): void {
    if (this.isHeaderRead) this.#record(fields);
    else this.#header(fields);
  }

  #header(fields: readonly string[]): void {
    // As exports have it, with the unit of the values.
    const words = fields.map((field) =>
      field
        .trim()
        .toLowerCase()
        .replace(/^value \[.*\]$/s, 'value'),
    );
    const unknown = words.find((word) => !(columns as readonly string[]).includes(word));
    const isTwice = new Set(words).size < words.length;
    if (unknown !== undefined || isTwice || !words.includes('time') || !words.includes('value')) {
      throw new ValueError(
        'time,value,quality,flags is expected, with name or without; quality and flags may be missing',
      );
    }
    for (const column of columns) this.#at[column] = words.indexOf(column);
    this.#width = words.length;
  }

  #record(fields: readonly string[]): void {
    const { name, datatype, kind, onRecord } = this.#options;
    if (fields.length !== this.#width) throw new ValueError(`it has ${fields.length} fields, not ${this.#width}`);
    const whose = fields[this.#at.name] ?? name;
    if (whose !== name) throw new ValueError(`it is of ${JSON.stringify(whose.slice(0, 80))}, not of ${name}`);
    const qualityText = fields[this.#at.quality] ?? '';
    const value = parseText(datatype, fields[this.#at.value] ?? '');
    const timeUs = readTime(fields[this.#at.time] ?? '');
    const flags = readFlags(fields[this.#at.flags] ?? '');
    onRecord(value, timeUs, kind === 'commands' ? 0 : readQuality(qualityText), flags);
  }
}

/** Good where none is given. */
function readQuality(text: string): number {
  if (text === '') return quality.good;
  const number = readDigits(text, 0, text.length, 3);
  if (number >= 0 && number <= 0xff) return number;
  throw new ValueError(`${JSON.stringify(text.slice(0, 40))} is no quality: 0 to 255 is expected`);
}

/** None where none are given. */
function readFlags(text: string): number {
  if (text === '' || text === '0') return 0;
  if (text === '1') return archiveFlag.simulated;
  throw new ValueError(`${JSON.stringify(text.slice(0, 40))} are no flags: 0, or 1 for simulated, is expected`);
}

const iso = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)(?:\.(\d{1,6}))?(Z|[+-]\d\d:\d\d)$/;

/** ISO 8601 with its offset from UTC, or seconds since 1970; exact to the microsecond. */
function readTime(text: string): number {
  const us = secondsTime(text) ?? isoTime(text);
  if (us !== undefined && us >= 0 && us <= Number.MAX_SAFE_INTEGER) return us;
  const shown = JSON.stringify(text.slice(0, 40));
  throw new ValueError(
    `${shown} is no time: a form such as 2026-01-31T12:00:00.5Z, or seconds since 1970, is expected`,
  );
}

function isoTime(text: string): number | undefined {
  const [, date, time, fraction = '', zone] = iso.exec(text) ?? [];
  if (date === undefined) return undefined;
  const ms = parseIsoMs(`${date}T${time}${zone}`);
  return Number.isNaN(ms) ? undefined : ms * 1000 + Number(fraction.padEnd(6, '0'));
}

function secondsTime(text: string): number | undefined {
  const point = text.indexOf('.');
  const whole = readDigits(text, 0, point < 0 ? text.length : point, 10);
  if (whole < 0) return undefined;
  if (point < 0) return whole * 1_000_000;
  const fraction = readDigits(text, point + 1, text.length, 6);
  return fraction < 0 ? undefined : whole * 1_000_000 + fraction * 10 ** (6 - (text.length - point - 1));
}

/** Of the digits from `start` to `end`, 1 to `most`; -1 where it is anything else. A third of a regular expression's time. */
function readDigits(text: string, start: number, end: number, most: number): number {
  if (end <= start || end - start > most) return -1;
  let number = 0;
  for (let at = start; at < end; at++) {
    const digit = text.charCodeAt(at) - zero;
    if (digit < 0 || digit > 9) return -1;
    number = 10 * number + digit;
  }
  return number;
}
