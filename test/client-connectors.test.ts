// The client against the real server: how connectors and providers are, why a measurement is what it is, what a device
// has.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { TelltaleClient, TelltaleProblem } from '@telltale/client';
import { suiteCleanup, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { manyItems } from '../packages/server/test/stacks/rack.ts';
import { rackArgs, rackPlant } from './rack-plant.ts';
import { type ServerProcess, startServer } from './server-process.ts';
import { until } from './until.ts';

const refusedBy = (problem: string) => (error: unknown) => {
  assert.ok(error instanceof TelltaleProblem, String(error));
  assert.equal(error.problem, problem);
  return true;
};

describe('the client', () => {
  const cleanup = suiteCleanup();
  const folder = temporaryFolder(cleanup);
  let server: ServerProcess;
  let client: TelltaleClient;

  before(async () => {
    server = await startServer(cleanup, { data: join(folder, 'data'), args: rackArgs });
    client = new TelltaleClient({ url: server.url });
    await client.configuration.transaction([...rackPlant], { render: true });
    await until('the rack is up', async () => (await client.connectors.get('rack')).state === 'up');
  });

  test('reads connectors and providers, all or some, and only the fields that are asked for', async () => {
    assert.ok((await client.connectors.names()).includes('__proto__'));
    const all = await client.connectors.list();
    assert.deepEqual([all.rack?.stack, all.toString], ['rack', undefined]);
    const some = await client.connectors.list({ names: ['__proto__', 'nobody'], fields: ['stack'] });
    assert.deepEqual(Object.entries(some), [['__proto__', { stack: 'counters' }]]);
    assert.deepEqual(await client.providers.names(), ['closed', 'panel']);
    assert.equal((await client.providers.get('panel')).stack, 'rack');
    assert.equal((await client.providers.list({ fields: ['state'] })).closed?.state, 'up');
    await assert.rejects(client.connectors.get('nobody'), refusedBy('unknown-object'));
    await assert.rejects(client.providers.get('../x'), refusedBy('unknown-object'));
  });

  test('explains a measurement', async () => {
    const { name, connector, stages } = await client.measurements.explain('u1_scaled');
    assert.deepEqual([name, connector?.name, stages.length], ['u1_scaled', 'rack', 7]);
    await assert.rejects(client.measurements.explain('nobody'), refusedBy('unknown-object'));
    assert.equal((await client.commands.explain('set_u1_raw')).connector?.name, 'rack');
    await assert.rejects(client.commands.explain('nobody'), refusedBy('unknown-object'));
  });

  test('browses a device, page by page', async () => {
    const top = await client.connectors.browse('rack');
    assert.deepEqual([top.items[0]?.path, top.cursor], ['u1', null]);
    const first = await client.connectors.browse('rack', { path: 'many', limit: 1000 });
    const { cursor } = first;
    assert.ok(cursor !== null);
    const next = await client.connectors.browse('rack', { path: 'many', limit: 1000, cursor });
    assert.ok(first.items.length + next.items.length < manyItems && next.items[0]?.title === '1000');
    await assert.rejects(client.connectors.browse('rack', { path: 'locked' }), refusedBy('device-refused'));
    await assert.rejects(client.connectors.browse('a-b'), refusedBy('invalid-name'));
  });

  test('watches the states of connectors and providers', async (t) => {
    const channel = client.channel();
    t.after(() => channel.close());
    const seen: string[] = [];
    const watching = (async () => {
      for await (const { updates } of channel.watchConnectors('all')) {
        for (const { name, state, removed } of updates) seen.push(`${name} ${state}${removed ? ' removed' : ''}`);
      }
    })();
    await until('the present states', async () => seen.includes('rack up'));
    await client.configuration.transaction(
      [{ operation: 'put', family: 'connectors', name: 'brief', object: { name: 'brief', stackName: 'rack' } }],
      { render: true },
    );
    await until('the new one', async () => seen.includes('brief up'));
    await client.configuration.transaction([{ operation: 'delete', family: 'connectors', name: 'brief' }], {
      render: true,
    });
    await until('its end', async () => seen.includes('brief up removed'));
    for await (const { updates } of channel.watchProviders(['panel'])) {
      assert.deepEqual(
        updates.map(({ name, state }) => [name, state]),
        [['panel', 'up']],
      );
      break;
    }
    await assert.rejects(channel.watchConnectors(['nobody']).next(), refusedBy('unknown-object'));
    channel.close();
    await watching;
  });
});
