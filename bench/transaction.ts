// A transaction of many puts with render, against the same rows inserted with bare node:sqlite.
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { createTable, tables, toColumns } from '../packages/server/src/cfgdb/tables.ts';
import { atMost, type Benchmark, takeTurns, timed } from './measure.ts';
import { connector, deleteAll, measurements, putAll } from './plant.ts';
import { post, withServer } from './server.ts';

const count = 20_000;
const warmUps = 4;
const rounds = 9;

export const transaction: Benchmark = {
  name: 'transaction',
  title: `A transaction of ${count} puts with render over HTTP, against bare node:sqlite`,
  run: (say) =>
    withServer(async (server) => {
      const objects = measurements(count);
      const [puts, deletes] = [putAll(objects), deleteAll(objects)];
      const txn = `${server.config}/cfgdb/txn`;
      await server.send('PUT', `/connectors/${connector.name}`, connector);
      const ours = async () => {
        const elapsed = await timed(() => post(`${txn}?render=1`, puts));
        await post(`${txn}?render=1`, deletes);
        return elapsed;
      };
      const rows = objects.map((object) => toColumns('measurements', object));
      const bare = () => insertRows(rows);
      await takeTurns(warmUps, ours, bare);
      const [oursMs = 0, bareMs = 0] = await takeTurns(rounds, ours, bare);
      say(`transaction with render ${oursMs.toFixed(0)} ms, bare inserts ${bareMs.toFixed(0)} ms`);
      return [atMost(`${count} puts with render / bare inserts`, oursMs / bareMs, 4)];
    }),
};

/** The milliseconds of one transaction into a new file with the server's own table, as durable as the server's. */
async function insertRows(rows: ReturnType<typeof toColumns>[]): Promise<number> {
  await using cleanup = new AsyncDisposableStack();
  const sqlite = new DatabaseSync(join(temporaryFolder(cleanup), 'bare.sqlite'));
  cleanup.defer(() => sqlite.close());
  sqlite.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
  sqlite.exec(createTable(tables.measurements));
  const { columns, name } = tables.measurements;
  const insert = sqlite.prepare(`INSERT INTO ${name} VALUES (${'?, '.repeat(columns.length)}?, ?)`);
  const now = Date.now() * 1000;
  const start = performance.now();
  sqlite.exec('BEGIN IMMEDIATE');
  for (const row of rows) insert.run(...row, now, 'local');
  sqlite.exec('COMMIT');
  return performance.now() - start;
}
