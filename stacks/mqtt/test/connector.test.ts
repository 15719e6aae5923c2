import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { ManualClock } from '@telltale/schema/testing';
import { FaultProxy, until } from '@telltale/stack-kit/testing';
import { LinkedConnector, type LinkTo } from './linked-connector.ts';
import { Mosquitto, withoutMosquitto } from './mosquitto.ts';
import { BrokerClient } from './test-client.ts';

const good = 0xc0;
const lastUsable = 0x44;
const uncertain = 0x40;
const configurationError = 0x04;
const sensorFailure = 0x10;
const communicationFailure = 0x18;

describe('a connector to a real broker', { skip: withoutMosquitto }, () => {
  let broker: Mosquitto;
  before(async () => {
    broker = await Mosquitto.start();
  });
  after(() => broker.stop());

  const link = (...given: LinkTo) => LinkedConnector.to(broker, ...given);

  test('what a topic said is not reported of a point that has another one since', async (t) => {
    const clock = new ManualClock(Date.now() * 1000);
    const c = link({}, { clock });
    t.after(() => c.stop());
    const steady = { name: 'steady', address: 'moved/one' };
    c.setPoints([{ name: 'mover', address: 'moved/one' }, steady]);
    await c.start();
    await broker.pub('moved/one', '5');
    await until('it was heard', () => c.explain('mover')?.value === 5);
    assert.equal(c.readings.get('steady')?.value, undefined, 'it is gathered first');
    c.setPoints([{ name: 'mover', address: 'moved/two' }, steady]);
    clock.advance(1000);
    assert.deepEqual([c.readings.get('mover')?.value, c.readings.get('steady')?.value], [undefined, 5]);
  });

  for (const version of ['3.1.1', '5']) {
    test(`MQTT ${version}: values of every datatype come, retained and live, from plain, JSON and binary payloads`, async (t) => {
      const c = link({ version });
      t.after(() => c.stop());
      await broker.pub('all/plain', '21.5', '-r');
      c.setPoints([
        { name: 'plain', address: 'all/plain' },
        { name: 'b', address: 'all/json#/on', datatype: 'b' },
        { name: 'q', address: 'all/json#/state', datatype: 'q' },
        { name: 'i', address: 'all/json#/list/1', datatype: 'i' },
        { name: 'l', address: 'all/json#/total', datatype: 'l' },
        { name: 'f', address: 'all/json#$.list[0]', datatype: 'f' },
        { name: 's', address: 'all/json#/__proto__/text', datatype: 's' },
        { name: 'frame', address: 'all/binary#int16le@1', datatype: 'i' },
        { name: 'word', address: 'all/word', datatype: 'b', properties: { on: 'OPEN', off: 'CLOSED' } },
      ]);
      await c.start();
      await c.shows('plain', 21.5, lastUsable);
      await broker.pub(
        'all/json',
        '{"on":true,"state":2,"list":[0.5,-7],"total":9223372036854775807,"__proto__":{"text":"grün"}}',
      );
      await broker.pub('all/binary', Buffer.from([9, 0xfe, 0xff]));
      await broker.pub('all/word', 'OPEN');
      await c.shows('b', true);
      await c.shows('q', 2);
      await c.shows('i', -7);
      await c.shows('l', 9223372036854775807n);
      await c.shows('f', 0.5);
      await c.shows('s', 'grün');
      await c.shows('frame', -2);
      await c.shows('word', true);
      assert.equal(await c.stop(), undefined);
    });
  }

  test('a message that cannot be read turns its points bad, and the next one that can turns them good', async (t) => {
    const c = link();
    t.after(() => c.stop());
    c.setPoints([
      { name: 'level', address: 'bad/level#/v' },
      { name: 'kept', address: 'bad/level#/extra', properties: { missing: 'keep' } },
      { name: 'plain', address: 'bad/plain' },
    ]);
    await c.start();
    await broker.pub('bad/level', '{"v":1,"extra":5}');
    await c.shows('kept', 5);
    await broker.pub('bad/level', '{"v":2}');
    await c.shows('level', 2);
    assert.equal(c.readings.get('kept')?.quality, good);
    await broker.pub('bad/level', '{"v":1}');
    await c.shows('level', 1);
    for (const [payload, quality] of [
      ['{"v":', sensorFailure],
      ['{"w":1}', configurationError],
      ['{"v":null}', sensorFailure],
      ['{"v":{"deep":1}}', sensorFailure],
      ['{"v":"high"}', sensorFailure],
      ['', sensorFailure],
    ] as const) {
      await broker.pub('bad/level', payload);
      await c.shows('level', 1, quality);
      await broker.pub('bad/level', '{"v":1}');
      await c.shows('level', 1);
    }
    await broker.pub('bad/plain', Buffer.from([0xff, 0xfe]));
    await c.shows('plain', undefined, sensorFailure);
    assert.match(c.explain('plain')?.error ?? '', /datatype d/);
  });

  test('a message that is too large turns its point bad and leaves the connection and the others alone', async (t) => {
    for (const version of ['3.1.1', '5']) {
      const c = link({ maxPacketKiB: '16', version });
      t.after(() => c.stop());
      c.setPoints([
        { name: 'large', address: 'size/large', datatype: 's' },
        { name: 'small', address: 'size/small' },
      ]);
      await c.start();
      await broker.pub('size/large', Buffer.alloc(3_000_000, 'x'), '-r');
      await c.shows('large', undefined, sensorFailure);
      assert.match(c.explain('large')?.error ?? '', /more than 16 KiB/);
      await broker.pub('size/small', '7');
      await c.shows('small', 7);
      await broker.pub('size/large', 'short');
      await c.shows('large', 'short');
      assert.equal(await c.stop(), undefined);
    }
    await broker.pub('size/large', '', '-r');
  });

  test('the newest message of any topic that a wildcard matches counts, and a condition picks messages out', async (t) => {
    const c = link();
    t.after(() => c.stop());
    c.setPoints([
      { name: 'any', address: 'wild/+/level#/v' },
      { name: 'below', address: 'wild/##/v' },
      { name: 'seven', address: 'wild/+/level#/v', properties: { where: '/id=7' } },
      { name: 'shared', address: '$share/us/wild/a/level#/v' },
    ]);
    await c.start();
    await broker.pub('wild/a/level', '{"v":1,"id":7}');
    for (const name of ['any', 'below', 'seven', 'shared']) await c.shows(name, 1);
    await broker.pub('wild/b/level', '{"v":2,"id":8}');
    await c.shows('any', 2);
    await c.shows('below', 2);
    await broker.pub('wild/b/else', '{"v":3,"id":7}');
    await c.shows('below', 3);
    assert.deepEqual([c.readings.get('any')?.value, c.readings.get('seven')?.value], [2, 1]);
  });

  test('times and qualities come from the payload, and a clock that is off is not believed', async (t) => {
    const c = link({ time: '/t', quality: '/q', timeFormat: 'iso' }, { maxClockSkewMs: 5000 });
    t.after(() => c.stop());
    const nowUs = Math.floor(Date.now() / 1000) * 1e6;
    const iso = (us: number) => new Date(us / 1000).toISOString();
    await broker.pub('times/old', `{"v":1,"t":"${iso(nowUs - 3600e6)}","q":true}`, '-r');
    c.setPoints([
      { name: 'live', address: 'times/live#/v' },
      { name: 'old', address: 'times/old#/v' },
      { name: 'seconds', address: 'times/live#/v', properties: { time: '/s', timeFormat: 's' } },
    ]);
    await c.start();
    await c.shows('old', 1);
    assert.equal(c.readings.get('old')?.timeUs, nowUs - 3600e6);
    const live = (v: number, us: number, q: string) =>
      broker.pub('times/live', `{"v":${v},"t":"${iso(us)}","q":${q},"s":${us / 1e6}}`);
    await live(2, nowUs, '"GOOD"');
    await c.shows('live', 2);
    await c.shows('seconds', 2);
    assert.deepEqual([c.readings.get('live')?.timeUs, c.readings.get('seconds')?.timeUs], [nowUs, nowUs]);
    await live(3, nowUs - 3600e6, '192');
    await c.shows('live', 3, uncertain);
    assert.ok((c.readings.get('live')?.timeUs ?? 0) >= nowUs);
    await live(4, nowUs, '24');
    await c.shows('live', 4, communicationFailure);
    await live(5, nowUs, '"so so"');
    await c.shows('live', 5, uncertain);
    await broker.pub('times/live', '{"v":6,"q":true}');
    await c.shows('live', 6, uncertain);
    await broker.pub('times/old', '', '-r');
  });

  for (const version of ['3.1.1', '5']) {
    test(`MQTT ${version}: what a session has kept is of unknown age where it has no time, and not good`, async (t) => {
      const c = link({ cleanStart: 'false', clientId: `telltale-old-${version}`, version });
      t.after(() => c.stop());
      c.setPoints([{ name: 'a', address: `old/${version}` }]);
      await c.start();
      await broker.pub(`old/${version}`, '1');
      await c.shows('a', 1, good);
      await c.stop();
      c.history.length = 0;
      for (const value of ['2', '3']) await broker.pub(`old/${version}`, value);
      await c.start();
      await c.shows('a', 3, lastUsable);
      assert.deepEqual(
        c.history.map(([, { value, quality }]) => [value, quality]),
        [2, 3].map((value) => [value, lastUsable]),
      );
      // MQTT 5 tells what is new; with 3.1.1 nobody knows when the broker is through.
      await broker.pub(`old/${version}`, '4');
      await c.shows('a', 4, version === '5' ? good : lastUsable);
    });
  }

  test('what was bad stays bad when nothing more comes, and when its device has gone and is back', async (t) => {
    const c = link({ statusTopic: 'worse/{device}/status', quality: '/q' });
    t.after(() => c.stop());
    c.setPoints([
      { name: 'quiet', address: 'worse/one/a#/v', properties: { staleAfter: '100' } },
      { name: 'fine', address: 'worse/one/b#/v', properties: { staleAfter: '100' } },
      { name: 'steady', address: 'worse/one/a#/v' },
    ]);
    await c.start();
    await broker.pub('worse/one/a', '{"v":1,"q":"bad"}');
    await broker.pub('worse/one/b', '{"v":1,"q":"good"}');
    await c.shows('quiet', 1, 0);
    await c.shows('fine', 1, lastUsable);
    await broker.pub('worse/one/status', 'offline');
    await c.shows('steady', 1, communicationFailure);
    await broker.pub('worse/one/status', 'online');
    await c.shows('fine', 1, lastUsable);
    await c.shows('steady', 1, 0);
    assert.deepEqual(
      c.history.filter(([name, { quality }]) => name !== 'fine' && quality >= uncertain),
      [],
    );
  });

  test('a measurement of which nothing is heard for too long is the last usable value until something is', async (t) => {
    const c = link();
    t.after(() => c.stop());
    c.setPoints([
      { name: 'quiet', address: 'stale/a', properties: { staleAfter: '150' } },
      { name: 'other', address: 'stale/a' },
    ]);
    await c.start();
    await broker.pub('stale/a', '1');
    await c.shows('quiet', 1);
    await c.shows('quiet', 1, lastUsable);
    await c.shows('other', 1);
    await broker.pub('stale/a', '1');
    await c.shows('quiet', 1);
  });

  test('the last will of a device turns its points bad, and leaves other devices alone', async (t) => {
    const c = link({ statusTopic: 'dev/{device}/status#/state' });
    t.after(() => c.stop());
    const status = (device: string, state: string) => broker.pub(`dev/${device}/status`, `{"state":"${state}"}`, '-r');
    await status('one', 'online');
    await broker.pub('dev/one/kept', '10', '-r');
    c.setPoints([
      { name: 'one', address: 'dev/one/level' },
      { name: 'kept', address: 'dev/one/kept' },
      { name: 'two', address: 'dev/two/level' },
      { name: 'elsewhere', address: 'far/away', properties: { device: 'one' } },
    ]);
    await c.start();
    await broker.pub('dev/one/level', '1');
    await broker.pub('dev/two/level', '2');
    await broker.pub('far/away', '3');
    await c.shows('one', 1);
    await c.shows('two', 2);
    await c.shows('elsewhere', 3);
    await status('one', 'offline');
    for (const [name, value] of [
      ['one', 1],
      ['kept', 10],
      ['elsewhere', 3],
    ] as const) {
      await c.shows(name, value, communicationFailure);
    }
    const [device] = c.connector.detail?.().devices ?? [];
    assert.deepEqual([device?.name, device?.isUp], ['one', false]);
    await broker.pub('far/away', '4');
    await broker.pub('dev/two/level', '5');
    await c.shows('two', 5);
    assert.equal(c.readings.get('elsewhere')?.quality, communicationFailure);
    await status('one', 'online');
    await c.shows('one', 1, lastUsable);
    await c.shows('kept', 10, good);
    await c.shows('elsewhere', 4, good);
    await broker.pub('dev/one/level', '6');
    await c.shows('one', 6);
    for (const topic of ['dev/one/status', 'dev/one/kept']) await broker.pub(topic, '', '-r');
  });

  test('of too many messages the newest of each topic is read, and it is reported', async (t) => {
    const c = link({ maxMessagesPerSecond: '10' });
    t.after(() => c.stop());
    c.setPoints([{ name: 'flood', address: 'flood/a' }]);
    await c.start();
    const lines = Array.from({ length: 500 }, (_, at) => `${at}\n`).join('');
    const { spawn } = await import('node:child_process');
    const child = spawn('mosquitto_pub', ['-p', `${broker.port}`, '-h', '127.0.0.1', '-t', 'flood/a', '-l']);
    child.stdin.end(lines);
    await c.shows('flood', 499);
    assert.ok(c.history.length < 100, `${c.history.length} readings`);
    assert.ok(c.overruns > 0);
    assert.match(c.warnings.join(), /more than 10 messages per second/);
  });

  test('of too many messages, none that is read late takes the place of a newer one of another topic', async (t) => {
    const c = link({ maxMessagesPerSecond: '10' });
    t.after(() => c.stop());
    c.setPoints([
      { name: 'any', address: 'late/+' },
      { name: 'b', address: 'late/b' },
    ]);
    await c.start();
    const client = await BrokerClient.open(broker.port, 'late/none');
    t.after(() => client.close());
    for (const [topic, value] of [
      ['x', '0'],
      ['a', '1'],
      ['b', '2'],
      ['a', '3'],
    ]) {
      await client.publish(`late/${topic}`, value ?? '');
    }
    await c.shows('any', 3);
    await c.shows('b', 2);
    assert.equal(c.readings.get('any')?.value, 3);
  });

  test('points come and go while it runs; the others stay as they are', async (t) => {
    const c = link();
    t.after(() => c.stop());
    await broker.pub('come/b', '2', '-r');
    c.setPoints([{ name: 'a', address: 'come/a' }]);
    await c.start();
    await broker.pub('come/a', '1');
    await c.shows('a', 1);
    c.readings.clear();
    c.setPoints([
      { name: 'a', address: 'come/a' },
      { name: 'b', address: 'come/b' },
      { name: 'wrong', address: 'come/#/b' },
    ]);
    await c.shows('a', 1);
    await c.shows('b', 2, lastUsable);
    await c.shows('wrong', undefined, configurationError);
    c.setPoints([{ name: 'b', address: 'come/b' }]);
    await until('it has left', () => broker.said.includes('Received UNSUBSCRIBE'));
    await broker.pub('come/b', '', '-r');
  });

  test('browsing lists the topics below a path, and the parts of their payloads', async (t) => {
    const c = link();
    t.after(() => c.stop());
    await broker.pub('seen/a', '{"n":1.5,"t":"x","deep":{"on":true},"big":9007199254740993,"no":null}', '-r');
    await broker.pub('seen/b', '7', '-r');
    c.setPoints([]);
    await c.start();
    const signal = new AbortController().signal;
    const browse = c.connector.browse?.bind(c.connector) ?? assert.fail();
    const first = await browse({ path: 'seen', cursor: undefined, limit: 3 }, signal);
    const rest = await browse({ path: 'seen', cursor: first.cursor, limit: 100 }, signal);
    const items = [...first.items, ...rest.items].map(({ measurement }) => [
      measurement?.address,
      measurement?.datatype,
    ]);
    assert.deepEqual(items, [
      ['seen/a#/n', 'd'],
      ['seen/a#/t', 's'],
      ['seen/a#/deep/on', 'b'],
      ['seen/a#/big', 'l'],
      ['seen/b', 'd'],
    ]);
    assert.equal(rest.cursor, undefined);
    await assert.rejects(browse({ path: 'a/+', cursor: undefined, limit: 3 }, signal), /wildcards/);
    for (const topic of ['seen/a', 'seen/b']) await broker.pub(topic, '', '-r');
  });

  test('a broker that hangs is noticed within the time that it has', async (t) => {
    const proxy = await FaultProxy.start({ host: '127.0.0.1', port: broker.port });
    t.after(() => proxy[Symbol.asyncDispose]());
    const c = link({ port: `${proxy.port}` });
    c.setPoints([{ name: 'a', address: 'hang/a' }]);
    await c.start();
    proxy.setFaults({ toClient: { kind: 'discard' }, toDevice: { kind: 'discard' } });
    assert.match(String(await c.lost()), /NotConnected: the broker has been silent/);
  });
});
