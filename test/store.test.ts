// A server with a store: what it archives is in PostgreSQL too, once, whatever ends in between; and it says how that goes.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import type { Degradation } from '@telltale/schema';
import { type Scope, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import type { DoctorFinding } from '../packages/cli/src/commands/doctor.ts';
import { spawnCli } from './cli-process.ts';
import { counterName, countersArgs, makeCounters, tick } from './counters-plant.ts';
import { Postgres } from './engines/postgres.ts';
import { withoutPostgres } from './engines/postgres-programs.ts';
import { type Plant, plantOf } from './full-disk.ts';
import { type ServerProcess, startServer } from './server-process.ts';
import { until } from './until.ts';

const skip = withoutPostgres('15');
const points = 20;

interface Site {
  readonly postgres: Postgres;
  /** Its password is in the environment. */
  readonly address: string;
  readonly env: NodeJS.ProcessEnv;
  /** Of this server; the one before has ended. */
  start(args?: readonly string[]): Promise<ServerProcess>;
}

async function siteOf(t: Scope): Promise<Site> {
  const postgres = await Postgres.start(t);
  const data = join(temporaryFolder(t), 'data');
  const { store: url, env } = await postgres.addPlant();
  const start = (args: readonly string[] = []) =>
    startServer(t, { data, env, args: [...countersArgs, '--store', url.href, '--site', 'north', ...args] });
  return { postgres, address: url.href, env, start };
}

/** What SQL sees of a point, in order of time. */
async function inStore(postgres: Postgres, name: string): Promise<number[]> {
  const sql = `SELECT value FROM telltale.records WHERE name = '${name}' ORDER BY time, value`;
  const values = await postgres.query(sql, { database: 'plant' });
  return values === '' ? [] : values.split('\n').map(Number);
}

async function inArchive({ read }: Plant, name: string): Promise<number[]> {
  const found = await read<Record<string, [string, unknown, number][]>>(`/archive/measurements/${name}/1/0`);
  return (found[name] ?? []).map(([value]) => Number(value.slice(1)));
}

const ready = async ({ url }: ServerProcess) => (await (await fetch(`${url}/readyz`)).json()) as { status: string };

/** All that is in the archive, which ends with this value of each point. */
async function untilAllIsThere(postgres: Postgres, plant: Plant, last: number): Promise<void> {
  for (const number of [0, points - 1]) {
    const name = counterName(number);
    await until(`the store has all of ${name}`, async () => {
      const [there, here] = await Promise.all([inStore(postgres, name), inArchive(plant, name)]);
      return here.at(-1) === last && isDeepStrictEqual(there, here);
    });
  }
}

describe('a server with a store', { skip }, () => {
  test('has what it archives in PostgreSQL within seconds, once, while either is killed and comes back', async (t) => {
    const { postgres, start } = await siteOf(t);
    const first = await start();
    await makeCounters(first, { points, periodMs: 1, alarms: [], archMode: 'change' });
    await tick(first, 50);
    await until('the store knows of it', async () => (await plantOf(first).figure('store_sent_records_total')) > 0);
    await untilAllIsThere(postgres, plantOf(first), 50);
    assert.equal((await ready(first)).status, 'ready');

    await tick(first, 30);
    await first.end('SIGKILL');
    const second = await start();
    await tick(second, 30);
    await untilAllIsThere(postgres, plantOf(second), 30);

    await postgres.kill();
    await tick(second, 30);
    await until('it says that the store is away', async () => (await ready(second)).status === 'degraded');
    const plant = plantOf(second);
    await until('records wait', async () => (await plant.figure('store_waiting_records')) > 0);
    await postgres.again();
    await untilAllIsThere(postgres, plant, 60);
    await until('it is ready again', async () => (await ready(second)).status === 'ready');
    assert.equal(await plant.figure('store_waiting_records'), 0);
  });

  test('starts without it, serves all that is its own, says why it is degraded, and sends all when it is there', async (t) => {
    const { postgres, start } = await siteOf(t);
    await postgres.stop();
    const server = await start();
    await makeCounters(server, { points, periodMs: 1, alarms: [], archMode: 'change' });
    await tick(server, 10);
    await until('it is degraded', async () => (await ready(server)).status === 'degraded');
    const plant = plantOf(server);
    const { store, degraded } = await plant.read<{ store: { state: string; error: string }; degraded: Degradation[] }>(
      '/overview',
    );
    assert.equal(store.state, 'down');
    assert.match(store.error, /nothing listens at 127\.0\.0\.1:\d+/);
    assert.match(degraded[0]?.text ?? '', /^Nothing goes to the store: /);
    await postgres.again();
    await until('it is ready', async () => (await ready(server)).status === 'ready');
    await untilAllIsThere(postgres, plant, 10);
  });

  test('is looked at by the doctor, up to a record that is written and read', async (t) => {
    const { postgres, address, env } = await siteOf(t);
    const ask = async () => {
      const url = 'http://127.0.0.1:55';
      const { stdout } = await spawnCli(['doctor', '--data', temporaryFolder(t), '--store', address], { url, env });
      const { findings } = JSON.parse(stdout) as { findings: DoctorFinding[] };
      return findings.filter(({ check }) => check === 'store').map(({ level, text }) => `${level}: ${text}`);
    };
    assert.match((await ask()).join(), /^ok: .*,ok: A record was written to .*,ok: .* commits/);
    await postgres.stop();
    assert.match((await ask()).join(), /^wrong: Nothing listens at /);
  });
});
