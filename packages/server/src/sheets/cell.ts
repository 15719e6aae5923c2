// What a cell of a table can hold, and which texts a spreadsheet would take for something else.

/** Undefined is an empty cell. */
export type Cell = string | number | boolean | VerbatimCell | undefined;

/** A text that is written with the apostrophe, whatever it is. */
export class VerbatimCell {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** A cell of a spreadsheet that is no text, number or boolean; the message says what to do. */
export class UnreadableCell {
  readonly message: string;

  constructor(message: string) {
    this.message = message;
  }
}

export interface SheetRow {
  /** As a spreadsheet shows it: the header is row 1, unless empty rows come before it. */
  readonly number: number;
  /** As texts, empty cells as empty ones. A text that begins with an apostrophe is what follows it. */
  readonly cells: readonly (string | UnreadableCell)[];
  /** Whether a comma in a number can be the decimal point. */
  readonly mayHaveDecimalComma: boolean;
}

/** As many as a spreadsheet takes. */
export const mostColumns = 16_384;
/** Of a table, empty ones included: 100,000 rows of 200 columns. */
export const mostCells = 20_000_000;

/** A text that begins with it is what follows it: so an empty text is no empty cell, and `=x` no formula. */
export const verbatimMark = "'";

const formula = /^[=+\-@\t\r＝＋－＠]/;
const number = /^[\p{Nd}\s.,:/\-+%$€£¥()'’]+$/u;
const exponent = /^[\d.,]+e[+-]?\d+$/i;
const isoTime = /^\d+-\d+-\d+t[\d:.,]+(?:z|[+-][\d:]+)?$/i;
const timeOfDay = /^[\d:.\s]+[ap]\.?m?\.?$/i;
const months = 'jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?';
const date = new RegExp(`^[\\d\\s.,/'’-]*(?:${months}|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)[\\d\\s.,/'’-]*$`, 'i');
const boolean = /^(?:true|false|wahr|falsch|vrai|faux|verdadero|falso|vero|waar|onwaar)$/i;

/** Integers that every spreadsheet shows, and so saves, as they are. */
const plainInteger = /^-?(?:0|[1-9]\d{0,8})$/;

/** Whether a spreadsheet that reads the text from CSV would make anything else of it: then it needs the apostrophe. */
export function isMistakable(text: string): boolean {
  if (text === '' || text.startsWith(verbatimMark)) return true;
  if (plainInteger.test(text)) return text === '-0';
  if (formula.test(text) || text.startsWith('#') || text.trim() !== text) return true;
  if (boolean.test(text)) return true;
  if (!/\p{Nd}/u.test(text)) return false;
  return [number, exponent, isoTime, timeOfDay, date].some((form) => form.test(text));
}

/** The number that a spreadsheet shows, and so saves, as this very text; undefined where there is none. */
export function plainNumber(text: string): number | undefined {
  if (!/^-?\d{1,9}(?:\.\d{1,8})?$/.test(text) || text.replace(/\D/g, '').length > 9) return undefined;
  const value = Number(text);
  return String(value) === text && (value === 0 || Math.abs(value) >= 0.001) ? value : undefined;
}
