// What the contract says of the channel where clients were surprised: batches with a malformed item, watches of what goes
// and comes back, and commands that change before they are written.
import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { cleanupOf } from '@telltale/stack-kit/testing/cleanup';
import { type Answer, CheckedChannel } from './checked-channel.ts';
import { put } from './live-plant.ts';
import { LiveServer } from './live-server.ts';
import { until } from './until.ts';

const live = new LiveServer({
  begin: () =>
    live.apply([
      put('commands', 'one', { datatype: 'd' }),
      put('commands', 'two', { datatype: 'i' }),
      put('measurements', 'first', { datatype: 'd' }),
      put('measurements', 'second', { datatype: 'd' }),
      put('alarms', 'bell', { severity: 1 }),
      put('alarms', 'horn', { severity: 1 }),
    ]),
});
const { data } = live;

async function channelFor(t: TestContext): Promise<CheckedChannel> {
  const channel = await CheckedChannel.open(live.process.url);
  cleanupOf(t).defer(() => channel.close());
  return channel;
}

const outcomes = ({ results = [] }: Answer) =>
  results.map(({ name, error }) => `${name} ${error?.type.split('#problem-').at(-1) ?? 'done'}`);

describe('a batch with an item that is wrong is carried out for the others', () => {
  /** What no typed client sends. */
  const ask = async (channel: CheckedChannel, request: string, fields: object) => {
    const answer = await channel.ask(request as 'WriteCommands', fields as { writes: [] });
    assert.equal(answer.result, false);
    assert.deepEqual(answer.error, answer.results?.find(({ result }) => !result)?.error);
    return outcomes(answer);
  };

  test('of writes', async (t) => {
    const channel = await channelFor(t);
    const writes = [
      { name: 'one', value: 'd1e3' },
      { name: 'one', value: 5 },
      { name: 'one' },
      { name: 'one', value: 'd7', colour: 'red' },
      { name: 'two', value: 'i42' },
    ];
    assert.deepEqual(await ask(channel, 'WriteCommands', { writes }), [
      'one invalid-value',
      'one invalid-body',
      'one invalid-body',
      'one invalid-body',
      'two done',
    ]);
    assert.equal((await data.read<{ vt: [string] }>('/commands/two')).vt[0], 'i42');
    assert.equal((await data.read<{ vt: [string] }>('/commands/one')).vt[0], 'd0');
  });

  test('of simulations', async (t) => {
    const channel = await channelFor(t);
    const simulations = [
      { name: 'first', value: 'x' },
      { name: 'first', value: 'd1', quality: -1 },
      { name: 'first', value: 'd1', 'valid-for': 0 },
      { name: 'second', value: 'd2' },
    ];
    assert.deepEqual(await ask(channel, 'SimulateMeasurements', { simulations }), [
      'first invalid-value',
      'first invalid-body',
      'first invalid-body',
      'second done',
    ]);
    assert.deepEqual(Object.keys(await data.read<object>('/simulations')), ['second']);
    await channel.done('StopSimulation', { measurements: ['second'] });
  });

  test('of operations on alarms', async (t) => {
    const channel = await channelFor(t);
    const operations = [
      { name: 'bell', opcode: 'explode' },
      { name: 'bell', opcode: null },
      { name: 'horn', opcode: 'activate' },
    ];
    const expected = ['bell invalid-body', 'bell invalid-body', 'horn done'];
    assert.deepEqual(await ask(channel, 'OperateAlarms', { operations }), expected);
    const stateOf = async (name: string) => (await data.read<{ state: string }>(`/alarms/${name}`)).state;
    assert.deepEqual([await stateOf('bell'), await stateOf('horn')], ['INACT_ACK', 'ACT_UNACK']);
  });

  test('but an item without a name refuses the message', async (t) => {
    const channel = await channelFor(t);
    for (const item of [{ value: 'd1' }, 5, null, { name: 5, value: 'd1' }]) {
      const fields = { writes: [{ name: 'two', value: 'i1' }, item] } as unknown as { writes: [] };
      await channel.refused('invalid-body', 'WriteCommands', fields);
    }
  });
});

describe('a watch by name', () => {
  const kinds = {
    measurements: {
      request: 'WatchMeasurements',
      notification: 'MeasurementUpdateNotification',
      more: { datatype: 'd' },
    },
    commands: { request: 'WatchCommands', notification: 'CommandUpdateNotification', more: { datatype: 'd' } },
    alarms: { request: 'WatchAlarms', notification: 'AlarmStateChangeNotification', more: { severity: 1 } },
  } as const;
  for (const [kind, { request, notification, more }] of Object.entries(kinds) as [
    keyof typeof kinds,
    (typeof kinds)[keyof typeof kinds],
  ][]) {
    test(`of ${kind} outlives its object: after removed it tells again when the object is back`, async (t) => {
      const [channel, other] = [await channelFor(t), await channelFor(t)];
      const create = put(kind, 'phoenix', more);
      await live.apply([create, put(kind, 'bystander', more)]);
      for (const each of [channel, other]) {
        await each.done(request as 'WatchAlarms', { [kind]: ['phoenix', 'bystander'] } as { alarms: string[] });
      }
      const seen = (each = channel) =>
        each.reported<{ removed?: boolean }>(notification, 'phoenix').map(({ removed }) => removed === true);
      for (let round = 1; round <= 2; round++) {
        await live.apply([{ operation: 'delete', family: kind, name: 'phoenix' }]);
        await until('the removal', async () => seen().at(-1) === true);
        await live.apply([create]);
        await until('the return', async () => seen().length === 1 + 2 * round && seen().at(-1) === false);
      }
      const unwatch = `Un${request[0]?.toLowerCase()}${request.slice(1)}` as 'UnwatchAlarms';
      await live.apply([{ operation: 'delete', family: kind, name: 'phoenix' }]);
      await until('the removal', async () => seen().at(-1) === true && seen(other).at(-1) === true);
      await channel.done(unwatch, { [kind]: ['phoenix'] } as { alarms: string[] });
      await live.apply([create]);
      await until('the return, to the other', async () => seen(other).at(-1) === false);
      await channel.settled();
      assert.equal(seen().at(-1), true);
    });
  }
});

test('a command that was never written and changes its datatype is told to its watchers', async (t) => {
  const channel = await channelFor(t);
  await live.apply([put('commands', 'unwritten', { datatype: 'd' })]);
  await channel.done('WatchCommands', { commands: ['unwritten'] });
  const values = () => channel.reported<{ vt: [string, number[]] }>('CommandUpdateNotification', 'unwritten');
  await live.apply([put('commands', 'unwritten', { datatype: 'i' })]);
  await until('the other datatype', async () => values().at(-1)?.vt[0] === 'i0');
  assert.deepEqual(
    values().map(({ vt }) => vt),
    [
      ['d0', [0, 0]],
      ['i0', [0, 0]],
    ],
  );
});
