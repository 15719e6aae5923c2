// The instances of a type: rows of a table, or a list, each with a value for every parameter. Everything that is wrong is found,
// with its row and its column.
import { type Fault, maxOperations, maxValueLength, ProblemError } from '@telltale/schema';
import { didYouMean } from '@telltale/schema/nearest-name';
import {
  columnName,
  mostCells,
  mostColumns,
  placeIn,
  readSheet,
  type SheetRow,
  UnreadableCell,
  withoutMark,
} from '../sheets/index.ts';
import type { ReadType } from './read-type.ts';
import { shown, TemplateFault, type Values } from './template.ts';

export interface Instance {
  readonly name: string;
  readonly values: Values;
  /** Where it was sent; in a column where one is to blame. */
  readonly place: (parameter?: string) => string;
  /** Whether a comma in a number can be the decimal point. */
  readonly mayHaveDecimalComma: boolean;
}

type Row = Readonly<Record<string, string | number | boolean | null>>;

const maxInstanceFaults = 100;
/** Of those, so many say which parameter is meant: that takes its time. */
const maxHints = 20;

export class InstanceReader {
  readonly #type: ReadType;
  readonly #faults: Fault[] = [];
  readonly #instances: Instance[] = [];
  /** From the name of an instance to its place. */
  readonly #places = new Map<string, string>();
  #columns: readonly (string | undefined)[] | undefined;

  constructor(type: ReadType) {
    this.#type = type;
  }

  /** In steps; of CSV or a workbook. Throws a problem that lists everything that is wrong. */
  *readFile(bytes: Uint8Array): Generator<undefined, Instance[]> {
    yield* readSheet(bytes, this.#type.name, (row) => this.#row(row));
    if (this.#columns === undefined) {
      throw new ProblemError('invalid-typical', 'The table of instances is empty: its first row names the parameters.');
    }
    return this.#end();
  }

  *readList(rows: readonly Row[]): Generator<undefined, Instance[]> {
    const { parameters } = this.#type;
    for (const [index, row] of rows.entries()) {
      const place = (parameter = '') => `/instances/${index}${parameter && `/${parameter.slice(0, 80)}`}`;
      for (const key of Object.keys(row)) if (!parameters.has(key)) this.#fault(place(key), this.#unknown(key));
      const cells = new Map(Object.entries(row).map(([key, value]) => [key, value === null ? '' : String(value)]));
      this.#add(cells, place, false);
      yield;
    }
    return this.#end();
  }

  #row(row: SheetRow): void {
    if (row.cells.every((cell) => cell === '')) return;
    if (this.#columns === undefined) this.#header(row);
    else this.#cells(row, this.#columns);
  }

  #header({ number, cells }: SheetRow): void {
    if (cells.length > mostColumns)
      throw new ProblemError('table-too-large', `The table has over ${mostColumns} columns.`);
    const seen = new Set<string>();
    this.#columns = cells.map((cell, at) => {
      const column = columnName(at);
      if (cell instanceof UnreadableCell) return this.#fault(placeIn(number, column), cell.message);
      const heading = withoutMark(cell).trim();
      if (heading === '') return undefined;
      const place = placeIn(number, heading);
      if (!this.#type.parameters.has(heading)) return this.#fault(place, this.#unknown(heading));
      if (seen.has(heading)) return this.#fault(place, 'is there twice: remove one of the columns');
      seen.add(heading);
      return heading;
    });
    for (const [parameter, value] of this.#type.parameters) {
      if (seen.has(parameter) || value !== undefined) continue;
      this.#fault(
        placeIn(number, parameter),
        'is missing: add the column, or give the parameter a default in the type',
      );
    }
    this.#refuseFaults();
  }

  #cells({ number, cells, mayHaveDecimalComma }: SheetRow, columns: readonly (string | undefined)[]): void {
    if (this.#instances.length >= maxOperations || this.#instances.length * columns.length > mostCells) {
      throw new ProblemError('table-too-large', `The table has more than ${maxOperations} rows or ${mostCells} cells.`);
    }
    const values = new Map<string, string>();
    for (const [at, cell] of cells.entries()) {
      const parameter = columns[at];
      const place = placeIn(number, parameter ?? columnName(at));
      if (cell instanceof UnreadableCell) this.#fault(place, cell.message);
      else if (parameter !== undefined) values.set(parameter, withoutMark(cell));
      else if (cell !== '') this.#fault(place, 'has no heading in the first row');
    }
    this.#add(values, (parameter = '') => placeIn(number, parameter), mayHaveDecimalComma);
  }

  #add(given: ReadonlyMap<string, string>, place: Instance['place'], mayHaveDecimalComma: boolean): void {
    const values = new Map<string, string>();
    for (const [parameter, otherwise] of this.#type.parameters) {
      const value = given.get(parameter) || otherwise;
      if (value === undefined) {
        this.#fault(place(parameter), 'is empty: write a value, or give the parameter a default in the type');
      } else if (value.length > maxValueLength) {
        this.#fault(place(parameter), `has ${value.length} characters; at most ${maxValueLength}`);
      } else values.set(parameter, value);
    }
    if (values.size < this.#type.parameters.size) return;
    const name = this.#name(values, place);
    if (name === undefined) return;
    const other = this.#places.get(name);
    if (other !== undefined) {
      this.#fault(place(), `is the instance ${shown(name)}, as ${other} is: each needs another one`);
      return;
    }
    this.#places.set(name, place());
    this.#instances.push({ name, values, place, mayHaveDecimalComma });
  }

  #name(values: Values, place: Instance['place']): string | undefined {
    try {
      const name = this.#type.instance.expand(values);
      if (name !== '' && name.length <= maxValueLength) return name;
      return this.#fault(place(), `is an instance whose name is ${name === '' ? 'empty' : 'too long'}`);
    } catch (error) {
      if (!(error instanceof TemplateFault)) throw error;
      return this.#fault(place(error.parameter), error.message);
    }
  }

  #unknown(heading: string): string {
    const names = [...this.#type.parameters.keys()];
    const meant = this.#faults.length < maxHints ? didYouMean(heading.slice(0, 80), names) : '';
    const hint = meant || ` Known are ${names.slice(0, 20).join(', ')}.`;
    return `is no parameter of the type.${hint}`;
  }

  #fault(path: string, message: string): undefined {
    if (this.#faults.length < maxInstanceFaults) this.#faults.push({ path, message });
    return undefined;
  }

  #end(): Instance[] {
    this.#refuseFaults();
    return this.#instances;
  }

  #refuseFaults(): void {
    if (this.#faults.length > 0) throw invalidTypical(this.#faults);
  }
}

export function invalidTypical(faults: Fault[]): ProblemError {
  const [first] = faults;
  const more = faults.length > 1 ? ` And ${faults.length - 1} more.` : '';
  const sentence = `${first?.path}: ${first?.message}`;
  return new ProblemError(
    'invalid-typical',
    `${sentence}${/[.?]$/.test(sentence) ? '' : '.'}${more} Nothing was changed.`,
    faults,
  );
}
