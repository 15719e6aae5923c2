// Runs as a child process with little memory and little time: opens a database file that a stranger sent, looks only
// at ordinary tables, and prints their rows as JSON lines. It checks the form of the file, not the sense of the rows.
import { isUtf8 } from 'node:buffer';
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';

/** The child's command line: it imports nothing of the project, so it may read nothing of it. */
export interface UploadForm {
  readonly path: string;
  readonly applicationId: number;
  readonly schemaVersion: number;
  readonly tables: readonly {
    readonly family: string;
    readonly name: string;
    readonly fields: readonly string[];
    readonly isOptional?: boolean;
  }[];
}

/** One line of output. */
export type UploadLine =
  | { readonly refused: string }
  | { readonly family: string; readonly fields: readonly string[]; readonly rows: readonly unknown[][] }
  | { readonly end: true };

class Refused extends Error {}

/** Tables that the server keeps for itself, in a copy of its own file: not part of the configuration. */
const ownTables = new Set(['deletions', 'renames', 'renderings', 'typical_revisions', 'progress', 'sealing']);
const bookkeeping = ['changedAt', 'changedBy'];
const mostSchemaEntries = 1000;
const mostCellBytes = 4 << 20;
const batchBytes = 1 << 18;

async function print(line: UploadLine): Promise<void> {
  if (!process.stdout.write(`${JSON.stringify(line)}\n`)) {
    await new Promise((resolve) => process.stdout.once('drain', resolve));
  }
}

function refuseOtherFiles(path: string): void {
  const head = Buffer.alloc(18);
  const file = openSync(path, 'r');
  try {
    const length = readSync(file, head, 0, head.length, 0);
    if (length === 0) throw new Refused('the file is empty');
    if (head.toString('latin1', 0, 16) !== 'SQLite format 3\0') throw new Refused('the file is not an SQLite database');
    const { size } = fstatSync(file);
    const pageSize = head.readUInt16BE(16) === 1 ? 65_536 : head.readUInt16BE(16);
    // SQLite reads what is missing of the last page as zeros.
    if (size % pageSize !== 0) throw new Refused(`the file is cut off: ${size} bytes are no whole number of pages`);
  } finally {
    closeSync(file);
  }
}

/** Immutable: no lock, no journal, no companion file is touched. */
function openUpload(path: string): DatabaseSync {
  const url = pathToFileURL(path);
  url.search = 'immutable=1';
  const sqlite = new DatabaseSync(url, {
    readOnly: true,
    defensive: true,
    enableDoubleQuotedStringLiterals: false,
    limits: { length: mostCellBytes, sqlLength: 100_000, attach: 0, column: 100 },
  });
  sqlite.exec('PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0');
  return sqlite;
}

function refuseForeign(sqlite: DatabaseSync, { applicationId, schemaVersion }: UploadForm): void {
  const pragma = (name: string) => Number(Object.values(sqlite.prepare(`PRAGMA ${name}`).get() ?? {})[0]);
  if (pragma('application_id') !== applicationId) {
    throw new Refused('it belongs to another application: its application_id is not that of a configuration database');
  }
  const version = pragma('user_version');
  if (version > schemaVersion) {
    throw new Refused(`it was written by a newer version (form ${version}; this server knows ${schemaVersion})`);
  }
  if (version < 1) throw new Refused(`its form ${version} is unknown`);
  const { encoding } = sqlite.prepare('PRAGMA encoding').get() as { encoding: string };
  if (encoding !== 'UTF-8') throw new Refused(`its texts are ${encoding}; only UTF-8 is read`);
}

function refuseUnusualSchema(sqlite: DatabaseSync, { tables }: UploadForm): void {
  const entries = sqlite.prepare('SELECT type, name, sql FROM sqlite_schema LIMIT ?').all(mostSchemaEntries + 1) as {
    type: string;
    name: string;
    sql: string | null;
  }[];
  if (entries.length > mostSchemaEntries) throw new Refused(`it has over ${mostSchemaEntries} tables and indexes`);
  for (const { type, name, sql } of entries) {
    const automatic = type === 'index' && sql === null; // of a key, so there is no expression in it
    if (type !== 'table' && !automatic) throw new Refused(`it has the ${type} ${name}; only tables are read`);
  }
  // What SQLite makes of a definition, whatever the file calls it.
  const kinds = sqlite.prepare('PRAGMA table_list').all() as { name: string; type: string }[];
  for (const { name, type } of kinds) {
    if (type === 'virtual') throw new Refused(`${name} is a virtual table; only ordinary tables are read`);
  }
  const ours = new Set(tables.map(({ name }) => name));
  for (const { type, name } of entries) {
    if (type === 'table' && !ours.has(name) && !ownTables.has(name) && !name.startsWith('sqlite_')) {
      throw new Refused(`its table ${name} is not part of a configuration`);
    }
    // Before the file is looked through for damage: nothing that a stranger wrote is ever evaluated.
    for (const column of type === 'table' ? columnsOf(sqlite, name) : []) {
      if (column.hidden !== 0) throw new Refused(`column ${column.name} of table ${name} is computed`);
    }
  }
  for (const { name, isOptional } of tables) {
    if (isOptional !== true && !entries.some((entry) => entry.type === 'table' && entry.name === name)) {
      throw new Refused(`its table ${name} is missing`);
    }
  }
}

function columnsOf(sqlite: DatabaseSync, table: string): { name: string; hidden: number }[] {
  const columns = sqlite.prepare('SELECT name, hidden FROM pragma_table_xinfo(?)').all(table);
  return columns as { name: string; hidden: number }[];
}

function refuseDamage(sqlite: DatabaseSync): void {
  const [first] = sqlite.prepare('PRAGMA quick_check(1)').all() as { quick_check: string }[];
  if (first?.quick_check !== 'ok') {
    throw new Refused(`it is damaged: ${first?.quick_check.replace(/^\*{3}.*\n/, '')}`);
  }
}

async function printTable(sqlite: DatabaseSync, table: UploadForm['tables'][number]): Promise<void> {
  const { family, name } = table;
  const known = new Set([...table.fields, ...bookkeeping]);
  const present = columnsOf(sqlite, name);
  if (present.length === 0 && table.isOptional === true) return;
  for (const column of present) {
    if (!known.has(column.name)) throw new Refused(`column ${column.name} of table ${name} is unknown`);
  }
  const fields = table.fields.filter((field) => present.some((column) => column.name === field));
  if (fields.length === 0) throw new Refused(`table ${name} has none of its columns`);
  const select = sqlite.prepare(`SELECT ${fields.join(', ')} FROM ${name} NOT INDEXED`);
  select.setReturnArrays(true);
  let rows: unknown[][] = [];
  let bytes = 0;
  let suspicious = false;
  for (const row of select.iterate() as Iterable<unknown> as Iterable<unknown[]>) {
    for (const [index, value] of row.entries()) {
      if (value instanceof Uint8Array) throw new Refused(`column ${fields[index]} of table ${name} holds a blob`);
      if (value === Infinity || value === -Infinity) {
        throw new Refused(`column ${fields[index]} of table ${name} holds an infinite number`);
      }
      bytes += typeof value === 'string' ? value.length : 8;
      suspicious ||= typeof value === 'string' && value.includes('\ufffd');
    }
    rows.push(row);
    if (bytes < batchBytes) continue;
    await print({ family, fields, rows });
    rows = [];
    bytes = 0;
  }
  await print({ family, fields, rows });
  if (suspicious) refuseBrokenTexts(sqlite, name, fields);
}

/** What is not UTF-8 was read as U+FFFD, so the text that would be stored is not the one in the file. */
function refuseBrokenTexts(sqlite: DatabaseSync, name: string, fields: readonly string[]): void {
  const bytesOf = fields.map((field) => `CAST(${field} AS BLOB)`).join(', ');
  const select = sqlite.prepare(`SELECT ${bytesOf} FROM ${name} NOT INDEXED`);
  select.setReturnArrays(true);
  for (const row of select.iterate() as Iterable<unknown> as Iterable<(Uint8Array | null)[]>) {
    const broken = row.findIndex((bytes) => bytes !== null && !isUtf8(bytes));
    if (broken >= 0) throw new Refused(`column ${fields[broken]} of table ${name} holds a text that is not UTF-8`);
  }
}

async function main(form: UploadForm): Promise<void> {
  refuseOtherFiles(form.path);
  const sqlite = openUpload(form.path);
  refuseForeign(sqlite, form);
  refuseUnusualSchema(sqlite, form);
  refuseDamage(sqlite);
  for (const table of form.tables) {
    await printTable(sqlite, table).catch((error: Error) => {
      throw error instanceof Refused ? error : new Refused(`table ${table.name} cannot be read: ${error.message}`);
    });
  }
  await print({ end: true });
}

main(JSON.parse(process.argv[2] ?? '') as UploadForm).catch((error: Error) =>
  print({ refused: error instanceof Refused ? error.message : `it cannot be read: ${error.message}` }),
);
