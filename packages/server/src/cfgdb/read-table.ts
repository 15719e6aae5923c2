// A table into the operations that make it so: each row changes the fields that the table has columns for, or makes a new
// object. Everything that is wrong is found, with its row and its column, before anything is done.
import {
  type DurationUnit,
  type Family,
  type Fault,
  maxOperations,
  ProblemError,
  parseJson,
  reservedName,
  type TableChange,
} from '@telltale/schema';
import { meantField } from '@telltale/schema/nearest-name';
import {
  booleanIn,
  columnName,
  integerIn,
  mostCells,
  mostColumns,
  notBoolean,
  notInteger,
  readSheet,
  type SheetRow,
  UnreadableCell,
  verbatimMark,
  withDecimalPoint,
  withoutMark,
} from '../sheets/index.ts';
import { describeChange } from './content.ts';
import { readPut, reservedFault, type Step, type StoredObject } from './read-objects.ts';
import {
  columnOf,
  headingsOf,
  nameHeading,
  renamedFromColumn,
  renamedFromHeading,
  type TableColumn,
} from './table-columns.ts';
import { TableFaults } from './table-faults.ts';

/** Of a dry run, so many changes are listed. */
const maxListed = 10_000;

export interface TableSteps {
  readonly steps: Step[];
  readonly rows: number;
  readonly added: number;
  readonly changed: number;
  readonly removed: number;
  readonly unchanged: number;
  /** Where they are asked for: what the steps do, the first of them. */
  readonly changes: TableChange[];
  /** Where in the table an object is; undefined where it is not. */
  readonly rowOf: (name: string) => number | undefined;
}

export interface ReadTableOptions {
  readonly deleteMissing: boolean;
  readonly listChanges: boolean;
  /** From the names of renamed objects to those before; the objects are those after the renames. */
  readonly formerNames?: ReadonlyMap<string, string>;
  /** An object as it is stored. */
  readonly sealed?: (object: StoredObject) => StoredObject;
}

/** In steps. Throws a problem that lists everything that is wrong. */
export function* readTable(
  family: Family,
  bytes: Uint8Array,
  objects: ReadonlyMap<string, string>,
  options: ReadTableOptions,
): Generator<undefined, TableSteps> {
  const reader = new TableReader(family, objects, options);
  yield* readSheet(bytes, family, (row) => reader.row(row));
  return reader.end();
}

class TableReader {
  readonly #family: Family;
  readonly #objects: ReadonlyMap<string, string>;
  readonly #options: ReadTableOptions;
  readonly #faults = new TableFaults();
  /** By position; undefined where the heading is empty. */
  #columns: readonly (TableColumn | undefined)[] | undefined;
  #nameAt = 0;
  /** One fault lists the fields, for all. */
  #hasListedFields = false;
  readonly #rows = new Map<string, number>();
  #rowCount = 0;
  readonly #steps: Step[] = [];
  readonly #changes: TableChange[] = [];
  #added = 0;
  #changed = 0;
  /** Renamed, and nothing else. */
  #renamed = 0;

  constructor(family: Family, objects: ReadonlyMap<string, string>, options: ReadTableOptions) {
    this.#family = family;
    this.#objects = objects;
    this.#options = options;
  }

  /** The first one that is not empty is the header. */
  row(row: SheetRow): void {
    if (row.cells.every((cell) => cell === '')) return;
    if (this.#columns === undefined) this.#header(row);
    else this.#object(row, this.#columns);
  }

  end(): TableSteps {
    if (this.#columns === undefined)
      throw new ProblemError('invalid-table', 'The table is empty: its first row names the columns.');
    this.#faults.refuse();
    const missing = this.#options.deleteMissing
      ? [...this.#objects.keys()].filter((name) => !this.#rows.has(name))
      : [];
    for (const name of missing.sort()) {
      this.#steps.push({ operation: 'delete', family: this.#family, name });
      this.#list(name, undefined);
    }
    const [added, changed] = [this.#added, this.#changed];
    return {
      steps: this.#steps,
      rows: this.#rowCount,
      added,
      changed,
      removed: missing.length,
      unchanged: this.#rowCount - added - changed - this.#renamed,
      changes: this.#changes,
      rowOf: (name) => this.#rows.get(name),
    };
  }

  #header({ number, cells }: SheetRow): void {
    if (cells.length > mostColumns) {
      throw new ProblemError(
        'table-too-large',
        `The table has ${cells.length} columns; at most ${mostColumns} are taken.`,
      );
    }
    const seen = new Set<string>();
    this.#columns = cells.map((cell, at) => {
      if (cell instanceof UnreadableCell) return this.#fault(number, columnName(at), cell.message);
      const text = withoutMark(cell);
      const heading = columnOf(this.#family, text) === undefined ? text.trim() : text;
      if (heading === '') return undefined;
      const column = heading === renamedFromHeading ? renamedFromColumn : columnOf(this.#family, heading);
      if (column === undefined) return this.#fault(number, heading, this.#unknown(heading));
      if (seen.has(heading)) return this.#fault(number, heading, 'is there twice: remove one of the columns');
      seen.add(heading);
      return column;
    });
    if (!seen.has(nameHeading)) this.#fault(number, nameHeading, 'is missing: every row needs the name of its object');
    this.#faults.refuse();
    this.#nameAt = this.#columns.findIndex((column) => column?.heading === nameHeading);
  }

  #unknown(heading: string): string {
    const known = headingsOf(this.#family);
    const meant = meantField(heading.slice(0, 80), known);
    if (meant !== undefined) return `is no field of ${this.#family}. Did you mean ${meant}?`;
    const list = this.#hasListedFields ? '' : ` Known are ${known.join(', ')}.`;
    this.#hasListedFields = true;
    return `is no field of ${this.#family}.${list}`;
  }

  #object(row: SheetRow, columns: readonly (TableColumn | undefined)[]): void {
    this.#countRow(columns.length);
    const { number, cells } = row;
    for (let at = 0; at < cells.length; at++) {
      if (columns[at] === undefined && cells[at] !== '')
        this.#fault(number, columnName(at), 'has no heading in the first row');
    }
    const name = this.#name(row);
    if (name === undefined) return;
    const before = this.#objects.get(name);
    const isNew = before === undefined;
    const fields = new Fields(before);
    let isReadable = true;
    columns.forEach((column, at) => {
      if (column === undefined || column === renamedFromColumn || column.heading === nameHeading) return;
      const cell = cells[at] ?? '';
      const wrong = cell instanceof UnreadableCell ? cell.message : fields.set(column, cell, row.mayHaveDecimalComma);
      if (wrong === undefined) return;
      this.#fault(number, column.heading, wrong);
      isReadable = false;
    });
    if (isReadable) this.#put(name, fields.object(name), number, isNew);
  }

  #countRow(width: number): void {
    this.#rowCount++;
    if (this.#rowCount > maxOperations || this.#rowCount * width > mostCells) {
      const limits = `${maxOperations} rows and ${mostCells} cells`;
      throw new ProblemError('table-too-large', `The table has more than ${limits}, empty ones included.`);
    }
  }

  #name({ number, cells }: SheetRow): string | undefined {
    const cell = cells[this.#nameAt] ?? '';
    if (cell instanceof UnreadableCell) return this.#fault(number, nameHeading, cell.message);
    const name = withoutMark(cell);
    if (name === '') return this.#fault(number, nameHeading, 'is empty: write the name of the object');
    const first = this.#rows.get(name);
    if (first !== undefined) {
      return this.#fault(number, nameHeading, `${JSON.stringify(name.slice(0, 80))} is in row ${first} already`);
    }
    this.#rows.set(name, number);
    return name;
  }

  #put(name: string, given: object, number: number, isNew: boolean): void {
    const faults: Fault[] = [];
    let step: Step | undefined;
    try {
      if (name === reservedName) faults.push(reservedFault(''));
      else step = readPut(this.#family, name, given, '', faults);
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error;
      faults.push(...(error.errors ?? [{ path: '', message: error.message }]));
    }
    for (const { path, message } of faults) {
      const since = isNew && message === 'is required' ? `: ${name} is new` : '';
      this.#fault(number, headingAt(path), message + since);
    }
    if (step === undefined || step.operation !== 'put') return;
    const object = this.#options.sealed?.(step.object) ?? step.object;
    const { text } = object;
    if (this.#objects.get(name) === text) {
      if (this.#options.formerNames?.has(name)) {
        this.#renamed++;
        this.#list(name, text);
      }
      return;
    }
    if (isNew) this.#added++;
    else this.#changed++;
    this.#list(name, text);
    this.#steps.push({ ...step, object });
  }

  #list(name: string, after: string | undefined): void {
    if (!this.#options.listChanges || this.#changes.length >= maxListed) return;
    const row = this.#rows.get(name);
    const { change, fields } = describeChange(this.#objects.get(name), after);
    const renamedFrom = this.#options.formerNames?.get(name);
    this.#changes.push({
      name,
      ...(row !== undefined && { row }),
      change,
      ...(renamedFrom !== undefined && { renamedFrom }),
      ...(fields && { fields }),
    });
  }

  #fault(row: number, column: string, message: string): undefined {
    return this.#faults.add(row, column, message);
  }
}

/** Of a JSON pointer into the object. */
export function headingAt(path: string): string {
  const parts = path.slice(1).split('/');
  return parts.map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~')).join('.');
}

/** The fields of one object while its row, or another change of it, is read. */
export class Fields {
  readonly #fields: Map<string, unknown>;
  /** Those that the row has touched. */
  readonly #maps = new Map<string, Map<string, string>>();

  constructor(text: string | undefined) {
    this.#fields = new Map(text === undefined ? [] : Object.entries(parseJson(text) as object));
  }

  /** What is wrong with the cell; undefined where nothing is. */
  set({ field, kind, unit, key }: TableColumn, cell: string, mayHaveDecimalComma: boolean): string | undefined {
    if (key !== undefined) {
      const map = this.#map(field);
      if (cell === '') map.delete(key);
      else map.set(key, withLineBreaksOf(map.get(key), withoutMark(cell)));
      return undefined;
    }
    if (kind === 'map') return this.#setMap(field, cell);
    if (cell === '') {
      this.#fields.delete(field);
      return undefined;
    }
    const isVerbatim = cell.startsWith(verbatimMark);
    const text = withoutMark(cell);
    if (kind === 'boolean') return this.#setBoolean(field, text);
    if (kind === 'integer') return this.#setInteger(field, text, unit);
    if (kind === 'list') return this.#setList(field, text);
    if (kind === 'number' && !isVerbatim) return this.#setNumber(field, text.trim(), mayHaveDecimalComma);
    this.#fields.set(field, withLineBreaksOf(this.#fields.get(field), text));
    return undefined;
  }

  /** As a body of JSON would have it. */
  object(name: string): object {
    const fields = new Map(this.#fields);
    for (const [field, map] of this.#maps) {
      const present = this.#fields.get(field);
      const isEmptyAlready = present !== undefined && Object.keys(present as object).length === 0;
      if (map.size > 0 || isEmptyAlready) fields.set(field, Object.fromEntries(map));
      else fields.delete(field);
    }
    return Object.fromEntries([...fields, [nameHeading, name]]);
  }

  #map(field: string): Map<string, string> {
    const known = this.#maps.get(field);
    if (known !== undefined) return known;
    const map = new Map(Object.entries((this.#fields.get(field) ?? {}) as Record<string, string>));
    this.#maps.set(field, map);
    return map;
  }

  #setMap(field: string, cell: string): string | undefined {
    if (cell === '') return undefined; // the columns of its keys say what it has
    if (cell.trim() !== '{}')
      return `write {} for an empty one; its keys have columns of their own, such as ${field}.NAME`;
    this.#fields.set(field, {});
    this.#maps.set(field, new Map());
    return undefined;
  }

  #setBoolean(field: string, text: string): string | undefined {
    const value = booleanIn(text);
    if (value === undefined) return notBoolean(text);
    this.#fields.set(field, value);
    return undefined;
  }

  #setInteger(field: string, text: string, unit: DurationUnit | undefined): string | undefined {
    const value = integerIn(text, unit);
    if (value === undefined) return notInteger(text, unit);
    this.#fields.set(field, value);
    return undefined;
  }

  #setList(field: string, text: string): string | undefined {
    try {
      this.#fields.set(field, parseJson(text));
      return undefined;
    } catch {
      return 'must be a list as JSON, such as [{"kind": "measurements", "name": "tank1_level"}]';
    }
  }

  #setNumber(field: string, text: string, mayHaveDecimalComma: boolean): string | undefined {
    const withPoint = withDecimalPoint(text);
    if (withPoint !== text && !mayHaveDecimalComma) {
      return `${shown(text)} has a comma: write ${withPoint}, or separate the columns with semicolons`;
    }
    this.#fields.set(field, withPoint);
    return undefined;
  }
}

/** Spreadsheets save every line break as LF: that alone is no change. */
function withLineBreaksOf(before: unknown, text: string): string {
  if (typeof before !== 'string' || !before.includes('\r')) return text;
  return before.replaceAll(/\r\n?/g, '\n') === text ? before : text;
}

function shown(text: string): string {
  return JSON.stringify(text.slice(0, 80));
}
