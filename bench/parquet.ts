// Parquet files of the archive: bytes a record and records a second, against DuckDB's own writer with the same rows in its memory, and
// the whole export against reading the same records from the server.
import { cpSync, globSync, mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type ArchiveInterval, TelltaleClient } from '@telltale/client';
import type { ArchiveColumns } from '@telltale/schema';
import { temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { writeFileWhole } from '../packages/cli/src/files.ts';
import { parquetBytes } from '../packages/cli/src/parquet/parquet-file.ts';
import { spawnCli } from '../test/cli-process.ts';
import { openDuckDb, withoutDuckDb } from '../test/parquet/readers.ts';
import { type ServerProcess, startServer } from '../test/server-process.ts';
import { type DataSet, makeData, type TimeForm } from './archive-data.ts';
import { OurStore } from './archive-ours.ts';
import { atLeast, atMost, type Benchmark, type Result, type Say, takeTurns, timed } from './measure.ts';

const seriesCount = 1000;
const scans = 10_000;
const rounds = 5;
const bytesBound: Record<TimeForm, number> = { shared: 2.2, jitter: 4 };
const always: ArchiveInterval = { since: [0, 0], until: [4_000_000_000, 0] };

export const parquet: Benchmark = {
  name: 'parquet',
  title: 'Parquet files, against DuckDB that writes the same rows',
  async run(say, { quick }) {
    const results: Result[] = [];
    for (const form of ['shared', 'jitter'] as const) {
      const data = makeData(seriesCount, quick ? scans / 10 : scans, form);
      results.push(...(await measure(form, data, say)));
    }
    return results;
  },
};

interface Measured {
  readonly server: ServerProcess;
  readonly client: TelltaleClient;
  readonly folder: string;
  readonly data: DataSet;
  /** In words. */
  readonly times: string;
  readonly say: Say;
}

async function measure(form: TimeForm, data: DataSet, say: Say): Promise<Result[]> {
  await using cleanup = new AsyncDisposableStack();
  const folder = temporaryFolder(cleanup);
  const server = await serverWith(cleanup, folder, data);
  const client = new TelltaleClient({ url: server.url });
  const times = form === 'shared' ? 'shared times' : 'times of their own';
  const measured = { server, client, folder, data, times, say };
  const [exportMs = 1, againMs = 0, readMs = 1] = await exports(measured);
  const files = globSync(join(folder, 'export 0/measurements/**/*.parquet'));
  const bytes = files.reduce((sum, file) => sum + statSync(file).size, 0) / data.records;
  const results: Result[] = [
    atMost(`bytes a record, ${times}`, bytes, bytesBound[form]),
    atLeast(`millions of records a second exported, ${times}`, data.records / exportMs / 1000, 0.5),
    atMost(`time of an export where nothing has changed / the first, ${times}`, againMs / exportMs, 0.7),
    { what: `time of the export / reading the same from the server, ${times}`, figure: (exportMs / readMs).toFixed(2) },
  ];
  if (withoutDuckDb !== false) say(withoutDuckDb);
  else results.push(...(await againstDuckDb(measured, join(folder, 'export 0/measurements/**/*.parquet'), bytes)));
  return results;
}

/** One whose archive has the data. */
async function serverWith(cleanup: AsyncDisposableStack, folder: string, data: DataSet): Promise<ServerProcess> {
  await using loading = new AsyncDisposableStack();
  const store = new OurStore(loading);
  await store.load(data);
  await store.compact();
  mkdirSync(join(folder, 'data', 'archive'), { recursive: true });
  cpSync(store.folder, join(folder, 'data', 'archive'), { recursive: true });
  return startServer(cleanup, { data: join(folder, 'data') });
}

/** Milliseconds of the whole command, of the same again where nothing has changed, and of reading the records alone. */
async function exports({ server, client, folder, data, say }: Measured): Promise<number[]> {
  const exportTo = async (turn: number) => {
    const line = ['archive', 'export', '--parquet', join(folder, `export ${turn}`)];
    const { code, stdout, stderr } = await spawnCli(line, { url: server.url });
    const { files } = (code === 0 ? JSON.parse(stdout) : { files: [] }) as { files: { records: number }[] };
    const records = files.reduce((sum, file) => sum + file.records, 0);
    if (records !== data.records) throw new Error(`it exported ${records} of ${data.records} records: ${stderr}`);
  };
  const readAll = async () => {
    let records = 0;
    for await (const each of client.archive.columns('measurements', { ...always, flags: true }))
      records += each.times.length;
    if (records !== data.records) throw new Error(`the server gave ${records} of ${data.records} records`);
  };
  let turn = 0;
  await exportTo(turn++);
  const figures = await takeTurns(
    rounds,
    () => timed(() => exportTo(turn++)),
    () => timed(() => exportTo(0)),
    () => timed(readAll),
  );
  const [first = '', again = '', read = ''] = figures.map((ms) => rate(data, ms));
  say(`telltale archive export: ${first}; where nothing has changed ${again}; reading alone ${read}`);
  return figures;
}

/** Both have the rows in memory, and one thread. */
async function againstDuckDb(
  { client, folder, data, times, say }: Measured,
  exported: string,
  bytes: number,
): Promise<Result[]> {
  await using cleanup = new AsyncDisposableStack();
  const query = await openDuckDb(cleanup);
  const frames = await Array.fromAsync(client.archive.columns('measurements', { ...always, flags: true }));
  const [ours, theirs] = [join(folder, 'ours.parquet'), join(folder, 'theirs.parquet')];
  await query(`create table records as select * from read_parquet('${exported}', hive_partitioning = false)`);
  const options = 'format parquet, compression zstd, row_group_size 131072, parquet_version v2';
  const sides = [
    () => timed(() => writeAll(frames, ours)),
    () => timed(() => query(`copy records to '${theirs}' (${options})`)),
  ];
  const [oursMs = 1, theirsMs = 0] = await takeTurns(rounds, ...sides);
  const sums = 'count(*), sum(hash(name, time, number, long, "boolean", text, quality, simulated, datatype))';
  const [[first], [second]] = [
    await query(`select ${sums} from '${ours}'`),
    await query(`select ${sums} from records`),
  ];
  if (String(first) !== String(second)) throw new Error(`${first} were written, and are ${second}`);
  const theirBytes = statSync(theirs).size / data.records;
  say(
    `from memory: ours ${rate(data, oursMs)}, DuckDB ${rate(data, theirsMs)}, ${theirBytes.toFixed(2)} bytes a record`,
  );
  return [
    atLeast(`time of DuckDB / ours, of the same rows in memory, ${times}`, theirsMs / oursMs, 0.8),
    atLeast(`bytes of DuckDB / ours, ${times}`, theirBytes / bytes, 1),
  ];
}

async function writeAll(frames: readonly ArchiveColumns[], file: string): Promise<void> {
  async function* all() {
    yield* frames;
  }
  await writeFileWhole(
    file,
    parquetBytes('measurements', all(), () => ({})),
  );
}

function rate({ records }: DataSet, ms: number): string {
  return `${(records / ms / 1000).toFixed(2)} million records a second`;
}
