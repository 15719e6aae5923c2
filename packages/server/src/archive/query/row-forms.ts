// An answer with several aggregates as JSON or CSV: one row a bucket. The values of a bucket come one behind the other,
// each in a record with the bucket's time and quality.
import {
  type Datatype,
  form,
  formatPrefixed,
  formatText,
  formatTimestamp,
  toTimestamp,
  traitsOf,
  type Value,
} from '@telltale/schema/values';
import type { Aggregate } from '../archive-access.ts';
import { type Columns, flagsOf, type Kind, lacksValue } from '../records.ts';
import type { AnswerForm } from './answer-form.ts';
import { quoted } from './csv-form.ts';
import type { Page } from './page.ts';

abstract class RowForm implements AnswerForm {
  protected readonly aggregates: readonly Aggregate[];
  protected readonly hasQuality: boolean;
  protected readonly hasFlags: boolean;
  /** Which one of the row is next. */
  #next = 0;

  constructor(kind: Kind, aggregates: readonly Aggregate[], hasFlags: boolean) {
    this.hasFlags = hasFlags;
    this.aggregates = aggregates;
    this.hasQuality = kind === 'measurements';
  }

  abstract begin(page: Page): void;
  abstract beginName(page: Page, name: string): void;
  abstract endName(page: Page): void;
  abstract end(page: Page): void;
  /** The first record of a row. */
  /** `quality` with its marks. */
  protected abstract beginRow(page: Page, timeUs: number, quality: number): void;
  /** Undefined: there is none. */
  protected abstract writeValue(page: Page, at: number, datatype: Datatype, value: Value | undefined): void;
  protected abstract endRow(page: Page, quality: number): void;

  write(page: Page, datatype: Datatype, columns: Columns, from: number, to: number): number {
    const { times, qualities } = columns;
    let index = from;
    for (; index < to && !page.isFull; index++) {
      const marks = qualities[index] as number;
      if (this.#next === 0) this.beginRow(page, times[index] as number, marks);
      const value = (marks & lacksValue) === 0 ? valueAt(datatype, columns, index) : undefined;
      this.writeValue(page, this.#next, datatype, value);
      this.#next = (this.#next + 1) % this.aggregates.length;
      if (this.#next === 0) this.endRow(page, marks);
    }
    return index;
  }
}

/** `{"level":[{"t":[1700000000,0],"q":192,"avg":"d10.25","max":"d100"},…],…}` */
export class JsonRows extends RowForm {
  #hasName = false;
  #hasRow = false;

  begin(page: Page): void {
    page.text('{');
  }

  beginName(page: Page, name: string): void {
    page.text(`${this.#hasName ? ',' : ''}${JSON.stringify(name)}:[`);
    this.#hasName = true;
    this.#hasRow = false;
  }

  endName(page: Page): void {
    page.text(']');
  }

  end(page: Page): void {
    page.text('}');
  }

  protected beginRow(page: Page, timeUs: number, quality: number): void {
    const q = this.hasQuality ? `,"q":${quality & 0xff}` : '';
    const flags = this.hasFlags ? `,"flags":${flagsOf(quality)}` : '';
    page.text(`${this.#hasRow ? ',' : ''}{"t":${JSON.stringify(toTimestamp(timeUs))}${q}${flags}`);
    this.#hasRow = true;
  }

  protected writeValue(page: Page, at: number, datatype: Datatype, value: Value | undefined): void {
    const text = value === undefined ? 'null' : JSON.stringify(formatPrefixed(datatype, value));
    page.text(`,"${this.aggregates[at]}":${text}`);
  }

  protected endRow(page: Page): void {
    page.text('}');
  }
}

/** One column an aggregate; where it has no value, an empty field. */
export class CsvRows extends RowForm {
  #name = '';

  begin(page: Page): void {
    page.text(
      `name,time,${this.aggregates.join(',')}${this.hasQuality ? ',quality' : ''}${this.hasFlags ? ',flags' : ''}\r\n`,
    );
  }

  beginName(_page: Page, name: string): void {
    this.#name = quoted(name);
  }

  endName(): void {}

  end(): void {}

  protected beginRow(page: Page, timeUs: number): void {
    page.text(`${this.#name},${formatTimestamp(timeUs)}`);
  }

  protected writeValue(page: Page, _at: number, datatype: Datatype, value: Value | undefined): void {
    page.text(value === undefined ? ',' : `,${quoted(formatText(datatype, value))}`);
  }

  protected endRow(page: Page, quality: number): void {
    const flags = this.hasFlags ? `,${flagsOf(quality)}` : '';
    page.text(`${this.hasQuality ? `,${quality & 0xff}` : ''}${flags}\r\n`);
  }
}

function valueAt(datatype: Datatype, { numbers, longs, texts }: Columns, index: number): Value {
  const { form: held, isBoolean } = traitsOf(datatype);
  if (held === form.text) return texts[index] as string;
  if (held === form.long) return longs[index] as bigint;
  return isBoolean ? numbers[index] !== 0 : (numbers[index] as number);
}
