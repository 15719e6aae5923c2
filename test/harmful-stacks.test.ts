// The whole server with a stack that harms its thread in every way: the service goes on, what is in other threads does not
// notice, and what is in that thread is bad until it is back.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { counterName, countersArgs, makeCounters, tick } from './counters-plant.ts';
import { put } from './live-plant.ts';
import { startServer } from './server-process.ts';

const harms = ['exit', 'reject later', 'block'];

test('a stack that ends or blocks its thread harms nobody else', { timeout: 120_000 }, async (t) => {
  const folder = temporaryFolder(t);
  const args = [...countersArgs, '--stack-threads', '2'];
  const server = await startServer(t, { data: join(folder, 'data'), args });
  await makeCounters(server, { points: 100, periodMs: 20, alarms: [] });
  const operations = [
    put('connectors', 'harmful', { stackName: 'trial' }),
    put('measurements', 'victim', { datatype: 'd', connectorName: 'harmful', address: 'good' }),
    ...harms.map((address, at) => put('commands', `harm_${at}`, { datatype: 'd', connectorName: 'harmful', address })),
  ];
  assert.equal((await server.send('POST', '/cfgdb/txn?render=1', { operations })).status, 204);

  const read = async (path: string) => (await fetch(`${server.url}/data/${path}`)).json() as Promise<never>;
  const vtq = async (name: string): Promise<[string, [number, number], number]> =>
    ((await read(`measurements/${name}`)) as { vtq: [string, [number, number], number] }).vtq;
  const untilQuality = async (name: string, quality: number) => {
    while ((await vtq(name))[2] !== quality) {
      assert.equal((await fetch(`${server.url}/readyz`)).status, 200);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };
  await untilQuality('victim', 192);
  await untilQuality(counterName(0), 192);
  assert.equal(await tick(server, 1_000_000), 204);
  const threads = (await read('connectors/')) as Record<string, { thread: number }>;
  assert.notEqual(threads.harmful?.thread, threads.counters?.thread);

  for (const [at, harm] of harms.entries()) {
    const [before] = await vtq(counterName(0));
    const answer = await fetch(`${server.url}/data/commands/harm_${at}?value=d1`, { method: 'PUT' });
    const { detail } = (await answer.json()) as { detail: string };
    if (harm === 'block') {
      assert.equal(answer.status, 504);
      assert.match(detail, /no answer within 5000 ms.*may have taken/);
      await untilQuality('victim', 0x18); // it is not replaced before 10 s
    } else {
      assert.equal(answer.status, 503, harm);
      assert.match(detail, /thread of the stacks ended.*may have taken/);
      assert.equal((await vtq('victim'))[2], 0x18, harm);
    }
    await untilQuality('victim', 192);
    const [after, , quality] = await vtq(counterName(0));
    assert.ok(Number(after.slice(1)) > Number(before.slice(1)) && quality === 192, `${harm}: ${before}, ${after}`);
  }
  const { counters } = (await read('connectors/counters')) as { counters: { errors: number; connects: number } };
  assert.deepEqual([counters.errors, counters.connects], [0, 1]);
  const metrics = await (await fetch(`${server.url}/metrics`)).text();
  assert.match(metrics, new RegExp(`^telltale_stack_threads_replaced_total ${harms.length}$`, 'm'));
  assert.match(metrics, /^telltale_stack_threads 2$/m);
});
