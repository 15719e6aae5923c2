// A series read from the store on PostgreSQL, against the same records as rows with a primary key in the same PostgreSQL.
import { Columns, snapshotRequest } from '../packages/server/src/archive/query/index.ts';
import type { Connection } from '../packages/server/src/store/postgres/connection.ts';
import { CopyReader } from '../packages/server/src/store/read/copy-reader.ts';
import { connectTo, freshDatabase } from '../packages/server/test/store-database.ts';
import { type StoreParts, storeParts } from '../packages/server/test/store-parts.ts';
import { Postgres } from '../test/engines/postgres.ts';
import { postgresVersions, withoutPostgres } from '../test/engines/postgres-programs.ts';
import { type DataSet, makeData, startUs, type TimeForm } from './archive-data.ts';
import { atLeast, type Benchmark, type Result, type Say, takeTurns, timed } from './measure.ts';
import { bodiesOf } from './peers/postgresql.ts';
import { PostgresqlConnection } from './peers/postgresql-connection.ts';
import { parcelsOf, storeData } from './store-data.ts';

const seriesCount = 100;
const recordsASeries = 10_000;
const site = 'plant';
const untilUs = startUs + 2_000_000 * recordsASeries;

export const storeRead: Benchmark = {
  name: 'store-read',
  title: `Series of ${recordsASeries} records read from PostgreSQL, against rows`,
  async run(say, { quick }) {
    const results: Result[] = [];
    for (const version of postgresVersions) {
      const missing = withoutPostgres(version);
      if (missing !== false) say(missing);
      else
        for (const times of ['shared', 'jitter'] as const) results.push(...(await compare(say, version, times, quick)));
    }
    return results;
  },
};

async function compare(
  say: Say,
  version: (typeof postgresVersions)[number],
  timeForm: TimeForm,
  quick: boolean,
): Promise<Result[]> {
  await using cleanup = new AsyncDisposableStack();
  const settings = { shared_buffers: '512MB', max_wal_size: '4GB' };
  const postgres = await Postgres.start(cleanup, { version, settings, access: ['host all all 127.0.0.1/32 trust'] });
  const data = makeData(seriesCount, recordsASeries, timeForm);
  const address = await freshDatabase(postgres);
  const parts = storeParts(cleanup, address);
  await fillStore(parts, data);
  const rows = await PostgresqlConnection.open(postgres.port, 'owner');
  cleanup.defer(() => rows.close());
  await rows.query('CREATE TABLE records (series int4, t int8, v float8, q int2, PRIMARY KEY (series, t))');
  for (const body of bodiesOf(data)) await rows.copy('COPY records FROM STDIN (FORMAT binary)', body);
  await rows.query('VACUUM (ANALYZE) records');
  await postgres.query('VACUUM (ANALYZE)', { database: new URL(address).pathname.slice(1) });
  const select = 'SELECT t, v, q FROM records WHERE series = $1::int4 AND t >= $2::int8 AND t < $3::int8 ORDER BY t';
  await rows.prepare('read', select);

  const connection = await connectTo(cleanup, postgres.url());

  let at = 0;
  const [oursMs = 0, rowsMs = 0, bareMs = 0] = await takeTurns(
    quick ? 20 : 300,
    () => timed(() => readStore(parts, data, at++ % seriesCount)),
    () => timed(() => readRows(connection, at % seriesCount)),
    () => timed(() => rows.execute('read', [at % seriesCount, 0, untilUs])),
  );
  const figures = [oursMs, rowsMs, bareMs].map((ms) => ms.toFixed(2));
  say(`PostgreSQL ${version}, ${timeForm} times: ours ${figures[0]} ms, rows ${figures[1]} ms, bare ${figures[2]} ms`);
  const what = `10,000 records of a series, PostgreSQL ${version}, ${timeForm} times`;
  return [
    atLeast(`${what}: time of rows / ours, into columns`, rowsMs / oursMs, 5),
    {
      what: `${what}: time of rows by a prepared statement, which nobody looks at / ours`,
      figure: (bareMs / oursMs).toFixed(2),
    },
  ];
}

/** Sent as a site sends it, and sealed. */
async function fillStore({ store, sealAll }: StoreParts, data: DataSet): Promise<void> {
  const { epoch } = await store.claim(site);
  let seq = 0;
  for (const parcel of parcelsOf(storeData(data), site, epoch)) await store.send(site, epoch, ++seq, parcel);
  await sealAll();
}

/** All of it, as a query has it: bit by bit in columns. */
async function readStore({ source }: StoreParts, { series }: DataSet, at: number): Promise<void> {
  const id = 1;
  const names = [series[at]?.name ?? ''];
  const request = { kind: 'measurements', names, known: [], sinceUs: 0, untilUs, form: 'binary', site } as const;
  const [snapshot] = await source.snapshots(id, snapshotRequest(request, 0), request);
  let count = 0;
  for (const { series, blocks } of snapshot?.series ?? []) {
    for (const { path } of blocks) {
      const block = source.blockOf(id, path);
      const columns = block.takeColumns();
      const chunks = block.chunksOf(series.number, 0, untilUs);
      if (chunks instanceof Promise) throw new Error('it is not all loaded at once');
      for (const chunk of chunks) {
        columns.clear();
        await block.read(series, chunk, columns);
        count += columns.count;
      }
    }
  }
  source.need(id, []);
  if (count !== recordsASeries) throw new Error(`${count} records of ${names}`);
}

/** The same of rows, by the same means. */
async function readRows(connection: Connection, at: number): Promise<void> {
  const select = `SELECT t, v, q FROM records WHERE series = ${at} AND t >= 0 AND t < ${untilUs} ORDER BY t`;
  const [bytes] = await connection.copyOut(`COPY (${select}) TO STDOUT (FORMAT binary)`);
  const rows = new CopyReader(bytes as Buffer);
  const columns = new Columns(recordsASeries);
  while (rows.nextRow()) {
    const row = columns.count++;
    columns.times[row] = rows.int8();
    columns.numbers[row] = rows.field()?.getFloat64(0) ?? 0;
    columns.qualities[row] = rows.int2();
  }
  if (columns.count !== recordsASeries) throw new Error(`${columns.count} rows of series ${at}`);
}
