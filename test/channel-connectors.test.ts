// Watching connectors and providers over the channel: their present states, then every change, and that they are gone.
import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import type { InstanceState } from '@telltale/schema';
import { CheckedChannel } from './checked-channel.ts';
import { put } from './live-plant.ts';
import { LiveServer } from './live-server.ts';
import { rackArgs, rackPlant } from './rack-plant.ts';
import { until } from './until.ts';

const live = new LiveServer({ args: rackArgs, begin: () => live.apply(rackPlant) });
const { data } = live;

const connectors = 'ConnectorUpdateNotification';
const providers = 'ProviderUpdateNotification';
type Update = InstanceState & { removed?: true };

async function channelFor(t: TestContext): Promise<CheckedChannel> {
  const channel = await CheckedChannel.open(live.process.url);
  t.after(() => channel.close());
  return channel;
}

const states = (channel: CheckedChannel, notification: string, name: string) =>
  channel.reported<Update>(notification, name).map(({ state, removed }) => (removed ? `${state}, removed` : state));

const stateOf = async (name: string) =>
  (
    await data.read<Record<string, InstanceState>>(
      `/connectors/?names=${name}&fields=name,state,since,last-error,disabled`,
    )
  )[name];

describe('a watch of connectors', () => {
  test('is answered, then reports the present states in one notification', async (t) => {
    await until('all have tried', async () => (await stateOf('fatal'))?.state === 'failed');
    const channel = await channelFor(t);
    await channel.done('WatchConnectors', { connectors: ['rack', 'fatal', '__proto__', 'rack'] });
    await channel.settled();
    const [answer, present] = channel.messages;
    assert.ok(answer && 'request_id' in answer && present && 'notification' in present);
    assert.equal(present.notification, connectors);
    const reported = channel.reported<Update>(connectors);
    assert.deepEqual(
      reported.map(({ name }) => name),
      ['rack', 'fatal', '__proto__'],
    );
    assert.deepEqual(reported[1], await stateOf('fatal'));
    assert.match(reported[1]?.['last-error']?.text ?? '', /the licence has ended/);
  });

  test('reports every change of a state, with the reason', async (t) => {
    const channel = await channelFor(t);
    await channel.done('WatchConnectors', { connectors: ['weak'] });
    await until('it is up', async () => states(channel, connectors, 'weak').at(-1) === 'up');
    const before = channel.reported(connectors, 'weak').length;
    await data.done('PUT', '/commands/drop?value=d1');
    await until('it was down, and is up again', async () => {
      const since = states(channel, connectors, 'weak').slice(before);
      return since.includes('down') && since.at(-1) === 'up';
    });
    const down = channel.reported<Update>(connectors, 'weak').find(({ state }) => state === 'down');
    assert.match(down?.['last-error']?.text ?? '', /drop_link/);
    assert.deepEqual(channel.reported<Update>(connectors, 'weak').at(-1), await stateOf('weak'));
    assert.deepEqual(channel.reported(connectors, 'rack'), []);
  });

  test('reports those that come and go, of "all" and of a name', async (t) => {
    const [ofAll, byName] = [await channelFor(t), await channelFor(t)];
    await ofAll.done('WatchConnectors', { connectors: 'all' });
    const all = (await data.read<string[]>('/connectors/names')).length;
    await until('all', async () => ofAll.reported(connectors).length >= all);
    await live.apply([put('connectors', 'brief', { stackName: 'rack' })]);
    await until('the new one is up', async () => states(ofAll, connectors, 'brief').at(-1) === 'up');
    await byName.done('WatchConnectors', { connectors: ['brief'] });
    await live.apply([{ operation: 'delete', family: 'connectors', name: 'brief' }]);
    for (const channel of [ofAll, byName]) {
      await until('it is removed', async () => /, removed$/.test(states(channel, connectors, 'brief').at(-1) ?? ''));
    }
    await live.apply([put('connectors', 'brief', { stackName: 'rack' })]);
    for (const channel of [ofAll, byName]) {
      await until('it is there again', async () => states(channel, connectors, 'brief').at(-1) === 'up');
    }
    await live.apply([{ operation: 'delete', family: 'connectors', name: 'brief' }]);
  });

  test('of some unknown names watches the known ones, and ends when it is reported to', async (t) => {
    const channel = await channelFor(t);
    const { results } = await channel.refused('unknown-object', 'WatchConnectors', {
      connectors: ['nobody', 'weak', 'valueOf', 'panel'],
    });
    assert.deepEqual(
      results?.map(({ result }) => result),
      [false, true, false, false],
    );
    await until('it is told', async () => channel.reported(connectors, 'weak').length > 0);
    await channel.done('UnwatchConnectors', { connectors: ['weak', 'nobody'] });
    const before = channel.messages.length;
    await data.done('PUT', '/commands/drop?value=d0.5');
    await until('it was lost', async () => (await stateOf('weak'))?.state !== 'up');
    await until('it is back', async () => (await stateOf('weak'))?.state === 'up');
    await channel.settled();
    assert.ok(channel.messages.slice(before).every((each) => 'request_id' in each));
    await channel.refused('invalid-body', 'WatchConnectors', { connectors: 'some' });
    await channel.refused('invalid-body', 'WatchConnectors', { providers: 'all' });
  });
});

describe('a watch of providers', () => {
  test('reports the present states, changes, and removals', async (t) => {
    const channel = await channelFor(t);
    await until('they are up', async () => {
      const all = await data.read<Record<string, InstanceState>>('/providers/?fields=state');
      return Object.values(all).every(({ state }) => state === 'up');
    });
    await channel.done('WatchProviders', { providers: 'all' });
    await until('both', async () => channel.reported(providers).length >= 2);
    assert.deepEqual(states(channel, providers, 'panel'), ['up']);
    await live.apply([put('providers', 'closed', { stackName: 'rack', properties: { note: 'changed' } })]);
    await until('it was started anew', async () => {
      const since = states(channel, providers, 'closed').slice(1);
      return since.at(-1) === 'up';
    });
    await live.apply([{ operation: 'delete', family: 'providers', name: 'closed' }]);
    await until('it is gone', async () => states(channel, providers, 'closed').at(-1) === 'up, removed');
    await channel.done('UnwatchProviders', { providers: 'all' });
    assert.deepEqual(states(channel, providers, 'panel'), ['up']);
  });
});
