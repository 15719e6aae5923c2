// Points that come and go while the connector runs: the server is asked for the difference alone.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { quality } from '@telltale/schema';
import { until } from '@telltale/stack-kit/testing';
import { UaBench } from './ua-bench.ts';
import { UaDevice } from './ua-device.ts';

const { address } = UaDevice;
type Points = Parameters<UaBench['setPoints']>[0];

interface Asked {
  readonly created: number;
  readonly deleted: number;
  readonly subscriptions: number;
  readonly ended: number;
  readonly samplings: readonly number[];
}

describe('a change of the points', () => {
  let device: UaDevice;
  before(async () => {
    device = await UaDevice.start({ minSupportedSampleRate: 0 });
    await device.order({ kind: 'many', value: 40 });
  });
  after(() => device.stop());

  const items = (count: number): Points =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`Item${at}`, { datatype: 'd' }]));

  async function running(points: Points, use: (bench: UaBench) => Promise<void>) {
    await new UaBench(device).running(points, use);
  }

  const counts = async () => (await device.order({ kind: 'asked' })) as Asked;

  /** What the server is asked for, until what is expected has come. */
  async function askedFor(change: (before: Asked) => Promise<unknown>): Promise<Asked> {
    const was = await counts();
    await change(was);
    const is = await counts();
    return {
      created: is.created - was.created,
      deleted: is.deleted - was.deleted,
      subscriptions: is.subscriptions - was.subscriptions,
      ended: is.ended - was.ended,
      samplings: is.samplings.slice(was.samplings.length),
    };
  }
  const nothing = { created: 0, deleted: 0, subscriptions: 0, ended: 0, samplings: [] };

  test('loses no value of a point that stays, whatever its id becomes', async () => {
    const ticks = { datatype: 'i', properties: { samplingInterval: '0', queueSize: '1000' } } as const;
    await running({ Ticks: ticks }, async (bench) => {
      const values = () => bench.values.get('Ticks') ?? [];
      await bench.reads('Ticks', 0);
      await device.order({ kind: 'tick', value: 2 });
      for (let round = 1; round <= 12; round++) {
        const seen = values().length;
        // In front of it and behind it by turns, more and fewer.
        const others = items((round * 7) % 30);
        bench.setPoints(round % 2 === 0 ? { Ticks: ticks, ...others } : { ...others, Ticks: ticks });
        await until('some more have come', () => values().length > seen + 20);
      }
      const last = (await device.order({ kind: 'tick' })) as number;
      await bench.reads('Ticks', last, quality.good);
      const changes = values().filter((value, at, all) => value !== all[at - 1]);
      assert.deepEqual(
        changes,
        Array.from({ length: last + 1 }, (_, at) => at),
      );
    });
  });

  test('has one point more monitored where one was added', async () => {
    await running(items(30), async (bench) => {
      await until('all values are there', () => bench.readings.size === 30);
      const asked = await askedFor(async () => {
        bench.setPoints({ Level: { datatype: 'd' }, ...items(30) });
        await until('the new one has a value', () => bench.readings.has('Level'));
      });
      assert.deepEqual(asked, { ...nothing, created: 1, samplings: [20] });
    });
  });

  test('has one point deleted where one was removed', async () => {
    await running({ Flow: { datatype: 'd' }, ...items(30) }, async (bench) => {
      await until('all values are there', () => bench.readings.size === 31);
      const asked = await askedFor(async ({ deleted }) => {
        bench.setPoints(items(30));
        await until('it is deleted', async () => (await counts()).deleted > deleted);
      });
      assert.deepEqual(asked, { ...nothing, deleted: 1 });
      await device.order({ kind: 'set', node: address('Item3'), value: 33 });
      await bench.reads('Item3', 33, quality.good);
      await device.order({ kind: 'set', node: address('Item3'), value: 3 });
    });
  });

  test('publishes the present value of every point again, and asks the server for none', async () => {
    const points = { Flow: { datatype: 'd' }, Nowhere: { datatype: 'd' }, ...items(5) } as const;
    await running(points, async (bench) => {
      await until('all readings are there', () => bench.readings.size === 7);
      const before = new Map(bench.readings);
      const asked = await askedFor(async () => {
        bench.readings.clear();
        bench.setPoints(Object.fromEntries(Object.entries(points).reverse()));
        await until('all readings are there again', () => bench.readings.size === 7);
      });
      assert.deepEqual(asked, nothing);
      for (const [name, reading] of before) assert.deepEqual(bench.readings.get(name), reading, name);
      assert.equal(bench.readings.get('Nowhere')?.quality, quality.bad.configurationError);
    });
  });

  test('moves a point whose settings have changed, and ends a subscription that has none left', async () => {
    const points = (properties: Record<string, string>): Points => ({
      Flow: { datatype: 'd', properties },
      ...items(3),
    });
    await running(points({}), async (bench) => {
      await until('all values are there', () => bench.readings.size === 4);
      const movedTo = (properties: Record<string, string>) =>
        askedFor(async () => {
          bench.values.clear();
          bench.setPoints(points(properties));
          await until('it has a value anew', () => bench.values.has('Flow'));
        });
      const slower = await movedTo({ samplingInterval: '250' });
      assert.deepEqual(slower, { ...nothing, created: 1, deleted: 1, samplings: [250] });
      const apart = await movedTo({ samplingInterval: '250', publishingInterval: '90' });
      assert.deepEqual(apart, { ...nothing, created: 1, deleted: 1, subscriptions: 1, samplings: [250] });
      const back = await movedTo({ samplingInterval: '250' });
      assert.deepEqual(back, { ...nothing, created: 1, ended: 1, samplings: [250] });
      await device.order({ kind: 'set', node: address('Flow'), value: 8 });
      await bench.reads('Flow', 8, quality.good);
      await device.order({ kind: 'set', node: address('Flow'), value: 7 });
    });
  });
});
