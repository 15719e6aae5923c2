// How long the archive keeps records, by the settings of the server and by the objects themselves.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { type ServerProcess, startFor, temporaryFolder } from './server-process.ts';
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

async function backfill({ url }: ServerProcess, name: string): Promise<void> {
  const now = Math.floor(Date.now() / 1000);
  const records = Object.values(agesS).map((age) => [`d${age}`, [now - age, 0], 192]);
  const response = await fetch(`${url}/data/archive/measurements/${name}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(records),
  });
  assert.equal(response.status, 204, await response.text());
}

async function ages({ url }: ServerProcess, name: string): Promise<number[]> {
  const response = await fetch(`${url}/data/archive/measurements/${name}/1/0`);
  const found = (await response.json()) as Record<string, [string][]>;
  return (found[name] ?? []).map(([value]) => Number(value.slice(1)));
}

async function started(t: TestContext, data: string): Promise<ServerProcess> {
  return startFor(t, { data, args: ['--archive-retention', '2d'] });
}

test('records older than --archive-retention are not shown; an object has its own, also when it is gone', async (t) => {
  const folder = temporaryFolder();
  t.after(() => folder.dispose());
  const server = await started(t, folder.path);
  await configure(server, [put('plain'), put('long', '30d'), put('short', '1h')]);
  for (const name of ['plain', 'long', 'short']) await backfill(server, name);
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
  await check(await started(t, folder.path));
});
