// What the channel does with messages, frames and handshakes that are wrong, with limits, and when the service stops.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { channelRequestNames, problemPage } from '@telltale/schema';
import { temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { WebSocket } from 'ws';
import { CheckedChannel, closeCodeOf } from './checked-channel.ts';
import { livePlant } from './live-plant.ts';
import { LiveServer } from './live-server.ts';
import { sendRaw } from './raw-http.ts';
import { startServer } from './server-process.ts';
import { until } from './until.ts';

const guard = { timeout: 60_000 };
const maxMessageBytes = 100_000;
const limits = ['--max-message-size', String(maxMessageBytes), '--max-clients', '3', '--max-watches', '5'];
const live = new LiveServer({ args: limits });

async function channelFor(t: TestContext): Promise<CheckedChannel> {
  const channel = await CheckedChannel.open(live.process.url);
  t.after(() => (channel.socket.readyState === channel.socket.OPEN ? channel.close() : undefined));
  return channel;
}

describe('a message that is wrong is answered, and the connection stays:', guard, () => {
  const wrong: Record<string, [string, string | number | null, string]> = {
    'no JSON': ['{"request":"Heartbeat","id":1', null, 'malformed-json'],
    nothing: ['', null, 'malformed-json'],
    'a list': ['[]', null, 'malformed-json'],
    'a word': ['null', null, 'malformed-json'],
    'two messages': ['{"request":"Heartbeat","id":1}{}', null, 'malformed-json'],
    'deep JSON': [`{"id":1,"request":${'['.repeat(40_000)}`, null, 'json-too-deep'],
    'no request': ['{"id":1}', 1, 'unknown-request'],
    'an unknown request': ['{"id":"a","request":"heartbeat"}', 'a', 'unknown-request'],
    'a request of JavaScript': ['{"id":2,"request":"__proto__"}', 2, 'unknown-request'],
    'a request that is no text': ['{"id":2,"request":["Heartbeat"]}', 2, 'unknown-request'],
    'no id': ['{"request":"Heartbeat"}', null, 'invalid-body'],
    'an id that is none': ['{"request":"Heartbeat","id":1.5}', null, 'invalid-body'],
    'an id that is too long': [`{"request":"Heartbeat","id":"${'x'.repeat(65)}"}`, null, 'invalid-body'],
    'an unknown field': ['{"request":"Heartbeat","id":3,"x":1}', 3, 'invalid-body'],
    'a field of JavaScript': ['{"request":"Heartbeat","id":4,"__proto__":{}}', 4, 'invalid-body'],
  };
  for (const [what, [text, id, problem]] of Object.entries(wrong)) {
    test(what, async (t) => {
      const channel = await channelFor(t);
      channel.send(text);
      const { result, error } = await channel.answerTo(id);
      assert.deepEqual([result, error?.type], [false, problemPage(problem as 'malformed-json')]);
      await channel.settled();
      assert.equal(channel.messages.length, 2);
    });
  }
});

test('an id comes back as it was sent', guard, async (t) => {
  const channel = await channelFor(t);
  for (const id of [0, -1, 2 ** 53, '', '__proto__', 'x'.repeat(64), '"\\\u2028💧']) {
    channel.send({ request: 'Heartbeat', id });
    assert.equal((await channel.answerTo(id)).result, true);
  }
});

test('requests in one go are all answered, the quick ones in their order', guard, async (t) => {
  const channel = await channelFor(t);
  for (let id = 1; id <= 500; id++) channel.send({ request: 'Heartbeat', id });
  await channel.answerTo(500);
  assert.deepEqual(
    channel.messages.map((each) => 'request_id' in each && each.request_id),
    Array.from({ length: 500 }, (_, at) => at + 1),
  );
});

describe('a connection is closed', guard, () => {
  test('with 1003 for a binary message, and what comes behind is not carried out', async (t) => {
    const channel = await channelFor(t);
    const closed = closeCodeOf(channel);
    channel.socket.send(Buffer.from('{"request":"Heartbeat","id":1}'));
    channel.send({ request: 'WriteCommands', id: 2, writes: [{ name: 'local', value: 'd666' }] });
    assert.equal(await closed, 1003);
    assert.deepEqual(channel.messages, []);
    assert.notEqual((await live.data.read<{ vt: [string] }>('/commands/local')).vt[0], 'd666');
  });

  test('with 1009 for a message that is too large, not before', async (t) => {
    const channel = await channelFor(t);
    channel.send('{"request":"Heartbeat","id":1}'.padEnd(maxMessageBytes));
    await channel.answerTo(1);
    const closed = closeCodeOf(channel);
    channel.send('{"request":"Heartbeat","id":1}'.padEnd(maxMessageBytes + 1));
    assert.equal(await closed, 1009);
  });

  test('with 1007 for a text that is not UTF-8', async (t) => {
    const channel = await channelFor(t);
    const closed = closeCodeOf(channel);
    channel.socket.send(Buffer.from([0x22, 0xc0, 0x80, 0x22]), { binary: false });
    assert.equal(await closed, 1007);
  });

  test('with the code of the client, when the client closes', async (t) => {
    const channel = await channelFor(t);
    const closed = closeCodeOf(channel);
    channel.socket.close(4000, 'enough');
    assert.equal(await closed, 4000);
  });

  test('with 1001 when the service stops, which does not wait for those who do not answer', async (t) => {
    const folder = temporaryFolder(t);
    const server = await startServer(t, { data: join(folder, 'data') });
    const [polite, deaf] = [await CheckedChannel.open(server.url), await CheckedChannel.open(server.url)];
    deaf.socket.pause();
    const closed = closeCodeOf(polite);
    const ended = server.end();
    assert.equal(await closed, 1001);
    assert.equal((await ended).code, 0);
    deaf.socket.terminate();
  });
});

test('a ping is answered by a pong with the same bytes', guard, async (t) => {
  const { socket } = await channelFor(t);
  socket.ping('are you there');
  const [bytes] = (await once(socket, 'pong')) as [Buffer];
  assert.equal(bytes.toString(), 'are you there');
});

describe('limits:', guard, () => {
  test('a client watches so many names of a kind, and as much as it likes by "all"', async (t) => {
    const channel = await channelFor(t);
    const names = livePlant.filter(({ family }) => family === 'measurements').map(({ name }) => name);
    await channel.done('WatchMeasurements', { measurements: names.slice(0, 5) });
    const { error } = await channel.refused('too-many-watches', 'WatchMeasurements', {
      measurements: names.slice(5, 6),
    });
    assert.match(error?.detail ?? '', /5 .*--max-watches/);
    // What stands twice, or is watched already, counts once.
    await channel.done('WatchMeasurements', { measurements: [...names.slice(0, 5), ...names.slice(0, 5)] });
    await channel.done('WatchCommands', { commands: Array(6).fill('local') });
    await channel.done('UnwatchMeasurements', { measurements: names.slice(0, 1) });
    await channel.done('WatchMeasurements', { measurements: names.slice(5, 6) });
    await channel.done('WatchMeasurements', { measurements: 'all' });
    await channel.done('WatchMeasurements', { measurements: names.slice(0, 6) });
    // What a selector selects by what is configured counts too.
    await channel.done('WatchMeasurements', { measurements: { names: ['zero_d', 'zero_i', 'level'] } });
    await channel.refused('too-many-watches', 'WatchMeasurements', { measurements: { names: ['zero_*'] } });
    await channel.done('WatchMeasurements', { measurements: { names: ['zero_d', 'zero_b'], datatype: ['b', 'd'] } });
    await channel.done('WatchMeasurements', { measurements: { quality: ['bad'] } });
    await channel.refused('too-many-watches', 'WatchMeasurements', { measurements: { names: ['zero_d'] } });
    await channel.done('UnwatchMeasurements', { measurements: { names: ['level', 'zero_i', 'zero_d'] } });
    await channel.done('WatchMeasurements', { measurements: { names: ['zero_d'] } });
    await channel.done('WatchAlarms', { alarms: ['manual', 'high'] });
  });

  test('so many clients are connected, and one more when one has gone', async (t) => {
    const channels = [await channelFor(t), await channelFor(t), await channelFor(t)];
    const refused = await handshake();
    assert.equal(refused.status, 503);
    assert.match(refused.text, /#problem-too-many-clients.*3 clients.*--max-clients/);
    await channels[0]?.close();
    const next = await until('a free place', () => CheckedChannel.open(live.process.url).catch(() => undefined));
    await next.close();
  });
});

/** The answer to a handshake as it is given; of one that succeeds, the status alone. */
function handshake(changes: Record<string, string | undefined> = {}, path = '/data/ws', method = 'GET') {
  const headers: Record<string, string | undefined> = {
    Host: new URL(live.process.url).host,
    Connection: 'Upgrade',
    Upgrade: 'websocket',
    'Sec-WebSocket-Version': '13',
    'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==',
    ...changes,
  };
  const lines = Object.entries(headers).flatMap(([name, value]) => (value === undefined ? [] : [`${name}: ${value}`]));
  return sendRaw(live.process.url, [`${method} ${path} HTTP/1.1`, ...lines]);
}

describe('a handshake', guard, () => {
  const refusals: Record<string, [number, string, Parameters<typeof handshake>]> = {
    'from a page of another origin': [403, 'foreign-origin', [{ Origin: 'http://evil.example' }]],
    'from a page of no origin': [403, 'foreign-origin', [{ Origin: 'null' }]],
    'for a foreign host': [403, 'foreign-host', [{ Host: 'telltale.example' }]],
    'at another path': [404, 'unknown-path', [{}, '/data/wss']],
    'at the root': [404, 'unknown-path', [{}, '/']],
    'without a key': [400, 'malformed-request', [{ 'Sec-WebSocket-Key': undefined }]],
    'of an unknown version': [400, 'malformed-request', [{ 'Sec-WebSocket-Version': '7' }]],
  };
  for (const [what, [status, problem, args]] of Object.entries(refusals)) {
    test(`${what} is refused by a problem`, async () => {
      const answer = await handshake(...args);
      assert.equal(answer.status, status, answer.text);
      assert.equal(answer.headers.get('content-type'), 'application/problem+json');
      assert.equal((JSON.parse(answer.text) as { type: string }).type, problemPage(problem as 'unknown-path'));
    });
  }

  test('for another protocol is none: the request is answered as if nothing had been offered', async () => {
    const offer = { Upgrade: 'h2c', Connection: 'Upgrade, HTTP2-Settings, close' };
    assert.equal((await handshake(offer, '/data/commands/local')).status, 200);
    assert.equal((await handshake(offer, '/data/ws')).status, 404);
  });

  test('from the own page succeeds, also with a query and more slashes than needed', async (t) => {
    for (const path of ['/data/ws', '/data/ws/', '//data//ws', '/data/ws?x=1']) {
      const socket = new WebSocket(`${live.process.url.replace('http', 'ws')}${path}`, { origin: live.process.url });
      t.after(() => socket.terminate());
      await once(socket, 'open');
      const closed = once(socket, 'close');
      socket.close();
      await closed;
    }
  });
});

test('the requests of the channel are all there are in the message that names them', guard, async (t) => {
  const channel = await channelFor(t);
  channel.send({ request: 'Help', id: 1 });
  const { error } = await channel.answerTo(1);
  for (const name of channelRequestNames) assert.ok(error?.detail.includes(name), name);
});
