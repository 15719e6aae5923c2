// Database files of the right form whose rows no server may take, each with the reason that it must give.
import type { DatabaseSync } from 'node:sqlite';
import { edited, type HostileFile, sql } from './hostile-files.ts';

type Cell = string | number | bigint | null | Uint8Array;

/** Puts a table without key, types or conditions in the place of the family's own. */
function lax(sqlite: DatabaseSync, table: string, columns: readonly string[]): void {
  sqlite.exec(`DROP TABLE ${table}; CREATE TABLE ${table} (${columns.join(', ')})`);
}

/** The table of one family without conditions, with these rows. */
function rows(title: string, reason: RegExp, table: string, ...all: Record<string, Cell>[]): HostileFile {
  return edited(title, reason, (sqlite) => {
    const columns = [...new Set(all.flatMap((row) => Object.keys(row)))];
    lax(sqlite, table, columns);
    const insert = sqlite.prepare(`INSERT INTO ${table} VALUES (${columns.map(() => '?').join(', ')})`);
    for (const row of all) insert.run(...columns.map((column) => row[column] ?? null));
  });
}

function alarm(title: string, reason: RegExp, fields: Record<string, Cell>): HostileFile {
  return rows(title, reason, 'alarms', { name: 'a', severity: 1 }, { name: 'b', severity: 1, ...fields });
}

function measurement(title: string, reason: RegExp, fields: Record<string, Cell>): HostileFile {
  return rows(title, reason, 'measurements', { name: 'm', datatype: 'd', ...fields });
}

/** A text of these bytes, whatever they are. */
function brokenText(title: string, hex: string): HostileFile {
  return sql(
    title,
    /column description of table alarms holds a text that is not UTF-8/,
    'DROP TABLE alarms; CREATE TABLE alarms (name, severity, description)',
    `INSERT INTO alarms VALUES ('good', 1, 'a text with \ufffd in it'), ('bad', 1, CAST(x'${hex}' AS TEXT))`,
  );
}

export const hostileRows: readonly HostileFile[] = [
  alarm('a blob', /column description of table alarms holds a blob/, { description: new Uint8Array(10) }),
  alarm('a blob as a name', /column name of table alarms holds a blob/, { name: new Uint8Array([97]) }),
  alarm('an integer beyond 2^53', /table alarms cannot be read: .*9007199254740993/, { severity: 9007199254740993n }),
  alarm('the smallest integer', /table alarms cannot be read: .*-9223372036854775808/, { severity: -(2n ** 63n) }),
  alarm('2^53', /\/alarms\/b\/severity must be <= 9007199254740991/, { severity: 2 ** 53 }),
  alarm('a negative severity', /\/alarms\/b\/severity must be >= 0/, { severity: -1 }),
  alarm('a fraction in place of an integer', /\/alarms\/b\/severity must be an integer/, { severity: 1.5 }),
  alarm('a text in place of an integer', /\/alarms\/b\/severity must be an integer/, { severity: '1' }),
  measurement('an infinite number', /column archPeriod of table measurements holds an infinite/, {
    archPeriod: Infinity,
  }),
  alarm('a number in place of a text', /\/alarms\/b\/description must be a string/, { description: 5 }),
  alarm('a number in place of a boolean', /\/alarms\/b\/enabled must be a boolean/, { enabled: 2 }),
  alarm('a text in place of a boolean', /\/alarms\/b\/enabled must be a boolean/, { enabled: 'true' }),
  alarm('an unknown word', /\/alarms\/b\/ackMode must be one of manual, auto/, { ackMode: 'never' }),
  measurement('an unknown datatype', /\/measurements\/m\/datatype must be one of b, q, i/, { datatype: 'x' }),
  rows('an object without what it needs', /\/alarms\/a\/severity is required/, 'alarms', { name: 'a' }),
  alarm('bad JSON in a map', /\/alarms\/b\/properties must be an object/, { properties: '{"key": ' }),
  alarm('a list in place of a map', /\/alarms\/b\/properties must be an object/, { properties: '["key"]' }),
  alarm('a number in a map', /\/alarms\/b\/properties\/key must be a string/, { properties: '{"key": 1}' }),
  alarm('a map in a map', /\/alarms\/b\/properties\/key must be a string/, { properties: '{"key": {"a": "b"}}' }),
  alarm('an empty key in a map', /\/alarms\/b\/properties\//, { properties: '{"": "value"}' }),
  alarm('a bottomless list in place of a map', /properties must be an object/, { properties: '['.repeat(500_000) }),
  alarm('a name with a space', /\/alarms\/a b\/name must be a name/, { name: 'a b' }),
  alarm('an empty name', /\/alarms\/\/name must be a name/, { name: '' }),
  alarm('a name that leads elsewhere', /\/name must be a name/, { name: '../../etc/passwd' }),
  alarm('a name of 65 characters', /\/name must be a name/, { name: 'n'.repeat(65) }),
  alarm('a name of a megabyte', /\/alarms\/n{80}\/name must be a name/, { name: 'n'.repeat(1_000_000) }),
  alarm('the reserved name', /\/alarms\/names\/name is a reserved word/, { name: 'names' }),
  alarm('a number as a name', /\/alarms\/5\/name must be a string/, { name: 5 }),
  rows('an object without a name', /\/alarms\/\/name is required/, 'alarms', { name: null, severity: 1 }),
  alarm('a name that stands there twice', /\/alarms\/a\/name stands there twice/, { name: 'a' }),
  sql(
    'a table without names',
    /\/alarms\/\/name is required/,
    'DROP TABLE alarms; CREATE TABLE alarms (severity); INSERT INTO alarms VALUES (1)',
  ),
  ...['../run', '/bin/sh', 'bin/../../run', 'a\\b'].map((executable) =>
    rows(
      `the executable ${JSON.stringify(executable)}`,
      /\/function-modules\/f\/executable must be the executable's path/,
      'function_modules',
      {
        name: 'f',
        termToKill: 1,
        queryTimeout: 1,
        executable,
      },
    ),
  ),
  alarm('the character U+0000', /\/alarms\/b\/description must have neither/, { description: 'a\0b' }),
  alarm('half of a surrogate pair', /\/alarms\/b\/properties must have neither/, { properties: '{"a": "\\ud83d"}' }),
  brokenText('half of a surrogate pair in bytes', '61eda0bd62'),
  brokenText('bytes that end in the middle of a character', '61f09f98'),
  brokenText('bytes in Latin-1', '4bfc686c'),
  alarm('an object of two megabytes', /\/alarms\/b has 2000\d+ characters/, {
    description: 'd'.repeat(2e6),
  }),
  alarm('a cell of five megabytes', /table alarms cannot be read: string or blob too big/, {
    description: 'd'.repeat(5e6),
  }),
];

/** Tables with this inside, which SQLite sees only when it opens the file again. */
function defineTables(sqlite: DatabaseSync, count: number, inside: string): void {
  sqlite.exec('CREATE TABLE sly (a)');
  sqlite
    .prepare(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
      INSERT INTO sqlite_schema SELECT type, name || i, name || i, rootpage, 'CREATE TABLE sly' || i || '(' || ? || ')'
      FROM n, sqlite_schema WHERE name = 'sly'`,
    )
    .run(count, inside);
}

/** Small files that ask for much, and one that looks like little and is a gigabyte. */
export const costlyFiles: readonly HostileFile[] = [
  ...['alarms', 'deletions', 'sqlite_stat1'].map((table) =>
    edited(
      `a column of ${table} that takes minutes to compute`,
      new RegExp(`of table ${table} is computed`),
      (sqlite) => {
        const slow = Array.from({ length: 60 }, (_, n) => `length(hex(zeroblob(1000000 + severity + ${n})))`);
        sqlite.exec(`DROP TABLE IF EXISTS ${table}; CREATE TABLE ${table} (name, severity)`);
        sqlite.exec(`INSERT INTO ${table} SELECT name, 1 FROM measurements`);
        const definition = `CREATE TABLE ${table} (name, severity, sly NOT NULL AS (${slow.join(' + ')}))`;
        sqlite.prepare('UPDATE sqlite_schema SET sql = ? WHERE name = ?').run(definition, table);
      },
    ),
  ),
  edited('definitions that take a gigabyte', /it took (more than 256 MiB|longer than 4 s) to read/, (sqlite) =>
    defineTables(sqlite, 400, `a DEFAULT (1 IN (${'1,'.repeat(49_000)}1))`),
  ),
  edited('definitions that take minutes to read', /it took longer than 4 s to read/, (sqlite) => {
    const columns = Array.from({ length: 98 }, (_, n) => `c${n}`);
    const keys = Array.from({ length: 6500 }, (_, n) => `UNIQUE (c${n % 98}, c${Math.floor(n / 98)})`);
    defineTables(sqlite, 40, [...columns, ...keys].join(','));
  }),
  edited('a cell of 900 megabytes', /table alarms cannot be read: string or blob too big/, (sqlite) => {
    lax(sqlite, 'alarms', ['name', 'severity', 'description']);
    sqlite.exec("INSERT INTO alarms VALUES ('a', 1, zeroblob(900000000))");
  }),
];

/** Files with more in them than a configuration may have. */
export const largeFiles: readonly HostileFile[] = [
  edited('more rows than can be kept', /more than 1000000 objects|longer than 4 s to read/, (sqlite) => {
    lax(sqlite, 'measurements', ['name', 'datatype']);
    sqlite.exec(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1500000)
      INSERT INTO measurements SELECT 'm' || i, 'd' FROM n`);
  }),
  edited('more text than can be kept', /more than 256 MiB of rows|longer than 4 s to read/, (sqlite) => {
    lax(sqlite, 'measurements', ['name', 'datatype', 'description']);
    sqlite.exec(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300)
      INSERT INTO measurements SELECT 'm' || i, 'd', printf('%1000000d', i) FROM n`);
  }),
];
