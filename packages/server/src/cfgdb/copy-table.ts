// Copies a table of the configuration database into another file, in steps, without its secrets.
import type { DatabaseSync } from 'node:sqlite';
import { columnNames, createTable, type Table } from './tables.ts';

/** So many rows at a time that each step takes about as long. */
const sliceMs = 5;
const [leastRows, mostRows] = [4, 1024];
/** Behind every name. */
const afterNames = '~';

/** So many rows at once as some milliseconds have time for: a row has up to a MiB. The other file is attached as `copy`. */
export function* copyTable(sqlite: DatabaseSync, table: Table): Generator<void> {
  const columns = columnNames(table);
  const shown = columns.replace(/\bvars\b/, 'masked(vars)');
  sqlite.exec(createTable(table, 'copy'));
  const next = sqlite.prepare(`SELECT name FROM main.${table.name} WHERE name > ? ORDER BY name LIMIT 1 OFFSET ?`);
  const insert = sqlite.prepare(
    `INSERT INTO copy.${table.name} (${columns}) SELECT ${shown} FROM main.${table.name} WHERE name > ? AND name <= ?`,
  );
  for (let [last, rows] = ['', leastRows]; ; ) {
    const beganMs = performance.now();
    const end = next.get(last, rows - 1)?.name as string | undefined;
    insert.run(last, end ?? afterNames);
    if (end === undefined) return;
    last = end;
    rows = performance.now() - beganMs > sliceMs ? Math.max(leastRows, rows >> 1) : Math.min(mostRows, rows << 1);
    yield;
  }
}
