// Promises of the connections of the HTTP server, over real sockets: one client does not keep others out.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { afterEach, describe, test } from 'node:test';
import { ManualClock, ProblemError } from '@telltale/schema';
import pino from 'pino';
import { openSocket, readToEnd } from '../../../../test/raw-http.ts';
import { until } from '../../../../test/until.ts';
import { plainHttp } from '../../test/plain-http.ts';
import type { HttpServer, HttpServerOptions } from './http-server.ts';
import { Metrics } from './metrics.ts';
import type { Route } from './route.ts';

/** The handlers that run, each by what lets it answer. */
const running: (() => void)[] = [];
let asked = 0;
const sockets: Socket[] = [];
let app: HttpServer;
let metrics: Metrics;

const common = { tag: '', summary: '', answer: { status: 200, description: '' }, problems: [] } as const;
const routes: Route[] = [
  {
    ...common,
    method: 'GET',
    path: '/slow',
    id: 'slow',
    handle: () => {
      asked++;
      return new Promise<string>((resolve) => running.push(() => resolve('"slow"')));
    },
  },
  { ...common, method: 'GET', path: '/quick', id: 'quick', handle: () => `"${++asked}"` },
  {
    ...common,
    method: 'GET',
    path: '/refused',
    id: 'refused',
    handle: () => {
      asked++;
      throw new ProblemError('overloaded', 'Too many wait.');
    },
  },
  { ...common, method: 'GET', path: '/large', id: 'large', handle: () => Buffer.alloc(8 << 20, ' ') },
];

async function serve(options: Partial<HttpServerOptions>): Promise<string> {
  metrics = new Metrics();
  app = plainHttp({ routes, metrics, ...options });
  await app.listen({ host: '127.0.0.1', port: 0 });
  return `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
}

async function open(url: string): Promise<Socket> {
  const socket = await openSocket(url);
  sockets.push(socket);
  return socket;
}

const get = (path: string, ...headers: string[]) =>
  [`GET ${path} HTTP/1.1`, 'Host: localhost', ...headers, '', ''].join('\r\n');

async function figure(name: string): Promise<number> {
  const text = await metrics.registry.metrics();
  const line = text.split('\n').find((each) => each.startsWith(`telltale_http_${name} `));
  return Number(line?.split(' ')[1]);
}

const closedBy = (reason: string) => figure(`connections_closed_total{reason="${reason}"}`);

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await until('all connections are gone', async () => (await figure('connections')) === 0);
  for (const answer of running.splice(0)) answer();
  asked = 0;
  await app.close();
});

describe('requests that one connection sends without waiting', () => {
  test('are answered one after the other, in order, each when the one before it is', async () => {
    const socket = await open(await serve({}));
    const answers = readToEnd(socket);
    socket.write(get('/slow') + get('/quick') + get('/quick', 'Connection: close'));
    await until('the first is asked', async () => running.length === 1);
    assert.equal(asked, 1);
    running.shift()?.();
    assert.deepEqual(
      Array.from((await answers).matchAll(/"(\w+)"/g), ([, text]) => text),
      ['slow', '2', '3'],
    );
  });

  test('are all answered up to a hundred; with one more that waits the connection ends behind them', async () => {
    const url = await serve({});
    const hundred = await open(url);
    hundred.write(get('/slow') + get('/quick').repeat(98) + get('/quick', 'Connection: close'));
    const more = await open(url);
    more.write(get('/slow') + get('/quick').repeat(5000));
    await until('both are asked', async () => running.length === 2);
    const answers = Promise.all([readToEnd(hundred), readToEnd(more)]);
    for (const answer of running.splice(0)) answer();
    const [whole, cut] = await answers;
    const statuses = (text: string) => Array.from(text.matchAll(/HTTP\/1\.1 (\d+)/g), ([, status]) => status);
    assert.deepEqual(statuses(whole), Array(100).fill('200'));
    assert.deepEqual(statuses(cut), [...Array(100).fill('200'), '429']);
    assert.match(cut, /Connection: close[\s\S]*too-many-requests/);
    assert.equal(await closedBy('pipelining'), 1);
  });

  test('beyond the hundredth are not even parsed, though they came in the same piece', async () => {
    const url = await serve({});
    let parsed = 0;
    app.server.on('request', () => parsed++);
    const socket = await open(url);
    const answers = readToEnd(socket);
    socket.write(get('/quick').repeat(1000)); // 36 KB, one piece
    await answers;
    assert.deepEqual([asked, parsed], [100, 101]);
  });

  test('are answered in a turn of the event loop each, so that others come between', async () => {
    const socket = await open(await serve({}));
    const answers = readToEnd(socket);
    let turn = 0;
    let ticking = setImmediate(function tick() {
      turn++;
      ticking = setImmediate(tick);
    });
    const turns = new Set<number>();
    app.server.on('request', (_request, response) => response.once('close', () => turns.add(turn)));
    socket.write(get('/quick').repeat(99) + get('/quick', 'Connection: close'));
    await answers;
    clearImmediate(ticking);
    assert.deepEqual([asked, turns.size], [100, 100]);
  });

  test('of many connections have a common bound as well', async () => {
    const url = await serve({});
    const all = await Promise.all(Array.from({ length: 120 }, () => open(url)));
    for (const socket of all) socket.write(get('/slow') + get('/slow').repeat(99));
    await until('some are closed', async () => (await closedBy('pipelining')) > 0);
    await until('each is asked', async () => running.length === 120);
  });

  test('are carried out no more behind an answer that closes the connection', async () => {
    const socket = await open(await serve({}));
    const answers = readToEnd(socket);
    socket.write(get('/quick') + get('/refused') + get('/quick').repeat(50));
    assert.match(await answers, /^HTTP\/1\.1 200 [\s\S]*HTTP\/1\.1 503 [\s\S]*overloaded[\s\S]*\}$/);
    await until('it is gone', async () => (await figure('connections')) === 0);
    assert.equal(asked, 2);
  });

  test('are carried out no more when the client is gone', async () => {
    const socket = await open(await serve({}));
    socket.write(get('/slow') + get('/quick').repeat(50));
    await until('the first is asked', async () => running.length === 1);
    socket.resetAndDestroy();
    await until('it is gone', async () => {
      running.shift()?.();
      return (await figure('connections')) === 0;
    });
    assert.equal(asked, 1);
  });

  test('do not become a channel behind their answers', async () => {
    const socket = await open(await serve({}));
    let upgrades = 0;
    app.server.on('upgrade', () => upgrades++);
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk;
    });
    socket.write(get('/slow') + get('/quick', 'Connection: Upgrade', 'Upgrade: websocket'));
    await until('the first is asked', async () => running.length === 1);
    running.shift()?.();
    await until('both are answered', async () => text.match(/HTTP\/1\.1 200/g)?.length === 2);
    assert.equal(upgrades, 0);
  });
});

describe('requests of many connections at once', () => {
  test('begin as the turns of the event loop have time for them, and are all answered', async () => {
    const clock = new ManualClock();
    const slow: Route = { ...common, method: 'GET', path: '/work', id: 'work', handle: () => work() };
    let turn = 0;
    let ticking = setImmediate(function tick() {
      turn++;
      ticking = setImmediate(tick);
    });
    const turns = new Map<number, number>();
    const work = () => {
      turns.set(turn, (turns.get(turn) ?? 0) + 1);
      clock.advance(1);
      return '"done"';
    };
    const url = await serve({ routes: [slow], clock });
    const all = await Promise.all(Array.from({ length: 200 }, () => open(url)));
    const answers = Promise.all(all.map(readToEnd));
    for (const socket of all) socket.write(get('/work', 'Connection: close'));
    for (const answer of await answers) assert.match(answer, /^HTTP\/1\.1 200 [\s\S]*"done"$/);
    clearImmediate(ticking);
    assert.ok(Math.max(...turns.values()) <= 20, `${Math.max(...turns.values())} in one turn`);
  });

  test('are not carried out where the client goes while they wait', async () => {
    const clock = new ManualClock();
    const taken: Socket[] = [];
    let worked = 0;
    const handle = () => {
      worked++;
      clock.advance(10); // all of the turn
      if (worked === 12) for (const socket of taken) socket.destroy();
      return '"done"';
    };
    const url = await serve({ routes: [{ ...common, method: 'GET', path: '/work', id: 'work', handle }], clock });
    app.server.on('connection', (socket: Socket) => taken.push(socket));
    const all = await Promise.all(Array.from({ length: 50 }, () => open(url)));
    await until('all are taken', async () => taken.length === 50);
    for (const socket of all) socket.write(get('/work'));
    await until('all are gone', async () => (await figure('connections')) === 0);
    assert.equal(worked, 12);
  });
});

describe('when as many connections are open as may be', () => {
  const max = 10;

  test('the longest idle one makes room for a new one, and one that is being answered does not', async () => {
    const url = await serve({ maxConnections: max });
    const busy = await open(url);
    busy.write(get('/slow'));
    await until('it is asked', async () => running.length === 1);
    const idle: Socket[] = [];
    for (let count = 0; count < 600; count++) idle.push(await open(url));
    const socket = await open(url);
    socket.write(get('/quick', 'Connection: close'));
    assert.match(await readToEnd(socket), /^HTTP\/1\.1 200 /);
    assert.ok((await figure('connections')) <= max);
    assert.ok((await closedBy('evicted')) >= 590);
    const answer = once(busy, 'data');
    running.shift()?.();
    assert.match(String(await answer), /^HTTP\/1\.1 200 /);
  });

  test('and all are being answered, another one is told so, and closed', async () => {
    const url = await serve({ maxConnections: max });
    for (let count = 0; count < max; count++) (await open(url)).write(get('/slow'));
    await until('all are asked', async () => running.length === max);
    assert.match(await readToEnd(await open(url)), /^HTTP\/1\.1 503 [\s\S]*too-many-connections/);
    assert.deepEqual([await closedBy('refused'), await figure('connections')], [1, max]);
  });

  test('the log says so once a minute', async () => {
    const lines: string[] = [];
    const clock = new ManualClock();
    const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) });
    const url = await serve({ maxConnections: max, log, clock });
    for (let count = 0; count < 3 * max; count++) await open(url);
    await until('they are evicted', async () => (await closedBy('evicted')) === 2 * max);
    assert.equal(lines.length, 1);
    assert.match(lines[0] ?? '', /ulimit -n/);
    clock.advance(60_000); // all are idle for longer than they are kept
    for (let count = 0; count <= max; count++) await open(url);
    await until('another is evicted', async () => (await closedBy('evicted')) === 2 * max + 1);
    assert.equal(lines.length, 2);
  });
});

test('an idle connection is kept for as long as its client is told, and closed soon after', async () => {
  const clock = new ManualClock();
  const url = await serve({ clock });
  const busy = await open(url);
  busy.write(get('/slow'));
  const idle = await open(url);
  idle.write(get('/quick'));
  const [answer] = await once(idle, 'data');
  assert.match(String(answer), /^keep-alive: timeout=20\r$/im);
  await until('it is answered, the other one is not', async () => running.length === 1 && asked === 2);
  clock.advance(20_000);
  idle.write(get('/quick'));
  await once(idle, 'data');
  clock.advance(20_000);
  assert.equal(await closedBy('idle'), 0);
  const closed = once(idle, 'close');
  clock.advance(4000);
  await closed;
  assert.deepEqual([await closedBy('idle'), await figure('connections')], [1, 1]);
  running.shift()?.();
  assert.match(String(await once(busy, 'data')), /^HTTP\/1\.1 200 /);
});

test('a connection that waits for the service is not closed for that, one that takes nothing is', async () => {
  const url = await serve({});
  app.server.timeout = 50; // of a socket, by Node; each goes round several times here
  const patient = await open(url);
  patient.write(get('/slow'));
  const deaf = await open(url);
  deaf.pause().write(get('/large'));
  await until('it is closed', async () => (await closedBy('stalled')) === 1);
  const answer = once(patient, 'data');
  running.shift()?.();
  assert.match(String(await answer), /^HTTP\/1\.1 200 /);
});
