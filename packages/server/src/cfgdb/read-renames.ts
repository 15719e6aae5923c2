// The renames that a table asks for in its column `renamed from`, found before the rest of it is read: rows then change the objects
// under their new names.
import { type ArchiveKind, archiveKinds, type Family, isIdentifier, reservedName } from '@telltale/schema';
import { didYouMean } from '@telltale/schema/nearest-name';
import { readSheet, type SheetRow, UnreadableCell, withoutMark } from '../sheets/index.ts';
import type { Rename } from './renamed-references.ts';
import { nameHeading, renamedFromHeading } from './table-columns.ts';
import { TableFaults } from './table-faults.ts';

export interface RenamesOptions {
  readonly objects: ReadonlyMap<string, string>;
  /** Why an object cannot get a name that none is configured under. */
  readonly takenFault: (rename: Rename) => string | undefined;
}

/** In steps. Throws a problem that lists everything that is wrong with the renames. */
export function* readRenames(
  family: Family,
  bytes: Uint8Array,
  options: RenamesOptions,
): Generator<undefined, Rename[]> {
  const reader = new RenamesReader(family, options);
  for (const _ of readSheet(bytes, family, (row) => reader.row(row))) {
    if (reader.isOver) break; // it renames nothing
    yield;
  }
  return reader.end();
}

/** So many faults say which object is meant: each looks at all names. */
const maxHints = 5;

interface Row {
  readonly number: number;
  readonly from: string;
}

class RenamesReader {
  readonly #family: Family;
  readonly #options: RenamesOptions;
  readonly #faults = new TableFaults();
  #places: { readonly name: number; readonly from: number } | undefined;
  /** From each name of the table to its row. */
  readonly #rows = new Map<string, Row>();
  #hints = 0;
  isOver = false;

  constructor(family: Family, options: RenamesOptions) {
    this.#family = family;
    this.#options = options;
  }

  row({ number, cells }: SheetRow): void {
    if (this.isOver || cells.every((cell) => cell === '')) return;
    // What cannot be read is told when all of the table is.
    const texts = cells.map((cell) => (cell instanceof UnreadableCell ? '' : withoutMark(cell).trim()));
    if (this.#places === undefined) {
      this.#places = { name: texts.indexOf(nameHeading), from: texts.indexOf(renamedFromHeading) };
      this.isOver = this.#places.name < 0 || this.#places.from < 0;
      if (!this.isOver && !isRenamed(this.#family)) this.#refuseFamily(number);
      return;
    }
    const [name = '', from = ''] = [texts[this.#places.name], texts[this.#places.from]];
    if (name !== '' && !this.#rows.has(name)) this.#rows.set(name, { number, from });
  }

  end(): Rename[] {
    const renames: Rename[] = [];
    const renamedIn = new Map<string, number>();
    if (this.isOver) return renames;
    for (const [to, { number, from }] of this.#rows) {
      if (from === '' || from === to || this.#isDone(from, to)) continue;
      if (to === reservedName || !isIdentifier(to)) continue; // its name is told to be wrong
      const rename = { family: this.#family as ArchiveKind, from, to };
      const wrong = this.#wrongWith(rename, renamedIn);
      if (wrong !== undefined) this.#faults.add(number, renamedFromHeading, wrong);
      renamedIn.set(from, number);
      renames.push(rename);
    }
    this.#faults.refuse();
    return renames;
  }

  /** As where the same table was imported before. */
  #isDone(from: string, to: string): boolean {
    return !this.#options.objects.has(from) && this.#options.objects.has(to);
  }

  #wrongWith(rename: Rename, renamedIn: ReadonlyMap<string, number>): string | undefined {
    const { objects, takenFault } = this.#options;
    const { from } = rename;
    if (!objects.has(from)) {
      const hint = this.#hints++ < maxHints ? didYouMean(from.slice(0, 80), objects.keys()) : '';
      return `${this.#family} has no ${JSON.stringify(from.slice(0, 80))} to rename.${hint}`;
    }
    const first = renamedIn.get(from);
    if (first !== undefined) return `${from} is renamed by row ${first} already`;
    const own = this.#rows.get(from);
    if (own !== undefined) {
      return `${from} has row ${own.number} of its own: rename it, render, and import that row afterwards`;
    }
    return takenFault(rename);
  }

  #refuseFamily(number: number): void {
    this.#faults.add(number, renamedFromHeading, `is for ${archiveKinds.join(', ')}: ${this.#family} have no history`);
    this.#faults.refuse();
  }
}

function isRenamed(family: Family): boolean {
  return (archiveKinds as readonly Family[]).includes(family);
}
