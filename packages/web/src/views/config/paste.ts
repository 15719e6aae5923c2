// What a spreadsheet puts on the clipboard: rows and cells between tabs; and what they mean in the table, at a cell or as rows
// with a header.
import type { Field } from '../../data/fields.ts';
import { typedText } from '../../parts/schema-form/typed-text.ts';
import { type FamilyDraft, isNew, type Objects, type RowKey } from './draft.ts';

/** As many as a table may have. */
const mostRows = 100_000;

/** Cells with tabs or line breaks are quoted, and their quotes doubled. */
export function readTabs(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  let at = 0;
  const source = text.replace(/\r\n?/g, '\n').replace(/\n$/, '');
  while (at <= source.length && rows.length < mostRows) {
    const [cell, end] = source[at] === '"' ? quotedCell(source, at) : plainCell(source, at);
    row.push(cell);
    if (source[end] !== '\t') {
      rows.push(row);
      row = [];
    }
    at = end + 1;
  }
  return rows;
}

function plainCell(source: string, from: number): [string, number] {
  const found = source.slice(from).search(/[\t\n]/);
  const end = found < 0 ? source.length : from + found;
  return [source.slice(from, end), end];
}

/** A quote that is not closed before the next tab is a part of the text. */
function quotedCell(source: string, from: number): [string, number] {
  let at = source.indexOf('"', from + 1);
  while (at >= 0 && source[at + 1] === '"') at = source.indexOf('"', at + 2);
  const end = at + 1;
  if (at < 0 || (end < source.length && source[end] !== '\t' && source[end] !== '\n')) return plainCell(source, from);
  return [source.slice(from + 1, at).replaceAll('""', '"'), end];
}

export interface Pasted {
  /** Keys in the order of the rows that are shown. */
  readonly rows: readonly RowKey[];
  readonly columns: readonly Field[];
  readonly known: (heading: string) => Field | undefined;
  readonly objects: Objects;
  readonly at: { readonly row: number; readonly column: number };
  readonly selected: ReadonlySet<RowKey>;
}

/** Answers with how many rows it has filled, and the headings that are no fields; nothing is pasted where there are some. */
export function paste(
  draft: FamilyDraft,
  text: string,
  pasted: Pasted,
): { readonly rows: number; readonly unknown: readonly string[] } {
  const [first = [], ...others] = readTabs(text);
  const headings = first.map((heading) => heading.trim());
  const isHeader = headings.some((heading) => pasted.known(heading)?.key === 'name');
  if (!isHeader) return { rows: pasteAt(draft, [first, ...others], pasted), unknown: [] };
  const unknown = headings.filter((heading) => heading !== '' && pasted.known(heading) === undefined);
  if (unknown.length > 0) return { rows: 0, unknown };
  const fields = headings.map(pasted.known);
  draft.together(() => {
    for (const row of others) pasteRow(draft, fields, row, pasted.objects);
  });
  return { rows: others.length, unknown };
}

function pasteRow(
  draft: FamilyDraft,
  fields: readonly (Field | undefined)[],
  row: readonly string[],
  objects: Objects,
) {
  const cells = new Map<string, string>();
  for (const [at, field] of fields.entries()) {
    if (field !== undefined && row[at] !== undefined) cells.set(field.key, typedText(field, row[at]));
  }
  const name = cells.get('name') ?? '';
  if (!objects.has(name)) {
    if ([...cells.values()].some((text) => text !== '')) draft.add(cells);
    return;
  }
  for (const [column, text] of cells) if (column !== 'name') draft.set(name, column, text, objects);
}

function pasteAt(draft: FamilyDraft, matrix: readonly string[][], { rows, columns, objects, at, selected }: Pasted) {
  const [first] = matrix;
  const isOneCell = matrix.length === 1 && first?.length === 1;
  const shown = isOneCell && selected.size > 1 ? rows.filter((key) => selected.has(key)) : rows.slice(at.row);
  const values = isOneCell && selected.size > 1 ? shown.map(() => first) : matrix;
  draft.together(() => {
    for (const [index, cells] of values.entries()) {
      const key = shown[index] ?? draft.add();
      for (const [offset, text] of cells.entries()) {
        const field = columns[at.column + offset];
        if (field === undefined || (field.key === 'name' && !isNew(key))) continue;
        draft.set(key, field.key, typedText(field, text), objects);
      }
    }
  });
  return values.length;
}
