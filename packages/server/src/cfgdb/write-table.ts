// The objects of a family as the rows of a table.
import { type Family, type Fault, maxFaults, ProblemError, parseJson } from '@telltale/schema';
import { didYouMean } from '@telltale/schema/nearest-name';
import {
  type Cell,
  mostCells,
  mostColumns,
  plainNumber,
  type SheetFormat,
  VerbatimCell,
  writeSheet,
} from '../sheets/index.ts';
import { sortedNames } from './content.ts';
import { columnOf, fieldsOf, headingsOf, nameHeading, type TableColumn } from './table-columns.ts';

export interface WriteTableOptions {
  readonly format: SheetFormat;
  /** Headings; a map as a whole stands for all of its keys. All columns where it is undefined. */
  readonly columns?: readonly string[] | undefined;
  /** Of the objects; those that do not exist are left out. */
  readonly names?: readonly string[] | undefined;
}

type Fields = Readonly<Record<string, unknown>>;

/** In the order of their names, in steps. */
export function* writeTable(
  family: Family,
  objects: ReadonlyMap<string, string>,
  { format, columns: wanted, names }: WriteTableOptions,
): Generator<undefined, Uint8Array[]> {
  const chosen = chosenColumns(family, wanted ?? [...fieldsOf(family).keys()]);
  const texts = chosenTexts(objects, names);
  const columns = yield* withKeys(chosen, texts);
  if (columns.length > mostColumns || columns.length * texts.length > mostCells) {
    const what = `The table has ${texts.length} rows of ${columns.length} columns`;
    throw new ProblemError(
      'table-too-large',
      `${what}; at most ${mostColumns} columns and ${mostCells} cells are sent.`,
    );
  }
  return yield* writeSheet(format, rowsOf(columns, texts), family);
}

/** The name comes first, whatever is asked for. */
function chosenColumns(family: Family, headings: readonly string[]): TableColumn[] {
  const faults: Fault[] = [];
  const columns = new Map<string, TableColumn>();
  for (const heading of [nameHeading, ...headings]) {
    const column = columnOf(family, heading);
    if (column !== undefined) columns.set(heading, column);
    else if (faults.length < maxFaults) {
      const hint = didYouMean(heading.slice(0, 80), headingsOf(family));
      const known = hint || ` Known are ${headingsOf(family).join(', ')}.`;
      faults.push({ path: 'columns', message: `${JSON.stringify(heading.slice(0, 80))} is no column.${known}` });
    }
  }
  if (faults.length > 0) throw new ProblemError('invalid-query', faults[0]?.message ?? '', faults);
  return [...columns.values()];
}

function chosenTexts(objects: ReadonlyMap<string, string>, names: readonly string[] | undefined): string[] {
  const chosen = names === undefined ? sortedNames(objects) : [...new Set(names)].sort();
  return chosen.flatMap((name) => objects.get(name) ?? []);
}

/** A map becomes one column for each key that any object has, and one for those objects in which it is empty. */
function* withKeys(chosen: readonly TableColumn[], texts: readonly string[]): Generator<undefined, TableColumn[]> {
  const maps = new Map(chosen.filter(({ kind }) => kind === 'map').map(({ field }) => [field, new MapKeys()]));
  if (maps.size > 0) {
    for (const [index, text] of texts.entries()) {
      const object = parseJson(text) as Fields;
      for (const [field, keys] of maps) keys.add(object[field] as object | undefined);
      if (index % 64 === 63) yield;
    }
  }
  return chosen.flatMap((column) => maps.get(column.field)?.columns(column) ?? [column]);
}

class MapKeys {
  readonly #keys = new Set<string>();
  #isEmptySomewhere = false;

  add(map: object | undefined): void {
    if (map === undefined) return;
    const keys = Object.keys(map);
    this.#isEmptySomewhere ||= keys.length === 0;
    for (const key of keys) this.#keys.add(key);
    if (this.#keys.size > mostColumns) {
      throw new ProblemError('table-too-large', `The table has more than ${mostColumns} columns.`);
    }
  }

  columns(whole: TableColumn): TableColumn[] {
    if (whole.kind !== 'map') return [whole];
    const { heading, field } = whole;
    const ofKeys = [...this.#keys]
      .sort()
      .map((key) => ({ heading: `${heading}.${key}`, field, kind: 'text', key }) as const);
    return this.#isEmptySomewhere ? [whole, ...ofKeys] : ofKeys;
  }
}

function* rowsOf(columns: readonly TableColumn[], texts: readonly string[]): Generator<Cell[]> {
  yield columns.map(({ heading }) => heading);
  for (const text of texts) {
    const object = parseJson(text) as Fields;
    yield columns.map((column) => cellOf(column, object));
  }
}

function cellOf({ field, kind, key }: TableColumn, object: Fields): Cell {
  const value = object[field];
  if (value === undefined) return undefined;
  if (key !== undefined)
    return Object.hasOwn(value as object, key) ? (value as Record<string, string>)[key] : undefined;
  if (kind === 'map') return Object.keys(value as object).length === 0 ? '{}' : undefined;
  if (kind === 'list') return JSON.stringify(value);
  if (kind === 'number' || kind === 'integer') return numberCell(String(value));
  return value as string | boolean;
}

/** A text that would be read as another number is marked. */
function numberCell(text: string): Cell {
  const number = plainNumber(text);
  if (number !== undefined) return number;
  return text.includes(',') || text.trim() !== text ? new VerbatimCell(text) : text;
}
