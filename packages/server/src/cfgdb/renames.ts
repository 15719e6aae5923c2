// The renames that are not over: edits that wait to be rendered, and rendered ones that the history has not followed yet. Rows of
// the configuration database, so that a start knows what a killed server had still to do.
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { ArchiveKind } from '@telltale/schema';
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

/** In the checksums of the database. */
const part = 'renames';

export class Renames {
  readonly #sqlite: DatabaseSync;
  readonly #checksums: () => RowChecksums;
  readonly #put: StatementSync;
  readonly #delete: StatementSync;

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
    this.#put = sqlite.prepare('INSERT INTO renames (family, name, formerName, revision) VALUES (?, ?, ?, ?)');
    this.#delete = sqlite.prepare('DELETE FROM renames WHERE family = ? AND name = ?');
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

  /** Inside the transaction of a rendering: those that it puts into effect. Others were undone by later edits. */
  render(revision: number, before: Content, after: Content): void {
    for (const row of this.#rows()) {
      if (row.revision !== null) continue;
      this.#remove(row);
      const { family, name, formerName } = row;
      const wasRunning = before[family].has(formerName) && !before[family].has(name);
      const isRunning = after[family].has(name) && !after[family].has(formerName);
      if (wasRunning && isRunning) this.#add({ ...row, revision });
    }
  }

  /** What is rendered and not confirmed, in order; of one revision, or of all. */
  unconfirmed(revision?: number): Rename[] {
    return this.#rows()
      .filter((row) => row.revision !== null && (revision === undefined || row.revision === revision))
      .sort((a, b) => (a.revision ?? 0) - (b.revision ?? 0))
      .map(({ family, name, formerName }) => ({ family, from: formerName, to: name }));
  }

  /** Inside a transaction: the history has the new names, on disk. */
  confirm(renames: readonly Rename[]): void {
    for (const row of this.#rows()) {
      const { family, name, formerName, revision } = row;
      const isDone = ({ family: f, from, to }: Rename) => f === family && from === formerName && to === name;
      if (revision !== null && renames.some(isDone)) this.#remove(row);
    }
  }

  /** Inside the first transaction of an empty database. */
  copyFrom(other: Renames): void {
    for (const row of other.#rows()) if (row.revision !== null) this.#add(row);
  }

  #pending(family: ArchiveKind, name: string): Row | undefined {
    return this.#rows().find((row) => row.family === family && row.name === name && row.revision === null);
  }

  #rows(): Row[] {
    return this.#sqlite.prepare('SELECT family, name, formerName, revision FROM renames').all() as unknown as Row[];
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

function textOf({ family, name, formerName, revision }: Row): string {
  return `${family} ${name} ${formerName} ${revision}`;
}
