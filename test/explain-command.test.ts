// Why a command is what it is: who wrote it, what the device said, and what stands in its way.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { CommandExplanation } from '@telltale/schema';
import { put } from './live-plant.ts';
import { LiveServer } from './live-server.ts';
import { rackArgs, rackPlant } from './rack-plant.ts';
import { until } from './until.ts';

const live = new LiveServer({
  args: rackArgs,
  begin: async () => {
    await live.apply([
      ...rackPlant,
      put('commands', 'served', {
        datatype: 'd',
        connectorName: 'rack',
        address: 'u1.level',
        eu: 'm',
        providerAddresses: { tags: 'level.set' },
      }),
      put('providers', 'tags', { stackName: 'simulator' }),
      put('commands', 'by_bus', { datatype: 'd', connectorName: 'device', address: 'bus(level.set)' }),
      put('commands', 'lost', { datatype: 'd', connectorName: 'unreachable', address: 'u1.level' }),
    ]);
  },
});
const { data } = live;

const explain = (name: string) => live.read<CommandExplanation>(`/commands/${name}/explain`, CommandExplanation);
const write = (name: string, value: string) => data.done('PUT', `/commands/${name}?value=${value}`);

describe('a command is explained', () => {
  test('that was never written, and whose value is its initial one', async () => {
    const never = await explain('own_d');
    assert.deepEqual([never.origin, never.by, never['last-write'], never.raw], ['never', null, null, null]);
    assert.deepEqual([never.vt, never.connector, never.address], [['d0', [0, 0]], null, null]);
    assert.match(
      never.summary,
      /^It was never written: .* It has no connector: it is a value of the service itself\.$/,
    );
    const initial = await explain('initial');
    assert.deepEqual([initial.origin, initial.vt[0], initial.by], ['initial', 'd5.5', null]);
    assert.match(initial.summary, /^It was never written; 5\.5 is its initialValue\. /);
  });

  test('that was written: by whom, when, through which connector, and who serves it', async () => {
    await until('the links are up', async () => {
      const { connector, providers } = await explain('served');
      return connector?.state === 'up' && providers[0]?.state === 'up';
    });
    await write('served', 'd2.5');
    const found = await explain('served');
    assert.deepEqual(
      [found.origin, found.vt[0], found.by, found.raw, found.eu],
      ['written', 'd2.5', 'local', 'd2.5', 'm'],
    );
    const { t, ...last } = found['last-write'] ?? assert.fail();
    assert.deepEqual(last, { value: 'd2.5', by: 'local', outcome: 'accepted', error: null });
    assert.ok(Math.abs(Date.now() / 1000 - t[0]) < 60);
    assert.match(found.summary, /^2\.5 m was written at .*Z, by local, and the device accepted it\.$/);
    assert.deepEqual([found.connector?.name, found.connector?.stack, found.address], ['rack', 'rack', 'u1.level']);
    assert.deepEqual(
      found.providers.map(({ name, stack, address }) => [name, stack, address]),
      [['tags', 'simulator', 'level.set']],
    );
    assert.ok((found.rendering?.revision ?? 0) > 0);
  });

  test('that a client of a provider has written: by that provider', async () => {
    await write('by_bus', 'd3');
    const { by, vt, 'last-write': last } = await explain('served');
    assert.deepEqual([by, vt[0], last?.by], ['provider/tags', 'd3', 'provider/tags']);
  });

  test('that the device has refused: what it said, and what it was before', async () => {
    await write('set_scaled', 'd50');
    await write('refuse', 'b1');
    await data.refused('write-refused', 'PUT', '/commands/set_scaled?value=d60');
    const { summary, vt, 'last-write': last } = await explain('set_scaled');
    assert.deepEqual([vt[0], last?.value, last?.outcome, last?.by], ['d50', 'd60', 'refused', 'local']);
    assert.match(last?.error ?? '', /interlock open/);
    assert.match(summary, /^50 was written .* 60, written at .*Z by local, was refused: .*interlock open/);
    await write('refuse', 'b0');
    await data.refused('out-of-range', 'PUT', '/commands/set_scaled?value=d1000000');
    assert.equal((await explain('set_scaled'))['last-write']?.value, 'd1000000');
  });

  test('whose connector is not up: since when and why', async () => {
    await until('it was tried', async () => (await explain('lost')).connector?.['last-error'] !== null);
    const { summary, connector } = await explain('lost');
    assert.notEqual(connector?.state, 'up');
    assert.match(summary, /^It was never written.* Connector unreachable is \w+ since .*: .*nobody is there/);
  });

  test('by every name that there is, and no other', async () => {
    for (const name of Object.keys(await data.read<object>('/commands/'))) await explain(name);
    for (const name of ['nobody', 'hidden', 'valueOf', 'a-b']) {
      await data.refused('unknown-object', 'GET', `/commands/${name}/explain`);
    }
    await data.refused('invalid-query', 'GET', '/commands/initial/explain?x=1');
    assert.deepEqual(await data.undocumented(), []);
  });

  test('after a restart: by whom is stored, what became of refused writes is not', async () => {
    await write('local', 'd7');
    await live.restart('SIGKILL');
    const { by, origin, vt, 'last-write': last } = await explain('local');
    assert.deepEqual([by, origin, vt[0], last], ['local', 'written', 'd7', null]);
  });
});
