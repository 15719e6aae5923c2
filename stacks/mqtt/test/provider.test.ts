import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { quality } from '@telltale/schema';
import { written } from '@telltale/stack-kit';
import { FaultProxy, freePort, until } from '@telltale/stack-kit/testing';
import { type IPublishPacket, MqttClient } from 'mqtt';
import { LinkedProvider, type LinkedProviderOptions } from './linked-provider.ts';
import { Mosquitto, withoutMosquitto } from './mosquitto.ts';

describe('a provider at a real broker', { skip: withoutMosquitto }, () => {
  let broker: Mosquitto;
  before(async () => {
    broker = await Mosquitto.start();
  });
  after(() => broker.stop());

  const link = (vars: Record<string, string> = {}, options: Partial<LinkedProviderOptions> = {}) =>
    new LinkedProvider({ vars: { port: `${broker.port}`, ...vars }, ...options });

  test('publishes values of every datatype with quality and time, retained, and their changes', async (t) => {
    const p = link();
    t.after(() => p.stop());
    p.setPoints([
      { name: 'b', address: 'pub/b', datatype: 'b' },
      { name: 'q', address: 'pub/q', datatype: 'q' },
      { name: 'i', address: 'pub/i', datatype: 'i' },
      { name: 'l', address: 'pub/l', datatype: 'l' },
      { name: 'f', address: 'pub/f', datatype: 'f' },
      { name: 'd', address: 'pub/d', datatype: 'd' },
      { name: 's', address: 'pub/s', datatype: 's' },
      { name: 'none', address: 'pub/none', datatype: 'd' },
    ]);
    const values = { b: true, q: 3, i: -5, l: 2n ** 63n - 1n, f: Math.fround(0.1), d: 1e-7, s: 'a"b' };
    for (const [name, value] of Object.entries(values)) p.publish(name, value, 0xc0, 1_700_000_000_123_456);
    p.publish('none', undefined, 0x18, 1_700_000_000_000_000);
    await p.start();
    const heard = await broker.sub('pub/#');
    t.after(() => heard.stop());
    await until('all are retained', () => heard.messages.length === 8);
    const payload = (value: string) => [`{"value":${value},"quality":192,"time":"2023-11-14T22:13:20.123456Z"}`];
    assert.deepEqual(heard.texts('pub/b'), payload('true'));
    assert.deepEqual(heard.texts('pub/q'), payload('3'));
    assert.deepEqual(heard.texts('pub/i'), payload('-5'));
    assert.deepEqual(heard.texts('pub/l'), payload('9223372036854775807'));
    assert.deepEqual(heard.texts('pub/f'), payload('0.1'));
    assert.deepEqual(heard.texts('pub/d'), payload('0.0000001'));
    assert.deepEqual(heard.texts('pub/s'), payload('"a\\"b"'));
    assert.deepEqual(heard.texts('pub/none'), ['{"value":null,"quality":24,"time":"2023-11-14T22:13:20.000000Z"}']);
    p.publish('d', 2, 0x18, 1_700_000_000_000_000);
    await until('the change has come', () => heard.of('pub/d').length === 2);
    assert.equal(heard.texts('pub/d')[1], '{"value":2,"quality":24,"time":"2023-11-14T22:13:20.000000Z"}');
  });

  test('what the broker has retained from before is not left there, and what it has lost comes again', async (t) => {
    const own = await Mosquitto.start();
    t.after(() => own.stop());
    const p = link({ port: `${own.port}` });
    t.after(() => p.stop());
    await own.pub('again/a', '{"value":7,"quality":192,"time":"2023-11-14T22:13:20.000000Z"}', '-r');
    p.setPoints([
      { name: 'a', address: 'again/a' },
      { name: 'b', address: 'again/b' },
    ]);
    p.publish('b', 5);
    await p.start();
    const heard = await own.sub('again/#');
    t.after(() => heard.stop());
    await until(
      'it has no value',
      () => heard.texts('again/a').at(-1)?.startsWith('{"value":null,"quality":8,') === true,
    );
    await own.halt();
    await p.lost();
    await own.again();
    await p.start();
    const later = await own.sub('again/#');
    t.after(() => later.stop());
    await until(
      'the value is there',
      () => later.texts('again/b').at(-1)?.startsWith('{"value":5,"quality":192,') === true,
    );
  });

  test('a command that was never written is not published, and what the broker has retained of it is gone', async (t) => {
    await broker.pub('fresh/speed', '{"value":0,"quality":192,"time":"1970-01-01T00:00:00.000000Z"}', '-r');
    const speed = { name: 'speed', address: 'fresh/speed' };
    const p = link();
    t.after(() => p.stop());
    p.setPoints([{ name: 'level', address: 'fresh/level' }], [speed]);
    p.publish('speed', 0, quality.bad.notConnected, 0);
    p.publish('level', 1);
    const first = await broker.sub('fresh/#');
    t.after(() => first.stop());
    await p.start();
    await until('the broker has forgotten it', () => first.texts('fresh/speed').at(-1) === '');
    await until('the measurement has come', () => first.texts('fresh/level').length > 0);
    const later = await broker.sub('fresh/#');
    t.after(() => later.stop());
    await until('what is retained has come', () => later.messages.length > 0);
    assert.deepEqual(later.texts('fresh/speed'), []);
    p.publish('speed', 7);
    await until(
      'it was written',
      () => later.texts('fresh/speed').at(-1)?.startsWith('{"value":7,"quality":192,') === true,
    );
    const plain = link({ retain: 'false', topic: 'once/{name}', statusTopic: '' });
    t.after(() => plain.stop());
    plain.setPoints([{ name: 'level', address: 'a' }], [{ ...speed, address: 'b' }]);
    plain.publish('speed', 0, quality.bad.notConnected, 0);
    plain.publish('level', 1);
    const heard = await broker.sub('once/#');
    t.after(() => heard.stop());
    await plain.start();
    plain.publish('level', 2);
    await until('the measurement has come', () => heard.texts('once/level').some((text) => text.includes(':2,')));
    assert.deepEqual(heard.texts('once/speed'), [], 'not even an empty message');
  });

  test('of a point that is not served any more nothing stays at the broker', async (t) => {
    const p = link();
    t.after(() => p.stop());
    const all = ['a', 'b', 'c'].map((name) => ({ name, address: `gone/${name}` }));
    p.setPoints(all);
    for (const { name } of all) p.publish(name, 1);
    await p.start();
    const heard = await broker.sub('gone/#');
    t.after(() => heard.stop());
    await until('all are there', () =>
      all.every(({ address }) => /"value":1,/.test(heard.texts(address).at(-1) ?? '')),
    );
    p.setPoints(all.slice(1));
    await until('the first is gone', () => heard.texts('gone/a').at(-1) === '');
    await p.stop();
    p.setPoints(all.slice(2));
    await p.start();
    await until('the second is gone', () => heard.texts('gone/b').at(-1) === '');
    const later = await broker.sub('gone/#');
    t.after(() => later.stop());
    await until('what is left has come', () => later.messages.length > 0);
    assert.deepEqual(
      later.messages.map(({ topic }) => topic),
      ['gone/c'],
    );
    p.setPoints(all);
    await until('it is back', () => heard.texts('gone/a').at(-1)?.startsWith('{') === true);
  });

  test('of two points whose topic would be the same one is published, and the other reported', async (t) => {
    const p = link({ topic: 'same/{provider}/{address}' });
    t.after(() => p.stop());
    p.setPoints([
      { name: 'a', address: 'x' },
      { name: 'b', address: 'x' },
    ]);
    p.publish('a', 1);
    p.publish('b', 2);
    await p.start();
    const heard = await broker.sub('same/#');
    t.after(() => heard.stop());
    p.publish('b', 3);
    p.publish('a', 4);
    await until('the newest has come', () => /"value":4,/.test(heard.texts('same/out/x').at(-1) ?? ''));
    assert.doesNotMatch(heard.texts('same/out/x').join(), /"value":[23],/);
    assert.match(p.warnings.join(), /b is not published: another point already has the topic same\/out\/x/);
  });

  test('templates make topics and payloads', async (t) => {
    const p = link({ topic: 'site/{provider}/{name}', payload: '{text} {status} {timeMs}', retain: 'false' });
    t.after(() => p.stop());
    p.setPoints([{ name: 'level', address: 'x' }]);
    await p.start();
    const heard = await broker.sub('site/#');
    t.after(() => heard.stop());
    p.publish('level', 1.5, 0x44, 1_700_000_000_000_000);
    await until('it has come', () => heard.texts('site/out/level').at(-1) === '1.5 uncertain 1700000000000');
  });

  test('the status topic says whether it is there: when it comes, when it ends and when it is lost', async (t) => {
    const proxy = await FaultProxy.start({ host: '127.0.0.1', port: broker.port });
    t.after(() => proxy[Symbol.asyncDispose]());
    const p = link({ port: `${proxy.port}`, statusTopic: 'alive/{provider}' });
    t.after(() => p.stop());
    const heard = await broker.sub('alive/#');
    t.after(() => heard.stop());
    const last = (text: string) => until(text, () => heard.texts('alive/out').at(-1) === text);
    p.setPoints([]);
    await p.start();
    await last('online');
    await p.stop();
    await last('offline');
    await p.start();
    await last('online');
    proxy.reset();
    assert.match(String(await p.lost()), /NotConnected/);
    await last('offline');
  });

  test('a client writes at the command topic and is answered; what is refused, retained or nonsense is not done', async (t) => {
    const p = link(
      {},
      {
        write: (_, value) => {
          if (value === 13) return written.refused('unlucky');
          if (value === 14) return written.unknown('no answer, the device may have it');
          return value === 15 ? written.notSent('the connector is down') : undefined;
        },
      },
    );
    t.after(() => p.stop());
    await broker.pub('cmd/speed/set', '99', '-r');
    p.setPoints([], [{ name: 'speed', address: 'cmd/speed' }]);
    await p.start();
    const heard = await broker.sub('cmd/speed', 'cmd/speed/set/answer');
    t.after(() => heard.stop());
    const answers = () => heard.texts('cmd/speed/set/answer');
    await broker.pub('cmd/speed/set', '12.5');
    await until('it is answered', () => answers().length === 1);
    assert.deepEqual(answers(), ['{"result":"accepted"}']);
    await until('the new value is published', () => /"value":12.5,/.test(heard.texts('cmd/speed').at(-1) ?? ''));
    await broker.pub('cmd/speed/set', '13');
    await until('it is answered', () => answers().length === 2);
    assert.equal(answers()[1], '{"result":"refused","reason":"unlucky"}');
    await broker.pub('cmd/speed/set', '14');
    await until('it is answered', () => answers().length === 3);
    assert.equal(answers()[2], '{"result":"unknown","reason":"no answer, the device may have it"}');
    await broker.pub('cmd/speed/set', '15');
    await until('it is answered', () => answers().length === 4);
    assert.equal(answers()[3], '{"result":"not-sent","reason":"the connector is down"}');
    for (const nonsense of ['fast', '', '{"value":1}', '1e999']) await broker.pub('cmd/speed/set', nonsense);
    await until('all are answered', () => answers().length === 8);
    for (const answer of answers().slice(4)) assert.match(answer, /refused.*does not fit/);
    assert.deepEqual(p.written, [['speed', 12.5]]);
    assert.match(p.warnings.join(), /ignored: it is retained/);
    await broker.pub('cmd/speed/set', '', '-r');
  });

  test('an address that makes no topic is passed over, and reported; the others are served', async (t) => {
    const p = link();
    t.after(() => p.stop());
    p.setPoints(
      [{ name: 'a', address: 'Well 2#Flow' }],
      [
        { name: 'b', address: 'Well 2#Speed' },
        { name: 'c', address: 'fine/c' },
      ],
    );
    await p.start();
    const heard = await broker.sub('fine/#');
    t.after(() => heard.stop());
    await broker.pub('fine/c/set', '5');
    await until('it is written', () => p.written.length === 1);
    await until('both are told', () =>
      ['a is not published', 'b cannot be written'].every((text) => p.warnings.some((each) => each.startsWith(text))),
    );
  });

  test('a topic to which the provider publishes itself takes no writes', async (t) => {
    const p = link({ payload: '{text}' });
    t.after(() => p.stop());
    p.setPoints([{ name: 'trap', address: 'loop/a/set' }], [{ name: 'a', address: 'loop/a' }]);
    await p.start();
    p.publish('trap', 5);
    const heard = await broker.sub('loop/#');
    t.after(() => heard.stop());
    await until('it has come', () => heard.texts('loop/a/set').at(-1) === '5');
    assert.match(p.warnings.join(), /a cannot be written: the provider publishes to loop\/a\/set itself/);
    assert.deepEqual(p.written, []);
  });

  test('MQTT 5: a write is answered at its response topic with its correlation data', async (t) => {
    const p = link({ commandValue: '/v' });
    t.after(() => p.stop());
    p.setPoints([], [{ name: 'n', address: 'five/n', datatype: 'l' }]);
    await p.start();
    const stream = connect(broker.port, '127.0.0.1');
    const client = new MqttClient(() => stream as never, { protocolVersion: 5, reconnectPeriod: 0 });
    t.after(() => client.endAsync(true));
    await new Promise<void>((resolve) => client.once('connect', () => resolve()));
    await client.subscribeAsync('my/answers');
    const answers: [string, IPublishPacket['properties']][] = [];
    client.on('message', (_, payload, { properties }) => answers.push([payload.toString(), properties]));
    client.publish('five/n/set', '{"v":-9223372036854775808}', {
      qos: 1,
      properties: { responseTopic: 'my/answers', correlationData: Buffer.from('one') },
    });
    await until('it is answered', () => answers.length === 1);
    assert.equal(answers[0]?.[0], '{"result":"accepted"}');
    assert.equal(answers[0]?.[1]?.correlationData?.toString(), 'one');
    assert.deepEqual(p.written, [['n', -(2n ** 63n)]]);
  });

  test('MQTT 5: no write is answered at a topic that is the provider’s own', async (t) => {
    const p = link({ statusTopic: 'own/status' });
    t.after(() => p.stop());
    p.setPoints(
      [{ name: 'level', address: 'own/level' }],
      [
        { name: 'a', address: 'own/a' },
        { name: 'b', address: 'own/b' },
      ],
    );
    await p.start();
    const heard = await broker.sub('own/#', 'mine');
    t.after(() => heard.stop());
    const topics = ['own/level', 'own/a', 'own/b/set', 'own/b/set/answer', 'own/status', 'own/a/set/answer', 'mine'];
    for (const responseTopic of topics) {
      await broker.pub('own/a/set', '1', '-V', 'mqttv5', '-D', 'publish', 'response-topic', responseTopic);
    }
    await until('the last is answered', () => heard.messages.some(({ topic }) => topic === 'mine'));
    const answered = heard.messages.filter(({ payload }) => payload.toString() === '{"result":"accepted"}');
    assert.deepEqual(
      answered.map(({ topic }) => topic),
      ['own/a/set/answer', 'mine'],
    );
    assert.deepEqual(
      p.written,
      topics.map(() => ['a', 1]),
    );
  });

  test('while the broker is slow the newest value of each point waits, and nothing more', async (t) => {
    const proxy = await FaultProxy.start({ host: '127.0.0.1', port: broker.port });
    t.after(() => proxy[Symbol.asyncDispose]());
    const p = link({ port: `${proxy.port}`, inFlight: '1', timeoutMs: '20000', pingAfterMs: '20000' });
    t.after(() => p.stop());
    p.setPoints([{ name: 'fast', address: 'slow/fast' }]);
    await p.start();
    const heard = await broker.sub('slow/#');
    t.after(() => heard.stop());
    await until('that it has no value yet has come', () => heard.messages.length === 1);
    proxy.setFaults({ toClient: { kind: 'stall' } });
    for (let value = 1; value <= 1000; value++) p.publish('fast', value);
    await until('the first has come', () => heard.messages.length === 2);
    proxy.setFaults({});
    await until('the newest has come', () => heard.texts('slow/fast').at(-1)?.startsWith('{"value":1000,') === true);
    assert.equal(heard.messages.length, 3);
  });
});

test('a broker is never sent more than it says that it takes before it has acknowledged something', async (t) => {
  const port = await freePort();
  const held: Buffer[] = [];
  const seen = { most: 0, all: 0 };
  const server = createServer((socket) => {
    let bytes = Buffer.alloc(0);
    socket.on('error', () => undefined);
    const take = (packet: Buffer) => {
      const kind = (packet[0] ?? 0) >> 4;
      // It takes two.
      if (kind === 1) socket.write(Buffer.from([0x20, 0x06, 0, 0, 3, 0x21, 0, 2]));
      if (kind === 12) socket.write(Buffer.from([0xd0, 0]));
      if (kind !== 3) return;
      const idAt = 4 + packet.readUInt16BE(2);
      held.push(packet.subarray(idAt, idAt + 2));
      seen.most = Math.max(seen.most, held.length);
      seen.all++;
      setTimeout(() => socket.write(Buffer.concat([Buffer.from([0x40, 0x02]), ...held.splice(0, 1)])), 1);
    };
    socket.on('data', (chunk: Buffer) => {
      bytes = Buffer.concat([bytes, chunk]);
      for (let end = 2 + (bytes[1] ?? 0); bytes.length >= end && bytes.length > 1; end = 2 + (bytes[1] ?? 0)) {
        take(bytes.subarray(0, end));
        bytes = bytes.subarray(end);
      }
    });
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const p = new LinkedProvider({ vars: { port: `${port}`, commandTopic: '', payload: '{text}' } });
  t.after(async () => {
    await p.stop();
    server.close();
  });
  p.setPoints(Array.from({ length: 50 }, (_, at) => ({ name: `p${at}`, address: `p/${at}` })));
  await p.start();
  await until('all have come', () => seen.all === 51);
  assert.equal(seen.most, 2);
});
