// Opens the file of the configuration, made where there is none.
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { familyNames } from '@telltale/schema';
import { masked } from '../secrets/index.ts';
import { DurableDatabase } from '../sqlite/index.ts';
import { MadeObjects } from './made-objects.ts';
import { Renames } from './renames.ts';
import { Revisions } from './revisions.ts';
import { applicationId, columnNames, createTable, schemaVersion, type Table, tables } from './tables.ts';

export interface FamilyStatements {
  readonly put: StatementSync;
  readonly delete: StatementSync;
  readonly editOf: StatementSync;
}

const meaning = 'changes of the configuration are missing';
/** 40 MB: no large transaction has to move the log into the file before it can be acknowledged. */
const walPages = 10_000;

const deletionsTable = `CREATE TABLE deletions (
  family TEXT NOT NULL,
  name TEXT NOT NULL,
  changedAt INTEGER NOT NULL,
  changedBy TEXT NOT NULL,
  PRIMARY KEY (family, name)
) STRICT, WITHOUT ROWID`;

export function prepareFamily(sqlite: DatabaseSync, table: Table): FamilyStatements {
  const { name, columns } = table;
  return {
    put: sqlite.prepare(`REPLACE INTO ${name} (${columnNames(table)}) VALUES (${'?, '.repeat(columns.length)}?, ?)`),
    delete: sqlite.prepare(`DELETE FROM ${name} WHERE name = ?`),
    editOf: sqlite.prepare(`SELECT changedAt, changedBy FROM ${name} WHERE name = ?`),
  };
}

/** A large transaction stays in memory until it commits; SQLite's own 2 MiB would write and read its pages again. */
const cacheKiB = 32 << 10;

/** Throws `UnusableDatabase`. */
export function openFile(path: string): DurableDatabase {
  const form = { applicationId, version: schemaVersion, create: createSchema, mayBeGone: false, meaning };
  const durable = new DurableDatabase(path, form);
  try {
    durable.sqlite.function('masked', { deterministic: true }, (text) =>
      typeof text === 'string' ? masked(text) : text,
    );
    durable.sqlite.exec(`PRAGMA cache_size = -${cacheKiB}; PRAGMA wal_autocheckpoint = ${walPages}`);
    Revisions.addChecksums(durable.sqlite);
    return durable;
  } catch (error) {
    throw durable.refuse(error);
  }
}

function createSchema(sqlite: DatabaseSync): void {
  for (const family of familyNames) sqlite.exec(createTable(tables[family]));
  sqlite.exec(deletionsTable);
  Revisions.createTable(sqlite);
  Renames.createTable(sqlite);
  MadeObjects.createTables(sqlite);
  sqlite.exec('CREATE TABLE sealing (mark TEXT NOT NULL) STRICT');
}
