// Points that are served in another type than that of their datatype, and with a range.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type Datatype, quality, type Value } from '@telltale/schema';
import { until } from '@telltale/stack-kit/testing';
import stack from '../src/stack.ts';
import { point, Served } from './served.ts';
import { UaClientProcess, type UaClientSession } from './ua-client.ts';

const node = (name: string) => `ns=2;s=At.${name}`;

describe('a provider with types and ranges', () => {
  let clients: UaClientProcess;
  before(async () => {
    clients = await UaClientProcess.start();
  });
  after(() => clients.stop());
  const joe = ({ port }: Served) => clients.open({ port, userName: 'joe', password: 'secret' });

  const property = async (client: UaClientSession, name: string, wanted: string) => {
    const found = (await client.browse(node(name))).find((each) => each.name === wanted);
    return found === undefined ? undefined : (await client.read(found.nodeId)).value;
  };

  test('serves values in the type that a property names, and says so where one has no place in it', async (t) => {
    const cases: [string, Datatype, Value, unknown, Value?][] = [
      ['SByte', 'i', -128, -128, -129],
      ['Byte', 'i', 255, 255, 256],
      ['Int16', 'i', -32_768, -32_768, 32_768],
      ['UInt16', 'i', 65_535, 65_535, -1],
      ['Int32', 'l', -5n, -5, 2n ** 31n],
      ['UInt32', 'l', 2n ** 32n - 1n, 2 ** 32 - 1, 2n ** 32n],
      ['UInt64', 'l', 7n, [0, 7], -1n],
      ['Float', 'd', 1.5, 1.5, 1e300],
      ['Double', 'f', 1.5, 1.5],
      ['Boolean', 'i', 1, true, 2],
      ['Byte', 'b', true, 1],
      ['DateTime', 's', '2026-05-01T12:00:00Z', '2026-05-01T12:00:00.000Z', 'noon'],
      ['DateTime', 'd', 1e9, '2001-09-09T01:46:40.000Z'],
      ['Guid', 's', '72962b91-fa75-4ae6-8d28-b404dc7daf63', '72962B91-FA75-4AE6-8D28-B404DC7DAF63', 'none'],
    ];
    const points = cases.map(([type, datatype], id) => point(id, `${datatype}${type}`, datatype, { type }));
    const served = await Served.start(t, points);
    const client = await joe(served);
    for (const [id, [type, datatype, value, expected, tooMuch]] of cases.entries()) {
      const at = node(`${datatype}${type}`);
      assert.equal((await client.read(at)).status, 'BadWaitingForInitialData', at);
      served.publish((batch) => batch.value(id, value, quality.good, 1e15));
      const read = await client.read(at);
      assert.deepEqual([read.type, read.value, read.status], [type, expected, 'Good'], at);
      if (tooMuch === undefined) continue;
      served.publish((batch) => batch.value(id, tooMuch, quality.good, 2e15));
      const bent = await client.read(at);
      assert.deepEqual([bent.type, bent.value, bent.status], [type, expected, 'BadOutOfRange'], at);
    }
    await client.close();
  });

  test('takes writes in that type only, and gives them to the command in its own', async (t) => {
    const served = await Served.start(
      t,
      [],
      [
        point(1, 'speed', 'i', { type: 'UInt16' }),
        point(2, 'on', 'b', { type: 'Byte' }),
        point(3, 'mode', 'i', { type: 'Enumeration', enumStrings: 'Off, Manual, Auto' }),
        point(4, 'from', 's', { type: 'DateTime' }),
      ],
    );
    const client = await joe(served);
    const write = async (name: string, type: string, value: unknown) =>
      (await client.write(node(name), type, value)).split(' ')[0];
    assert.equal(await write('speed', 'UInt16', 65_535), 'Good');
    assert.equal(await write('speed', 'Int32', 5), 'BadTypeMismatch');
    assert.equal(await write('on', 'Byte', 1), 'Good');
    assert.equal(await write('on', 'Byte', 2), 'BadOutOfRange');
    assert.equal(await write('mode', 'Int32', 2), 'Good');
    assert.equal(await write('mode', 'Int32', 3), 'BadOutOfRange');
    assert.equal(await write('mode', 'Int32', -1), 'BadOutOfRange');
    assert.equal(await write('from', 'DateTime', '2026-05-01T12:00:00Z'), 'Good');
    assert.deepEqual(served.written, [
      ['speed', 65_535],
      ['on', true],
      ['mode', 2],
      ['from', '2026-05-01T12:00:00.000000Z'],
    ]);
    await client.close();
  });

  test('serves an enumeration with the names of its states', async (t) => {
    const states = { type: 'Enumeration', enumStrings: 'Off,On,Fault' };
    const served = await Served.start(t, [point(1, 'pump', 'i', states), point(2, 'fan', 'i', states)]);
    const client = await joe(served);
    served.publish((batch) => batch.number(1, 2, quality.good, 1e15));
    assert.equal((await client.read(node('pump'))).value, 2);
    const type = String(await client.order({ kind: 'dataType', node: node('pump') }));
    assert.equal(await client.order({ kind: 'dataType', node: node('fan') }), type, 'of the same states');
    const names = (await client.browse(type)).find(({ name }) => name === 'EnumStrings')?.nodeId ?? assert.fail();
    const texts = (await client.read(names)).value as { text: string }[];
    assert.deepEqual(
      texts.map(({ text }) => text),
      ['Off', 'On', 'Fault'],
    );
    served.publish((batch) => batch.number(1, 3, quality.good, 2e15));
    assert.equal((await client.read(node('pump'))).status, 'BadOutOfRange');
    await client.close();
  });

  test('serves a number with a range as an analog item, with a deadband in percent of it', async (t) => {
    const level = (euRange?: [number, number]) => ({ ...point(1, 'level', 'd'), eu: 'm', ...(euRange && { euRange }) });
    const served = await Served.start(t, [level([0, 200]), point(2, 'flow', 'd')]);
    const client = await joe(served);
    const typeOf = async (name: string) => client.order({ kind: 'typeDefinition', node: node(name) });
    assert.deepEqual([await typeOf('level'), await typeOf('flow')], ['ns=0;i=2368', 'ns=0;i=63']);
    const range = (await property(client, 'level', 'EURange')) as { low: number; high: number };
    assert.deepEqual([range.low, range.high], [0, 200]);
    const unit = (await property(client, 'level', 'EngineeringUnits')) as { unitId: number };
    assert.equal(unit.unitId, 5067858);
    await assert.rejects(client.order({ kind: 'watch', node: node('flow'), deadband: 10 }), /BadMonitoredItemFilter/);
    served.publish((batch) => batch.number(1, 100, quality.good, 1e15));
    await client.order({ kind: 'watch', node: node('level'), deadband: 10 });
    await until('the first is seen', async () => (await client.seen()).values.length === 1);
    for (const value of [110, 119, 121, 140, 142]) {
      served.publish((batch) => batch.number(1, value, quality.good, value * 1e13));
    }
    await until('the last is seen', async () => (await client.seen()).values.at(-1)?.[0] === 142);
    served.provider.setPoints({ measurements: [level([0, 1000]), point(2, 'flow', 'd')], commands: [] });
    served.publish((batch) => batch.number(1, 200, quality.good, 2e15));
    served.publish((batch) => batch.number(1, 250, quality.good, 3e15));
    await until('that of the new range is seen', async () => (await client.seen()).values.at(-1)?.[0] === 250);
    assert.deepEqual(
      (await client.seen()).values.map(([value]) => value),
      [100, 121, 142, 250],
    );
    served.provider.setPoints({ measurements: [level(), point(2, 'flow', 'd')], commands: [] });
    await until('it is one no more', async () => (await typeOf('level')) === 'ns=0;i=63');
    await client.close();
  });

  test('says at once which types a datatype has', () => {
    const check = (datatype: Datatype, properties: Record<string, string>) =>
      stack.provider?.checkAddress('measurement', 'Tank', { datatype, properties });
    assert.equal(check('i', { type: 'Int16' }), undefined);
    assert.equal(check('i', { type: 'Enumeration', enumStrings: 'Off,On' }), undefined);
    assert.match(
      check('d', { type: 'Int16' }) ?? '',
      /type is "Int16": for datatype d it may be Float, Double, DateTime/,
    );
    assert.match(check('s', { type: '__proto__' }) ?? '', /may be String/);
    for (const enumStrings of ['', 'Off,,On', 'x'.repeat(101), 'a,'.repeat(2000)]) {
      assert.match(check('i', { type: 'Enumeration', enumStrings }) ?? '', /must name the states/);
    }
  });
});
