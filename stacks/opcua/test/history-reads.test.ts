// HistoryRead before a client in a process of its own: what is answered, what is refused, and how it goes on.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { Refused } from '@telltale/stack-kit';
import { maxContinuations } from '../src/history-continuations.ts';
import type { HistoryOrder } from './client-history.ts';
import { historyOf, record } from './history-in-memory.ts';
import { point, Served } from './served.ts';
import { UaClientProcess } from './ua-client.ts';

const startUs = 1_700_000_000_000_000;
const level = 'ns=2;s=At.level';
const plain = 'ns=2;s=At.plain';
const note = 'ns=2;s=At.note';
const points = [
  { ...point(1, 'level', 'd'), isArchived: true },
  point(2, 'plain', 'd'),
  { ...point(3, 'note', 's'), isArchived: true },
];
const all = Array.from({ length: 10 }, (_, at) => record(startUs + at * 1_000_000 + 250, at, at === 4 ? 0x18 : 0xc0));
const whole: HistoryOrder = { raw: { start: startUs, end: startUs + 60_000_000 } };

describe('HistoryRead of a provider', () => {
  let clients: UaClientProcess;
  before(async () => {
    clients = await UaClientProcess.start();
  });
  after(() => clients.stop());

  async function open(t: Parameters<typeof Served.start>[0]) {
    const served = await Served.start(t, points);
    served.history = historyOf(all);
    return { served, client: await clients.open({ port: served.port, userName: 'ann', password: 'look' }) };
  }

  test('gives raw records with value, status and time to the microsecond', async (t) => {
    const { client } = await open(t);
    const { status, point: more, values } = await client.history(level, whole);
    assert.equal(status, 'Good');
    assert.equal(more, '');
    assert.deepEqual(
      values.map(({ value, status: each, timeUs }) => [value, each, timeUs]),
      all.map(({ value, quality, timeUs }) => [value, quality === 0xc0 ? 'Good' : 'BadCommunicationError', timeUs]),
    );
    assert.equal(values[0]?.type, 'Double');
    // The archive has the times of the source: who wants both gets those, who wants others is told.
    const both = await client.history(level, { ...whole, stamps: 'Both' });
    for (const [first] of [values, both.values]) {
      assert.deepEqual([first?.timeUs, first?.serverUs], [startUs + 250, undefined]);
    }
    assert.equal((await client.read('i=19091')).value ?? false, false, 'ServerTimestampSupported');
    const none = await client.history(level, { raw: { start: startUs - 9_000_000, end: startUs - 8_000_000 } });
    assert.deepEqual(none, { status: 'GoodNoData', point: '', values: [] });
    await client.close();
  });

  test('goes on from a continuation point, once, of the same node and session', async (t) => {
    const { served, client } = await open(t);
    const request: HistoryOrder = { raw: { ...whole.raw, count: 4 } };
    const first = await client.history(level, request);
    assert.equal(first.values.length, 4);
    const other = await clients.open({ port: served.port, userName: 'joe', password: 'secret' });
    assert.equal(
      (await other.history(level, { ...request, point: first.point })).status,
      'BadContinuationPointInvalid',
    );
    await other.close();
    const second = await client.history(level, { ...request, point: first.point });
    const third = await client.history(level, { ...request, point: second.point });
    assert.deepEqual(
      [...first.values, ...second.values, ...third.values].map(({ value }) => value),
      all.map(({ value }) => value),
    );
    assert.equal(third.point, '');
    const again = await client.history(level, { ...request, point: first.point });
    assert.equal(again.status, 'BadContinuationPointInvalid');
    await client.close();
  });

  test('keeps few continuation points for a session, and fewer when they are released', async (t) => {
    const { client } = await open(t);
    const request: HistoryOrder = { raw: { ...whole.raw, count: 1 } };
    const points: string[] = [];
    for (let at = 0; at < maxContinuations; at++) points.push((await client.history(level, request)).point);
    assert.equal((await client.history(level, request)).status, 'BadNoContinuationPoints');
    const released = await client.history(level, { ...request, point: points[0] as string, isReleased: true });
    assert.deepEqual(released, { status: 'Good', point: '', values: [] });
    assert.equal(
      (await client.history(level, { ...request, point: points[0] as string })).status,
      'BadContinuationPointInvalid',
    );
    assert.equal((await client.history(level, request)).status, 'Good');
    await client.close();
  });

  test('gives the value at a time: the record there, or the stepped one before it', async (t) => {
    const { served, client } = await open(t);
    served.history = historyOf([
      record(startUs, 1),
      record(startUs + 10_000_000, 2, 0x44),
      record(startUs + 20_000_000, 3, 0x18),
      record(startUs + 30_000_000, 4),
    ]);
    const at = async (seconds: number, isSimple = false) => {
      const order = { at: { times: [startUs + seconds * 1_000_000], isSimple } };
      const [value] = (await client.history(level, order)).values;
      return [value?.value, value?.status, (value?.bits ?? 0) & 0xff];
    };
    assert.deepEqual(await at(-1), [null, 'BadNoData', 0]);
    assert.deepEqual(await at(0), [1, 'Good', 0]);
    assert.deepEqual(await at(5), [1, 'Good', 2]);
    assert.deepEqual(await at(10), [2, 'UncertainLastUsableValue', 0]);
    assert.deepEqual(await at(15), [2, 'UncertainDataSubNormal', 2]);
    assert.deepEqual(await at(20), [3, 'BadCommunicationError', 0]);
    assert.deepEqual(await at(25), [2, 'UncertainDataSubNormal', 2]);
    assert.deepEqual(await at(25, true), [null, 'BadNoData', 0]);
    assert.deepEqual(await at(31), [4, 'Good', 2]);
    assert.deepEqual(await at(9e9), [4, 'UncertainDataSubNormal', 2], 'nobody knows the time to come');
    await client.close();
  });

  test('refuses what it cannot answer, with the status that says so', async (t) => {
    const { served, client } = await open(t);
    const statusOf = async (order: HistoryOrder, node = level) => (await client.history(node, order)).status;
    const processed = { start: startUs, end: startUs + 1_000_000, intervalMs: 0, aggregate: 'TimeAverage2' } as const;
    const rules = { useServerCapabilitiesDefaults: false, percentDataBad: 100, percentDataGood: 100 };
    assert.equal(await statusOf({ raw: { ...whole.raw, isModified: true } }), 'BadHistoryOperationUnsupported');
    assert.equal(await statusOf({ events: true }), 'BadHistoryOperationUnsupported');
    assert.equal(await statusOf(whole, plain), 'BadHistoryOperationUnsupported');
    assert.equal(await statusOf(whole, 'ns=2;s=At.nothing'), 'BadNodeIdUnknown');
    assert.equal(await statusOf(whole, 'i=2258'), 'BadHistoryOperationUnsupported');
    assert.equal(await statusOf({ raw: { start: startUs } }), 'BadHistoryOperationInvalid');
    assert.equal(await statusOf({ ...whole, stamps: 'Neither' }), 'BadInvalidTimestampArgument');
    assert.equal(await statusOf({ ...whole, stamps: 'Server' }), 'BadTimestampNotSupported');
    assert.equal(await statusOf({ processed, stamps: 'Server' }), 'BadTimestampsToReturnInvalid');
    assert.equal(await statusOf({ ...whole, indexRange: '0:1' }), 'BadIndexRangeInvalid');
    assert.equal(await statusOf({ ...whole, encoding: 'Default XML' }), 'BadDataEncodingInvalid');
    assert.equal(await statusOf({ ...whole, point: 'c0ffee' }), 'BadContinuationPointInvalid');
    assert.equal(await statusOf({ at: { times: [] } }), 'BadInvalidArgument');
    assert.equal(await statusOf({ at: { times: Array(1001).fill(startUs) } }), 'BadTooManyOperations');
    assert.equal(await statusOf({ at: { times: Array(501).fill(startUs) }, nodes: 100 }), 'BadTooManyOperations');
    assert.equal(await statusOf({ at: { times: Array(49).fill(startUs) } }, note), 'BadTooManyOperations');
    assert.equal(await statusOf({ at: { times: Array(48).fill(startUs) } }, note), 'Good');
    assert.equal(
      await statusOf({ processed: { ...processed, aggregate: 'Interpolative' } }),
      'BadAggregateNotSupported',
    );
    assert.equal(await statusOf({ processed: { ...processed, end: startUs } }), 'BadInvalidArgument');
    assert.equal(await statusOf({ processed: { ...processed, intervalMs: -1 } }), 'BadInvalidArgument');
    const asBad = { ...rules, treatUncertainAsBad: true };
    assert.equal(await statusOf({ processed: { ...processed, rules: asBad } }), 'BadAggregateConfigurationRejected');
    const impossible = { ...rules, percentDataBad: 80, percentDataGood: 0 };
    assert.equal(await statusOf({ processed: { ...processed, rules: impossible } }), 'BadAggregateInvalidInputs');
    served.history = {
      read: async () => {
        throw new Refused('too many');
      },
      aggregate: async () => [],
    };
    assert.equal(await statusOf(whole), 'BadResourceUnavailable');
    await assert.rejects(client.history(level, { ...whole, nodes: 101 }), /BadTooManyOperations/);
    await client.close();
  });

  test('shows which variables have a history, how it is read, and which aggregates there are', async (t) => {
    const { served, client } = await open(t);
    const attribute = (node: string, value: string) => client.order({ kind: 'attribute', node, value });
    assert.equal(await attribute(level, 'Historizing'), true);
    assert.equal(await attribute(plain, 'Historizing'), false);
    assert.equal((await attribute(level, 'AccessLevel')) as number, 0b101);
    assert.equal((await attribute(plain, 'AccessLevel')) as number, 0b001);
    const configuration = (await client.browse(level)).find(({ name }) => name === 'HA Configuration');
    const stepped = (await client.browse(configuration?.nodeId ?? '')).find(({ name }) => name === 'Stepped');
    assert.equal((await client.read(stepped?.nodeId ?? '')).value, true);
    const functions = (await client.browse('i=11201')).map(({ name }) => name);
    assert.ok(
      functions.includes('TimeAverage2') && functions.includes('Average') && !functions.includes('Interpolative'),
    );
    assert.equal((await client.read('i=11193')).value, true, 'AccessHistoryDataCapability');
    assert.equal((await client.read('i=11273')).value, 10_000, 'MaxReturnDataValues');
    served.provider.setPoints({ measurements: points.map((each) => ({ ...each, isArchived: false })), commands: [] });
    assert.equal(await attribute(level, 'Historizing'), false);
    await client.close();
  });
});
