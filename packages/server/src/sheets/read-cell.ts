// What people write into cells, and what spreadsheets of several languages save: read in the same way from every table.
import { type DurationUnit, parseDurationIn } from '@telltale/schema';
import { verbatimMark } from './cell.ts';

/** Where a cell is, for messages. */
export function placeIn(row: number, column: string): string {
  return column === '' ? `row ${row}` : `row ${row}, column ${column.slice(0, 80)}`;
}

/** What follows the apostrophe, where there is one. */
export function withoutMark(text: string): string {
  return text.startsWith(verbatimMark) ? text.slice(1) : text;
}

/** Undefined where it is neither. */
export function booleanIn(text: string): boolean | undefined {
  return booleans.get(text.trim().toLowerCase());
}

export function notBoolean(text: string): string {
  return `${shown(text)} is neither true nor false: write true or false`;
}

/** A whole number; where it counts a unit of time, also a duration. Undefined where it is neither. */
export function integerIn(text: string, unit: DurationUnit | undefined): number | undefined {
  const trimmed = text.trim();
  const duration = unit === undefined ? undefined : parseDurationIn(unit, trimmed);
  return duration ?? (/^[+-]?\d{1,20}$/.test(trimmed) ? Number(trimmed) : undefined);
}

export function notInteger(text: string, unit: DurationUnit | undefined): string {
  const other = unit === undefined ? '' : ` (${unit}), or a duration such as 5s`;
  return `${shown(text)} is no whole number: write digits alone, such as 1000${other}`;
}

/** A number with a decimal comma, with a point instead; any other text as it is. */
export function withDecimalPoint(text: string): string {
  return /^[+-]?\d*,\d+%?$/.test(text) ? text.replace(',', '.') : text;
}

function shown(text: string): string {
  return JSON.stringify(text.trim().slice(0, 80));
}

const booleans: ReadonlyMap<string, boolean> = new Map([
  ...['true', 'yes', 'on', '1', 'wahr', 'ja', 'vrai', 'oui', 'verdadero', 'sí', 'vero', 'sì', 'waar'].map(
    (word) => [word, true] as const,
  ),
  ...['false', 'no', 'off', '0', 'falsch', 'nein', 'faux', 'non', 'falso', 'onwaar', 'nee'].map(
    (word) => [word, false] as const,
  ),
]);
