import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { quality } from '@telltale/schema';
import { ManualClock } from '@telltale/schema/testing';
import { until } from '@telltale/stack-kit/testing';
import { suiteCleanup, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { Mosquitto, withoutMosquitto } from './mosquitto.ts';
import { decodeRaw } from './sparkplug-decoder.ts';
import { readHeard, sendCommand, startEdgeNode } from './watched-edge-node.ts';

const { communicationFailure, outOfService, notConnected, sensorFailure } = quality.bad;

describe('the devices of a Sparkplug edge node', { skip: withoutMosquitto }, () => {
  const cleanup = suiteCleanup();
  const folder = temporaryFolder(cleanup);
  let broker: Mosquitto;
  before(async () => {
    broker = await Mosquitto.start();
    cleanup.defer(() => broker.stop());
  });
  const kinds = (heard: Parameters<typeof readHeard>[0]) =>
    readHeard(heard).flatMap(({ kind, seq }) => (kind.includes('CMD') ? [] : `${kind} ${seq}`));

  test('one dies when all that is behind it is lost, and is born when it is back; others are not touched', async (t) => {
    const { p, heard } = await startEdgeNode(t, broker, folder, { node: 'lost' });
    p.setPoints(
      [
        { name: 'flow', address: 'Flow', properties: { device: 'well' } },
        { name: 'level', address: 'Level', properties: { device: 'well' } },
        { name: 'power', address: 'Power', properties: { device: 'pump' } },
        { name: 'hours', address: 'Hours' },
      ],
      [{ name: 'speed', address: 'Speed', datatype: 'i', properties: { device: 'well' } }],
    );
    for (const name of ['flow', 'level', 'power', 'hours']) p.publish(name, 1);
    await p.start();
    await until('the births', () => heard.messages.length === 3);
    p.publish('flow', 1, communicationFailure);
    await until('the flow is bad', () => heard.messages.length === 4);
    p.publish('level', 1, communicationFailure);
    await until('the well is dead', () => heard.messages.length === 5);
    p.publish('hours', 2);
    p.publish('flow', 1, outOfService);
    await until('the hours', () => heard.messages.length === 6);
    p.publish('level', 7);
    p.publish('flow', 8);
    await until('the well is back', () => heard.messages.length === 7);
    p.publish('power', 2);
    await until('the power', () => heard.messages.length === 8);
    assert.deepEqual(kinds(heard), [
      'NBIRTH/lost 0',
      'DBIRTH/lost/well 1',
      'DBIRTH/lost/pump 2',
      'DDATA/lost/well 3',
      'DDEATH/lost/well 4',
      'NDATA/lost 5',
      'DBIRTH/lost/well 6',
      'DDATA/lost/pump 7',
    ]);
    const back = readHeard(heard)[6]?.by;
    assert.deepEqual(
      ['Flow', 'Level', 'Speed'].map((name) => back?.get(name)?.value),
      [8, 7, null],
    );
  });

  test('one that is lost from the beginning, or while births are asked for, is not born before it is there', async (t) => {
    const { p, heard } = await startEdgeNode(t, broker, folder, { node: 'away' });
    p.setPoints([{ name: 'flow', address: 'Flow', properties: { device: 'well' } }]);
    p.publish('flow', 0, communicationFailure);
    await p.start();
    await until('the birth of the edge node', () => heard.messages.length === 1);
    await sendCommand(broker, 'spBv1.0/Plant/NCMD/away', [
      { name: 'Node Control/Rebirth', type: 'Boolean', value: true },
    ]);
    await until('its birth again', () => kinds(heard).length === 2);
    p.publish('flow', 3);
    await until('the birth of the well', () => kinds(heard).length === 3);
    assert.deepEqual(kinds(heard), ['NBIRTH/away 0', 'NBIRTH/away 0', 'DBIRTH/away/well 1']);
  });

  test('a point that never had a value is null, whatever its quality, and has one from its first on', async (t) => {
    const { p, heard } = await startEdgeNode(t, broker, folder, { node: 'null' });
    const names = ['unread', 'failed', 'broken', 'kept'];
    p.setPoints(names.map((name) => ({ name, address: name })));
    p.publish('unread', 0, notConnected, 0);
    p.publish('failed', 0, communicationFailure);
    p.publish('broken', 0, sensorFailure);
    p.publish('kept', 5);
    p.publish('kept', 5, communicationFailure);
    await p.start();
    await until('the birth', () => heard.messages.length === 1);
    const raw = decodeRaw(heard.messages[0]?.payload ?? Buffer.alloc(0)).metrics ?? [];
    const shown = (name: string) => {
      const metric = raw.find((each) => each.name === name);
      return [metric?.isNull ?? false, Object.hasOwn(metric ?? {}, 'doubleValue')];
    };
    assert.deepEqual(names.map(shown), [
      [true, false],
      [true, false],
      [true, false],
      [false, true],
    ]);
    p.publish('failed', 4);
    await until('the data', () => heard.messages.length === 2);
    assert.deepEqual(
      [...(readHeard(heard)[1]?.by.values() ?? [])].map(({ value }) => value),
      [4],
    );
  });

  test('a value that was sent already is not sent again', async (t) => {
    const { p, heard } = await startEdgeNode(t, broker, folder, { node: 'same' });
    const points = [{ name: 'a', address: 'A' }];
    p.setPoints(points);
    p.publish('a', 1, 0xc0, 1_700_000_000_000_000);
    await p.start();
    await until('the birth', () => heard.messages.length === 1);
    p.publish('a', 1, 0xc0, 1_700_000_000_000_000);
    p.setPoints(points);
    await until('the birth again', () => heard.messages.length === 2);
    p.publish('a', 1, 0xc0, 1_700_000_000_000_000);
    p.publish('a', 2);
    await until('the data', () => heard.messages.length === 3);
    assert.deepEqual(kinds(heard), ['NBIRTH/same 0', 'NBIRTH/same 0', 'NDATA/same 1']);
  });

  test('data has no datatype, its times are in order, and what is good again with an old time is so now', async (t) => {
    const { p, heard } = await startEdgeNode(t, broker, folder, { node: 'bare' });
    p.setPoints([
      { name: 'a', address: 'A' },
      { name: 'b', address: 'B', datatype: 'i' },
    ]);
    const beforeUs = Date.now() * 1000;
    p.publish('a', 1, 0xc0, beforeUs - 3_600_000_000);
    p.publish('b', 1);
    await p.start();
    await until('the birth', () => heard.messages.length === 1);
    p.publish('a', 1, communicationFailure);
    await until('it is bad', () => heard.messages.length === 2);
    p.publish('b', -2, 0xc0, beforeUs - 1_000_000);
    p.publish('a', 1, 0xc0, beforeUs - 3_600_000_000);
    await until('it is good', () => heard.messages.length === 3);
    const [birth, bad, good] = heard.messages.map(({ payload }) => decodeRaw(payload).metrics ?? []);
    assert.ok(birth?.every((metric) => Object.hasOwn(metric, 'datatype')));
    assert.ok([bad, good].every((metrics) => metrics?.every((metric) => !Object.hasOwn(metric, 'datatype'))));
    const times = [birth, bad, good].map((metrics) => metrics?.map(({ timestamp }) => Number(timestamp)) ?? []);
    for (const each of times)
      assert.deepEqual(
        each,
        each.toSorted((one, other) => one - other),
      );
    assert.equal(times[0]?.[0], Math.floor(beforeUs / 1000) - 3_600_000);
    assert.ok((times[2]?.[1] ?? 0) >= Math.floor(beforeUs / 1000));
  });

  test('a historical command is not carried out, nor is a historical request for a birth', async (t) => {
    const { p, heard } = await startEdgeNode(t, broker, folder, { node: 'past' });
    p.setPoints([], [{ name: 'speed', address: 'Speed', datatype: 'i' }]);
    await p.start();
    await until('the birth', () => heard.messages.length === 1);
    await sendCommand(broker, 'spBv1.0/Plant/NCMD/past', [
      { name: 'Speed', type: 'Int32', value: 1, isHistorical: true },
      { name: 'Node Control/Rebirth', type: 'Boolean', value: true, isHistorical: true },
      { name: 'Speed', type: 'Int32', value: 2 },
    ]);
    await until('it is written', () => p.written.length === 1);
    assert.deepEqual(p.written, [['speed', 2]]);
    assert.deepEqual(
      p.warnings.map((text) => text.includes('historical')),
      [true, true],
    );
  });

  test('the first request for births is answered at once; the next one waits, and until then no data is sent', async (t) => {
    const clock = new ManualClock();
    const vars = { node: 'quiet', pingAfterMs: '60000', timeoutMs: '60000' };
    const { p, heard } = await startEdgeNode(t, broker, folder, vars, { clock });
    p.setPoints([{ name: 'a', address: 'A' }], [{ name: 'speed', address: 'Speed', datatype: 'i' }]);
    p.publish('a', 0);
    await p.start();
    await until('the birth', () => heard.messages.length === 1);
    // As of a host that comes back with the broker: no value has to wait for its births.
    const rebirth = { name: 'Node Control/Rebirth', type: 'Boolean', value: true };
    await sendCommand(broker, 'spBv1.0/Plant/NCMD/quiet', [rebirth]);
    await until('the birth that was asked for', () => kinds(heard).length === 2);
    await sendCommand(broker, 'spBv1.0/Plant/NCMD/quiet', [rebirth, { name: 'Speed', type: 'Int32', value: 1 }]);
    await until('it is heard', () => p.written.length === 1);
    p.publish('a', 1);
    // Within a second after a birth that was asked for, the next one has to wait.
    clock.advance(999);
    clock.advance(1);
    await until('the next birth', () => kinds(heard).length > 2);
    assert.deepEqual(kinds(heard), ['NBIRTH/quiet 0', 'NBIRTH/quiet 0', 'NBIRTH/quiet 0']);
    assert.equal(readHeard(heard).at(-1)?.by.get('A')?.value, 1);
    p.publish('a', 2);
    clock.advance(50);
    await until('data again', () => kinds(heard).length === 4);
    assert.equal(kinds(heard).at(-1), 'NDATA/quiet 1');
  });
});
