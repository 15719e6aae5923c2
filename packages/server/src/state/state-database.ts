// The file that keeps what was live: a row an object, the newest state of it alone.
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { cannotOpen, openDatabase } from '../sqlite/index.ts';
import type { Entry } from './protocol.ts';

/** "TtSt" */
const applicationId = 0x54745374;
const version = 1;

export class StateDatabase {
  readonly #sqlite: DatabaseSync;
  readonly #put: StatementSync;
  readonly #delete: StatementSync;

  constructor(path: string) {
    this.#sqlite = openDatabase(path, { applicationId, version, create });
    try {
      this.#put = this.#sqlite.prepare('REPLACE INTO kept VALUES (?, ?, ?)');
      this.#delete = this.#sqlite.prepare('DELETE FROM kept WHERE family = ? AND name = ?');
    } catch (error) {
      this.#sqlite.close();
      throw cannotOpen(path, error);
    }
  }

  read(): Entry[] {
    return this.#sqlite.prepare('SELECT family, name, text FROM kept').all() as unknown as Entry[];
  }

  /** All of it, or nothing. Of nothing, a write that changes nothing, to see whether the disk takes it. */
  keep(entries: readonly Entry[]): void {
    this.#sqlite.exec('BEGIN IMMEDIATE');
    try {
      if (entries.length === 0) this.#sqlite.exec(`PRAGMA user_version = ${version}`);
      for (const { family, name, text } of entries) {
        if (text === null) this.#delete.run(family, name);
        else this.#put.run(family, name, text);
      }
      this.#sqlite.exec('COMMIT');
    } finally {
      if (this.#sqlite.isTransaction) this.#sqlite.exec('ROLLBACK');
    }
  }

  close(): void {
    this.#sqlite.close();
  }
}

function create(sqlite: DatabaseSync): void {
  sqlite.exec(`CREATE TABLE kept (
    family TEXT NOT NULL,
    name TEXT NOT NULL,
    text TEXT NOT NULL,
    PRIMARY KEY (family, name)
  ) STRICT, WITHOUT ROWID`);
}
