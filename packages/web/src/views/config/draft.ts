// What somebody has typed and not saved: cells of a family by object and column, and what the service said of them. Kept as
// long as the page is open. It is sent as a table, so that the service alone reads it; nothing is checked here.
import { batch, type ReadonlySignal, signal } from '@preact/signals';
import type { Fault } from '@telltale/schema';
import { csvRow, type Family, familyNames } from '@telltale/schema/values';
import { type ConfiguredObject, textIn } from '../../data/configuration.ts';

/** The name of an object, or that of a row which is to become one. */
export type RowKey = string;

export type Objects = ReadonlyMap<string, ConfiguredObject>;

interface Cell {
  readonly text: string;
  /** What was there when it was typed. */
  readonly base: string;
}

export interface PlacedFault {
  readonly key: RowKey;
  readonly column: string;
  readonly message: string;
}

export interface DraftTable {
  readonly body: Uint8Array<ArrayBuffer>;
  /** What its rows are, from the second line on. */
  readonly rows: readonly RowKey[];
}

/** No name of an object begins so. */
const newMark = '+';

export const isNew = (key: RowKey): boolean => key.startsWith(newMark);

export class FamilyDraft {
  readonly family: Family;
  readonly #turn = signal(0);
  readonly #cells = new Map<RowKey, Map<string, Cell>>();
  readonly #faults = new Map<RowKey, Map<string, string>>();
  readonly #elsewhere = signal<readonly Fault[]>([]);
  readonly #saved = new Set<RowKey>();
  #made = 0;

  constructor(family: Family) {
    this.family = family;
  }

  /** Another number with each change. */
  get turn(): ReadonlySignal<number> {
    return this.#turn;
  }

  /** What the service said of other objects, or of the draft as a whole. */
  get elsewhere(): ReadonlySignal<readonly Fault[]> {
    return this.#elsewhere;
  }

  get keys(): readonly RowKey[] {
    return [...this.#cells.keys()];
  }

  get added(): readonly RowKey[] {
    return this.keys.filter(isNew);
  }

  get cellCount(): number {
    let count = 0;
    for (const cells of this.#cells.values()) count += cells.size;
    return count;
  }

  get faults(): readonly PlacedFault[] {
    return [...this.#faults].flatMap(([key, faults]) =>
      [...faults].map(([column, message]) => ({ key, column, message })),
    );
  }

  nameOf(key: RowKey): string {
    return isNew(key) ? (this.#cells.get(key)?.get('name')?.text ?? '') : key;
  }

  /** What is shown in a cell; empty where it is not set. */
  text(key: RowKey, column: string, objects: Objects): string {
    return this.#cells.get(key)?.get(column)?.text ?? textIn(objects.get(key), column) ?? '';
  }

  /** What a changed cell was before; undefined where it is as it was. */
  before(key: RowKey, column: string): string | undefined {
    return this.#cells.get(key)?.get(column)?.base;
  }

  has(key: RowKey): boolean {
    return this.#cells.has(key);
  }

  columnsOf(key: RowKey): readonly string[] {
    return [...(this.#cells.get(key)?.keys() ?? [])];
  }

  faultOf(key: RowKey, column: string): string | undefined {
    return this.#faults.get(key)?.get(column);
  }

  isFaulty(key: RowKey): boolean {
    return this.#faults.has(key);
  }

  /** Makes a row that is to become an object. */
  add(cells: ReadonlyMap<string, string> = new Map()): RowKey {
    this.#made++;
    const key = newMark + this.#made;
    const typed = [...cells].map(([column, text]) => [column, { text, base: '' }] as const);
    this.#cells.set(key, new Map(typed));
    this.#changed();
    return key;
  }

  set(key: RowKey, column: string, text: string, objects: Objects): void {
    this.#dropFault(key, column);
    const base = this.before(key, column) ?? textIn(objects.get(key), column) ?? '';
    const cells = this.#cells.get(key) ?? new Map<string, Cell>();
    if (text === base) cells.delete(column);
    else cells.set(column, { text, base });
    if (cells.size > 0 || isNew(key)) this.#cells.set(key, cells);
    else this.#cells.delete(key);
    this.#changed();
  }

  /** Many changes, shown at once. */
  together(run: () => void): void {
    batch(run);
  }

  drop(keys: readonly RowKey[]): void {
    for (const key of keys) {
      this.#cells.delete(key);
      this.#faults.delete(key);
    }
    if (this.#cells.size === 0) this.#elsewhere.value = [];
    this.#changed();
  }

  /** They are in the database; they stay here until the objects have been read again. */
  markSaved(keys: readonly RowKey[]): void {
    for (const key of keys) this.#saved.add(key);
  }

  dropSaved(): void {
    if (this.#saved.size === 0) return;
    this.drop([...this.#saved]);
    this.#saved.clear();
  }

  /** A row for each key, a column for each that one of them changes; what is not changed is written as it is. */
  table(keys: readonly RowKey[], objects: Objects): DraftTable {
    const columns = new Set<string>();
    for (const key of keys) for (const column of this.columnsOf(key)) if (column !== 'name') columns.add(column);
    const header = csvRow(['name', ...columns]);
    const rows = keys.map((key) =>
      csvRow([this.nameOf(key), ...[...columns].map((column) => this.text(key, column, objects))].map(verbatim)),
    );
    return { body: new TextEncoder().encode(header + rows.join('')), rows: keys };
  }

  /** Cells of which somebody else has made something else meanwhile are faults once; then that is what they change. */
  findConflicts(keys: readonly RowKey[], fresh: Objects, messageOf: (now: string) => string): boolean {
    let found = false;
    for (const key of keys.filter((each) => !isNew(each))) {
      const cells = this.#cells.get(key) ?? new Map<string, Cell>();
      for (const [column, { text, base }] of cells) {
        const now = textIn(fresh.get(key), column) ?? '';
        if (now === base || now === text) continue;
        cells.set(column, { text, base: now });
        this.#fault(key, column, messageOf(now));
        found = true;
      }
    }
    if (found) this.#changed();
    return found;
  }

  /** Puts into its cell what the service said of a row and a column. */
  takeFaults(faults: readonly Fault[], { rows }: DraftTable): void {
    for (const key of rows) this.#faults.delete(key);
    const others: Fault[] = [];
    for (const fault of faults) {
      const [, row, column] = /^row (\d+), column (.+)$/s.exec(fault.path) ?? [];
      const key = rows[Number(row) - firstRow];
      if (key === undefined || column === undefined) others.push(fault);
      else this.#fault(key, column, fault.message);
    }
    this.#elsewhere.value = others;
    this.#changed();
  }

  #fault(key: RowKey, column: string, message: string): void {
    const faults = this.#faults.get(key) ?? new Map<string, string>();
    const said = faults.get(column);
    faults.set(column, said === undefined ? message : `${said}; ${message}`);
    this.#faults.set(key, faults);
  }

  #dropFault(key: RowKey, column: string): void {
    const faults = this.#faults.get(key);
    faults?.delete(column);
    if (faults?.size === 0) this.#faults.delete(key);
  }

  #changed(): void {
    this.#turn.value++;
  }
}

/** Behind the header, as a spreadsheet counts. */
const firstRow = 2;

/** Behind an apostrophe, a text is what it is; an empty cell is not set. */
function verbatim(text: string): string {
  return text === '' ? '' : `'${text}`;
}

const drafts = new Map(familyNames.map((family) => [family, new FamilyDraft(family)]));

export function draftOf(family: Family): FamilyDraft {
  const draft = drafts.get(family);
  if (draft === undefined) throw new RangeError(`There is no family ${family}.`);
  return draft;
}

export function hasDrafts(): boolean {
  return [...drafts.values()].some(({ keys }) => keys.length > 0);
}
