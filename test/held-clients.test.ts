// A client of a provider that asks more often than it may is served in the end, and people see that it was held back.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LiveProvider } from '@telltale/schema';
import { freePort } from '@telltale/stack-kit/testing';
import { cleanupOf, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { RawClient } from '../stacks/modbus/test/raw-client.ts';
import { runCli } from './cli-process.ts';
import { put } from './live-plant.ts';
import { startServer } from './server-process.ts';
import { until } from './until.ts';

const requests = 50;

test('how often clients of a provider were held back is in its status, in the metrics and at the command line', async (t) => {
  const cleanup = cleanupOf(t);
  const server = await startServer(cleanup, { data: temporaryFolder(cleanup) });
  const port = await freePort();
  const vars = { port: String(port), maxClientRequestsPerSecond: '20' };
  const operations = [put('providers', 'panel', { stackName: 'modbus', vars })];
  assert.equal((await server.send('POST', '/cfgdb/txn?render=1', { operations })).status, 204);
  const client = await until('the panel is served', () => RawClient.connect(port).catch(() => undefined));
  cleanup.defer(() => client.close());
  for (let asked = 0; asked < requests; asked++) client.send('03 0000 0001');
  for (let answered = 0; answered < requests; answered++) assert.equal(await client.answer(), '8302');
  const status = async () => {
    const { code, stdout, stderr } = await runCli(['providers', 'panel'], { url: server.url });
    assert.equal(code, 0, stderr);
    return (JSON.parse(stdout) as LiveProvider).counters;
  };
  const counters = await until('they are counted', async () => {
    const known = await status();
    return known.requests === requests && known;
  });
  assert.ok(counters.held > 0 && counters.unread === 0, JSON.stringify(counters));
  const metrics = await (await fetch(`${server.url}/metrics`)).text();
  const [, held] = /^telltale_stack_held_total\{.*name="panel".*\} (\d+)$/m.exec(metrics) ?? [];
  assert.equal(Number(held), counters.held);
});
