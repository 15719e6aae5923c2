// Promises of bodies as they arrive, over real sockets: they go on arriving, and all of them together are bounded.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { after, afterEach, before, beforeEach, describe, test } from 'node:test';
import { ManualClock } from '@telltale/schema/testing';
import Type from 'typebox';
import { openSocket, parseAnswer, type RawAnswer, readToEnd } from '../../../../test/raw-http.ts';
import { until } from '../../../../test/until.ts';
import { plainHttp } from '../../test/plain-http.ts';
import type { HttpServer } from './http-server.ts';
import { Metrics } from './metrics.ts';
import { leastProgressBytes, progressMs } from './read-body.ts';
import type { Call, Route } from './route.ts';

const kib = 1 << 10;
const maxBytes = 16 << 20;
let clock: ManualClock;
let metrics: Metrics;
let app: HttpServer;
let url: string;
/** What handlers were given, and what lets them answer. */
const given: { bytes: number; answer: () => void }[] = [];
/** Of a server without requests. */
let idleTimers: number;
/** Bodies that nobody reads yet. */
const late: { stream: Readable; readOn: () => void }[] = [];
let received = 0;
let socket: Socket;

const body = { types: ['application/json'], maxBytes, setting: '--max-json-size' };
const common = {
  effect: { action: 'read', resource: 'service' },
  permission: 'public',
  audited: false,
  answer: { status: 204, description: '' },
  problems: [],
} as const;
const routes: Route[] = [
  {
    ...common,
    method: 'POST',
    path: '/whole',
    id: 'whole',
    body: { ...body, schema: Type.Any() },
    handle: ({ whole }) => new Promise<void>((resolve) => given.push({ bytes: whole.length, answer: resolve })),
  },
  { ...common, method: 'POST', path: '/streamed', id: 'streamed', body, handle: readOn },
  {
    ...common,
    method: 'POST',
    path: '/late',
    id: 'late',
    body,
    handle: ({ stream }) =>
      new Promise<void>((resolve) => late.push({ stream, readOn: () => resolve(readOn({ stream })) })),
  },
  { ...common, method: 'GET', path: '/none', id: 'none', answer: { status: 200, description: '' }, handle: () => '1' },
];

async function readOn({ stream }: Pick<Call, 'stream'>): Promise<void> {
  for await (const chunk of stream as AsyncIterable<Buffer>) received += chunk.length;
}

before(async () => {
  clock = new ManualClock();
  metrics = new Metrics();
  app = plainHttp({ routes, clock, metrics, largestBodyBytes: maxBytes });
  await app.listen({ host: '127.0.0.1', port: 0 });
  idleTimers = clock.pending;
  url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
});
after(() => app.close());
beforeEach(async () => {
  received = 0;
  socket = await openSocket(url);
});
afterEach(async () => {
  socket.destroy();
  for (const { answer } of given.splice(0)) answer();
  await until('nothing is held', async () => (await figure('body_bytes')) === 0);
});

const post = (path: string, length: number | 'chunked') =>
  [
    `POST ${path} HTTP/1.1`,
    'Host: localhost',
    'Content-Type: application/json',
    length === 'chunked' ? 'Transfer-Encoding: chunked' : `Content-Length: ${length}`,
    '',
    '',
  ].join('\r\n');

async function figure(name: string): Promise<number> {
  const line = (await metrics.registry.metrics()).split('\n').find((each) => each.startsWith(`telltale_http_${name} `));
  return Number(line?.split(' ')[1]);
}

async function answerOn(connection: Socket): Promise<RawAnswer> {
  return parseAnswer(await readToEnd(connection));
}

describe('a body', () => {
  for (const path of ['/whole', '/streamed']) {
    test(`that comes a byte at a time gets 408 within ${progressMs / 1000} s, and is read no further: ${path}`, async () => {
      const pending = clock.pending;
      socket.write(`${post(path, 1 << 20)}{`);
      await until('it is begun', async () => clock.pending > pending);
      const answer = answerOn(socket);
      socket.write(' ');
      clock.advance(progressMs);
      const { status, headers, text } = await answer;
      assert.deepEqual([status, headers.get('connection')], [408, 'close']);
      assert.match(text, /request-timeout/);
    });
  }

  test('that is held in memory has to come at a pace at which all of it is there in a quarter of an hour', async () => {
    const answer = once(socket, 'data');
    socket.write(post('/whole', maxBytes) + ' '.repeat(leastProgressBytes));
    await until('it is there', async () => (await figure('body_bytes')) >= leastProgressBytes);
    clock.advance(progressMs);
    await until('nobody waits for the rest', async () => (await figure('body_bytes')) === 0);
    assert.match(String((await answer)[0]), /^HTTP\/1\.1 408 .*Less than 186413 bytes of the body came in 10 s/s);
  });

  test('that its handler is late to read is not too slow', async () => {
    const answer = once(socket, 'data');
    socket.write(post('/late', 256 * kib) + ' '.repeat(128 * kib));
    await until('it is there', async () => (late[0]?.stream.readableLength ?? 0) > 0);
    for (let window = 0; window < 5; window++) clock.advance(progressMs);
    late.pop()?.readOn();
    socket.write(' '.repeat(128 * kib));
    assert.match(String((await answer)[0]), /^HTTP\/1\.1 204 /);
    assert.equal(received, 256 * kib);
  });

  test('may take an hour as long as it goes on', async () => {
    const minutes = 60;
    const piece = ' '.repeat(leastProgressBytes);
    const windows = (minutes * 60_000) / progressMs;
    socket.write(post('/streamed', (windows + 1) * piece.length));
    for (let window = 1; window <= windows; window++) {
      socket.write(piece);
      await until('it is there', async () => received === window * piece.length);
      clock.advance(progressMs);
    }
    const answer = once(socket, 'data');
    socket.write(piece);
    assert.match(String((await answer)[0]), /^HTTP\/1\.1 204 /);
    assert.equal(clock.pending, idleTimers);
  });

  test('that no handler wants, and that never ends, ends the connection', async () => {
    const answer = readToEnd(socket);
    const pending = clock.pending;
    socket.write(`GET /none HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${1 << 30}\r\n\r\n `);
    await until('it is answered', async () => clock.pending > pending);
    clock.advance(progressMs);
    assert.match(await answer, /^HTTP\/1\.1 200 /);
    assert.equal(clock.pending, idleTimers);
  });

  test('of any length and cut anywhere reaches its handler as it was sent', async () => {
    for (const length of [0, 1, 64 * kib, 64 * kib + 1, 1 << 20, (1 << 20) + 7, maxBytes]) {
      for (const how of [length, 'chunked'] as const) {
        const text = ' '.repeat(length);
        const chunks = length === 0 ? '' : `${length.toString(16)}\r\n${text}\r\n`;
        const answer = once(socket, 'data');
        socket.write(post('/whole', how) + (how === 'chunked' ? `${chunks}0\r\n\r\n` : text));
        await until('it is there', async () => given.length === 1);
        const [{ bytes, answer: finish } = { bytes: -1, answer: () => undefined }] = given.splice(0);
        assert.equal(bytes, length);
        finish();
        await answer;
      }
    }
  });
});

describe('bodies in flight', () => {
  test('are counted until their handler is done, and one that does not fit beside them gets 503 and Retry-After', async () => {
    const text = ' '.repeat(maxBytes);
    socket.write(post('/whole', maxBytes) + text);
    await until('it is there', async () => given.length === 1);
    assert.equal(await figure('body_bytes'), maxBytes);
    const second = await openSocket(url);
    const { status, headers } = await new Promise<RawAnswer>((resolve) => {
      answerOn(second).then(resolve);
      second.write(post('/whole', maxBytes));
    });
    assert.deepEqual([status, headers.get('retry-after'), headers.get('connection')], [503, '1', 'close']);
    assert.equal(await figure('bodies_refused_total'), 1);
    given.shift()?.answer();
    await until('it is done with', async () => (await figure('body_bytes')) === 0);
    const third = await openSocket(url);
    third.write(post('/whole', maxBytes) + text);
    await until('the next is there', async () => given.length === 1);
    third.destroy();
  });

  test('that only say how long they are take nothing from others', async () => {
    const others = await Promise.all(Array.from({ length: 25 }, () => openSocket(url)));
    for (const other of others) other.write(post('/whole', maxBytes));
    socket.write(post('/whole', maxBytes) + ' '.repeat(maxBytes));
    await until('it is there', async () => given.length === 1);
    for (const other of others) other.destroy();
  });

  test('of 25 clients at once hold no more than their budget, and some come through', async () => {
    let most = 0;
    let through = 0;
    const isOver = { yes: false };
    const text = ' '.repeat(maxBytes - kib);
    const clients = Array.from({ length: 25 }, async () => {
      const client = await openSocket(url);
      client.write(post('/whole', text.length).replace('Host', 'Connection: close\r\nHost') + text);
      const answer = await answerOn(client).catch(() => undefined); // who still sends may see a reset
      if (answer?.status === 204) through++;
    });
    const watching = (async () => {
      while (!isOver.yes) {
        most = Math.max(most, await figure('body_bytes'));
        given.shift()?.answer();
        await new Promise(setImmediate);
      }
    })();
    await Promise.all(clients);
    isOver.yes = true;
    await watching;
    assert.ok(through > 0);
    assert.ok(most <= 1.5 * maxBytes, `${most}`);
  });
});
