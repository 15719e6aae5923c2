// Watching: the answer, then the present values, then every change, in order, none lost; and how a watch ends.
import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import type { LiveAlarm, LiveMeasurement } from '@telltale/schema';
import { CheckedChannel } from './checked-channel.ts';
import { oddNames, put } from './live-plant.ts';
import { LiveServer } from './live-server.ts';
import { until } from './until.ts';

const live = new LiveServer();
const { data } = live;

async function channelFor(t: TestContext): Promise<CheckedChannel> {
  const channel = await CheckedChannel.open(live.process.url);
  t.after(() => channel.close());
  return channel;
}

const update = 'MeasurementUpdateNotification';
const simulate = (name: string, value: string) => data.done('PUT', `/measurements/${name}?value=${value}`);
const stop = (name: string) => data.done('DELETE', `/measurements/${name}`);
const numbers = (values: string[]) => values.map((value) => Number(value.slice(1)));

/** Each is one more than the one before. */
function assertWhole(counts: number[]): void {
  const gaps = counts.filter((count, at) => at > 0 && count !== (counts[at - 1] ?? 0) + 1);
  assert.deepEqual(gaps, []);
}

describe('a watch of measurements', () => {
  test('is answered, then reports the present values in one notification, each once, then every change', async (t) => {
    const channel = await channelFor(t);
    await simulate('level', 'd1');
    await channel.done('WatchMeasurements', { measurements: ['level', 'zero_i', 'level', '__proto__'] });
    await simulate('level', 'd2');
    await simulate('zero_b', 'b1');
    await simulate('level', 'd3');
    await until('the changes', async () => channel.values('level').length === 3);
    const [answer, present, ...rest] = channel.messages;
    assert.ok(answer && 'request_id' in answer && present && 'notification' in present && 'updates' in present);
    assert.deepEqual(
      (present.updates as { name: string }[]).map(({ name }) => name),
      ['level', 'zero_i', '__proto__'],
    );
    assert.deepEqual(channel.values('level'), ['d1', 'd2', 'd3']);
    assert.deepEqual(channel.values('zero_b'), []);
    assert.ok(rest.length <= 2);
    const last = channel.reported(update, 'level').at(-1);
    assert.deepEqual(last, { name: 'level', vtq: (await data.read<LiveMeasurement>('/measurements/level')).vtq });
    await stop('level');
    await until('the end of the simulation', async () => channel.values('level').length === 4);
  });

  test('reports every change, in order, none lost, whoever watches what beside it', async (t) => {
    const last = 2000;
    const lists = [['zero_i'], ['zero_i'], ['zero_i', 'level'], ['counter', 'zero_i'], 'all'] as const;
    const channels = await Promise.all(lists.map(() => channelFor(t)));
    for (const [at, channel] of channels.entries()) {
      await channel.done('WatchMeasurements', { measurements: lists[at] as 'all' });
    }
    const source = await channelFor(t);
    for (let value = 1; value <= last; value += 50) {
      const simulations = Array.from({ length: 50 }, (_, at) => ({ name: 'zero_i', value: `i${value + at}` }));
      await source.done('SimulateMeasurements', { simulations });
    }
    for (const channel of channels) {
      await until('the last change', async () => channel.values('zero_i').at(-1) === `i${last}`);
      assert.equal(channel.values('zero_i').length, last + 1);
      assertWhole(numbers(channel.values('zero_i')));
    }
    await stop('zero_i');
  });

  test('that comes in the middle begins with the present value and misses nothing after it', async (t) => {
    await live.apply([
      put('connectors', 'quick', { stackName: 'simulator', vars: { scanPeriodMs: '10' } }),
      put('measurements', 'quick', { datatype: 'i', connectorName: 'quick', address: 'counter(period=0.01)' }),
    ]);
    const first = await channelFor(t);
    await first.done('WatchMeasurements', { measurements: 'all' });
    for (let times = 0; times < 10; times++) {
      const later = await channelFor(t);
      await later.done('WatchMeasurements', { measurements: ['quick'] });
      await until('some changes', async () => later.values('quick').length > 10);
      const seen = later.values('quick');
      await until('the same', async () => first.values('quick').includes(seen.at(-1) ?? ''));
      const from = first.values('quick').indexOf(seen[0] ?? '');
      assert.deepEqual(seen, first.values('quick').slice(from, from + seen.length));
    }
  });

  test('of "all" reports what there is now, and what is added later', async (t) => {
    const channel = await channelFor(t);
    await channel.done('WatchMeasurements', { measurements: 'all' });
    const names = () => new Set(channel.reported<{ name: string }>(update).map(({ name }) => name));
    const all = Object.keys(await data.read<object>('/measurements/'));
    await until('the present values', async () => names().size >= all.length);
    assert.deepEqual([...names()].sort(), all.sort());
    await live.apply([put('measurements', 'later', { datatype: 'i' })]);
    await simulate('later', 'i8');
    await until('the new one', async () => channel.values('later').includes('i8'));
  });

  test('of names within "all" ends nothing, and reports their present values', async (t) => {
    const channel = await channelFor(t);
    await channel.done('WatchMeasurements', { measurements: 'all' });
    await channel.done('WatchMeasurements', { measurements: ['zero_q'] });
    await simulate('zero_f', 'f8');
    await until('a change of another one', async () => channel.values('zero_f').includes('f8'));
    assert.equal(channel.values('zero_q').length, 2);
    await stop('zero_f');
  });

  test('ends for the names that are unwatched, and for no others', async (t) => {
    const channel = await channelFor(t);
    for (const watched of [['zero_i', 'zero_l', 'zero_d'], 'all'] as const) {
      await channel.done('WatchMeasurements', { measurements: watched as 'all' });
      await channel.done('UnwatchMeasurements', { measurements: ['zero_i', 'nobody'] });
      const before = channel.values('zero_i').length;
      await simulate('zero_i', 'i1');
      await simulate('zero_l', 'l1');
      await until('the other one', async () => channel.values('zero_l').at(-1) === 'l1');
      assert.equal(channel.values('zero_i').length, before);
      await channel.done('UnwatchMeasurements', { measurements: 'all' });
      const after = channel.messages.length;
      await simulate('zero_d', 'd1');
      await channel.settled();
      await stop('zero_d');
      await channel.settled();
      assert.ok(channel.messages.slice(after).every((each) => 'request_id' in each));
      for (const name of ['zero_i', 'zero_l']) await stop(name);
    }
  });

  test('of some known and some unknown names watches the known ones', async (t) => {
    const channel = await channelFor(t);
    const { results } = await channel.refused('unknown-object', 'WatchMeasurements', {
      measurements: ['nobody', 'zero_s', 'valueOf', ''],
    });
    assert.deepEqual(
      results?.map(({ result }) => result),
      [false, true, false, false],
    );
    await simulate('zero_s', 'shello');
    await until('the change', async () => channel.values('zero_s').includes('shello'));
  });

  test('ends with the measurement, and says so', async (t) => {
    const [byName, ofAll] = [await channelFor(t), await channelFor(t)];
    await live.apply([
      put('measurements', 'brief', { datatype: 'd' }),
      put('measurements', 'staying', { datatype: 'd' }),
    ]);
    await byName.done('WatchMeasurements', { measurements: ['brief', 'staying'] });
    await ofAll.done('WatchMeasurements', { measurements: 'all' });
    await live.apply([{ operation: 'delete', family: 'measurements', name: 'brief' }]);
    for (const channel of [byName, ofAll]) {
      const [, last] = await until('the removal', async () => {
        const reported = channel.reported(update, 'brief');
        return reported.length > 1 && reported;
      });
      const { removed, vtq } = last as { removed?: boolean; vtq: [string, number[], number] };
      assert.deepEqual([removed, vtq[2]], [true, 0x04]);
    }
    await live.apply([put('measurements', 'brief', { datatype: 'd' })]);
    await simulate('brief', 'd3');
    await simulate('staying', 'd4');
    await until('the one that stayed', async () => byName.values('staying').includes('d4'));
    await until('the new one, to whoever watches all', async () => ofAll.values('brief').includes('d3'));
    await until('the new one, to whoever watches its name', async () => byName.values('brief').includes('d3'));
  });
});

describe('a watch of commands', () => {
  const reported = (channel: CheckedChannel, name: string) =>
    channel.reported<{ vt: [string] }>('CommandUpdateNotification', name).map(({ vt }) => vt[0]);

  test('reports the present values, then every write in order', async (t) => {
    const channel = await channelFor(t);
    await data.done('PUT', '/commands/local?value=d0');
    await channel.done('WatchCommands', { commands: ['local', '__proto__', 'local'] });
    for (let value = 1; value <= 50; value++) await data.done('PUT', `/commands/local?value=d${value}`);
    await data.done('PUT', '/commands/own_d?value=d1');
    await until('the writes', async () => reported(channel, 'local').length > 50);
    assertWhole(numbers(reported(channel, 'local')));
    assert.deepEqual([reported(channel, 'own_d'), reported(channel, '__proto__')], [[], ['i0']]);
    await channel.done('UnwatchCommands', { commands: 'all' });
    await data.done('PUT', '/commands/local?value=d99');
    await channel.settled();
    assert.equal(reported(channel, 'local').length, 51);
  });

  test('of "all" reports those that come, that go, and of whatever is called oddly', async (t) => {
    const channel = await channelFor(t);
    await channel.done('WatchCommands', { commands: 'all' });
    await live.apply([put('commands', 'brief', { datatype: 'd' })]);
    for (const name of oddNames) await data.done('PUT', `/commands/${name}?value=i5`);
    await data.done('PUT', '/commands/brief?value=d5');
    await live.apply([{ operation: 'delete', family: 'commands', name: 'brief' }]);
    const gone = () => channel.reported<{ removed?: boolean }>('CommandUpdateNotification', 'brief').at(-1);
    await until('the removal', async () => gone()?.removed === true);
    assert.ok(reported(channel, 'brief').includes('d5'));
    for (const name of oddNames) assert.ok(reported(channel, name).includes('i5'), name);
  });
});

describe('a watch of alarms', () => {
  const reported = (channel: CheckedChannel, name: string) =>
    channel.reported<LiveAlarm & { removed?: boolean }>('AlarmStateChangeNotification', name);

  test('reports the present states, then every transition in order, and no request that changed nothing', async (t) => {
    const channel = await channelFor(t);
    await channel.done('WatchAlarms', { alarms: ['manual', 'high'] });
    for (let round = 0; round < 20; round++) {
      for (const operation of ['activate', 'activate', 'acknowledge', 'deactivate', 'acknowledge']) {
        await data.done('POST', `/alarms/manual/${operation}`);
      }
    }
    await simulate('level', 'd81');
    await until('the trigger', async () => reported(channel, 'high').at(-1)?.state === 'ACT_UNACK');
    const expected = Array.from({ length: 20 }, () => ['ACT_UNACK', 'ACT_ACK', 'INACT_ACK']).flat();
    assert.deepEqual(
      reported(channel, 'manual').map(({ state }) => state),
      ['INACT_ACK', ...expected],
    );
    assert.deepEqual(await data.read('/alarms/high'), reported(channel, 'high').at(-1));
    await stop('level');
  });

  test('of "all" reports removed ones', async (t) => {
    const channel = await channelFor(t);
    await live.apply([put('alarms', 'brief', { severity: 1 })]);
    await channel.done('WatchAlarms', { alarms: 'all' });
    await live.apply([{ operation: 'delete', family: 'alarms', name: 'brief' }]);
    await until('the removal', async () => reported(channel, 'brief').at(-1)?.removed);
  });
});

test('a watch of function modules reports those that are there, come and go', async (t) => {
  const channel = await channelFor(t);
  const reported = () => channel.reported('FunctionModuleUpdateNotification');
  const fields = { termToKill: 1000, queryTimeout: 1000, enabled: false };
  await live.apply([put('function-modules', 'report', fields)]);
  await channel.done('WatchFunctionModules', { function_modules: 'all' });
  await live.apply([put('function-modules', '__proto__', fields)]);
  await live.apply([{ operation: 'delete', family: 'function-modules', name: 'report' }]);
  await until('all three', async () => reported().length >= 3);
  const states = reported().map(({ name, state, removed }) => ({ name, state, ...(removed === true && { removed }) }));
  assert.deepEqual(states, [
    { name: 'report', state: 'STOP' },
    { name: '__proto__', state: 'STOP' },
    { name: 'report', state: 'STOP', removed: true },
  ]);
});

test('a client that has gone is watched for no longer', async () => {
  await until('those before have gone', async () => (await watches()) === 0);
  const channel = await CheckedChannel.open(live.process.url);
  await channel.done('WatchMeasurements', { measurements: ['level', 'zero_d'] });
  await channel.done('WatchAlarms', { alarms: 'all' });
  assert.equal(await watches(), 3);
  await channel.close();
  await until('the end of the watches', async () => (await watches()) === 0);
});

async function watches(): Promise<number> {
  const text = await (await fetch(`${live.process.url}/metrics`)).text();
  const [, count] = /^telltale_channel_watches (\d+)$/m.exec(text) ?? assert.fail('there is no count of watches');
  return Number(count);
}
