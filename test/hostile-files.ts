// Database files that no server may take, each with the reason that it must give: files that are broken, and files
// whose definitions are not those of a configuration. `hostile-rows.ts` has those whose rows are wrong.
import { writeFileSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { writeDatabase } from './database-file.ts';

export interface HostileFile {
  readonly title: string;
  /** What the detail of the answer must say. */
  readonly reason: RegExp;
  /** Writes the file to `path`; `template` is a good one. */
  readonly write: (path: string, template: Uint8Array) => void;
}

const pageSize = 4096;
const damage = /it is damaged: |it cannot be read: /;
const cutOff = /not an SQLite database|the file is cut off: |it cannot be read: /;

export function edited(title: string, reason: RegExp, edit: (sqlite: DatabaseSync) => void): HostileFile {
  return { title, reason, write: (path, template) => writeDatabase(path, template, edit) };
}

export function sql(title: string, reason: RegExp, ...statements: string[]): HostileFile {
  return edited(title, reason, (sqlite) => statements.forEach((statement) => void sqlite.exec(statement)));
}

function bytes(title: string, reason: RegExp, make: (template: Uint8Array) => Uint8Array): HostileFile {
  return { title, reason, write: (path, template) => writeFileSync(path, make(template)) };
}

function patched(title: string, at: (template: Uint8Array) => number, ...patch: number[]): HostileFile {
  return bytes(title, damage, (template) => {
    const copy = Uint8Array.from(template);
    copy.set(patch, at(template));
    return copy;
  });
}

/** Where the last page with rows begins. */
function fullPage(file: Uint8Array): number {
  let at = file.length - pageSize;
  while (![0x0a, 0x0d].includes(file[at] ?? 0) || (file[at + 4] ?? 0) === 0) at -= pageSize;
  return at;
}

/** Makes a definition say `sql` without SQLite having a look at it. */
function redefined(sqlite: DatabaseSync, table: string, definition: string, rootPage: number): void {
  sqlite.exec(`DELETE FROM ${table}; DROP TABLE ${table}`);
  sqlite
    .prepare("INSERT INTO sqlite_schema (type, name, tbl_name, rootpage, sql) VALUES ('table', ?, ?, ?, ?)")
    .run(table, table, rootPage, definition);
}

const endless = 'WITH RECURSIVE n(name, severity) AS (SELECT 1, 1 UNION ALL SELECT name + 1, 1 FROM n) SELECT * FROM n';

export const brokenFiles: readonly HostileFile[] = [
  bytes('an empty file', /the file is empty/, () => new Uint8Array()),
  bytes('a text', /not an SQLite database/, () => Buffer.from('{"operations": []}\n'.repeat(1000))),
  bytes('zeros', /not an SQLite database/, () => new Uint8Array(3 * pageSize)),
  bytes('a page of an SQLite file and then noise', damage, (template) => {
    const copy = Uint8Array.from(template);
    for (let at = pageSize; at < copy.length; at++) copy[at] = (at * 2654435761) >>> 24;
    return copy;
  }),
  ...[1, 15, 16, 17, 99, 100, 101, 512, pageSize - 1, pageSize, pageSize + 1, 3 * pageSize].map((length) =>
    bytes(`a file cut off after ${length} bytes`, cutOff, (template) => template.subarray(0, length)),
  ),
  ...[1, 100, pageSize, pageSize + 1].map((missing) =>
    bytes(`a file without its last ${missing} bytes`, cutOff, (template) => template.subarray(0, -missing)),
  ),
  bytes('a file with an impossible page size', /cut off|cannot be read/, (template) => {
    const copy = Uint8Array.from(template);
    copy.set([0, 3], 16);
    return copy;
  }),
  patched('a file of a later version of SQLite', () => 19, 3),
  patched('a file that keeps all of a page for itself', () => 20, 255),
  patched('a file in an unknown encoding', () => 59, 7),
  patched('a file with an unknown form of definitions', () => 47, 9),
  patched('a file whose first page is of no kind', () => 100, 0),
  patched('a file whose definitions point outside the page', () => 108, 0xff, 0xff),
  patched('a file whose second page is of no kind', () => pageSize, 0),
  patched('a file whose second page has 65,535 cells', () => pageSize + 3, 0xff, 0xff),
  patched('a file whose last page is of no kind', (template) => template.length - pageSize, 7),
  patched('a file with a page that points outside itself', (template) => fullPage(template) + 8, 0xff, 0xff),
  edited('a file with two tables in one place', damage, (sqlite) => {
    const root = "(SELECT rootpage FROM sqlite_schema WHERE name = 'commands')";
    sqlite.exec(`UPDATE sqlite_schema SET rootpage = ${root} WHERE name = 'measurements'`);
  }),
  sql(
    'a file with a table in a page that does not exist',
    damage,
    "UPDATE sqlite_schema SET rootpage = 99999 WHERE name = 'alarms'",
  ),
];

export const foreignFiles: readonly HostileFile[] = [
  sql(
    'a database of another application',
    /another application/,
    'PRAGMA application_id = 1; DROP TABLE alarms; CREATE TABLE bookmarks (url TEXT)',
  ),
  sql('a database of no application', /another application/, 'PRAGMA application_id = 0'),
  sql('a newer form', /newer version \(form 98; this server knows \d+\)/, 'PRAGMA user_version = 98'),
  sql('a far newer form', /newer version \(form 2147483647;/, 'PRAGMA user_version = 2147483647'),
  sql('a form that never was', /form 0 is unknown/, 'PRAGMA user_version = 0'),
  sql('a negative form', /form -7 is unknown/, 'PRAGMA user_version = -7'),
  {
    title: 'a database in UTF-16',
    reason: /its texts are UTF-16le; only UTF-8 is read/,
    write: (path, template) => {
      let definitions: string[] = [];
      writeDatabase(path, template, (sqlite) => {
        definitions = sqlite
          .prepare('SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL')
          .all()
          .map(({ sql }) => String(sql));
      });
      const applicationId = Buffer.from(template).readInt32BE(68);
      writeDatabase(path, new Uint8Array(), (sqlite) => {
        sqlite.exec(`PRAGMA encoding = 'UTF-16le'; ${definitions.join(';')}`);
        sqlite.exec(`PRAGMA application_id = ${applicationId}; PRAGMA user_version = 1`);
      });
    },
  },
];

export const unusualDefinitions: readonly HostileFile[] = [
  sql(
    'a view named like a table',
    /it has the view alarms; only tables are read/,
    "DROP TABLE alarms; CREATE VIEW alarms AS SELECT 'a' AS name, 1 AS severity",
  ),
  sql('a view beside the tables', /it has the view more/, 'CREATE VIEW more AS SELECT name FROM measurements'),
  sql('a view without an end', /it has the view alarms/, `DROP TABLE alarms; CREATE VIEW alarms AS ${endless}`),
  edited('a view without an end that calls itself a table', /malformed database schema|view/, (sqlite) =>
    redefined(sqlite, 'alarms', `CREATE VIEW alarms AS ${endless}`, 0),
  ),
  sql('a view of itself', /it has the view alarms/, 'DROP TABLE alarms; CREATE VIEW alarms AS SELECT * FROM alarms'),
  sql(
    'a virtual table named like a table',
    /alarms is a virtual table/,
    'DROP TABLE alarms; CREATE VIRTUAL TABLE alarms USING fts5(name, severity)',
  ),
  sql(
    'a virtual table beside the tables',
    /boxes is a virtual table/,
    'CREATE VIRTUAL TABLE boxes USING rtree(i, a, b)',
  ),
  edited('a virtual table that hides what it is', /alarms is a virtual table/, (sqlite) =>
    redefined(sqlite, 'alarms', 'CREATE/**/VIRTUAL TABLE alarms USING dbstat', 0),
  ),
  sql(
    'a trigger',
    /it has the trigger sly/,
    'CREATE TRIGGER sly AFTER INSERT ON alarms BEGIN DELETE FROM measurements; END',
  ),
  sql('an index with an expression', /it has the index sly/, 'CREATE INDEX sly ON alarms (upper(name) || severity)'),
  sql('an index over some rows', /it has the index sly/, 'CREATE INDEX sly ON alarms (name) WHERE severity > 1'),
  sql(
    'a column that is computed',
    /column severity of table alarms is computed/,
    'DROP TABLE alarms; CREATE TABLE alarms (name TEXT, severity INTEGER AS (length(name)))',
  ),
  sql(
    'a column that was computed',
    /column severity of table alarms is computed/,
    'DROP TABLE alarms; CREATE TABLE alarms (name TEXT, severity INTEGER AS (length(name)) STORED)',
  ),
  sql('an unknown table', /its table secrets is not part of a configuration/, 'CREATE TABLE secrets (name TEXT)'),
  sql('a missing table', /its table providers is missing/, 'DROP TABLE providers'),
  sql(
    'a table in capitals',
    /its table ALARMS is not part/,
    'DROP TABLE alarms; CREATE TABLE ALARMS (name TEXT, severity INTEGER)',
  ),
  sql('an unknown column', /column colour of table alarms is unknown/, 'ALTER TABLE alarms ADD COLUMN colour TEXT'),
  sql(
    'a column in capitals',
    /column Name of table alarms is unknown/,
    'DROP TABLE alarms; CREATE TABLE alarms (Name TEXT, severity INTEGER)',
  ),
  sql(
    'a table with none of its columns',
    /table alarms has none of its columns/,
    'DROP TABLE alarms; CREATE TABLE alarms (changedAt INTEGER, changedBy TEXT)',
  ),
  sql(
    'a table of 1,500 columns',
    /too many columns on alarms/,
    `DROP TABLE alarms; CREATE TABLE alarms (name, ${Array.from({ length: 1500 }, (_, n) => `c${n}`).join(', ')})`,
  ),
  sql('1,500 tables', /over 1000 tables/, ...Array.from({ length: 1500 }, (_, n) => `CREATE TABLE t${n} (a)`)),
  sql(
    'a definition of a megabyte',
    /\(alarms\) - string or blob too big/,
    `DROP TABLE alarms; CREATE TABLE alarms (name TEXT, severity INTEGER /* ${'long '.repeat(200_000)} */)`,
  ),
  edited('a table that is defined twice', /table alarms already exists/, (sqlite) =>
    sqlite.exec("INSERT INTO sqlite_schema SELECT * FROM sqlite_schema WHERE name = 'alarms'"),
  ),
  edited('a table without a definition', /malformed database schema \(alarms\)/, (sqlite) =>
    sqlite.exec("UPDATE sqlite_schema SET sql = NULL WHERE name = 'alarms'"),
  ),
];
