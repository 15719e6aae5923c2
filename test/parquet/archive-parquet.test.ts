// `telltale archive export --parquet`: the archive of a real server as files that DuckDB reads, a week each.
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { TelltaleClient } from '@telltale/client';
import { type Datatype, datatypes, type MeasurementRecord, parsePrefixed, toTimestamp } from '@telltale/schema';
import { FaultProxy } from '@telltale/stack-kit/testing';
import { suiteCleanup, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { noTerminal, RunningCli, runCli, runOnTerminal } from '../cli-process.ts';
import { type ServerProcess, startServer } from '../server-process.ts';
import { until } from '../until.ts';
import { queryDuckDb, withoutDuckDb } from './readers.ts';

interface File {
  readonly path: string;
  readonly records: number;
  readonly state: string;
}

const dayUs = 86_400_000_000;
const mondayUs = Date.parse('2026-01-05T00:00Z') * 1000;
const cleanup = suiteCleanup();
const parent = temporaryFolder(cleanup);
let server: ServerProcess;
let client: TelltaleClient;
let folders = 0;

const values: Record<Datatype, readonly string[]> = {
  b: ['1', '0'],
  q: ['3'],
  i: ['-2147483648', '7'],
  l: ['9223372036854775807', '-9223372036854775808', '9007199254740993'],
  f: ['0.1'],
  d: ['0', '-0', '21.5', '-123456789.123456', '0.000001'],
  s: ['', 'å😀', "it's\n"],
};

const record = (text: string, timeUs: number, quality = 192): MeasurementRecord => [text, toTimestamp(timeUs), quality];
const put = (family: string, object: { name: string }) => ({ operation: 'put', family, name: object.name, object });

before(async () => {
  server = await startServer(cleanup, { data: join(parent, 'data') });
  client = new TelltaleClient({ url: server.url });
  const points = datatypes.map((datatype) => put('measurements', { name: `of_${datatype}`, ...{ datatype } }));
  const others = ['__proto__', 'trend', 'early'].map((name) => put('measurements', { name, ...{ datatype: 'd' } }));
  const setpoint = put('commands', { name: 'setpoint', ...{ datatype: 'd' } });
  const high = put('alarms', { name: 'high', ...{ severity: 1, archMode: 'change' } });
  const operations = [...points, ...others, setpoint, high];
  assert.equal((await server.send('POST', '/cfgdb/txn?render=1', { operations })).status, 204);
  for (const datatype of datatypes) {
    const records = values[datatype].flatMap((text, at) =>
      [0, 1].map((week) => record(datatype + text, mondayUs + week * 7 * dayUs + at * 1_000_000, at === 0 ? 24 : 192)),
    );
    await client.archive.backfill('measurements', `of_${datatype}`, records);
  }
  // The last microsecond of a week, and the first of the next.
  const edges = [mondayUs + 7 * dayUs - 1, mondayUs + 7 * dayUs];
  await client.archive.backfill(
    'measurements',
    '__proto__',
    edges.map((timeUs) => record('d1', timeUs)),
  );
  await client.archive.backfill('commands', 'setpoint', [['d5', toTimestamp(mondayUs)]]);
  await client.alarms.activate('high');
});

const fresh = () => join(parent, `export ${folders++}`);

async function exported(folder: string, ...options: string[]): Promise<File[]> {
  const { code, stdout, stderr } = await runCli(['archive', 'export', '--parquet', folder, ...options], {
    url: server.url,
  });
  assert.equal(code, 0, stderr);
  return (JSON.parse(stdout) as { files: File[] }).files.map((file) => ({
    ...file,
    path: file.path.slice(folder.length + 1),
  }));
}

async function refused(code: number, words: RegExp, ...args: string[]): Promise<void> {
  const result = await runCli(['archive', 'export', ...args], { url: server.url });
  assert.match(result.stderr, words);
  assert.equal(result.code, code);
}

const filesIn = (folder: string) =>
  (existsSync(folder) ? readdirSync(folder, { recursive: true, withFileTypes: true }) : [])
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();

const states = (files: readonly File[]) =>
  files.map(({ path, state }) => `${/week=([\d-]+)/.exec(path)?.[1]} ${state}`);

describe('telltale archive export --parquet', { skip: withoutDuckDb }, () => {
  test('writes every record, a file for each kind and week', async () => {
    const folder = fresh();
    const files = await exported(folder);
    const [thisWeek] = files.at(-1)?.path.match(/[\d-]{10}/) ?? [];
    assert.deepEqual(
      files.map(({ path, records }) => `${path} ${records}`),
      [
        'measurements/site=local/week=2026-01-05/measurements.parquet 18',
        'measurements/site=local/week=2026-01-12/measurements.parquet 18',
        'commands/site=local/week=2026-01-05/commands.parquet 1',
        `alarms/site=local/week=${thisWeek}/alarms.parquet 1`,
      ],
    );
    const table = `read_parquet('${folder}/measurements/**/*.parquet', hive_partitioning = true)`;
    for (const datatype of datatypes) {
      const column = { l: 'long', b: 'boolean', s: 'text' }[datatype as string] ?? 'number';
      const rows = await queryDuckDb(
        `select epoch_us(time), ${column}, quality, simulated, datatype from ${table} where name = 'of_${datatype}' order by time`,
      );
      const records = await client.archive.read('measurements', `of_${datatype}`, { since: [0, 0] });
      assert.deepEqual(
        rows,
        records.map(([value, [s, us], quality]) => {
          return [BigInt(s) * 1_000_000n + BigInt(us), parsePrefixed(value).value, quality, false, datatype];
        }),
      );
      assert.equal(rows.length, 2 * values[datatype].length);
    }
    assert.deepEqual(
      await queryDuckDb(
        `select site, cast(week as varchar), count(*) from ${table} where week = cast(date_trunc('week', time) as date) group by all order by 2`,
      ),
      [
        ['local', '2026-01-05', 18n],
        ['local', '2026-01-12', 18n],
      ],
    );
    const alarms = await queryDuckDb(
      `select name, state, simulated from '${folder}/alarms/**/*.parquet' order by time`,
    );
    assert.deepEqual(alarms.at(-1), ['high', 'ACT_UNACK', false]);
  });

  test('writes again what has changed in the archive, and nothing else', async () => {
    const folder = fresh();
    const weeks = ['--names', 'trend'];
    const at = (week: number, value: string) =>
      client.archive.backfill('measurements', 'trend', [record(value, mondayUs + week * 7 * dayUs)]);
    for (const week of [0, 1, 2]) await at(week, 'd1');
    assert.deepEqual(states(await exported(folder, ...weeks)), [
      '2026-01-05 written',
      '2026-01-12 written',
      '2026-01-19 written',
    ]);
    const before = filesIn(folder).map((file) => statSync(file, { bigint: true }).ino);
    assert.deepEqual(states(await exported(folder, ...weeks)), [
      '2026-01-05 unchanged',
      '2026-01-12 unchanged',
      '2026-01-19 unchanged',
    ]);
    assert.deepEqual(
      filesIn(folder).map((file) => statSync(file, { bigint: true }).ino),
      before,
    );
    await at(1, 'd2');
    assert.deepEqual(states(await exported(folder, ...weeks)), [
      '2026-01-05 unchanged',
      '2026-01-12 written',
      '2026-01-19 unchanged',
    ]);
    assert.deepEqual(await queryDuckDb(`select number from '${folder}/*/*/week=2026-01-12/*.parquet'`), [[2]]);
    await at(3, 'd1');
    assert.deepEqual(states(await exported(folder, ...weeks, '--since', '2026-01-20T00:00Z')), [
      '2026-01-19 unchanged',
      '2026-01-26 written',
    ]);
    assert.deepEqual(states(await exported(folder, ...weeks, '--until', '2026-01-12T00:00Z')), [
      '2026-01-05 unchanged',
    ]);
  });

  test('keeps the file of a week of which the archive has fewer records now', async () => {
    const folder = fresh();
    const records = [0, 1, 2].map((at) => record('d1', mondayUs + at));
    await client.archive.backfill('measurements', 'early', records);
    await exported(folder, '--names', 'early');
    const [file = ''] = filesIn(folder);
    const bytes = readFileSync(file);
    await client.archive.erase('measurements', 'early', {
      since: toTimestamp(mondayUs),
      until: toTimestamp(mondayUs + 1),
    });
    const [kept] = await exported(folder, '--names', 'early');
    assert.deepEqual([kept?.state, kept?.records], ['kept', 3]);
    assert.ok(readFileSync(file).equals(bytes));
  });

  test('replaces what it has not written, or not to its end', async () => {
    const folder = fresh();
    await exported(folder, '--commands');
    const [file = ''] = filesIn(folder);
    const bytes = readFileSync(file);
    for (const broken of [Buffer.alloc(0), bytes.subarray(0, -1), Buffer.from('PAR1'), Buffer.alloc(5000)]) {
      writeFileSync(file, broken);
      assert.deepEqual(states(await exported(folder, '--commands')), ['2026-01-05 written']);
      assert.ok(readFileSync(file).equals(bytes));
    }
  });

  test('takes the times of wrong clocks', async () => {
    const folder = fresh();
    const times = [0, 1, Number.MAX_SAFE_INTEGER - 1];
    await client.archive.backfill(
      'measurements',
      'early',
      times.map((timeUs) => record('d1', timeUs)),
    );
    const files = await exported(folder, '--names', 'early', '--until', '1970-01-02T00:00Z');
    assert.deepEqual(
      files.map(({ records }) => records),
      [2],
    );
    assert.deepEqual(
      states(await exported(folder, '--names', 'early'))
        .filter((state) => state.endsWith('written'))
        .slice(-1),
      ['2255-06-04 written'],
    );
    const rows = await queryDuckDb(`select epoch_us(time) from '${folder}/**/*.parquet' order by time`);
    assert.deepEqual([rows[0], rows.at(-1)], [[0n], [BigInt(Number.MAX_SAFE_INTEGER - 1)]]);
    for (const since of times) {
      await client.archive.erase('measurements', 'early', { since: toTimestamp(since), until: toTimestamp(since + 1) });
    }
  });

  test('has a folder for each site, and no name leads out of it', async () => {
    const folder = fresh();
    const [file] = await exported(folder, '--commands', '--site', 'north-1');
    assert.equal(file?.path, 'commands/site=north-1/week=2026-01-05/commands.parquet');
    for (const site of ['', '..', '../up', 'a/b', '.hidden', 'a b', 'a=b', '%2e', 'å', 'a'.repeat(65)]) {
      await refused(2, /--site is up to 64 letters/, '--parquet', folder, `--site=${site}`);
    }
  });

  test('says what is wrong with a command line', async () => {
    const folder = fresh();
    await refused(2, /Either FILE or --parquet FOLDER/, '--parquet', folder, 'file.csv');
    await refused(2, /Either --columns or --parquet/, '--parquet', folder, '--columns');
    await refused(2, /--site goes with --parquet/, '--site', 'a');
    await refused(1, /Did you mean trend/, '--parquet', folder, '--names', 'trent');
    writeFileSync(join(parent, 'plain'), '');
    await refused(1, /plain.*cannot be (?:read|written)/, '--parquet', join(parent, 'plain'));
  });

  test('shows people a bar and what there is', { skip: noTerminal }, () => {
    const { stdout } = runOnTerminal(['archive', 'export', '--parquet', fresh(), '--commands'], { url: server.url });
    assert.match(stdout, /exporting/);
    assert.match(stdout, /1 record in 1 file of .*export \d+: 1 written, 0 unchanged\./);
  });
});

describe('an export that is killed', { skip: withoutDuckDb }, () => {
  const weeks = 6;
  const perWeek = 30_000;

  before(async () => {
    for (let week = 0; week < weeks; week++) {
      const startUs = mondayUs + (week + 20) * 7 * dayUs;
      const records = Array.from({ length: perWeek }, (_, at) =>
        record(`d${(at * 7919) % 1000}`, startUs + at * 1_000_000),
      );
      await client.archive.backfill('measurements', 'trend', records);
    }
  });

  test('goes on where it was and comes to the same files, and none is there in part', async (t) => {
    const { hostname, port } = new URL(server.url);
    await using proxy = await FaultProxy.start({ host: hostname, port: Number(port) });
    const url = `http://${proxy.host}:${proxy.port}`;
    const [whole, killed] = [fresh(), fresh()];
    const options = ['--names', 'trend', '--since', '2026-05-20T00:00Z'];
    const exportTo = (folder: string) =>
      new RunningCli(t, ['archive', 'export', '--parquet', folder, ...options], { url });
    assert.equal(await exportTo(whole).ended, 0);
    const expected = contentOf(whole);
    assert.equal(expected.size, weeks);
    const aWeek = proxy.counts.bytes.toClient / weeks;
    for (let week = 0; week < weeks; week++) {
      // The weeks before are read again, and the next one to its middle.
      const enough = proxy.counts.bytes.toClient + (week + 0.5) * aWeek;
      const cli = exportTo(killed);
      while (proxy.counts.bytes.toClient < enough) await setImmediate();
      proxy.setFaults({ toClient: { kind: 'stall' } });
      await until('the next file is begun', async () => filesIn(killed).length > week);
      await cli.end('SIGKILL');
      proxy.setFaults({});
      const [[part, ...others], files] = [
        filesIn(killed).filter(isPart),
        filesIn(killed).filter((file) => !isPart(file)),
      ];
      assert.ok(part !== undefined && others.length === 0);
      assert.deepEqual(
        files.map((file) => expected.get(file.slice(killed.length))?.equals(readFileSync(file))),
        Array(week).fill(true),
      );
    }
    assert.equal(await exportTo(killed).ended, 0);
    assert.deepEqual(contentOf(killed), expected);
  });
});

test('an answer of the server that breaks off makes no file', { skip: withoutDuckDb }, async (t) => {
  const { hostname, port } = new URL(server.url);
  await using proxy = await FaultProxy.start({ host: hostname, port: Number(port) });
  const folder = fresh();
  const options = ['--names', 'trend', '--since', '2026-05-20T00:00Z', '--url', `http://${proxy.host}:${proxy.port}`];
  const cli = new RunningCli(t, ['archive', 'export', '--parquet', folder, ...options], { url: server.url });
  while (proxy.counts.bytes.toClient < 100_000) await setImmediate();
  proxy.setFaults({ toClient: { kind: 'stall' } });
  await until('a file is begun', async () => filesIn(folder).length > 0);
  proxy.reset();
  await proxy.refuse();
  assert.equal(await cli.ended, 3);
  assert.deepEqual(filesIn(folder), []);
});

const isPart = (file: string) => file.endsWith('.part');

const contentOf = (folder: string) =>
  new Map(filesIn(folder).map((file) => [file.slice(folder.length), readFileSync(file)]));
