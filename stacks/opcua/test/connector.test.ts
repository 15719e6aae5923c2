// The connector against a server in a process of its own.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type Datatype, quality, systemClock, type Value } from '@telltale/schema';
import { until } from '@telltale/stack-kit/testing';
import { UaBench } from './ua-bench.ts';
import { UaDevice } from './ua-device.ts';

const { address } = UaDevice;

describe('a connector', () => {
  let device: UaDevice;
  before(async () => {
    device = await UaDevice.start();
  });
  after(() => device.stop());

  async function running(
    points: Parameters<UaBench['setPoints']>[0],
    variables: Record<string, string>,
    use: (bench: UaBench) => Promise<void>,
    clock = systemClock,
  ) {
    await new UaBench(device, variables, clock).running(points, use);
  }

  test('reads and writes every type that a point has a datatype for, exactly', async () => {
    const cases: [string, Datatype, Value, (number | bigint | string)?][] = [
      ['Open', 'b', true, 1],
      ['AnySByte', 'i', -128],
      ['AnyByte', 'q', 3],
      ['AnyInt16', 'i', -32768],
      ['AnyUInt16', 'i', 65535],
      ['Count', 'i', -(2 ** 31)],
      ['AnyUInt32', 'l', 4294967295n],
      ['Total', 'l', -9007199254740993n],
      ['AnyUInt64', 'l', 9223372036854775807n],
      ['AnyFloat', 'f', 0.10000000149011612],
      ['Level', 'd', 0.1],
      ['Label', 's', 'läuft'],
      ['AnyDateTime', 's', '2026-05-01T12:00:00.123456Z'],
      ['AnyGuid', 's', '09087e75-8e5e-499b-954f-f2a9603db28a'],
      ['AnyByteString', 's', '00ff7f'],
      ['AnyLocalizedText', 's', 'running'],
    ];
    const points = Object.fromEntries(cases.map(([node, datatype]) => [node, { datatype }]));
    await running(points, {}, async (bench) => {
      for (const [node, datatype, value] of cases) await bench.write(node, datatype, value);
      for (const [node, , value, read] of cases) await bench.reads(node, read ?? (value as string), quality.good);
    });
  });

  test('reads one element of an array or a matrix, and writes it alone', async () => {
    const points = {
      first: { datatype: 'd' as const, node: 'Temperatures;[0]' },
      third: { datatype: 'd' as const, node: 'Temperatures;[2]' },
      whole: { datatype: 'd' as const, node: 'Temperatures' },
      beyond: { datatype: 'd' as const, node: 'Temperatures;[9]' },
      ofMatrix: { datatype: 'd' as const, node: 'Grid;[1,2]' },
    };
    await running(points, {}, async (bench) => {
      await bench.reads('third', 3);
      await bench.write('Temperatures;[2]', 'd', 7.5);
      await bench.reads('third', 7.5);
      assert.equal(bench.readings.get('first')?.value, 1);
      await bench.has('whole', quality.bad.configurationError);
      await bench.has('beyond', quality.bad.configurationError);
      assert.deepEqual(await device.order({ kind: 'get', node: address('Temperatures') }), [1, 2, 7.5, 4]);
      await bench.reads('ofMatrix', 6);
      await bench.write('Grid;[1,2]', 'd', 8.5);
      await bench.reads('ofMatrix', 8.5);
      assert.deepEqual(await device.order({ kind: 'get', node: address('Grid') }), [1, 2, 3, 4, 5, 8.5]);
    });
  });

  test('refuses an element of what is no array, and a whole array, when reading and when writing', async () => {
    await running({ char: { datatype: 's', node: 'Label;[0]' } }, {}, async (bench) => {
      await device.order({ kind: 'set', node: address('Label'), value: 'text' });
      await bench.has('char', quality.bad.configurationError);
      for (const node of ['Label;[0]', 'Level;[0]', 'AnyByteString;[0,1]']) {
        await assert.rejects(bench.write(node, 's', 'x'), { name: 'refused', message: /is no array: leave out ;\[0/ });
      }
      await assert.rejects(bench.write('Temperatures', 'd', 1), {
        name: 'refused',
        message: /is an array: name an el/,
      });
      assert.equal(await device.order({ kind: 'get', node: address('Label') }), 'text');
    });
  });

  test('takes the beginning and the end of time for no times', async () => {
    const points = { AnyDateTime: { datatype: 's' as const }, Flow: { datatype: 'd' as const } };
    // A time alone is no change that is reported.
    await running(points, { subscriptions: 'false', scanPeriodMs: '20' }, async (bench) => {
      for (const end of ['1601-01-01T00:00:00.000000Z', '9999-12-31T23:59:59.000000Z']) {
        await bench.write('AnyDateTime', 's', end);
        await bench.reads('AnyDateTime', end, quality.uncertain.nonSpecific);
        await bench.write('AnyDateTime', 's', '2026-05-01T12:00:00.000000Z');
        await bench.reads('AnyDateTime', '2026-05-01T12:00:00.000000Z', quality.good);
        const stamped = { kind: 'status', node: address('Flow'), value: 'Good' };
        await device.order({ ...stamped, type: end });
        const { timeUs } = await bench.reads('Flow', 7, quality.uncertain.nonSpecific);
        assert.ok(Math.abs(timeUs / 1000 - Date.now()) < 600_000, 'it is stamped here');
        await device.order({ ...stamped, type: new Date() });
        await bench.reads('Flow', 7, quality.good);
      }
    });
  });

  test('writes the whole range of UInt64 from a text', async () => {
    await running({ AnyUInt64: { datatype: 's' } }, {}, async (bench) => {
      await bench.write('AnyUInt64', 's', '18446744073709551615');
      await bench.reads('AnyUInt64', '18446744073709551615', quality.good);
    });
  });

  test('brings the status of a value as a quality, and the time of its source', async () => {
    await running({ Flow: { datatype: 'd' } }, {}, async (bench) => {
      await bench.reads('Flow', 7, quality.good);
      const at = new Date(Date.now() - 5000);
      const status = (value: string) => device.order({ kind: 'status', node: address('Flow'), value, type: at });
      await status('UncertainSensorNotAccurate');
      const { timeUs, value } = await bench.has('Flow', quality.uncertain.sensorNotAccurate);
      assert.deepEqual([timeUs, value], [at.getTime() * 1000, 7]);
      await status('BadSensorFailure');
      assert.equal((await bench.has('Flow', quality.bad.sensorFailure)).value, undefined);
      assert.match(bench.connector.explain?.({ id: 0 } as never)?.error ?? '', /BadSensorFailure/);
      await until('it is logged', () => bench.log.some((line) => line.startsWith('bad: Flow: BadSensorFailure')));
      await status('Good');
      await bench.reads('Flow', 7, quality.good);
    });
  });

  test('does not take the times of a server whose clock is wrong', async () => {
    const use = async (bench: UaBench) => {
      const { timeUs } = await bench.has('Level', quality.uncertain.nonSpecific);
      assert.ok(timeUs > (Date.now() + 3_500_000) * 1000, 'the time of the reading is that of the connector');
    };
    const ahead = { ...systemClock, now: () => systemClock.now() + 3_600_000_000 };
    await running({ Level: { datatype: 'd' } }, {}, use, ahead);
  });

  test('knows a namespace by its URI, and turns points of unknown ones bad', async () => {
    const points = {
      known: { datatype: 'd' as const, address: 'nsu=urn:telltale:test-device;s=Flow' },
      unknown: { datatype: 'd' as const, address: 'nsu=urn:nobody;s=Flow' },
    };
    await running(points, {}, async (bench) => {
      await bench.reads('known', 7);
      await bench.has('unknown', quality.bad.configurationError);
      assert.match(bench.connector.explain?.({ id: 1 } as never)?.error ?? '', /no namespace urn:nobody/);
    });
  });

  test('leaves a deadband to the server, and does without where the node can have none', async () => {
    const points = { Setpoint: { datatype: 'd' as const }, Label: { datatype: 's' as const } };
    await device.order({ kind: 'set', node: address('Setpoint'), value: 100 });
    await running(points, { deviceDeadband: '5' }, async (bench) => {
      await bench.reads('Setpoint', 100);
      await device.order({ kind: 'set', node: address('Setpoint'), value: 102 });
      await device.order({ kind: 'set', node: address('Label'), value: 'seen' });
      await bench.reads('Label', 'seen');
      await device.order({ kind: 'set', node: address('Setpoint'), value: 200 });
      await bench.reads('Setpoint', 200);
      assert.equal(bench.values.get('Setpoint')?.length, 2);
    });
  });

  test('says what type a node takes where a value does not fit, and sends nothing', async () => {
    await running({}, {}, async (bench) => {
      await assert.rejects(bench.write('Speed', 'd', 1.5), {
        name: 'refused',
        message: /type Int32 and takes a whole/,
      });
      await assert.rejects(bench.write('Nowhere', 'd', 1.5), { name: 'refused', message: /BadNodeIdUnknown/ });
      await assert.rejects(bench.write('Locked', 'i', 1), { name: 'refused', message: /^BadNotWritable: / });
    });
  });

  test('does not call refused what a device behind the server may have', async () => {
    await running({}, {}, async (bench) => {
      await assert.rejects(bench.write('Gateway', 'd', 1.5), { name: 'unknown', message: /^BadTimeout: / });
    });
  });

  test('reads by itself where subscriptions are not wanted', async () => {
    const points = { Level: { datatype: 'd' as const }, Nowhere: { datatype: 'd' as const } };
    await running(points, { subscriptions: 'false', scanPeriodMs: '20' }, async (bench) => {
      await device.order({ kind: 'set', node: address('Level'), value: 11.5 });
      await bench.reads('Level', 11.5, quality.good);
      await device.order({ kind: 'set', node: address('Level'), value: 12.5 });
      await bench.reads('Level', 12.5, quality.good);
      await bench.has('Nowhere', quality.bad.configurationError);
      assert.equal(bench.connector.detail?.().scanGroups?.[0]?.periodMs, 20);
      assert.equal(bench.connector.explain?.({ id: 0, properties: {} } as never)?.scanPeriodMs, 20);
    });
  });

  test('monitors thousands of nodes, made in slices', async () => {
    await device.order({ kind: 'many', value: 3000 });
    const names = Array.from({ length: 3000 }, (_, at) => `Item${at}`);
    const points = Object.fromEntries(names.map((name) => [name, { datatype: 'd' as const }]));
    await running(points, {}, async (bench) => {
      await until('all values are there', () => bench.readings.size === 3000);
      for (const [at, name] of names.entries()) assert.equal(bench.readings.get(name)?.value, at);
    });
  });

  test('shows what the server has: folders, variables with unit and access, elements of arrays', async () => {
    await running({}, {}, async ({ connector }) => {
      const { signal } = new AbortController();
      const look = (path?: string, cursor?: string, limit = 100) =>
        connector.browse?.({ path, cursor, limit }, signal) ?? assert.fail();
      const plant = (await look()).items.find(({ title }) => title === 'Plant');
      assert.ok(plant?.path !== undefined && plant.measurement === undefined);
      const { items } = await look(plant.path, undefined, 1000);
      const item = (wanted: string) => items.find(({ title }) => title === wanted) ?? assert.fail(wanted);
      const uri = 'nsu=urn:telltale:test-device';
      const level = { name: 'Level', address: `${uri};s=Level`, datatype: 'd', description: 'Level of the tank' };
      assert.deepEqual(item('Level').measurement, level);
      assert.deepEqual(item('Level').command, level);
      assert.equal(item('Locked').command, undefined);
      assert.equal(item('Flow').measurement?.eu, 'm³/h');
      assert.equal(item('Total').measurement?.datatype, 'l');
      assert.equal(item('Silent').measurement?.datatype, 'f', 'though it has no value yet');
      const elements = await look(item('Temperatures').path, undefined, 3);
      assert.deepEqual(
        elements.items.map(({ measurement }) => measurement?.address),
        [0, 1, 2].map((at) => `${uri};s=Temperatures;[${at}]`),
      );
      assert.equal((await look(item('Temperatures').path, elements.cursor, 3)).items.length, 1);
      const first = await look(plant.path, undefined, 5);
      assert.equal(first.items.length, 5);
      const second = await look(plant.path, first.cursor, 5);
      assert.equal(second.items[0]?.title, items[5]?.title);
      await assert.rejects(look('ns=1;s=Nowhere'), { name: 'Refused', message: /BadNodeIdUnknown/ });
      await assert.rejects(look('nowhere'), { name: 'Refused' });
      await assert.rejects(look(plant.path, 'bm90aGluZw'), { name: 'Refused' });
    });
  });
});

describe('a server that can do less', () => {
  test('monitors what it can, and is read for the rest', async (t) => {
    const device = await UaDevice.start({ maxMonitoredItemsPerSubscription: 2 });
    t.after(() => device.stop());
    const bench = new UaBench(device, { scanPeriodMs: '20' });
    bench.setPoints({
      Level: { datatype: 'd' },
      Flow: { datatype: 'd' },
      Count: { datatype: 'i' },
      Label: { datatype: 's' },
    });
    await bench.start();
    await bench.reads('Flow', 7);
    await device.order({ kind: 'set', node: address('Count'), value: 5 });
    await device.order({ kind: 'set', node: address('Level'), value: 6 });
    await bench.reads('Count', 5, quality.good);
    await bench.reads('Level', 6, quality.good);
    assert.equal(bench.connector.detail?.().scanGroups?.[0]?.points, 2);
    assert.ok(bench.log.some((line) => line.includes('2 points are read instead')));
    assert.equal(await bench.stop(), undefined);
  });
});
