// Arrays and data sets of an edge node of ours, at a real broker, as a host application of ours reads them.
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { quality } from '@telltale/schema';
import { until } from '@telltale/stack-kit/testing';
import { suiteCleanup, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { LinkedConnector } from './linked-connector.ts';
import { Mosquitto, withoutMosquitto } from './mosquitto.ts';
import { readHeard, sendCommand, startEdgeNode } from './watched-edge-node.ts';

const { sensorFailure } = quality.bad;
const { lastUsableValue } = quality.uncertain;
const element = { part: 'element' };
const cell = { part: 'cell' };

describe('arrays and data sets of a Sparkplug edge node', { skip: withoutMosquitto }, () => {
  const cleanup = suiteCleanup();
  const folder = temporaryFolder(cleanup);
  let broker: Mosquitto;
  before(async () => {
    broker = await Mosquitto.start();
    cleanup.defer(() => broker.stop());
  });

  test('a host application reads elements and cells: none before all are there, then each change', async (t) => {
    const { p, heard } = await startEdgeNode(t, broker, folder, { node: 'whole' });
    p.setPoints([
      ...[0, 1, 2].map((at) => ({ name: `i${at}`, address: `Well 1#Currents[${at}]`, properties: element })),
      { name: 'on0', address: 'On[0]', datatype: 'b' as const, properties: element },
      { name: 'water', address: 'Well 1#Recipe[0]/Water', datatype: 'i' as const, properties: cell },
      { name: 'grain', address: 'Well 1#Recipe[0]/Grain', datatype: 's' as const, properties: cell },
    ]);
    for (const name of ['i0', 'i1']) p.publish(name, 1.5);
    p.publish('on0', true);
    p.publish('grain', 'rye');
    await p.start();
    const host = LinkedConnector.to(broker);
    t.after(() => host.stop());
    const at = 'spBv1.0/Plant/whole';
    host.setPoints([
      ...[0, 1, 2, 3].map((index) => ({ name: `far${index}`, address: `${at}/Well 1#Currents[${index}]` })),
      { name: 'farOn', address: `${at}#On[0]`, datatype: 'b' },
      { name: 'farWater', address: `${at}/Well 1#Recipe[0]/Water`, datatype: 'i' },
      { name: 'farGrain', address: `${at}/Well 1#Recipe[0]/Grain`, datatype: 's' },
    ]);
    await host.start();
    await host.shows('farOn', true);
    for (const name of ['far0', 'far2', 'farWater', 'farGrain']) {
      await until(`${name} is bad`, () => host.readings.get(name)?.quality === sensorFailure);
    }
    p.publish('i2', 2.5);
    p.publish('water', -7);
    await host.shows('far2', 2.5);
    await host.shows('far0', 1.5);
    await host.shows('farWater', -7);
    await host.shows('farGrain', 'rye');
    assert.equal(host.readings.get('far3')?.quality, sensorFailure);
    p.publish('i1', 9.5, lastUsableValue);
    for (const [name, value] of [
      ['far0', 1.5],
      ['far1', 9.5],
      ['far2', 2.5],
    ] as const) {
      await host.shows(name, value, lastUsableValue);
    }
    await until('data says so', () => heard.messages.some(({ topic }) => topic.includes('/DDATA/whole/Well 1')));
  });

  test('an array cannot be written: a command for it is ignored, and the edge node goes on', async (t) => {
    const { p, heard } = await startEdgeNode(t, broker, folder, { node: 'unwritten' });
    p.setPoints([{ name: 'a', address: 'A[0]', datatype: 'i', properties: element }]);
    p.publish('a', 1);
    await p.start();
    await until('the birth', () => heard.messages.length === 1);
    await sendCommand(broker, 'spBv1.0/Plant/NCMD/unwritten', [{ name: 'A', type: 'Int32', value: 7 }]);
    await until('it is said', () => p.warnings.length === 1);
    assert.match(p.warnings[0] ?? '', /for A, which does not exist, is ignored/);
    p.publish('a', 2);
    await until('the data', () => readHeard(heard).some(({ kind }) => kind === 'NDATA/unwritten'));
    assert.deepEqual(p.written, []);
  });
});
