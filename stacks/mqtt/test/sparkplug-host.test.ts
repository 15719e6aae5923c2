import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { until } from '@telltale/stack-kit/testing';
import { cleanupOf, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { LinkedConnector, type LinkTo } from './linked-connector.ts';
import { LinkedProvider } from './linked-provider.ts';
import { type Heard, Mosquitto, withoutMosquitto } from './mosquitto.ts';
import { codec, decodeRaw, SparkplugDecoder } from './sparkplug-decoder.ts';

const lastUsable = 0x44;
const configurationError = 0x04;
const sensorFailure = 0x10;
const communicationFailure = 0x18;

interface TestMetric {
  readonly name?: string;
  readonly alias?: number;
  readonly type: string;
  readonly value: unknown;
  readonly timestamp?: number;
  readonly properties?: Record<string, unknown>;
  readonly isHistorical?: boolean;
}

describe('a connector as a Sparkplug host application', { skip: withoutMosquitto }, () => {
  let broker: Mosquitto;
  before(async () => {
    broker = await Mosquitto.start();
  });
  after(() => broker.stop());

  const link = (...given: LinkTo) => LinkedConnector.to(broker, ...given);
  const send = (topic: string, seq: number | undefined, metrics: readonly TestMetric[], timestamp = Date.now()) => {
    const payload = { timestamp, ...(seq !== undefined && { seq }), metrics: metrics as never };
    return broker.pub(`spBv1.0/${topic}`, Buffer.from(codec.encodePayload(payload)));
  };
  const bdSeq = (value: number) => ({ name: 'bdSeq', type: 'Int64', value });
  const rebirths = (heard: Heard) => heard.messages.filter(({ topic }) => topic.includes('/NCMD/')).length;

  test('reads births and data by alias, with quality and time, and knows deaths', async (t) => {
    const c = link();
    t.after(() => c.stop());
    const heard = await broker.sub('spBv1.0/G/NCMD/#');
    t.after(() => heard.stop());
    c.setPoints([
      { name: 'node', address: 'spBv1.0/G/one#Up Time', datatype: 'l' },
      { name: 'flow', address: 'spBv1.0/G/one/well#Flow/Main' },
      { name: 'state', address: 'spBv1.0/G/one/well#State', datatype: 's' },
      { name: 'none', address: 'spBv1.0/G/one/well#Nothing' },
      { name: 'word', address: 'spBv1.0/G/one/well#State', datatype: 'd' },
    ]);
    await c.start();
    await until('the birth is asked for', () => rebirths(heard) === 1);
    const [asked] = decodeRaw(heard.messages[0]?.payload ?? Buffer.alloc(0)).metrics ?? [];
    assert.deepEqual([asked?.name, asked?.booleanValue], ['Node Control/Rebirth', true]);
    assert.ok(!Object.hasOwn(asked ?? {}, 'datatype'));
    const taken = Date.now() - 3_600_000;
    await send('G/NBIRTH/one', 0, [bdSeq(7), { name: 'Up Time', alias: 1, type: 'UInt64', value: 5 }]);
    await send('G/DBIRTH/one/well', 1, [
      { name: 'Flow/Main', alias: 2, type: 'Float', value: 1.5, timestamp: taken },
      { name: 'State', alias: 3, type: 'String', value: 'run' },
    ]);
    await c.shows('node', 5n);
    await c.shows('flow', 1.5);
    assert.equal(c.readings.get('flow')?.timeUs, taken * 1000);
    await c.shows('state', 'run');
    await c.shows('none', undefined, configurationError);
    await c.shows('word', undefined, sensorFailure);
    await send('G/DDATA/one/well', 2, [
      { alias: 2, type: 'Float', value: 2.5, properties: { Quality: { type: 'Int32', value: 500 } } },
      { alias: 3, type: 'String', value: 'old', isHistorical: true },
    ]);
    await c.shows('flow', 2.5, lastUsable);
    assert.equal(c.readings.get('state')?.value, 'run');
    await send('G/NDATA/one', 3, [{ alias: 1, type: 'UInt64', value: 6 }]);
    await c.shows('node', 6n);
    await send('G/DDEATH/one/well', 4, []);
    await c.shows('flow', 2.5, communicationFailure);
    assert.equal(c.readings.get('node')?.quality, 0xc0);
    await send('G/NDEATH/one', undefined, [bdSeq(6)]);
    await send('G/NDATA/one', 5, [{ alias: 1, type: 'UInt64', value: 7 }]);
    await c.shows('node', 7n);
    await send('G/NDEATH/one', undefined, [bdSeq(7)]);
    await c.shows('node', 7n, communicationFailure);
    assert.deepEqual(
      c.connector.detail?.().devices?.map(({ name, isUp }) => [name, isUp]),
      [['G/one', false]],
    );
    assert.equal(c.explain('node')?.error, 'one is dead');
  });

  test('a gap in the sequence makes what is good of the edge node uncertain until it is born again', async (t) => {
    const c = link({ reorderTimeoutMs: '0' });
    t.after(() => c.stop());
    c.setPoints([
      { name: 'a', address: 'spBv1.0/G/two#A' },
      { name: 'bad', address: 'spBv1.0/G/two#Bad' },
      { name: 'other', address: 'spBv1.0/G/three#A' },
    ]);
    await c.start();
    const properties = { Quality: { type: 'Int32', value: 0 } };
    const birth = (node: string) =>
      send(`G/NBIRTH/${node}`, 0, [
        bdSeq(0),
        { name: 'A', alias: 1, type: 'Double', value: 1 },
        { name: 'Bad', alias: 2, type: 'Double', value: 1, properties },
      ]);
    await birth('two');
    await birth('three');
    await c.shows('a', 1);
    await c.shows('other', 1);
    await send('G/NDATA/two', 2, [{ alias: 1, type: 'Double', value: 3 }]);
    await c.shows('a', 1, lastUsable);
    // What was missed may have been a birth: the alias may be that of another metric by now.
    await send('G/NDATA/two', 3, [{ alias: 1, type: 'Double', value: 4 }]);
    await birth('two');
    await c.shows('a', 1);
    await broker.pub('spBv1.0/G/NDATA/two', Buffer.from([0xff, 0xff]));
    await c.shows('a', 1, lastUsable);
    assert.equal(c.readings.get('other')?.quality, 0xc0);
    assert.deepEqual(
      c.history.filter(([, { value }]) => value !== 1),
      [],
    );
    assert.deepEqual(
      c.history.filter(([name, { quality }]) => name === 'bad' && quality !== 0),
      [],
    );
    assert.equal(c.readings.get('bad')?.quality, 0);
  });

  test('a birth that is too large is reported, and asked for again', async (t) => {
    const c = link({ maxPacketKiB: '1' });
    t.after(() => c.stop());
    c.setPoints([{ name: 'a', address: 'spBv1.0/G/large#A', datatype: 's' }]);
    await c.start();
    await send('G/NBIRTH/large', 0, [bdSeq(0), { name: 'A', type: 'String', value: 'x'.repeat(2000) }]);
    await until('it is told', () => /maxPacketKiB/.test(c.connector.detail?.().devices?.[0]?.lastError ?? ''));
  });

  test('a command has the alias alone, fits the type that the metric was born with, and goes nowhere else', async (t) => {
    const c = link({ reorderTimeoutMs: '0' });
    t.after(() => c.stop());
    const heard = await broker.sub('spBv1.0/G/DCMD/#', 'spBv1.0/G/DBIRTH/typed/#');
    t.after(() => heard.stop());
    const types = ['Int8', 'Int16', 'UInt8', 'UInt16', 'UInt32', 'UInt64', 'Float', 'Double', 'Boolean'];
    c.setPoints(
      [{ name: 'last', address: 'spBv1.0/G/typed/x#Boolean', datatype: 'b' }],
      types.map((type) => ({ name: type, address: `spBv1.0/G/typed/x#${type}` })),
    );
    await c.start();
    await send('G/NBIRTH/typed', 0, [bdSeq(0)]);
    const metric = (type: string, at: number) => ({ name: type, alias: at + 10, type, value: type === 'Boolean' || 1 });
    await send('G/DBIRTH/typed/x', 1, types.map(metric));
    await c.shows('last', true);
    for (const type of types) await c.write(type, 1);
    await until('all have come', () => heard.messages.length === types.length + 1);
    const decoder = new SparkplugDecoder();
    const came = heard.messages.map(({ topic, payload }) => decoder.decode(topic, payload).metrics ?? []).slice(1);
    assert.deepEqual(
      came.flat().map(({ alias, type, value }) => [Number(alias), type, Number(value)]),
      types.map((type, at) => [at + 10, type, 1]),
    );
    const bare = heard.messages.slice(1).flatMap(({ payload }) => decodeRaw(payload).metrics ?? []);
    assert.ok(bare.every((metric) => !Object.hasOwn(metric, 'name') && !Object.hasOwn(metric, 'datatype')));
    const wrong: [string, number][] = [
      ['Int8', 128],
      ['UInt16', -1],
      ['UInt32', 2 ** 32],
      ['UInt64', -1],
      ['Float', 1e300],
      ['Int16', 0.5],
    ];
    for (const [type, value] of wrong) {
      await assert.rejects(c.write(type, value), { name: 'refused', message: /does not fit/ }, type);
    }
    await send('G/DDATA/typed/x', 7, []);
    await until('it is noticed', () => c.warnings.some((text) => text.includes('sequence')));
    await assert.rejects(c.write('Int8', 1), { name: 'refused', message: /waiting for its next birth/ });
    assert.equal(heard.messages.length, types.length + 1);
  });

  test('browsing asks edge nodes that speak for their births, and lists their metrics', async (t) => {
    const folder = temporaryFolder(t);
    const vars = { port: `${broker.port}`, format: 'sparkplug', group: 'Seen', node: 'edge' };
    const p = new LinkedProvider({ vars, folder });
    cleanupOf(t).defer(async () => void (await p.stop()));
    p.setPoints([
      { name: 'level', address: 'Tank/Level', properties: { device: 'tank' } },
      { name: 'hours', address: 'Hours', datatype: 'l' },
    ]);
    await p.start();
    const c = link();
    cleanupOf(t).defer(async () => void (await c.stop()));
    c.setPoints([]);
    await c.start();
    const browsing = c.connector.browse?.(
      { path: 'spBv1.0/Seen', cursor: undefined, limit: 10 },
      new AbortController().signal,
    );
    await until('it listens', () => broker.said.includes('spBv1.0/Seen/#'));
    p.publish('hours', 5n);
    const items = (await browsing)?.items.map(({ measurement }) => [measurement?.address, measurement?.datatype]);
    assert.deepEqual(items, [
      ['spBv1.0/Seen/edge#Hours', 'l'],
      ['spBv1.0/Seen/edge/tank#Tank/Level', 'd'],
    ]);
    const asked = () => [...broker.said.matchAll(/Received PUBLISH from \S+ \(.*'spBv1.0\/Seen\/NCMD\/edge'/g)].length;
    assert.equal(asked(), 1);
    const top = c.connector.browse?.({ path: undefined, cursor: undefined, limit: 10 }, new AbortController().signal);
    await until('it listens to everything', () => /\t# \(QoS/.test(broker.said));
    p.publish('hours', 6n);
    const place = (await top)?.items.find(({ path }) => path !== undefined);
    assert.deepEqual([place?.title, place?.path], ['Sparkplug B', 'spBv1.0']);
    assert.equal(asked(), 1);
  });

  test('a clock that is off is not believed', async (t) => {
    const c = link({}, { maxClockSkewMs: 5000 });
    t.after(() => c.stop());
    c.setPoints([{ name: 'a', address: 'spBv1.0/G/late#A' }]);
    await c.start();
    const hourAgo = Date.now() - 3_600_000;
    const metric = { name: 'A', alias: 1, type: 'Double', value: 1, timestamp: hourAgo };
    await send('G/NBIRTH/late', 0, [bdSeq(0), metric], hourAgo);
    await c.shows('a', 1, 0x40);
  });

  test('a last will of an earlier connection that comes late is contradicted', async (t) => {
    const c = link({ hostId: 'again' });
    t.after(() => c.stop());
    const heard = await broker.sub('spBv1.0/STATE/again');
    t.after(() => heard.stop());
    const says = () => heard.texts('spBv1.0/STATE/again').map((text) => JSON.parse(text).online);
    await broker.pub('spBv1.0/STATE/again', '{"online":false,"timestamp":1}', '-r');
    c.setPoints([]);
    await c.start();
    await until('its birth', () => says().length === 2);
    await broker.pub('spBv1.0/STATE/again', '{"online":false,"timestamp":2}', '-r');
    await until('its birth again', () => says().length === 4);
    assert.deepEqual(says(), [false, true, false, true]);
    const [, birth, , again] = heard.texts('spBv1.0/STATE/again');
    assert.equal(birth, again);
    await broker.pub('spBv1.0/STATE/again', '', '-r');
  });

  test('every false death of its own identifier is contradicted, also the second within a second', async (t) => {
    const c = link({ hostId: 'twice' });
    t.after(() => c.stop());
    c.setPoints([]);
    await c.start();
    const heard = await broker.sub('spBv1.0/STATE/twice');
    t.after(() => heard.stop());
    const says = () => heard.texts('spBv1.0/STATE/twice').map((text) => JSON.parse(text).online);
    await until('its birth', () => says().length === 1);
    for (const turn of [1, 2, 3]) {
      await broker.pub('spBv1.0/STATE/twice', `{"online":false,"timestamp":${turn}}`, '-r');
      await until('its birth again', () => says().length === 1 + 2 * turn);
    }
    assert.deepEqual(says(), [true, false, true, false, true, false, true]);
    // However many come before the broker has acknowledged an answer, the last word is ours.
    await Promise.all(
      Array.from({ length: 20 }, (_, at) =>
        broker.pub('spBv1.0/STATE/twice', `{"online":false,"timestamp":${at}}`, '-r'),
      ),
    );
    await until('the last word', () => says().filter((online) => !online).length === 23 && says().at(-1));
  });

  test('its birth is the first message that it publishes, after its subscriptions', async (t) => {
    const c = link({ hostId: 'first', clientId: 'first-host' });
    t.after(() => c.stop());
    c.setPoints([{ name: 'a', address: 'spBv1.0/G/first#A' }]);
    await c.start();
    const of = (what: RegExp) => broker.said.split('\n').findIndex((line) => what.test(line));
    const asked = /Received PUBLISH from first-host .*'spBv1.0\/G\/NCMD\/first'/;
    await until('a birth is asked for', () => of(asked) >= 0);
    const birth = of(/Received PUBLISH from first-host .*'spBv1.0\/STATE\/first'/);
    assert.ok(birth >= 0 && birth < of(asked));
    assert.ok(of(/Sending SUBACK to first-host/) < birth);
  });

  test('a message that others have overtaken is waited for, and a birth is asked for only when it does not come', async (t) => {
    const c = link({ reorderTimeoutMs: '60000' });
    t.after(() => c.stop());
    const heard = await broker.sub('spBv1.0/G/NCMD/mixed');
    t.after(() => heard.stop());
    c.setPoints([
      { name: 'a', address: 'spBv1.0/G/mixed#A' },
      { name: 'b', address: 'spBv1.0/G/mixed/x#B' },
    ]);
    await c.start();
    await until('the birth is asked for', () => rebirths(heard) === 1);
    await send('G/NBIRTH/mixed', 0, [bdSeq(0), { name: 'A', alias: 1, type: 'Double', value: 0 }]);
    const data = (seq: number) => send('G/NDATA/mixed', seq, [{ alias: 1, type: 'Double', value: seq }]);
    for (const seq of [4, 2, 3]) await data(seq);
    await send('G/DBIRTH/mixed/x', 1, [{ name: 'B', alias: 2, type: 'Double', value: 1 }]);
    await c.shows('a', 4);
    await c.shows('b', 1);
    assert.deepEqual(
      c.history.filter(([name]) => name === 'a').map(([, { value, quality }]) => [value, quality]),
      [0, 2, 3, 4].map((value) => [value, 0xc0]),
    );
    assert.equal(rebirths(heard), 1);
  });

  test('it reads, and writes to, an edge node of our own that waits for its primary host', async (t) => {
    const folder = temporaryFolder(t);
    const vars = { port: `${broker.port}`, format: 'sparkplug', group: 'G', node: 'own', primaryHost: 'scada' };
    const p = new LinkedProvider({ vars, folder });
    cleanupOf(t).defer(async () => void (await p.stop()));
    p.setPoints(
      [{ name: 'level', address: 'Level', properties: { device: 'tank' } }],
      [{ name: 'limit', address: 'Limit', datatype: 'i', properties: { device: 'tank' } }],
    );
    p.publish('level', 4.5);
    p.publish('limit', 1);
    await p.start();
    const c = link({ hostId: 'scada' });
    cleanupOf(t).defer(async () => void (await c.stop()));
    c.setPoints(
      [
        { name: 'level', address: 'spBv1.0/G/own/tank#Level' },
        { name: 'limit', address: 'spBv1.0/G/own/tank#Limit', datatype: 'i' },
      ],
      [
        { name: 'limit_set', address: 'spBv1.0/G/own/tank#Limit', datatype: 'i' },
        { name: 'wrong', address: 'spBv1.0/G/own/tank#None', datatype: 'i' },
        { name: 'nowhere', address: 'spBv1.0/G/nobody#None', datatype: 'i' },
      ],
    );
    await c.start();
    await c.shows('level', 4.5);
    await c.write('limit_set', -5);
    await c.shows('limit', -5);
    await assert.rejects(c.write('wrong', 1), { name: 'refused', message: /has no metric None/ });
    await assert.rejects(c.write('nowhere', 1), { name: 'refused', message: /is offline/ });
    p.publish('level', 5.5, 0x10);
    await c.shows('level', 5.5, 0);
    p.publish('level', 5.5, communicationFailure);
    await c.shows('level', 5.5, communicationFailure);
    assert.equal(c.explain('level')?.error, 'tank is dead');
    p.publish('level', 6.5);
    await c.shows('level', 6.5);
    await c.stop();
    assert.match(String(await p.lost()), /primary host application is offline/);
    const states = /Received PUBLISH from \S+ \((.*), m[0-9]+, 'spBv1.0\/STATE\/scada'/g;
    assert.deepEqual(
      Array.from(broker.said.matchAll(states), ([, flags]) => flags),
      ['d0, q1, r1', 'd0, q1, r1'],
    );
    await c.start();
    await p.start();
    await c.shows('limit', -5);
    await p.stop();
    await c.shows('limit', -5, communicationFailure);
  });
});
