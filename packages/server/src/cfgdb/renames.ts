// The renames that are not over: edits that wait to be rendered, and rendered ones that the history has not followed yet. Rows of
// the configuration database, so that a start knows what a killed server had still to do.
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { ArchiveKind, Family } from '@telltale/schema';
import type { RowChecksums } from '../sqlite/index.ts';
import type { Content } from './content.ts';
import type { Rename } from './renamed-references.ts';

interface Row {
  readonly family: ArchiveKind;
  readonly name: string;
  /** Under which it runs, or ran. */
  readonly formerName: string;
  /** That has rendered it; null: none yet. */
  readonly revision: number | null;
}

/** One that waits to be rendered. */
export type WaitingRename = Omit<Row, 'revision'>;

/** In the checksums of the database. */
const part = 'renames';
const columns = 'family, name, formerName, revision';

export class Renames {
  readonly #sqlite: DatabaseSync;
  readonly #checksums: () => RowChecksums;
  readonly #put: StatementSync;
  readonly #delete: StatementSync;
  readonly #find: StatementSync;

  static createTable(sqlite: DatabaseSync): void {
    sqlite.exec(`CREATE TABLE renames (
      family TEXT NOT NULL,
      name TEXT NOT NULL,
      formerName TEXT NOT NULL,
      revision INTEGER,
      PRIMARY KEY (family, name)
    ) STRICT, WITHOUT ROWID`);
  }

  /** `checksums` are those of the running transaction. */
  constructor(sqlite: DatabaseSync, checksums: () => RowChecksums) {
    this.#sqlite = sqlite;
    this.#checksums = checksums;
    this.#put = sqlite.prepare(`INSERT INTO renames (${columns}) VALUES (?, ?, ?, ?)`);
    this.#delete = sqlite.prepare('DELETE FROM renames WHERE family = ? AND name = ?');
    this.#find = sqlite.prepare(`SELECT ${columns} FROM renames WHERE family = ? AND name = ? AND revision IS NULL`);
  }

  load(checksums: RowChecksums): void {
    for (const row of this.#rows()) checksums.add(part, textOf(row));
  }

  /** Under which an object runs that was renamed since. */
  formerNameOf(family: ArchiveKind, name: string): string | undefined {
    return this.#pending(family, name)?.formerName;
  }

  /** Inside a transaction: of an object that runs under a name, and was renamed before perhaps. */
  note({ family, from, to }: Rename, isRunning: boolean): void {
    const before = this.#pending(family, from);
    const formerName = before?.formerName ?? (isRunning ? from : undefined);
    if (before !== undefined) this.#remove(before);
    if (formerName !== undefined && formerName !== to) this.#add({ family, name: to, formerName, revision: null });
  }

  /** Those that a rendering would put into effect. Others were undone by later edits. */
  pending(before: Content, after: Content): Rename[] {
    return this.#rows()
      .filter((row) => row.revision === null && isEffective(row, before, after))
      .map(toRename);
  }

  /** Inside the transaction of a rendering: puts those into effect. */
  render(revision: number, before: Content, after: Content): void {
    for (const row of this.#rows()) {
      if (row.revision !== null) continue;
      this.#remove(row);
      if (isEffective(row, before, after)) this.#add({ ...row, revision });
    }
  }

  /** Those that wait to be rendered, effective or not, in the order of their names. */
  waiting(): WaitingRename[] {
    return this.#rows()
      .filter(({ revision }) => revision === null)
      .map(({ family, name, formerName }) => ({ family, name, formerName }));
  }

  /** Inside a transaction: these wait to be rendered, and no others. */
  setWaiting(waiting: readonly WaitingRename[]): void {
    this.discard();
    for (const each of waiting) this.#add({ ...each, revision: null });
  }

  /** Inside a transaction: a revision that was rendered elsewhere has put these into effect. */
  addRendered(renames: readonly Rename[], revision: number): void {
    const known = new Set(this.#rows().map(({ family, name }) => keyOf(family, name)));
    for (const { family, from: formerName, to: name } of renames) {
      if (!known.has(keyOf(family, name))) this.#add({ family, name, formerName, revision });
    }
  }

  /** Inside a transaction: those that wait to be rendered are none. */
  discard(): void {
    for (const row of this.#rows()) if (row.revision === null) this.#remove(row);
  }

  /** What is rendered and not confirmed, in order: of all revisions, or of those after one. */
  unconfirmed(revision = 0): Rename[] {
    return this.#rows()
      .filter((row) => (row.revision ?? 0) > revision)
      .sort((a, b) => (a.revision ?? 0) - (b.revision ?? 0))
      .map(toRename);
  }

  /** Whose history is not yet moved away from a name that is in use again. */
  moving(content: Content): Rename[] {
    return this.unconfirmed().filter(({ family, from }) => content[family].has(from));
  }

  /** Inside a transaction: the history has the new names, on disk. */
  confirm(renames: readonly Rename[]): void {
    const done = formerNames(renames);
    for (const row of this.#rows()) {
      if (row.revision !== null && done.get(keyOf(row.family, row.name)) === row.formerName) this.#remove(row);
    }
  }

  /** Inside the first transaction of an empty database. */
  copyFrom(other: Renames): void {
    for (const row of other.#rows()) if (row.revision !== null) this.#add(row);
  }

  #pending(family: ArchiveKind, name: string): Row | undefined {
    return this.#find.get(family, name) as unknown as Row | undefined;
  }

  #rows(): Row[] {
    return this.#sqlite.prepare(`SELECT ${columns} FROM renames`).all() as unknown as Row[];
  }

  #add(row: Row): void {
    const { family, name, formerName, revision } = row;
    this.#put.run(family, name, formerName, revision);
    this.#checksums().add(part, textOf(row));
  }

  #remove(row: Row): void {
    this.#delete.run(row.family, row.name);
    this.#checksums().remove(part, textOf(row));
  }
}

export const keyOf = (family: Family, name: string): string => `${family} ${name}`;

/** From the key of a renamed object to its name before. */
export function formerNames(renames: readonly Rename[]): Map<string, string> {
  return new Map(renames.map(({ family, from, to }) => [keyOf(family, to), from]));
}

function toRename({ family, name, formerName }: Row): Rename {
  return { family, from: formerName, to: name };
}

function isEffective({ family, name, formerName }: Row, before: Content, after: Content): boolean {
  const wasRunning = before[family].has(formerName) && !before[family].has(name);
  return wasRunning && after[family].has(name) && !after[family].has(formerName);
}

function textOf({ family, name, formerName, revision }: Row): string {
  return `${family} ${name} ${formerName} ${revision}`;
}
