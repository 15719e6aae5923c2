// Watches by selector over the channel: what there is of it now, what comes later, what matches no longer, and how they end.
import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { CheckedChannel } from './checked-channel.ts';
import { put } from './live-plant.ts';
import { LiveServer } from './live-server.ts';
import { until } from './until.ts';

const skid = (number: number, fields: Record<string, unknown> = {}) =>
  put('measurements', `skid_${number}`, { datatype: 'd', area: 'works.dosing', ...fields });

const live = new LiveServer({
  begin: () =>
    live.apply([
      skid(1),
      skid(2),
      put('commands', 'skid_start', { datatype: 'b', area: 'works' }),
      put('alarms', 'skid_high', { severity: 2, area: 'works' }),
    ]),
});
const { data } = live;

async function channelFor(t: TestContext): Promise<CheckedChannel> {
  const channel = await CheckedChannel.open(live.process.url);
  t.after(() => channel.close());
  return channel;
}

type Kind = 'Measurements' | 'Commands' | 'Alarms';
const fieldOf = { Measurements: 'measurements', Commands: 'commands', Alarms: 'alarms' } as const;

/** The number of the selection. */
async function watch(channel: CheckedChannel, kind: Kind, selector: object): Promise<number> {
  const { selection } = await channel.done(`Watch${kind}`, { [fieldOf[kind]]: selector } as never);
  return selection as number;
}

interface Told {
  readonly name: string;
  readonly left?: true;
  readonly removed?: true;
  readonly vtq?: readonly [string];
}

/** What a selection was told, in order: names, and how they went. */
function told({ messages }: CheckedChannel, selection: number | undefined): string[] {
  const items = messages.flatMap((each) => {
    if (!('notification' in each) || (each as { selection?: number }).selection !== selection) return [];
    return ('updates' in each ? each.updates : 'changes' in each ? each.changes : []) as Told[];
  });
  return items.map(({ name, left, removed, vtq }) => {
    const mark = left ? ' left' : removed ? ' removed' : '';
    return `${name}${mark}${vtq !== undefined && vtq[0] !== 'd0' ? ` ${vtq[0]}` : ''}`;
  });
}

const simulate = (name: string, value: string) => data.done('PUT', `/measurements/${name}?value=${value}`);
const stop = (name: string) => data.done('DELETE', `/measurements/${name}`);

describe('a watch of measurements by selector', () => {
  test('is answered with its number, then has the present values, then every change, and ends by the same selector', async (t) => {
    const channel = await channelFor(t);
    const id = await watch(channel, 'Measurements', { names: ['skid_*'], area: ['works'] });
    await simulate('skid_1', 'd1');
    await simulate('level', 'd1');
    await simulate('skid_1', 'd2');
    await until('the changes', async () => told(channel, id).length === 4);
    assert.deepEqual(told(channel, id), ['skid_1', 'skid_2', 'skid_1 d1', 'skid_1 d2']);
    await channel.done('UnwatchMeasurements', { measurements: { area: ['works'], names: ['skid_*', 'skid_*'] } });
    await stop('skid_1');
    await channel.settled();
    assert.equal(told(channel, id).length, 4);
    assert.deepEqual(told(channel, undefined), []);
    await stop('level');
  });

  test('gets points that come later, and those that go, are back or are moved away are told so', async (t) => {
    const channel = await channelFor(t);
    const id = await watch(channel, 'Measurements', { area: ['works'] });
    await live.apply([skid(3), put('measurements', 'elsewhere', { datatype: 'd', area: 'office' })]);
    await until('the new one', async () => told(channel, id).includes('skid_3'));
    await live.apply([{ operation: 'delete', family: 'measurements', name: 'skid_3' }]);
    await until('its removal', async () => told(channel, id).includes('skid_3 removed'));
    await live.apply([skid(3)]);
    await until('it is back', async () => told(channel, id).at(-1) === 'skid_3');
    await live.apply([skid(3, { area: 'office' })]);
    await until('it is moved away', async () => told(channel, id).at(-1) === 'skid_3 left');
    await simulate('skid_3', 'd9');
    await live.apply([skid(3)]);
    await until('it is moved back', async () => told(channel, id).at(-1) === 'skid_3 d9');
    assert.deepEqual(told(channel, id), [
      'skid_1',
      'skid_2',
      'skid_3',
      'skid_3 removed',
      'skid_3',
      'skid_3 left',
      'skid_3 d9',
    ]);
    await live.apply([{ operation: 'delete', family: 'measurements', name: 'skid_3' }]);
  });

  test('follows a rename: the old name is removed, and the new one comes where it matches', async (t) => {
    const channel = await channelFor(t);
    const id = await watch(channel, 'Measurements', { names: ['skid_*'] });
    const other = await watch(channel, 'Measurements', { names: ['*_renamed'] });
    // Its history follows, and meanwhile the next rename is refused.
    const rename = (from: string, to: string) =>
      until(`${from} is ${to}`, async () => {
        const url = `${live.process.url}/config/v2/measurements/${from}/rename?to=${to}&render=1`;
        return (await fetch(url, { method: 'POST' })).status === 200;
      });
    await rename('skid_2', 'skid_renamed');
    await until('the new name', async () => told(channel, id).length === 4 && told(channel, other).length === 1);
    assert.deepEqual(told(channel, id), ['skid_1', 'skid_2', 'skid_2 removed', 'skid_renamed']);
    assert.deepEqual(told(channel, other), ['skid_renamed']);
    await rename('skid_renamed', 'skid_2');
    await until('the old name', async () => told(channel, id).length === 6 && told(channel, other).length === 2);
    assert.deepEqual(told(channel, other), ['skid_renamed', 'skid_renamed removed']);
  });

  test('by quality tells those that turn so, and once more those that are so no longer', async (t) => {
    const channel = await channelFor(t);
    const forced = await watch(channel, 'Measurements', { quality: ['simulated'] });
    const bad = await watch(channel, 'Measurements', { names: ['skid_1'], quality: ['bad'] });
    await simulate('skid_1', 'd5');
    await simulate('skid_1', 'd6');
    await stop('skid_1');
    await until('the end', async () => told(channel, bad).length === 3 && told(channel, forced).length === 3);
    assert.deepEqual(told(channel, forced), ['skid_1 d5', 'skid_1 d6', 'skid_1 left']);
    assert.deepEqual(told(channel, bad), ['skid_1', 'skid_1 left d5', 'skid_1']);
  });

  test('is beside watches by name and of all, each with its own notifications; unwatching all ends them all', async (t) => {
    const channel = await channelFor(t);
    await channel.done('WatchMeasurements', { measurements: ['skid_1'] });
    const id = await watch(channel, 'Measurements', { names: ['skid_*'] });
    await simulate('skid_1', 'd3');
    await until('both', async () => told(channel, id).length === 3 && told(channel, undefined).length === 2);
    assert.deepEqual(told(channel, undefined), ['skid_1', 'skid_1 d3']);
    await channel.done('UnwatchMeasurements', { measurements: ['skid_1', 'skid_2'] });
    await simulate('skid_1', 'd4');
    await until('the selector goes on', async () => told(channel, id).length === 4);
    await channel.done('UnwatchMeasurements', { measurements: 'all' });
    await stop('skid_1');
    await channel.settled();
    assert.deepEqual([told(channel, id).length, told(channel, undefined).length], [4, 2]);
  });

  test('that is malformed is refused, and a pattern among names is told how to be watched', async (t) => {
    const channel = await channelFor(t);
    for (const wrong of [{}, { names: 'skid_*' }, { place: ['works'] }, { quality: ['worse'] }, { names: [7] }, null]) {
      await channel.refused('invalid-body', 'WatchMeasurements', { measurements: wrong });
    }
    await channel.refused('invalid-body', 'WatchAlarms', { alarms: { quality: ['bad'] } });
    await channel.refused('invalid-body', 'WatchConnectors', { connectors: { names: ['*'] } });
    await channel.refused('invalid-query', 'WatchMeasurements', { measurements: { names: Array(101).fill('*') } });
    const { error } = await channel.refused('unknown-object', 'WatchMeasurements', { measurements: ['skid_*'] });
    assert.equal(
      error?.detail,
      'measurements has no "skid_*". A pattern is watched by a selector: {"names": ["skid_*"]}.',
    );
    await channel.done('UnwatchMeasurements', { measurements: { names: ['never watched'] } });
  });

  test('is bounded: a client has a hundred selectors of a kind', async (t) => {
    const channel = await channelFor(t);
    for (let at = 0; at < 100; at++) await watch(channel, 'Measurements', { names: [`skid_${at}*`] });
    const refused = { measurements: { names: ['b*'] } };
    const { error } = await channel.refused('too-many-watches', 'WatchMeasurements', refused);
    assert.equal(error?.detail, 'A client may watch by 100 selectors of a kind.');
    await channel.done('UnwatchMeasurements', { measurements: { names: ['skid_0*'] } });
    await watch(channel, 'Measurements', { names: ['b*'] });
    assert.equal(await watch(channel, 'Alarms', { names: ['skid*'] }), 1);
  });
});

test('commands are watched by selector: writes, and what comes, leaves and goes', async (t) => {
  const channel = await channelFor(t);
  const id = await watch(channel, 'Commands', { area: ['works'] });
  await data.done('PUT', '/commands/skid_start?value=b1');
  await until('the write', async () => told(channel, id).length === 2);
  await live.apply([put('commands', 'skid_stop', { datatype: 'b', area: 'works' })]);
  await until('the new one', async () => told(channel, id).at(-1) === 'skid_stop');
  await live.apply([put('commands', 'skid_stop', { datatype: 'b' })]);
  await until('it leaves', async () => told(channel, id).at(-1) === 'skid_stop left');
  await live.apply([{ operation: 'delete', family: 'commands', name: 'skid_stop' }]);
  await channel.done('UnwatchCommands', { commands: { area: ['works'] } });
  await data.done('PUT', '/commands/skid_start?value=b0');
  await channel.settled();
  assert.deepEqual(told(channel, id), ['skid_start', 'skid_start', 'skid_stop', 'skid_stop left']);
});

test('alarms are watched by selector: every transition, and what comes, leaves and goes', async (t) => {
  const channel = await channelFor(t);
  const id = await watch(channel, 'Alarms', { search: 'SKID', area: ['works'] });
  const first = 'AlarmStateChangeNotification';
  await data.done('POST', '/alarms/skid_high/activate');
  await data.done('POST', '/alarms/manual/activate');
  await data.done('POST', '/alarms/skid_high/acknowledge');
  await data.done('POST', '/alarms/skid_high/deactivate');
  await until('the transitions', async () => told(channel, id).length === 4);
  assert.deepEqual(
    channel.reported<{ state: string }>(first).map(({ state }) => state),
    ['INACT_ACK', 'ACT_UNACK', 'ACT_ACK', 'INACT_ACK'],
  );
  await live.apply([put('alarms', 'skid_low', { severity: 2, area: 'works' })]);
  await until('the new one', async () => told(channel, id).at(-1) === 'skid_low');
  await live.apply([{ operation: 'delete', family: 'alarms', name: 'skid_low' }]);
  await until('it goes', async () => told(channel, id).at(-1) === 'skid_low removed');
  await live.apply([put('alarms', 'skid_high', { severity: 2 })]);
  await until('it leaves', async () => told(channel, id).at(-1) === 'skid_high left');
});
