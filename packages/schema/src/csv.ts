// CSV as RFC 4180 has it, and with semicolons or tabs in the place of commas, as spreadsheets write it: rows read piece by
// piece, so that memory does not grow with the file, and fields written.
import { ProblemError } from './problem.ts';

/** Longer than any row with a text of 64 KiB, or with a configured object. */
const mostRowLength = 1 << 21;

const separators = [',', ';', '\t'] as const;
export type Separator = (typeof separators)[number];

export class CsvReader {
  readonly #onRow: (fields: string[], row: number) => void;
  readonly #utf8 = new TextDecoder('utf-8', { fatal: true });
  #text = '';
  /** So far the quotes of the text are counted. */
  #scanned = 0;
  #isQuoted = false;
  #rows = 0;
  #separator: Separator | undefined;

  /** Called with each row that is not empty and its number, from 1 on, in order; its exceptions pass through. */
  constructor(onRow: (fields: string[], row: number) => void) {
    this.#onRow = onRow;
  }

  /** What stands between fields: of commas, semicolons and tabs, what the first row has most of. */
  get separator(): Separator {
    return this.#separator ?? ',';
  }

  /** Throws a problem at the first invalid row: all rows before it were handed on. */
  feed(bytes: Uint8Array): void {
    this.#take(this.#decode(bytes, true));
  }

  /** The last row may be without the end of its line. */
  end(): void {
    this.#take(this.#decode(new Uint8Array(), false));
    if (this.#isQuoted) throw broken(`Row ${this.#rows + 1} ends within quotes.`);
    this.#row(this.#text);
    this.#text = '';
  }

  #decode(bytes: Uint8Array, stream: boolean): string {
    try {
      return this.#utf8.decode(bytes, { stream });
    } catch {
      throw broken('The body is not UTF-8: in Excel, save it as CSV UTF-8.');
    }
  }

  #take(more: string): void {
    const text = this.#text + more;
    let start = 0;
    let quoteAt = text.indexOf('"', this.#scanned);
    const scanTo = (end: number) => {
      for (; quoteAt >= 0 && quoteAt < end; quoteAt = text.indexOf('"', quoteAt + 1)) this.#isQuoted = !this.#isQuoted;
    };
    for (let end = text.indexOf('\n', this.#scanned); end >= 0; end = text.indexOf('\n', end + 1)) {
      scanTo(end);
      if (this.#isQuoted) continue; // a line break within quotes belongs to the field
      this.#row(text.slice(start, text.charCodeAt(end - 1) === 0x0d ? end - 1 : end));
      start = end + 1;
    }
    scanTo(text.length);
    this.#text = text.slice(start);
    this.#scanned = this.#text.length;
    if (this.#text.length > mostRowLength) {
      throw broken(`Row ${this.#rows + 1} is longer than ${mostRowLength} characters.`);
    }
  }

  #row(row: string): void {
    this.#rows++;
    if (row === '') return;
    this.#separator ??= separatorOf(row);
    this.#onRow(row.includes('"') ? this.#quotedFields(row, this.#separator) : row.split(this.#separator), this.#rows);
  }

  #quotedFields(row: string, separator: Separator): string[] {
    const fields: string[] = [];
    for (let at = 0; at <= row.length; at++) {
      const isQuoted = row.charCodeAt(at) === quote;
      const end = isQuoted ? closingQuote(row, at) + 1 : endOfField(row, at, separator);
      const field = isQuoted ? row.slice(at + 1, end - 1).replaceAll('""', '"') : row.slice(at, end);
      if (end < row.length && row[end] !== separator) this.#refuseQuote();
      if (!isQuoted && field.includes('"')) this.#refuseQuote();
      fields.push(field);
      at = end;
    }
    return fields;
  }

  #refuseQuote(): never {
    throw broken(`Row ${this.#rows} has a quote in the middle of a field.`);
  }
}

const quote = 0x22;

/** Within quotes, none separates. */
function separatorOf(row: string): Separator {
  const bare = row.replaceAll(/"[^"]*"/g, '');
  const counts = separators.map((each) => ({ each, count: bare.split(each).length }));
  return counts.reduce((most, next) => (next.count > most.count ? next : most)).each;
}

/** There is one: the row has an even number of quotes. */
function closingQuote(row: string, from: number): number {
  let at = row.indexOf('"', from + 1);
  while (row.charCodeAt(at + 1) === quote) at = row.indexOf('"', at + 2);
  return at < 0 ? row.length - 1 : at;
}

function endOfField(row: string, from: number, separator: Separator): number {
  const at = row.indexOf(separator, from);
  return at < 0 ? row.length : at;
}

/** One row, with the end of its line. One field without a text is quoted: an empty line is no row. */
export function csvRow(fields: readonly string[]): string {
  return `${fields.map(csvField).join(',') || '""'}\r\n`;
}

function csvField(text: string): string {
  return /[",;\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function broken(detail: string): ProblemError {
  return new ProblemError('malformed-csv', detail);
}
