// How long the archive keeps records, by the settings of the server and by the objects themselves.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { type ServerProcess, startServer } from './server-process.ts';
import { until } from './until.ts';

const agesS = { week: 7 * 86_400, day: 86_400, minute: 60 };

async function configure(server: ServerProcess, operations: readonly object[]): Promise<void> {
  const rendered = await server.send('POST', '/cfgdb/txn?render=1', { operations });
  assert.equal(rendered.status, 204, await rendered.text());
}

const put = (name: string, archRetention?: string) => ({
  operation: 'put',
  family: 'measurements',
  name,
  object: { name, datatype: 'd', ...(archRetention && { properties: { archRetention } }) },
});

async function backfill({ url }: ServerProcess, name: string, records: readonly unknown[]): Promise<void> {
  const response = await fetch(`${url}/data/archive/measurements/${name}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(records),
  });
  assert.equal(response.status, 204, await response.text());
}

function bytesIn(folder: string): number {
  const sizes = readdirSync(folder).map((name) => statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0);
  return sizes.reduce((sum, size) => sum + size, 0);
}

function agedRecords(): unknown[] {
  const now = Math.floor(Date.now() / 1000);
  return Object.values(agesS).map((age) => [`d${age}`, [now - age, 0], 192]);
}

async function ages({ url }: ServerProcess, name: string): Promise<number[]> {
  const response = await fetch(`${url}/data/archive/measurements/${name}/1/0`);
  const found = (await response.json()) as Record<string, [string][]>;
  return (found[name] ?? []).map(([value]) => Number(value.slice(1)));
}

async function started(t: TestContext, data: string): Promise<ServerProcess> {
  return startServer(t, { data, args: ['--archive-retention', '2d'] });
}

test('records older than --archive-retention are not shown; an object has its own, also when it is gone', async (t) => {
  const folder = temporaryFolder(t);
  const server = await started(t, folder);
  await configure(server, [put('plain'), put('long', '30d'), put('short', '1h')]);
  for (const name of ['plain', 'long', 'short']) await backfill(server, name, agedRecords());
  const { week, day, minute } = agesS;
  const expected = { plain: [day, minute], long: [week, day, minute], short: [minute] };
  const check = async (on: ServerProcess) => {
    for (const [name, wanted] of Object.entries(expected)) assert.deepEqual(await ages(on, name), wanted, name);
  };
  await until('the retentions are known', async () => (await ages(server, 'short')).length === 1);
  await check(server);
  await configure(
    server,
    ['long', 'short'].map((name) => ({ operation: 'delete', family: 'measurements', name })),
  );
  await check(server);
  await server.end('SIGKILL');
  await check(await started(t, folder));
});

test('beyond --archive-max-size the oldest records go, whole weeks at a time, and the disk has room again', async (t) => {
  const folder = temporaryFolder(t);
  const maxBytes = 16 * 2 ** 20;
  const server = await startServer(t, { data: folder, args: ['--archive-max-size', String(maxBytes)] });
  await configure(server, [
    { operation: 'put', family: 'measurements', name: 'log', object: { name: 'log', datatype: 's' } },
  ]);
  const newest = Math.floor(Date.now() / 1000) - agesS.minute;
  const weeks = [4, 3, 2, 1, 0].map((age) => newest - age * agesS.week);
  for (const week of weeks) {
    const records = Array.from({ length: 80 }, (_, at) => [`s${randomBytes(30_000).toString('hex')}`, [week, at], 192]);
    await backfill(server, 'log', records);
  }
  const { url } = server;
  assert.equal((await fetch(`${url}/data/archive/compact`, { method: 'POST' })).status, 200);
  await until('the archive is small enough', async () => bytesIn(join(folder, 'archive')) <= maxBytes);
  const response = await fetch(`${url}/data/archive/measurements/log/1/0`);
  const { log = [] } = (await response.json()) as { log?: [string, [number, number]][] };
  const stored = [...new Set(log.map(([, [seconds]]) => seconds))];
  assert.ok(stored.length > 0 && stored.length < weeks.length, String(stored));
  assert.deepEqual(stored, weeks.slice(-stored.length));
});
