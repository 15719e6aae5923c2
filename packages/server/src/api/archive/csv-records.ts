// Rows of CSV as records: a header that names the columns, times as people and as programs write them, values without
// the letter of their datatype.
import { type Datatype, parseText, quality, type Value, ValueError } from '@telltale/schema';

export interface CsvRecordsOptions {
  readonly kind: 'measurements' | 'commands';
  /** Where rows say whose they are, they are to be of this one. */
  readonly name: string;
  readonly datatype: Datatype;
  readonly onRecord: (value: Value, timeUs: number, quality: number) => void;
}

const columns = ['name', 'time', 'value', 'quality'] as const;
type Column = (typeof columns)[number];

export class CsvRecords {
  readonly #options: CsvRecordsOptions;
  #width = 0;
  /** Where each column stands; -1 where there is none. */
  #at: Record<Column, number> = { name: -1, time: -1, value: -1, quality: -1 };

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
    const words = fields.map((field) => field.trim().toLowerCase());
    const unknown = words.find((word) => !(columns as readonly string[]).includes(word));
    const isTwice = new Set(words).size < words.length;
    if (unknown !== undefined || isTwice || !words.includes('time') || !words.includes('value')) {
      throw new ValueError('time,value,quality is expected, with name or without; quality may be missing');
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
    onRecord(value, timeUs, kind === 'commands' ? 0 : readQuality(qualityText));
  }
}

/** Good where none is given. */
function readQuality(text: string): number {
  if (text === '') return quality.good;
  const number = /^\d{1,3}$/.test(text) ? Number(text) : 256;
  if (number <= 0xff) return number;
  throw new ValueError(`${JSON.stringify(text.slice(0, 40))} is no quality: 0 to 255 is expected`);
}

const iso = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)(?:\.(\d{1,6}))?(Z|[+-]\d\d:\d\d)$/;
const seconds = /^(\d{1,10})(?:\.(\d{1,6}))?$/;

/** ISO 8601 with its offset from UTC, or seconds since 1970; exact to the microsecond. */
function readTime(text: string): number {
  const us = isoTime(text) ?? secondsTime(text);
  if (us !== undefined && us >= 0 && us <= Number.MAX_SAFE_INTEGER) return us;
  const shown = JSON.stringify(text.slice(0, 40));
  throw new ValueError(
    `${shown} is no time: a form such as 2026-01-31T12:00:00.5Z, or seconds since 1970, is expected`,
  );
}

function isoTime(text: string): number | undefined {
  const [, date, time, fraction = '', zone] = iso.exec(text) ?? [];
  const midnight = Date.parse(`${date}T00:00:00Z`);
  // A day that the month does not have would count on into the next one.
  if (date === undefined || Number.isNaN(midnight) || new Date(midnight).toISOString().slice(0, 10) !== date) {
    return undefined;
  }
  const ms = Date.parse(`${date}T${time}${zone}`);
  return Number.isNaN(ms) ? undefined : ms * 1000 + Number(fraction.padEnd(6, '0'));
}

function secondsTime(text: string): number | undefined {
  const [, whole, fraction = ''] = seconds.exec(text) ?? [];
  return whole === undefined ? undefined : Number(whole) * 1_000_000 + Number(fraction.padEnd(6, '0'));
}
