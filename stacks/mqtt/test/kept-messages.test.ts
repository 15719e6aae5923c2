import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { LinkedConnector, type LinkTo } from './linked-connector.ts';
import { Mosquitto, withoutMosquitto } from './mosquitto.ts';

const good = 0xc0;
const lastUsable = 0x44;
const communicationFailure = 0x18;

describe('what a broker has kept', { skip: withoutMosquitto }, () => {
  let broker: Mosquitto;
  before(async () => {
    broker = await Mosquitto.start();
  });
  after(() => broker.stop());

  const link = (...given: LinkTo) => LinkedConnector.to(broker, ...given);

  test('a retained message is worth what is set', async (t) => {
    const c = link({ subscribeQos: '2' });
    t.after(() => c.stop());
    await broker.pub('worth/a', '1', '-r');
    c.setPoints([
      { name: 'ignored', address: 'worth/a', properties: { retained: 'ignore' } },
      { name: 'doubted', address: 'worth/a', properties: { retained: 'uncertain' } },
      { name: 'trusted', address: 'worth/a', properties: { retained: 'good' } },
      { name: 'plain', address: 'worth/a' },
    ]);
    await c.start();
    await c.shows('trusted', 1);
    await c.shows('doubted', 1, lastUsable);
    await c.shows('plain', 1, lastUsable);
    assert.equal(c.readings.get('ignored'), undefined);
    await broker.pub('worth/a', '2', '-q', '2');
    for (const name of ['ignored', 'doubted', 'trusted', 'plain']) await c.shows(name, 2);
    await broker.pub('worth/a', '', '-r');
  });

  test('a retained message of a device that is there is good, also where it says so afterwards', async (t) => {
    const c = link({ statusTopic: 'there/{device}/status' });
    t.after(() => c.stop());
    for (const device of ['one', 'two', 'three']) await broker.pub(`there/${device}/level`, '1', '-r');
    await broker.pub('there/one/status', 'online', '-r');
    c.setPoints(['one', 'two', 'three'].map((name) => ({ name, address: `there/${name}/level` })));
    await c.start();
    await c.shows('one', 1, good);
    await c.shows('two', 1, lastUsable);
    await broker.pub('there/two/status', 'online');
    await c.shows('two', 1, good);
    assert.equal(c.readings.get('three')?.quality, lastUsable);
    for (const topic of ['one/level', 'two/level', 'three/level', 'one/status']) {
      await broker.pub(`there/${topic}`, '', '-r');
    }
  });

  test('a session that the broker keeps brings what was published meanwhile, with its own times', async (t) => {
    const session = { cleanStart: 'false', clientId: 'telltale-kept', time: '/t', timeFormat: 's' };
    const c = link(session, { maxClockSkewMs: 1000 });
    t.after(() => c.stop());
    c.setPoints([{ name: 'a', address: 'kept/a#/v' }]);
    await c.start();
    await c.stop();
    const seconds = Math.floor(Date.now() / 1000) - 600;
    for (const at of [0, 1, 2]) await broker.pub('kept/a', `{"v":${at},"t":${seconds + at}}`);
    await c.start();
    await c.shows('a', 2);
    assert.deepEqual(
      c.history.map(([, { value, timeUs, quality }]) => [value, timeUs, quality]),
      [0, 1, 2].map((at) => [at, (seconds + at) * 1e6, good]),
    );
    assert.equal(c.early, 0);
  });

  test('what is retained and sent once more, for a browse or another point, takes the place of nothing newer', async (t) => {
    const c = link({ statusTopic: 'again/status' });
    t.after(() => c.stop());
    await broker.pub('again/status', 'online', '-r');
    await broker.pub('again/a', '1', '-r');
    c.setPoints([
      { name: 'a', address: 'again/a' },
      { name: 'kept', address: 'again/kept' },
      { name: 'any', address: 'again/#' },
    ]);
    await c.start();
    await c.shows('a', 1);
    await broker.pub('again/kept', '5', '-r');
    await broker.pub('again/a', '2');
    for (const name of ['a', 'any']) await c.shows(name, 2);
    const before = c.history.length;
    const signal = new AbortController().signal;
    const { items = [] } = (await c.connector.browse?.({ path: 'again', cursor: undefined, limit: 9 }, signal)) ?? {};
    assert.equal(items.length, 3);
    assert.deepEqual(c.history.slice(before), []);
    assert.equal(c.explain('a')?.raw, '2');
    assert.doesNotMatch(broker.said, /again\/# \(QoS 0\)/);
    const points = [
      { name: 'a', address: 'again/a' },
      { name: 'kept', address: 'again/kept' },
    ];
    c.setPoints([...points, { name: 'new', address: 'again/a' }, { name: 'newer', address: 'again/kept' }]);
    await c.shows('new', 1);
    await c.shows('newer', 5);
    await c.shows('a', 2);
    await c.shows('kept', 5);
    await broker.pub('again/status', 'offline');
    await c.shows('a', 2, communicationFailure);
    await c.connector.browse?.({ path: 'again', cursor: undefined, limit: 9 }, signal);
    assert.equal(c.readings.get('a')?.quality, communicationFailure);
    await broker.pub('again/status', 'online');
    await c.shows('a', 1);
    for (const topic of ['again/status', 'again/a', 'again/kept']) await broker.pub(topic, '', '-r');
  });
});
