import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { until } from '@telltale/stack-kit/testing';
import { suiteCleanup } from '@telltale/stack-kit/testing/cleanup';
import { LinkedConnector } from './linked-connector.ts';
import { Mosquitto, withoutMosquitto } from './mosquitto.ts';
import { codec, decodeRaw, encodeRaw } from './sparkplug-decoder.ts';
import { BrokerClient } from './test-client.ts';

const sensorFailure = 0x10;
const lastUsable = 0x44;
const configurationError = 0x04;

describe('parts of Sparkplug metrics, as an independent encoder writes them', { skip: withoutMosquitto }, () => {
  const cleanup = suiteCleanup();
  let broker: Mosquitto;
  let client: BrokerClient;
  before(async () => {
    broker = await Mosquitto.start();
    cleanup.defer(() => broker.stop());
    client = await BrokerClient.open(broker.port, 'none');
    cleanup.defer(() => client.close());
  });

  const publish = (topic: string, payload: Uint8Array) => client.publish(`spBv1.0/${topic}`, Buffer.from(payload));
  const send = (topic: string, seq: number, metrics: readonly object[]) =>
    publish(topic, codec.encodePayload({ timestamp: Date.now(), seq, metrics: metrics as never }));
  const bdSeq = { name: 'bdSeq', type: 'Int64', value: 0 };
  const start = async (
    t: { after: (call: () => unknown) => void },
    measurements: Parameters<LinkedConnector['setPoints']>[0],
    commands: Parameters<LinkedConnector['setPoints']>[1] = [],
  ) => {
    const c = LinkedConnector.to(broker);
    t.after(() => c.stop());
    c.setPoints(measurements, commands);
    await c.start();
    return c;
  };
  const browse = async (c: LinkedConnector, path: string) => {
    const answer = await c.connector.browse?.({ path, cursor: undefined, limit: 1000 }, new AbortController().signal);
    return answer?.items ?? [];
  };

  const motor = (speed: number, heat: number, more: readonly object[] = []) => ({
    isDefinition: false,
    templateRef: 'MotorType',
    parameters: [{ name: 'Maker', type: 'String', value: 'ACME' }],
    metrics: [
      { name: 'Speed', type: 'Int16', value: speed, properties: { engUnit: { type: 'String', value: '1/min' } } },
      {
        name: 'Drive',
        type: 'Template',
        value: {
          isDefinition: false,
          templateRef: 'DriveType',
          metrics: [{ name: 'Heat', type: 'Float', value: heat }],
        },
      },
      ...more,
    ],
  });

  test('members of templates, nested ones too, are read and written by their path; data has what has changed', async (t) => {
    const heard = await broker.sub('spBv1.0/T/DCMD/#');
    t.after(() => heard.stop());
    const at = 'spBv1.0/T/edge/x#Motor 1';
    const c = await start(
      t,
      [
        { name: 'speed', address: `${at}/Speed`, datatype: 'i' },
        { name: 'heat', address: `${at}/Drive/Heat` },
        { name: 'odd', address: `${at}/Speed/Set`, datatype: 'i' },
        { name: 'maker', address: `${at}@Maker`, datatype: 's' },
        { name: 'unit', address: `${at}/Speed@engUnit`, datatype: 's' },
        { name: 'whole', address: at, datatype: 's' },
        { name: 'none', address: `${at}/Power` },
      ],
      [
        { name: 'speed_set', address: `${at}/Speed`, datatype: 'i' },
        { name: 'heat_set', address: `${at}/Drive/Heat` },
        { name: 'maker_set', address: `${at}@Maker`, datatype: 's' },
      ],
    );
    await send('T/NBIRTH/edge', 0, [
      bdSeq,
      { name: 'MotorType', type: 'Template', value: { ...motor(0, 0), isDefinition: true, templateRef: undefined } },
    ]);
    const odd = { name: 'Speed/Set', type: 'Int32', value: 3 };
    await send('T/DBIRTH/edge/x', 1, [{ name: 'Motor 1', alias: 9, type: 'Template', value: motor(-5, 1.5, [odd]) }]);
    await c.shows('speed', -5);
    await c.shows('heat', 1.5);
    await c.shows('odd', 3);
    await c.shows('maker', 'ACME');
    await c.shows('unit', '1/min');
    await c.shows('whole', undefined, sensorFailure);
    await c.shows('none', undefined, configurationError);
    assert.deepEqual(
      ['speed', 'whole'].map((name) => c.explain(name)?.raw),
      ['-5', 'an instance of template MotorType'],
    );
    // Without types, and of the members only one: it is what has changed.
    const part = { templateRef: 'MotorType', isDefinition: false, metrics: [{ name: 'Speed', intValue: 0xfff9 }] };
    await publish(
      'T/DDATA/edge/x',
      encodeRaw({ timestamp: Date.now(), seq: 2, metrics: [{ alias: 9, templateValue: part }] }),
    );
    await c.shows('speed', -7);
    assert.equal(c.readings.get('heat')?.value, 1.5);
    assert.equal(c.history.filter(([name]) => name === 'heat').length, 1);
    await c.write('speed_set', -3);
    await c.write('heat_set', 2.5);
    await assert.rejects(c.write('maker_set', 'x'), { name: 'refused', message: /cannot be written/ });
    await assert.rejects(c.write('speed_set', 40_000), { name: 'refused', message: /does not fit/ });
    await until('the commands', () => heard.messages.length === 2);
    const [speed, heat] = heard.messages.map(({ payload }) => decodeRaw(payload).metrics?.[0]);
    assert.equal(Number(speed?.alias), 9);
    assert.equal(speed?.templateValue?.templateRef, 'MotorType');
    assert.deepEqual(
      speed?.templateValue?.metrics?.map(({ name, intValue = 0 }) => [name, (intValue ?? 0) | 0]),
      [['Speed', -3]],
    );
    const [drive] = heat?.templateValue?.metrics ?? [];
    assert.equal(drive?.templateValue?.metrics?.[0]?.floatValue, 2.5);
  });

  test('members that leave their type to the definition have it, with their sign', async (t) => {
    const c = await start(t, [{ name: 'speed', address: 'spBv1.0/T/typed#M/Speed', datatype: 'i' }]);
    const template = (isDefinition: boolean, metrics: object[]) => ({
      ...(isDefinition ? {} : { templateRef: 'Kind' }),
      isDefinition,
      metrics,
    });
    const metrics = [
      { name: 'bdSeq', datatype: 4, longValue: 0 },
      { name: 'M', datatype: 19, templateValue: template(false, [{ name: 'Speed', intValue: 0xff }]) },
      { name: 'Kind', datatype: 19, templateValue: template(true, [{ name: 'Speed', datatype: 1, isNull: true }]) },
    ];
    await publish('T/NBIRTH/typed', encodeRaw({ timestamp: Date.now(), seq: 0, metrics }));
    await c.shows('speed', -1);
  });

  test('cells of data sets are read by row and column; one that is gone is bad', async (t) => {
    const at = 'spBv1.0/T/table#Recipe';
    const c = await start(t, [
      { name: 'water', address: `${at}[1]/Water` },
      { name: 'name', address: `${at}[0]/Name`, datatype: 's' },
      { name: 'none', address: `${at}[0]/Salt` },
    ]);
    const recipe = (...rows: [string, number][]) => ({
      name: 'Recipe',
      alias: 1,
      type: 'DataSet',
      value: { numOfColumns: 2, columns: ['Name', 'Water'], types: ['String', 'Double'], rows },
    });
    await send('T/NBIRTH/table', 0, [bdSeq, recipe(['a', 1.5], ['b', 2.5])]);
    await c.shows('water', 2.5);
    await c.shows('name', 'a');
    await c.shows('none', undefined, configurationError);
    await send('T/NDATA/table', 1, [recipe(['c', 3.5])]);
    await c.shows('name', 'c');
    await c.shows('water', 2.5, sensorFailure);
    await send('T/NDATA/table', 2, [recipe(['c', 3.5], ['d', 4.5])]);
    await c.shows('water', 4.5);
  });

  test('elements of arrays of every type are read by their position, to the last bit', async (t) => {
    const arrays: [name: string, type: number, bytes: number[], elements: (number | bigint | boolean | string)[]][] = [
      ['Int8', 22, [0xff, 0x7f], [-1, 127]],
      ['Int16', 23, [0x00, 0x80, 0x01, 0x00], [-32_768, 1]],
      ['Int32', 24, [0x15, 0xcd, 0x5b, 0x07], [123_456_789]],
      ['Int64', 25, [0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff], [-2n]],
      ['UInt8', 26, [0xff], [255]],
      ['UInt16', 27, [0xff, 0xff], [65_535]],
      ['UInt32', 28, [0xff, 0xff, 0xff, 0xff], [4_294_967_295n]],
      ['UInt64', 29, [0x01, 0, 0, 0, 0, 0, 0, 0x01], [2n ** 56n + 1n]],
      ['Float', 30, [0x00, 0x00, 0xc0, 0x3f], [1.5]],
      ['Double', 31, [0, 0, 0, 0, 0, 0, 0xf8, 0xbf], [-1.5]],
      ['Boolean', 32, [0x0c, 0, 0, 0, 0x34, 0xd0], [0, 0, 1, 1, 0, 1, 0, 0, 1, 1, 0, 1].map(Boolean)],
      ['String', 33, [...Buffer.from('ABC\0\0hällo\0')], ['ABC', '', 'hällo']],
      ['DateTime', 34, [0x00, 0x68, 0xe5, 0xcf, 0x8b, 0x01, 0, 0], [1_700_000_000_000n]],
    ];
    const datatypeOf = (value: unknown) =>
      typeof value === 'bigint' ? 'l' : typeof value === 'boolean' ? 'b' : typeof value === 'string' ? 's' : 'd';
    const c = await start(
      t,
      arrays.flatMap(([name, , , elements]) =>
        [...elements, elements[0]].map((element, at) => ({
          name: `${name}_${at}`,
          address: `spBv1.0/T/arrays#${name}[${at}]`,
          datatype: datatypeOf(element),
        })),
      ),
    );
    const metrics = arrays.map(([name, datatype, bytes], at) => ({
      name,
      alias: at + 1,
      datatype,
      bytesValue: Uint8Array.from(bytes),
    }));
    const timestamp = Date.now();
    await publish('T/NBIRTH/arrays', encodeRaw({ timestamp, seq: 0, metrics }));
    for (const [name, , , elements] of arrays) {
      for (const [at, element] of elements.entries()) await c.shows(`${name}_${at}`, element);
      await c.shows(`${name}_${elements.length}`, undefined, sensorFailure);
    }
    const changed = { alias: 1, bytesValue: Uint8Array.from([5, 6, 7]), properties: quality(500) };
    await publish('T/NDATA/arrays', encodeRaw({ timestamp: timestamp + 1, seq: 1, metrics: [changed] }));
    await c.shows('Int8_0', 5, lastUsable);
    await c.shows('Int8_2', 7, lastUsable);
    const items = await browse(c, 'spBv1.0/T/arrays');
    assert.deepEqual(
      items.filter(({ title }) => title.includes('#String')).map(({ measurement }) => measurement?.address),
      [0, 1, 2].map((at) => `spBv1.0/T/arrays#String[${at}]`),
    );
  });

  test('properties of metrics are read as points, in sets in one another too', async (t) => {
    const at = 'spBv1.0/T/props#Flow';
    const c = await start(t, [
      { name: 'high', address: `${at}@engHigh` },
      { name: 'deep', address: `${at}@limits/alarm/high` },
      { name: 'flow', address: at },
    ]);
    const properties = {
      engUnit: { type: 'String', value: 'm³/h' },
      engLow: { type: 'Double', value: -1 },
      engHigh: { type: 'Double', value: 99.5 },
      Documentation: { type: 'String', value: 'of the well' },
      limits: {
        type: 'PropertySet',
        value: { alarm: { type: 'PropertySet', value: { high: { type: 'Int32', value: -80 } } } },
      },
    };
    await send('T/NBIRTH/props', 0, [bdSeq, { name: 'Flow', alias: 1, type: 'Double', value: 1, properties }]);
    await c.shows('high', 99.5);
    await c.shows('deep', -80);
    await send('T/NDATA/props', 1, [{ alias: 1, type: 'Double', value: 2 }]);
    await c.shows('flow', 2);
    assert.equal(c.history.filter(([name]) => name === 'high').length, 1);
  });

  test('a birth with everything is browsed: members, cells and properties, with units and ranges', async (t) => {
    const c = await start(t, []);
    const recipe = { numOfColumns: 1, columns: ['Water'], types: ['Double'], rows: [[1], [2]] };
    const properties = {
      Quality: { type: 'Int32', value: 192 },
      engUnit: { type: 'String', value: 'm³/h' },
      engLow: { type: 'Double', value: 0 },
      engHigh: { type: 'Double', value: 100 },
    };
    /** One right after the other, as an edge node sends them. */
    const births = () => {
      const node = send('T/NBIRTH/all', 0, [
        bdSeq,
        { name: 'MotorType', type: 'Template', value: { ...motor(0, 0), isDefinition: true, templateRef: undefined } },
        { name: 'Flow', type: 'Double', value: 1, properties },
      ]);
      const device = send('T/DBIRTH/all/x', 1, [
        { name: 'Motor', type: 'Template', value: motor(1, 2) },
        { name: 'Recipe', type: 'DataSet', value: recipe },
      ]);
      return Promise.all([node, device]);
    };
    const asked = await broker.sub('spBv1.0/T/NCMD/all');
    t.after(() => asked.stop());
    const browsing = browse(c, 'spBv1.0/T/all');
    await until('it listens', () => broker.said.includes('spBv1.0/T/+/all/#'));
    // It says nothing but a little data, and takes its time with its birth.
    await send('T/NDATA/all', 7, []);
    await until('it is asked for its birth', () => asked.messages.length === 1);
    await births();
    const items = await browsing;
    const at = 'spBv1.0/T/all';
    assert.deepEqual(
      items.map(({ measurement }) => [measurement?.address, measurement?.datatype]),
      [
        [`${at}#Flow`, 'd'],
        [`${at}/x#Motor/Speed`, 'i'],
        [`${at}/x#Motor/Drive/Heat`, 'f'],
        [`${at}/x#Motor@Maker`, 's'],
        [`${at}/x#Recipe[0]/Water`, 'd'],
        [`${at}/x#Recipe[1]/Water`, 'd'],
      ],
    );
    assert.deepEqual([items[0]?.measurement?.eu, items[0]?.measurement?.euRange], ['m³/h', [0, 100]]);
    assert.equal(items[1]?.measurement?.eu, '1/min');
    assert.equal(items[0]?.path, `${at}#Flow`);
    const below = await browse(c, `${at}#Flow`);
    assert.deepEqual(
      below.map(({ measurement }) => [measurement?.address, measurement?.datatype]),
      [
        [`${at}#Flow@engUnit`, 's'],
        [`${at}#Flow@engLow`, 'd'],
        [`${at}#Flow@engHigh`, 'd'],
      ],
    );
    assert.equal(asked.messages.length, 1);
  });

  test('edge nodes that are silent are found: those of points, those that were heard before, and those whose birth a broker keeps', async (t) => {
    const c = await start(t, [{ name: 'own', address: 'spBv1.0/Quiet/own#A' }]);
    const metric = { name: 'A', type: 'Double', value: 1 };
    await send('Quiet/NBIRTH/own', 0, [bdSeq, metric]);
    await c.shows('own', 1);
    const listed = async () => {
      const items = await browse(c, 'spBv1.0/Quiet');
      return items.map(({ measurement }) => measurement?.address.slice('spBv1.0/Quiet/'.length));
    };
    assert.deepEqual(await listed(), ['own#A']);
    const kept = codec.encodePayload({ timestamp: 1, seq: 0, metrics: [bdSeq, metric] as never });
    await broker.pub('$sparkplug/certificates/spBv1.0/Kept/NBIRTH/edge', Buffer.from(kept), '-r');
    const [first] = await browse(c, 'spBv1.0/Kept');
    assert.equal(first?.measurement?.address, 'spBv1.0/Kept/edge#A');
    assert.deepEqual(await listed(), ['own#A']);
    // It speaks between two browses, once.
    const asked = await broker.sub('spBv1.0/Quiet/NCMD/#');
    t.after(() => asked.stop());
    await send('Quiet/NDATA/seldom', 9, []);
    await until('it is asked for its birth', () => asked.messages.length === 1);
    const second = listed();
    await Promise.all([send('Quiet/NBIRTH/seldom', 0, [bdSeq, metric]), send('Quiet/DBIRTH/seldom/x', 1, [metric])]);
    assert.deepEqual(await second, ['own#A', 'seldom#A', 'seldom/x#A']);
    await send('Quiet/DDEATH/seldom/x', 2, []);
    await send('Quiet/NBIRTH/third', 0, [bdSeq, metric]);
    await until('it is found', async () => (await listed()).join() === 'own#A,seldom#A,third#A');
    await send('Quiet/NDEATH/seldom', 0, [bdSeq]);
    await until('it is gone', async () => (await listed()).join() === 'own#A,third#A');
    assert.equal(asked.messages.length, 1);
  });
});

const quality = (intValue: number) => ({ keys: ['Quality'], values: [{ type: 3, intValue }] });
