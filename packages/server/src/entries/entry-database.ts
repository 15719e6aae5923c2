// The file of a store of entries: a row an entry, the newest text of it alone.
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { crc32 } from 'node:zlib';
import { DurableDatabase, RowChecksums } from '../sqlite/index.ts';
import type { Entry, EntryForm } from './protocol.ts';

type Row = Entry & { readonly text: string; readonly checksum: number | null };

export class EntryDatabase {
  readonly #durable: DurableDatabase;
  readonly #get: StatementSync;
  readonly #put: StatementSync;
  readonly #delete: StatementSync;
  readonly entries: readonly Entry[];

  constructor(path: string, form: EntryForm) {
    const durable = new DurableDatabase(path, { ...form, create });
    this.#durable = durable;
    try {
      durable.sqlite.exec('PRAGMA secure_delete = ON'); // what is replaced, such as a secret that is sealed, is gone from the file
      addChecksums(durable.sqlite);
      this.#get = durable.sqlite.prepare('SELECT text FROM kept WHERE family = ? AND name = ?');
      this.#put = durable.sqlite.prepare('REPLACE INTO kept (family, name, text, checksum) VALUES (?, ?, ?, ?)');
      this.#delete = durable.sqlite.prepare('DELETE FROM kept WHERE family = ? AND name = ?');
      const rows = durable.sqlite.prepare('SELECT family, name, text, checksum FROM kept').all() as unknown as Row[];
      const damaged = rows.filter(({ text, checksum }) => checksum !== null && checksum !== crc32(text));
      this.entries = rows.filter((row) => !damaged.includes(row));
      const checksums = new RowChecksums();
      for (const { family, name, text } of this.entries) checksums.add(family, `${name} ${text}`);
      durable.verify(
        checksums,
        damaged.map(({ family, name }) => `${family} ${name} is damaged, and not used`),
        () => damaged.forEach(({ family, name }) => void this.#delete.run(family, name)),
      );
    } catch (error) {
      throw durable.refuse(error);
    }
  }

  get missing(): readonly string[] {
    return this.#durable.missing;
  }

  acknowledge(): void {
    this.#durable.acknowledge();
  }

  /** All of it, or nothing. Of nothing, a write that changes nothing, to see whether the disk takes it. */
  keep(entries: readonly Entry[]): void {
    this.#durable.transaction(() => {
      const { checksums } = this.#durable;
      for (const { family, name, text } of entries) {
        const before = this.#get.get(family, name);
        if (before !== undefined) checksums.remove(family, `${name} ${before.text}`);
        if (text === null) this.#delete.run(family, name);
        else {
          this.#put.run(family, name, text, crc32(text));
          checksums.add(family, `${name} ${text}`);
        }
      }
    });
  }

  close(): void {
    this.#durable.close();
  }
}

function create(sqlite: DatabaseSync): void {
  sqlite.exec(`CREATE TABLE kept (
    family TEXT NOT NULL,
    name TEXT NOT NULL,
    text TEXT NOT NULL,
    checksum INTEGER,
    PRIMARY KEY (family, name)
  ) STRICT, WITHOUT ROWID`);
}

/** To a file of before there were any. */
function addChecksums(sqlite: DatabaseSync): void {
  const has = sqlite.prepare("SELECT 1 FROM pragma_table_info('kept') WHERE name = 'checksum'").get() !== undefined;
  if (!has) sqlite.exec('ALTER TABLE kept ADD COLUMN checksum INTEGER');
}
