// Connectors and providers over HTTP: how they are, what their devices and scan groups are, how many points are good.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Collection, connectorFields, LiveConnector, LiveProvider, Names, providerFields } from '@telltale/schema';
import { LiveServer } from './live-server.ts';
import { rackArgs, rackPlant } from './rack-plant.ts';
import { until } from './until.ts';

const live = new LiveServer({ args: rackArgs, begin: () => live.apply(rackPlant) });
const { data } = live;

const write = (command: string, value: string) => data.done('PUT', `/commands/${command}?value=${value}`);
const connector = (name: string) => live.read<LiveConnector>(`/connectors/${name}`, LiveConnector);
const provider = (name: string) => live.read<LiveProvider>(`/providers/${name}`, LiveProvider);

/** As soon as it is so. */
const once = (name: string, isSo: (found: LiveConnector) => boolean) =>
  until(`connector ${name} is so`, async () => {
    const found = await connector(name);
    return isSo(found) && found;
  });

const secondsAgo = ([seconds]: readonly [number, number]) => Date.now() / 1000 - seconds;

describe('the connectors', () => {
  test('are listed with all their fields, with some, all or by name, and by their names alone', async () => {
    const names = ['__proto__', 'device', 'fatal', 'rack', 'unreachable', 'watched', 'weak'];
    assert.deepEqual(await live.read('/connectors/names', Names), names);
    const all = await data.read<Record<string, LiveConnector>>('/connectors/');
    assert.deepEqual(Object.keys(all), names);
    assert.equal((await data.ask('GET', '/connectors/')).headers.get('cache-control'), 'no-store');
    await live.read('/connectors/', Collection(LiveConnector));
    for (const each of Object.values(all)) assert.deepEqual(Object.keys(each), connectorFields);
    assert.deepEqual(await data.read('/connectors/?names=rack,nobody,__proto__&fields=stack,name'), {
      ['__proto__']: { name: '__proto__', stack: 'counters' },
      rack: { name: 'rack', stack: 'rack' },
    });
    for (const field of connectorFields) {
      const some = await data.read<{ rack: LiveConnector }>(`/connectors/?names=rack&fields=${field}`);
      assert.deepEqual(Object.keys(some.rack), [field]);
    }
    assert.equal((await connector('__proto__')).name, '__proto__');
  });

  test('that there are not are not found', async () => {
    for (const name of ['nobody', 'constructor', 'a-b', 'panel']) {
      await data.refused('unknown-object', 'GET', `/connectors/${name}`);
    }
    await data.refused('unknown-object', 'GET', '/providers/rack');
    await data.refused('invalid-query', 'GET', '/connectors/?fields=colour');
    await data.refused('invalid-query', 'GET', '/connectors/?names=a-b');
    await data.refused('invalid-query', 'GET', '/connectors/rack?fields=state');
    await data.refused('method-not-allowed', 'PUT', '/connectors/rack');
  });

  test('report their state, since when, and the last error', async () => {
    const up = await once('rack', ({ state }) => state === 'up');
    assert.deepEqual([up.stack, up['last-error']], ['rack', null]);
    assert.ok(secondsAgo(up.since) >= 0 && secondsAgo(up.since) < 60);
    const failed = await once('fatal', ({ state }) => state === 'failed');
    assert.match(failed['last-error']?.text ?? '', /the licence has ended/);
    const down = await once('unreachable', (each) => each['last-error'] !== null);
    assert.match(down['last-error']?.text ?? '', /nobody is there/);
    assert.notEqual(down.state, 'up');
    assert.ok(down.counters.errors > 0 && down.counters.connects === 0);
  });

  test('report how fast they are and what they count', async () => {
    const busy = await once('rack', (each) => each['values-per-second'] > 0 && each['requests-per-second'] > 0);
    const { counters, 'round-trip': roundTrip, thread } = busy;
    assert.ok(thread >= 1);
    for (const milliseconds of [roundTrip?.p50, roundTrip?.p99]) assert.ok(Math.abs((milliseconds ?? 0) - 1.5) < 0.15);
    const { values, batches, requests, connects } = counters;
    assert.ok(values > batches && batches > 0 && requests > 0 && connects === 1);
    await write('set_u1_level', 'd1');
    await once('rack', (each) => each.counters['writes-accepted'] > 0);
    assert.equal((await connector('unreachable'))['round-trip'], null);
  });

  test('report each device and scan group behind them', async () => {
    const {
      devices,
      'scan-groups': groups,
      'left-out': leftOut,
    } = await once('rack', (each) => each.devices.length > 0);
    assert.deepEqual(
      devices.map(({ name, state, 'last-error': error }) => [name, state, error]),
      [
        ['u1', 'up', null],
        ['u2', 'up', null],
      ],
    );
    const [group] = groups;
    const { scans, ...fixed } = group ?? assert.fail();
    assert.deepEqual(fixed, { period: 20, points: 4, requests: 2, overruns: 1, took: 0.5 });
    assert.ok(scans > 0);
    assert.equal(leftOut, 0);
    await write('set_u2_power', 'i0');
    const lost = await once('rack', (each) => each.devices[1]?.state === 'down' && each.points.bad === 1);
    assert.equal(lost.devices[1]?.['last-error'], 'u2 does not answer');
    assert.deepEqual([lost.state, lost.points], ['up', { good: 3, uncertain: 0, bad: 1 }]);
    await once('rack', (each) => each.counters['requests-failed'] > 0);
    await write('set_u2_power', 'i1');
    await once('rack', (each) => each.points.good === 4);
  });

  test('count their points by what the device makes of them: no simulation hides a fault, or makes one', async () => {
    await once('rack', (each) => each.points.good === 4);
    await data.done('PUT', '/measurements/u1_level?value=d5&quality=0');
    await data.done('PUT', '/measurements/lost?value=d5');
    assert.deepEqual((await connector('rack')).points, { good: 4, uncertain: 0, bad: 0 });
    assert.deepEqual((await connector('unreachable')).points, { good: 0, uncertain: 0, bad: 1 });
    for (const name of ['u1_level', 'lost']) await data.done('DELETE', `/measurements/${name}`);
    await write('set_u1_raw', 'i10001');
    await once('rack', (each) => each.points.uncertain === 1 && each.points.good === 3);
    await write('set_u1_raw', 'i1');
  });

  test('that are removed are gone at once, and those that are added are there', async () => {
    await live.apply([
      { operation: 'put', family: 'connectors', name: 'brief', object: { name: 'brief', stackName: 'rack' } },
    ]);
    assert.equal((await connector('brief')).stack, 'rack');
    await live.apply([{ operation: 'delete', family: 'connectors', name: 'brief' }]);
    await data.refused('unknown-object', 'GET', '/connectors/brief');
  });
});

describe('the providers', () => {
  test('are listed with all their fields, and report their clients and points', async () => {
    assert.deepEqual(await live.read('/providers/names', Names), ['closed', 'panel']);
    await live.read('/providers/', Collection(LiveProvider));
    const found = await until('the clients', async () => {
      const each = await provider('panel');
      return each.clients === 3 && each.points.good === 2 && each;
    });
    assert.deepEqual(Object.keys(found), providerFields);
    assert.deepEqual([found.state, found.stack, found.points.bad], ['up', 'rack', 0]);
    assert.ok(found.counters.values > 0);
    assert.deepEqual((await provider('closed')).points, { good: 0, uncertain: 0, bad: 0 });
    await data.done('PUT', '/measurements/u1_level?value=d5&quality=0');
    await until('what it serves', async () => (await provider('panel')).points.bad === 1);
    await data.done('DELETE', '/measurements/u1_level');
  });
});

test('everything that was answered stands in the reference', async () => {
  assert.deepEqual(await data.undocumented(), []);
});
