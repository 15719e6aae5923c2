// Records of the trail as rows of CSV. Texts that a spreadsheet would take for a formula begin with an apostrophe.
import { csvRow } from '@telltale/schema';

const columns = [
  ...([
    'seq',
    'time',
    'who',
    'kind',
    'source',
    'session',
    'operation',
    'object',
    'site',
    'area',
    'old',
    'new',
  ] as const),
  ...(['reason', 'approver', 'result', 'rendering', 'previous', 'hash'] as const),
];

const formula = /^[=+\-@\t\r]/;

export const csvHeader = csvRow(columns);

/** The rows of records that are each JSON. */
export function csvOf(lines: readonly string[]): string {
  return lines.map(rowOf).join('');
}

function rowOf(line: string): string {
  const record = JSON.parse(line) as Record<string, unknown>;
  return csvRow(columns.map((column) => cellText(record[column])));
}

function cellText(value: unknown): string {
  if (value === undefined || value === null) return '';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return formula.test(text) ? `'${text}` : text;
}
