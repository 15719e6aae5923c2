// A plain row table in SQLite as a peer: one row a record, as durable as the archive, a commit each 100 ms.
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import type { DataSet } from '../archive-data.ts';
import { bytesIn, type Peer } from './peer.ts';

const commitMs = 100;

export async function startSqliteRows(cleanup: AsyncDisposableStack): Promise<Peer> {
  const folder = temporaryFolder(cleanup);
  const sqlite = new DatabaseSync(join(folder, 'rows.sqlite'));
  cleanup.defer(() => sqlite.close());
  sqlite.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_size = -262144');
  sqlite.exec(
    'CREATE TABLE records (series INTEGER, t INTEGER, v REAL, q INTEGER, PRIMARY KEY (series, t)) WITHOUT ROWID',
  );
  const select = sqlite.prepare('SELECT t, v, q FROM records WHERE series = ? AND t >= ? AND t < ? ORDER BY t');
  select.setReturnArrays(true);
  const numbers = new Map<string, number>();
  return {
    name: 'SQLite rows',
    async load(data) {
      data.series.forEach(({ name }, number) => {
        numbers.set(name, number);
      });
      return load(sqlite, data);
    },
    async compact() {
      sqlite.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    },
    bytes: async () => bytesIn(folder),
    async read(series, sinceUs, untilUs) {
      const rows = select.all(numbers.get(series) ?? -1, sinceUs, untilUs);
      return () => rows.length;
    },
    cpuSeconds: () => 0,
  };
}

function load(sqlite: DatabaseSync, { scans, series, times, values, qualities }: DataSet): number {
  const insert = sqlite.prepare('INSERT INTO records VALUES (?, ?, ?, ?)');
  const start = performance.now();
  sqlite.exec('BEGIN IMMEDIATE');
  let committed = start;
  for (let scan = 0, at = 0; scan < scans; scan++) {
    for (let number = 0; number < series.length; number++, at++) {
      insert.run(number, times[at] as number, values[at] as number, qualities[at] as number);
    }
    if (performance.now() - committed < commitMs) continue;
    sqlite.exec('COMMIT; BEGIN IMMEDIATE');
    committed = performance.now();
  }
  sqlite.exec('COMMIT');
  return performance.now() - start;
}
