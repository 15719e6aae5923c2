// The store on PostgreSQL against a table with a row a record and a primary key, in the same PostgreSQL: records a second, bytes a
// record, and what SQL makes of a hundred series.
import { systemClock } from '@telltale/schema';
import { readAddress } from '../packages/server/src/store/postgres/address.ts';
import type { Connection } from '../packages/server/src/store/postgres/connection.ts';
import { Connections } from '../packages/server/src/store/postgres/connections.ts';
import { install } from '../packages/server/src/store/postgres/install.ts';
import { PostgresStore } from '../packages/server/src/store/postgres/postgres-store.ts';
import { ChunkChanges } from '../packages/server/src/store/postgres/seal/chunk-changes.ts';
import { Sealing } from '../packages/server/src/store/postgres/seal/sealing.ts';
import { weekOf } from '../packages/server/src/store/read/weeks.ts';
import { Postgres } from '../test/engines/postgres.ts';
import { withoutPostgres } from '../test/engines/postgres-programs.ts';
import { makeData, type TimeForm } from './archive-data.ts';
import { atLeast, atMost, type Benchmark, type Result, type Say, takeTurns, timed } from './measure.ts';
import { parcelsOf, rowsOf, type StoreData, storeData } from './store-data.ts';

const seriesCount = 1000;
const scans = 4000;
const rounds = 3;
const readSeries = 100;
const bytesBound: Record<TimeForm, number> = { shared: 3.5, jitter: 8.5 };
/** Of a machine that does other things as well. */
const limitMs = 600_000;
const settings = { shared_buffers: '512MB', max_wal_size: '8GB', checkpoint_timeout: '30min' };

export const store: Benchmark = {
  name: 'store',
  title: 'The store on PostgreSQL, against a row a record',
  async run(say, { quick }) {
    const reason = withoutPostgres('15');
    if (reason !== false) {
      say(reason);
      return [];
    }
    const results: Result[] = [];
    for (const form of ['shared', 'jitter'] as const) {
      const data = storeData(makeData(seriesCount, quick ? scans / 10 : scans, form));
      results.push(...(await measure(form, data, say)));
    }
    return results;
  },
};

async function measure(form: TimeForm, data: StoreData, say: Say): Promise<Result[]> {
  await using cleanup = new AsyncDisposableStack();
  const address = (await Postgres.start(cleanup, { settings })).url();
  const connections = new Connections({
    address: readAddress(address),
    clock: systemClock,
    session: 'any',
    most: 1,
    limitMs,
  });
  cleanup.defer(() => connections.close());
  return await connections.use(async (client) => {
    await install(client);
    await client.query(
      'create table rows (series bigint, time timestamptz, value float8, quality smallint, primary key (series, time))',
    );
    const times = form === 'shared' ? 'shared times' : 'times of their own';
    const { count } = data.columns;
    const [rowsMs = 1, chunksMs = 1, parcelsMs = 1] = await takeTurns(
      rounds,
      () => writeRows(client, data),
      () => writeChunks(client, data),
      () => sealParcels(client, data, address),
    );
    for (const [what, ms] of Object.entries({ rows: rowsMs, chunks: chunksMs, 'parcels into chunks': parcelsMs })) {
      say(`${what}, ${times}: ${(count / ms / 1000).toFixed(2)} million records a second`);
    }
    const results: Result[] = [
      atLeast(`records a second into chunks / COPY of rows, ${times}`, rowsMs / chunksMs, 10),
      {
        what: `records a second from parcels into chunks / the same, ${times}`,
        figure: (rowsMs / parcelsMs).toFixed(1),
      },
    ];
    return [...results, ...(await rooms(client, data, form, times)), ...(await reads(client, data, times, say))];
  });
}

async function writeRows(client: Connection, data: StoreData): Promise<number> {
  await client.query('truncate rows; checkpoint');
  let ms = 0;
  for (const rows of rowsOf(data)) ms += await timed(() => client.copyIn('copy rows from stdin (format binary)', rows));
  return ms;
}

/** As the sealer does, of records that are in memory already. */
async function writeChunks(client: Connection, { series, scans, columns }: StoreData): Promise<number> {
  await empty(client);
  for (const timeUs of [columns.times[0], columns.times.at(-1)]) {
    await client.query('select telltale.add_week($1)', [weekOf(timeUs as number)]);
  }
  return timed(() =>
    client.transaction(async () => {
      const changes = new ChunkChanges(client);
      for (const [at, { kind, datatype, number: id }] of series.entries()) {
        const rank = { epoch: 1, place: 1 };
        const piece = { series: { id, kind, datatype }, run: 0, rank, columns };
        changes.add({ ...piece, from: at * scans, to: (at + 1) * scans });
        await changes.writeMany();
      }
      await changes.write();
    }),
  );
}

async function sealParcels(client: Connection, data: StoreData, address: string): Promise<number> {
  await empty(client);
  const store = new PostgresStore({ address, clock: systemClock, limitMs });
  const sealing = new Sealing({ address, clock: systemClock, everyMs: 0, limitMs, onState() {} });
  try {
    const { epoch } = await store.claim('bench');
    let seq = 0;
    for (const parcel of parcelsOf(data, 'bench', epoch)) await store.send('bench', epoch, ++seq, parcel);
    return await timed(() => sealing.sealer.sealAll());
  } finally {
    store.close();
    await sealing.end();
  }
}

async function empty(client: Connection): Promise<void> {
  await client.query(
    'truncate telltale.chunk, telltale.hour, telltale.parcel, telltale.stream, telltale.sealed; checkpoint',
  );
}

/** With everything that belongs to a table, after what was deleted is gone. */
async function rooms(client: Connection, data: StoreData, form: TimeForm, times: string): Promise<Result[]> {
  await client.query('vacuum full telltale.chunk');
  await client.query('vacuum full rows');
  await client.query('analyze telltale.chunk');
  await client.query('analyze rows');
  const { rows } = await client.query<{ chunks: number; rows: number }>(
    `select sum(pg_total_relation_size(relid))::bigint as chunks, pg_total_relation_size('rows') as rows from pg_partition_tree('telltale.chunk')`,
  );
  const { chunks = 0, rows: ofRows = 0 } = rows[0] ?? {};
  const { count } = data.columns;
  return [
    atMost(`bytes a record of chunks with their indexes, ${times}`, chunks / count, bytesBound[form]),
    { what: `the same of rows, ${times}`, figure: (ofRows / count).toFixed(1) },
  ];
}

const hourly = "date_trunc('hour', time) as hour, avg(value), min(value), max(value)";

async function reads(client: Connection, data: StoreData, times: string, say: Say): Promise<Result[]> {
  const names = data.series.slice(0, readSeries).map(({ name }) => `'${name}'`);
  const ofView = `select name, ${hourly} from telltale.records where name in (${names.join()}) group by 1, 2`;
  const ofRows = `select series, ${hourly} from rows where series < ${readSeries} group by 1, 2`;
  await client.query('set max_parallel_workers_per_gather = 0; set jit = off');
  const asked = (sql: string) => async () => timed(() => client.query(sql));
  const [viewMs = 1, rowsMs = 1] = await takeTurns(2 * rounds, asked(ofView), asked(ofRows));
  const millions = (ms: number) => (readSeries * data.scans) / ms / 1000;
  say(
    `hours of ${readSeries} series, ${times}: ${millions(viewMs).toFixed(2)} and of rows ${millions(rowsMs).toFixed(2)} million records a second`,
  );
  return [
    atLeast(`millions of records a second of the view by hours, ${times}`, millions(viewMs), 0.5),
    { what: `the same of rows / of the view, ${times}`, figure: (viewMs / rowsMs).toFixed(2) },
  ];
}
