// Promises of the connections of the HTTP server, over real sockets: one client does not keep others out.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { afterEach, describe, test } from 'node:test';
import { ManualClock, ProblemError } from '@telltale/schema';
import pino from 'pino';
import Type from 'typebox';
import { readToEnd } from '../../../../test/raw-http.ts';
import { until } from '../../../../test/until.ts';
import { get, HttpRig, statuses } from '../../test/http-rig.ts';
import type { HttpServerOptions } from './http-server.ts';
import type { Route } from './route.ts';
import { takenBytes } from './socket-internals.ts';

/** The handlers that run, each by what lets it answer. */
const running: (() => void)[] = [];
let asked = 0;

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
  {
    ...common,
    method: 'POST',
    path: '/whole',
    id: 'whole',
    body: { types: ['application/json'], schema: Type.Any(), maxBytes: 1000, setting: '' },
    handle: () => `"${++asked}"`,
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
  { ...common, method: 'GET', path: '/large', id: 'large', handle: () => Buffer.alloc(32 << 20, ' ') },
];

let rig: HttpRig;

async function serve(options: Partial<HttpServerOptions>): Promise<void> {
  rig = await new HttpRig({ routes, ...options }).listen();
}

afterEach(async () => {
  await rig.end();
  for (const answer of running.splice(0)) answer();
  asked = 0;
});

describe('requests that one connection sends without waiting', () => {
  test('are answered one after the other, in order, each when the one before it is', async () => {
    await serve({});
    const socket = await rig.open();
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
    await serve({});
    const hundred = await rig.open();
    hundred.write(get('/slow') + get('/quick').repeat(98) + get('/quick', 'Connection: close'));
    const more = await rig.open();
    more.write(get('/slow') + get('/quick').repeat(5000));
    await until('both are asked', async () => running.length === 2);
    const answers = Promise.all([readToEnd(hundred), readToEnd(more)]);
    for (const answer of running.splice(0)) answer();
    const [whole, cut] = await answers;
    assert.deepEqual(statuses(whole), Array(100).fill(200));
    assert.deepEqual(statuses(cut), [...Array(100).fill(200), 429]);
    assert.match(cut, /Connection: close[\s\S]*too-many-requests/);
    assert.equal(await rig.closedBy('pipelining'), 1);
  });

  test('beyond the hundredth are not even parsed, though they came in the same piece', async () => {
    await serve({});
    let parsed = 0;
    rig.app.server.on('request', () => parsed++);
    const socket = await rig.open();
    const answers = readToEnd(socket);
    socket.write(get('/quick').repeat(1000)); // 36 KB, one piece
    await answers;
    assert.deepEqual([asked, parsed], [100, 101]);
  });

  test('are answered in a turn of the event loop each, so that others come between', async () => {
    await serve({});
    const socket = await rig.open();
    const answers = readToEnd(socket);
    let turn = 0;
    let ticking = setImmediate(function tick() {
      turn++;
      ticking = setImmediate(tick);
    });
    const turns = new Set<number>();
    rig.app.server.on('request', (_request, response) => response.once('close', () => turns.add(turn)));
    socket.write(get('/quick').repeat(99) + get('/quick', 'Connection: close'));
    await answers;
    clearImmediate(ticking);
    assert.deepEqual([asked, turns.size], [100, 100]);
  });

  test('of many connections have a common bound as well', async () => {
    await serve({});
    const all = await Promise.all(Array.from({ length: 120 }, () => rig.open()));
    for (const socket of all) socket.write(get('/slow') + get('/slow').repeat(99));
    await until('some are closed', async () => (await rig.closedBy('pipelining')) > 0);
    await until('each is asked', async () => running.length === 120);
  });

  test('are carried out no more behind an answer that closes the connection', async () => {
    await serve({});
    const socket = await rig.open();
    const answers = readToEnd(socket);
    socket.write(get('/quick') + get('/refused') + get('/quick').repeat(50));
    assert.match(await answers, /^HTTP\/1\.1 200 [\s\S]*HTTP\/1\.1 503 [\s\S]*overloaded[\s\S]*\}$/);
    await until('it is gone', async () => (await rig.figure('connections')) === 0);
    assert.equal(asked, 2);
  });

  test('are carried out no more when the client is gone', async () => {
    await serve({});
    const socket = await rig.open();
    socket.write(get('/slow') + get('/quick').repeat(50));
    await until('the first is asked', async () => running.length === 1);
    socket.resetAndDestroy();
    await until('it is gone', async () => {
      running.shift()?.();
      return (await rig.figure('connections')) === 0;
    });
    assert.equal(asked, 1);
  });

  test('do not become a channel behind their answers', async () => {
    await serve({});
    const socket = await rig.open();
    let upgrades = 0;
    rig.app.server.on('upgrade', () => upgrades++);
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

describe('a client that sends no more', () => {
  /** Closes its end alone. */
  async function halfOpen(): Promise<Socket> {
    const socket = await rig.open();
    socket.allowHalfOpen = true;
    return socket;
  }

  test('gets the answers to what it asked, and is closed behind the last', async () => {
    await serve({});
    const socket = await halfOpen();
    socket.end(get('/slow') + get('/quick').repeat(5));
    await until('the first is asked', async () => running.length === 1);
    const answers = readToEnd(socket);
    running.shift()?.();
    assert.deepEqual(statuses(await answers), Array(6).fill(200));
  });

  test('is closed at once where nothing is under way', async () => {
    await serve({});
    const socket = await halfOpen();
    socket.write(get('/quick'));
    await once(socket, 'data');
    socket.end();
    await readToEnd(socket);
    await until('it is gone', async () => (await rig.figure('connections')) === 0);
  });
});

describe('what cannot be read', () => {
  const junk = '\x01\x02JUNK\r\n\r\n';
  const post = (path: string, ...lines: string[]) =>
    [`POST ${path} HTTP/1.1`, 'Host: localhost', 'Content-Type: application/json', ...lines].join('\r\n');

  test('is answered behind the answers to what came before it', async () => {
    await serve({});
    for (const before of [get('/slow'), get('/slow') + get('/quick').repeat(3)]) {
      const socket = await rig.open();
      const answers = readToEnd(socket);
      socket.write(before + junk);
      await until('the first is asked', async () => running.length === 1);
      running.shift()?.();
      const expected = before.match(/GET/g)?.map(() => 200) ?? [];
      assert.deepEqual(statuses(await answers), [...expected, 400]);
    }
  });

  test('of a body is answered behind those before, and its request is not carried out', async () => {
    await serve({});
    const broken = post('/whole', 'Transfer-Encoding: chunked', '', 'no length\r\n');
    const alone = await rig.open();
    alone.write(broken);
    assert.deepEqual(statuses(await readToEnd(alone)), [400]);
    const socket = await rig.open();
    const answers = readToEnd(socket);
    socket.write(get('/slow') + get('/quick') + broken);
    await until('the first is asked', async () => running.length === 1);
    running.shift()?.();
    assert.deepEqual(statuses(await answers), [200, 200, 400]);
    assert.equal(asked, 2);
  });

  test('of a body whose request was answered already is not answered again', async () => {
    await serve({});
    const socket = await rig.open();
    const answers = readToEnd(socket);
    socket.write(post('/quick', 'Transfer-Encoding: chunked', '', ''));
    await once(socket, 'data');
    socket.write('no length\r\n');
    assert.deepEqual(statuses(await answers), [405]);
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
    await serve({ routes: [slow], clock });
    const all = await Promise.all(Array.from({ length: 200 }, () => rig.open()));
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
    await serve({ routes: [{ ...common, method: 'GET', path: '/work', id: 'work', handle }], clock });
    rig.app.server.on('connection', (socket: Socket) => taken.push(socket));
    const all = await Promise.all(Array.from({ length: 50 }, () => rig.open()));
    await until('all are taken', async () => taken.length === 50);
    for (const socket of all) socket.write(get('/work'));
    await until('all are gone', async () => (await rig.figure('connections')) === 0);
    assert.equal(worked, 12);
  });
});

describe('when as many connections are open as may be', () => {
  const max = 10;

  test('the longest idle one makes room for a new one, and one that is being answered does not', async () => {
    await serve({ maxConnections: max });
    const busy = await rig.open();
    busy.write(get('/slow'));
    await until('it is asked', async () => running.length === 1);
    const idle: Socket[] = [];
    for (let count = 0; count < 600; count++) idle.push(await rig.open());
    const socket = await rig.open();
    socket.write(get('/quick', 'Connection: close'));
    assert.match(await readToEnd(socket), /^HTTP\/1\.1 200 /);
    assert.ok((await rig.figure('connections')) <= max);
    assert.ok((await rig.closedBy('evicted')) >= 590);
    const answer = once(busy, 'data');
    running.shift()?.();
    assert.match(String(await answer), /^HTTP\/1\.1 200 /);
  });

  test('those that never asked anything make room before those that did', async () => {
    await serve({ maxConnections: max });
    const client = await rig.open();
    client.write(get('/quick'));
    await once(client, 'data');
    for (let count = 0; count < 5 * max; count++) await rig.open();
    assert.ok((await rig.closedBy('evicted')) >= 4 * max);
    client.write(get('/quick', 'Connection: close'));
    assert.deepEqual(statuses(await readToEnd(client)), [200]);
  });

  test('those to which all is said make room, though their clients keep them open', async () => {
    await serve({ maxConnections: max });
    rig.app.server.on('upgrade', (_request, stream) => {
      stream.on('error', () => stream.destroy()).end('HTTP/1.1 404 Not Found\r\n\r\n');
    });
    for (let count = 0; count < max; count++) {
      const socket = await rig.open();
      socket.allowHalfOpen = true;
      socket.write(get('/quick', 'Connection: Upgrade', 'Upgrade: websocket'));
      await once(socket, 'data');
    }
    const socket = await rig.open();
    socket.write(get('/quick', 'Connection: close'));
    assert.deepEqual(statuses(await readToEnd(socket)), [200]);
  });

  test('and all are being answered, another one is told so, and closed', async () => {
    await serve({ maxConnections: max });
    for (let count = 0; count < max; count++) (await rig.open()).write(get('/slow'));
    await until('all are asked', async () => running.length === max);
    assert.match(await readToEnd(await rig.open()), /^HTTP\/1\.1 503 [\s\S]*too-many-connections/);
    assert.deepEqual([await rig.closedBy('refused'), await rig.figure('connections')], [1, max]);
  });

  test('the log says so once a minute', async () => {
    const lines: string[] = [];
    const clock = new ManualClock();
    const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) });
    await serve({ maxConnections: max, log, clock });
    for (let count = 0; count < 3 * max; count++) await rig.open();
    await until('they are evicted', async () => (await rig.closedBy('evicted')) === 2 * max);
    assert.equal(lines.length, 1);
    assert.match(lines[0] ?? '', /ulimit -n/);
    clock.advance(60_000); // all are idle for longer than they are kept
    for (let count = 0; count <= max; count++) await rig.open();
    await until('another is evicted', async () => (await rig.closedBy('evicted')) === 2 * max + 1);
    assert.equal(lines.length, 2);
  });
});

test('an idle connection is kept for as long as its client is told, and closed soon after', async () => {
  const clock = new ManualClock();
  await serve({ clock });
  const busy = await rig.open();
  busy.write(get('/slow'));
  const idle = await rig.open();
  idle.write(get('/quick'));
  const [answer] = await once(idle, 'data');
  assert.match(String(answer), /^keep-alive: timeout=20\r$/im);
  await until('it is answered, the other one is not', async () => running.length === 1 && asked === 2);
  clock.advance(20_000);
  idle.write(get('/quick'));
  await once(idle, 'data');
  clock.advance(20_000);
  assert.equal(await rig.closedBy('idle'), 0);
  const closed = once(idle, 'close');
  clock.advance(4000);
  await closed;
  assert.deepEqual([await rig.closedBy('idle'), await rig.figure('connections')], [1, 1]);
  running.shift()?.();
  assert.match(String(await once(busy, 'data')), /^HTTP\/1\.1 200 /);
});

test('a connection that waits for the service is not closed for that, one that takes nothing for 30 s is', async () => {
  const clock = new ManualClock();
  await serve({ clock });
  const taken: Socket[] = [];
  rig.app.server.on('connection', (socket: Socket) => taken.push(socket));
  const patient = await rig.open();
  patient.write(get('/slow'));
  const deaf = await rig.open();
  deaf.pause().write(get('/large'));
  await until('its answer waits', async () => (taken[1]?.writableLength ?? 0) > 0 && running.length === 1);
  clock.advance(2000); // it is noticed what was taken so far
  clock.advance(30_000);
  assert.equal(await rig.closedBy('stalled'), 0);
  const before = takenBytes(taken[1] as Socket);
  deaf.resume();
  while (takenBytes(taken[1] as Socket) === before) await once(deaf, 'data');
  deaf.pause();
  assert.ok((taken[1]?.writableLength ?? 0) > 0, 'not all of it');
  clock.advance(30_000);
  assert.equal(await rig.closedBy('stalled'), 0);
  clock.advance(4000);
  assert.equal(await rig.closedBy('stalled'), 1);
  const answer = once(patient, 'data');
  running.shift()?.();
  assert.match(String(await answer), /^HTTP\/1\.1 200 /);
});
