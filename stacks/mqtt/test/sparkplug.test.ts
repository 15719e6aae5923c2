import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { quality } from '@telltale/schema';
import { written } from '@telltale/stack-kit';
import { FaultProxy, until } from '@telltale/stack-kit/testing';
import { suiteCleanup, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { LinkedProvider } from './linked-provider.ts';
import { Mosquitto, withoutMosquitto } from './mosquitto.ts';
import {
  type CommandMetric,
  type EdgeNodeSettings,
  readHeard,
  sendCommand,
  startEdgeNode,
} from './watched-edge-node.ts';

describe('a Sparkplug edge node at a real broker, seen through an independent decoder', {
  skip: withoutMosquitto,
}, () => {
  const cleanup = suiteCleanup();
  const folder = temporaryFolder(cleanup);
  let broker: Mosquitto;
  before(async () => {
    broker = await Mosquitto.start();
    cleanup.defer(() => broker.stop());
  });

  const start = (t: { after: (call: () => unknown) => void }, ...[vars, options]: EdgeNodeSettings) =>
    startEdgeNode(t, broker, folder, vars, options);
  const read = readHeard;
  const command = (topic: string, metrics: readonly CommandMetric[]) => sendCommand(broker, topic, metrics);

  test('has a unit as the property of a metric, and a command that was never written as null', async (t) => {
    const { p, heard } = await start(t, { node: 'units' });
    p.setPoints([{ name: 'flow', address: 'Flow', eu: 'm³/h' }], [{ name: 'speed', address: 'Speed', datatype: 'i' }]);
    p.publish('flow', 1.5);
    p.publish('speed', 0, quality.bad.notConnected, 0);
    const beforeMs = Date.now();
    await p.start();
    await until('the birth', () => heard.messages.length > 0);
    const [birth] = read(heard).map(({ by }) => by);
    const flow = birth?.get('Flow');
    assert.deepEqual([flow?.properties?.engUnit?.value, flow?.properties?.engUnit?.type], ['m³/h', 'String']);
    assert.deepEqual([flow?.value, flow?.properties?.Quality?.value], [1.5, 192]);
    const speed = birth?.get('Speed');
    assert.deepEqual(
      [speed?.value, speed?.properties?.Quality?.value, speed?.properties?.engUnit],
      [null, 0, undefined],
    );
    assert.ok(Number(speed?.timestamp) >= beforeMs, 'it is so now, not since 1970');
    p.publish('speed', 40);
    await until('the data', () => heard.messages.length > 1);
    const [, data] = read(heard).map(({ by }) => by);
    assert.deepEqual(
      [...(data?.values() ?? [])].map(({ value, properties }) => [value, properties?.Quality?.value]),
      [[40, 192]],
    );
  });

  test('is born with all metrics, sends data by alias in sequence, and dies with the number of its birth', async (t) => {
    const { p, heard } = await start(t, { node: 'one' });
    p.setPoints(
      [
        { name: 'level', address: 'Tank/Level' },
        { name: 'total', address: 'Total', datatype: 'l', properties: { device: 'meter' } },
        { name: 'state', address: 'State', datatype: 's', properties: { device: 'meter' } },
      ],
      [{ name: 'run', address: 'Run', datatype: 'b', properties: { device: 'meter' } }],
    );
    p.publish('level', 1.5, 0xc0, 1_700_000_000_000_000);
    p.publish('total', -(2n ** 63n));
    await p.start();
    await until('the births', () => heard.messages.length === 2);
    p.publish('level', 2.5, 0x44);
    await until('the data of the node', () => heard.messages.length === 3);
    p.publish('state', 'ok');
    p.publish('total', 5n, 0x10);
    await until('the data of the device', () => heard.messages.length === 4);
    await p.stop();
    await until('the death, and the last will', () => heard.messages.length === 6);
    const all = read(heard);
    assert.deepEqual(
      all.map(({ kind, seq }) => [kind, seq]),
      [
        ['NBIRTH/one', 0],
        ['DBIRTH/one/meter', 1],
        ['NDATA/one', 2],
        ['DDATA/one/meter', 3],
        ['NDEATH/one', undefined],
        ['NDEATH/one', undefined],
      ],
    );
    assert.ok(all.every(({ isRetained, qos }, at) => !isRetained && qos === (at === 5 ? 1 : 0)));
    const [node, device, data, deviceData, death] = all.map(({ by }) => by);
    assert.equal(node?.get('Node Control/Rebirth')?.value, false);
    assert.equal(node?.get('Node Control/Rebirth')?.type, 'Boolean');
    const level = node?.get('Tank/Level');
    assert.deepEqual([level?.type, level?.value, Number(level?.timestamp)], ['Double', 1.5, 1_700_000_000_000]);
    assert.equal(level?.properties?.Quality?.value, 192);
    assert.deepEqual([device?.get('State')?.type, device?.get('State')?.value], ['String', null]);
    assert.deepEqual(
      [device?.get('Total')?.type, String(device?.get('Total')?.value)],
      ['Int64', String(-(2n ** 63n))],
    );
    assert.deepEqual([device?.get('Run')?.type, device?.get('Run')?.value], ['Boolean', null]);
    const changed = data?.get(`#${level?.alias}`);
    assert.deepEqual([changed?.value, changed?.properties?.Quality?.value], [2.5, 500]);
    assert.equal(data?.size, 1);
    assert.equal(deviceData?.get(`#${device?.get('Total')?.alias}`)?.properties?.Quality?.value, 0);
    assert.equal(deviceData?.get(`#${device?.get('State')?.alias}`)?.value, 'ok');
    assert.equal(String(death?.get('bdSeq')?.value), String(node?.get('bdSeq')?.value));
  });

  test('two devices have metrics of the same name, each by its own address', async (t) => {
    const { p, heard } = await start(t, { node: 'wells' });
    p.setPoints(
      [
        { name: 'flow1', address: 'Well 1#Flow' },
        { name: 'flow2', address: 'Well 2#Flow' },
        { name: 'same', address: 'Flow', properties: { device: 'Well 2' } },
        { name: 'own', address: 'bdSeq' },
      ],
      [{ name: 'speed2', address: 'Well 2#Speed', datatype: 'i' }],
    );
    p.publish('flow1', 1);
    p.publish('flow2', 2);
    await p.start();
    await until('the births', () => heard.messages.length === 3);
    const flows = read(heard).map(({ kind, by }) => [kind, by.get('Flow')?.value]);
    assert.deepEqual(flows.slice(1), [
      ['DBIRTH/wells/Well 1', 1],
      ['DBIRTH/wells/Well 2', 2],
    ]);
    await command('spBv1.0/Plant/DCMD/wells/Well 1', [{ name: 'Speed', type: 'Int32', value: 1 }]);
    await command('spBv1.0/Plant/DCMD/wells/Well 2', [{ name: 'Speed', type: 'Int32', value: 2 }]);
    await until('it is written', () => p.written.length > 0);
    assert.deepEqual(p.written, [['speed2', 2]]);
    assert.deepEqual(
      p.warnings.slice(0, 2).map((text) => text.split(':')[0]),
      ['same is not served', 'own is not served'],
    );
  });

  test('that is lost is declared dead by the broker, and born again with the next number, after a restart as well', async (t) => {
    const proxy = await FaultProxy.start({ host: '127.0.0.1', port: broker.port });
    t.after(() => proxy[Symbol.asyncDispose]());
    const { p, heard } = await start(t, { node: 'two', port: `${proxy.port}` });
    p.setPoints([]);
    await p.start();
    await until('the birth', () => heard.messages.length === 1);
    proxy.reset();
    await p.lost();
    await until('the death', () => heard.messages.length === 2);
    const another = new LinkedProvider({
      vars: { port: `${broker.port}`, format: 'sparkplug', group: 'Plant', node: 'two' },
      folder,
    });
    another.setPoints([]);
    await another.start();
    t.after(() => another.stop());
    await until('the next birth', () => heard.messages.length === 3);
    const [birth, death, next] = read(heard).map(({ by }) => Number(by.get('bdSeq')?.value));
    assert.equal(death, birth);
    assert.equal(next, ((birth ?? 0) + 1) % 256);
  });

  test('is born again when a host asks for it, and when its points change; devices that are gone die', async (t) => {
    const { p, heard } = await start(t, { node: 'three' });
    p.setPoints([{ name: 'a', address: 'a', properties: { device: 'x' } }]);
    await p.start();
    await until('the births', () => heard.messages.length === 2);
    await command('spBv1.0/Plant/NCMD/three', [{ name: 'Node Control/Rebirth', type: 'Boolean', value: true }]);
    await until('the births again', () => read(heard).filter(({ kind }) => kind === 'NBIRTH/three').length === 2);
    p.setPoints([{ name: 'a', address: 'b', properties: { device: 'y' } }]);
    await until('the births of the new points', () => read(heard).at(-1)?.kind === 'DBIRTH/three/y');
    const kinds = read(heard)
      .filter(({ kind }) => !kind.startsWith('NCMD'))
      .map(({ kind, seq }) => `${kind} ${seq}`);
    assert.deepEqual(kinds, [
      'NBIRTH/three 0',
      'DBIRTH/three/x 1',
      'NBIRTH/three 0',
      'DBIRTH/three/x 1',
      'DDEATH/three/x 2',
      'NBIRTH/three 0',
      'DBIRTH/three/y 1',
    ]);
  });

  test('an alias is never that of another metric later, so that a command on its way goes to none but its own', async (t) => {
    const { p, heard } = await start(t, { node: 'six' });
    const point = (name: string) => ({ name, address: name, datatype: 'i' }) as const;
    p.setPoints([], [point('open'), point('speed')]);
    await p.start();
    await until('the birth', () => heard.messages.length === 1);
    const aliasOf = (name: string) => Number(read(heard).at(-1)?.by.get(name)?.alias);
    const [open, speed] = [aliasOf('open'), aliasOf('speed')];
    p.setPoints([], [point('speed'), point('close')]);
    await until('the next birth', () => heard.messages.length === 2);
    assert.equal(aliasOf('speed'), speed);
    assert.ok(![open, speed].includes(aliasOf('close')));
    await command('spBv1.0/Plant/NCMD/six', [{ alias: open, type: 'Int32', value: 1 }]);
    await until('it is passed over', () => p.warnings.length === 1);
    assert.deepEqual(p.written, []);
  });

  test('the sequence goes from 255 to 0', async (t) => {
    const { p, heard } = await start(t, { node: 'four' });
    const devices = Array.from({ length: 300 }, (_, at) => `d${at}`);
    p.setPoints(devices.map((device) => ({ name: device, address: 'a', properties: { device } })));
    await p.start();
    await until('all births', () => heard.messages.length === 301);
    assert.deepEqual(
      read(heard).map(({ seq }) => seq),
      Array.from({ length: 301 }, (_, at) => at % 256),
    );
  });

  test('commands come by name and by alias; what is refused leaves the value as it is, and says it again', async (t) => {
    const { p, heard } = await start(
      t,
      { node: 'five' },
      {
        write: (_, value) => {
          if (value === 13) return written.refused('unlucky');
          return value === 14 ? written.unknown('no answer') : undefined;
        },
      },
    );
    p.setPoints(
      [{ name: 'level', address: 'level', properties: { device: 'x' } }],
      [
        { name: 'speed', address: 'speed', datatype: 'i', properties: { device: 'x' } },
        { name: 'mode', address: 'mode', datatype: 's' },
      ],
    );
    p.publish('speed', 5);
    await p.start();
    await until('the births', () => heard.messages.length === 2);
    const alias = Number(read(heard)[1]?.by.get('speed')?.alias);
    await command('spBv1.0/Plant/DCMD/five/x', [{ name: 'speed', type: 'Int32', value: -7 }]);
    await until('it is written', () => p.written.length === 1);
    await command('spBv1.0/Plant/DCMD/five/x', [{ alias, type: 'Int32', value: 8 }]);
    await command('spBv1.0/Plant/NCMD/five', [{ name: 'mode', alias: 0, type: 'String', value: 'auto' }]);
    await until('both are written', () => p.written.length === 3);
    await until('they show', () => read(heard).some(({ by }) => by.get(`#${alias}`)?.value === 8));
    const before = heard.messages.length;
    await command('spBv1.0/Plant/DCMD/five/x', [{ name: 'speed', type: 'Int32', value: 13 }]);
    const last = () =>
      read(heard)
        .slice(before)
        .filter(({ kind }) => kind === 'DDATA/five/x')
        .at(-1);
    await until('the old value is said again', () => last()?.by.get(`#${alias}`)?.value === 8);
    await command('spBv1.0/Plant/DCMD/five/x', [{ name: 'speed', type: 'Int32', value: 14 }]);
    await until('nobody knows', () => p.warnings.at(-1) === 'speed may have been written or not: no answer');
    await command('spBv1.0/Plant/NCMD/five', [{ name: 'speed', type: 'Int32', value: 1 }]);
    await command('spBv1.0/Plant/DCMD/five/x', [{ name: 'other', alias, type: 'Int32', value: 1 }]);
    await command('spBv1.0/Plant/DCMD/five/x', [{ name: 'level', type: 'Double', value: 1 }]);
    await broker.pub('spBv1.0/Plant/DCMD/five/x', Buffer.from([0xff, 0xff, 0xff]));
    await until('all are passed over', () => p.warnings.length === 6);
    assert.deepEqual(p.written, [
      ['speed', -7],
      ['speed', 8],
      ['mode', 'auto'],
    ]);
  });

  test('with a primary host it is born while the host is online, and dies when it is not', async (t) => {
    const { p, heard } = await start(t, { node: 'six', group: 'Hosted', primaryHost: 'scada' });
    const state = (online: boolean, timestamp: number) =>
      broker.pub('spBv1.0/STATE/scada', JSON.stringify({ online, timestamp }), '-r');
    p.setPoints([]);
    await state(false, 1);
    await p.start();
    await state(true, 2);
    await until('the birth', () => read(heard).at(-1)?.kind === 'NBIRTH/six');
    await state(false, 1);
    await state(false, 3);
    assert.match(String(await p.lost()), /primary host application is offline/);
    await until('the death', () => read(heard).at(-1)?.kind === 'NDEATH/six');
    assert.equal(read(heard).filter(({ kind }) => kind === 'NBIRTH/six').length, 1);
    await broker.pub('spBv1.0/STATE/scada', '', '-r');
  });
});
