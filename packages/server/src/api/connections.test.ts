// Promises of the connections of the HTTP server, over real sockets: one client does not keep others out.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { afterEach, describe, test } from 'node:test';
import { ManualClock } from '@telltale/schema/testing';
import { readToEnd } from '../../../../test/raw-http.ts';
import { until } from '../../../../test/until.ts';
import { get, statuses } from '../../test/http-rig.ts';
import { common, SlowService } from '../../test/slow-service.ts';
import type { Route } from './route.ts';
import { reset } from './socket-internals.ts';

const service = new SlowService();
const { running } = service;

afterEach(() => service.end());

describe('requests that one connection sends without waiting', () => {
  test('are answered one after the other, in order, each when the one before it is', async () => {
    await service.serve({});
    const socket = await service.rig.open();
    const answers = readToEnd(socket);
    socket.write(get('/slow') + get('/quick') + get('/quick', 'Connection: close'));
    await until('the first is asked', async () => running.length === 1);
    assert.equal(service.asked, 1);
    running.shift()?.();
    assert.deepEqual(
      Array.from((await answers).matchAll(/"(\w+)"/g), ([, text]) => text),
      ['slow', '2', '3'],
    );
  });

  test('are all answered up to a hundred; with one more that waits the connection ends behind them', async () => {
    await service.serve({});
    const hundred = await service.rig.open();
    hundred.write(get('/slow') + get('/quick').repeat(98) + get('/quick', 'Connection: close'));
    const more = await service.rig.open();
    more.write(get('/slow') + get('/quick').repeat(5000));
    await until('both are asked', async () => running.length === 2);
    const answers = Promise.all([readToEnd(hundred), readToEnd(more)]);
    for (const answer of running.splice(0)) answer();
    const [whole, cut] = await answers;
    assert.deepEqual(statuses(whole), Array(100).fill(200));
    assert.deepEqual(statuses(cut), [...Array(100).fill(200), 429]);
    assert.match(cut, /Connection: close[\s\S]*too-many-requests/);
    assert.equal(await service.rig.closedBy('pipelining'), 1);
  });

  test('beyond the hundredth are not even parsed, though they came in the same piece', async () => {
    await service.serve({});
    let parsed = 0;
    service.rig.app.server.on('request', () => parsed++);
    const socket = await service.rig.open();
    const answers = readToEnd(socket);
    socket.write(get('/quick').repeat(1000)); // 36 KB, one piece
    await answers;
    assert.deepEqual([service.asked, parsed], [100, 101]);
  });

  test('are answered in a turn of the event loop each, so that others come between', async () => {
    await service.serve({});
    const socket = await service.rig.open();
    const answers = readToEnd(socket);
    let turn = 0;
    let ticking = setImmediate(function tick() {
      turn++;
      ticking = setImmediate(tick);
    });
    const turns = new Set<number>();
    service.rig.app.server.on('request', (_request, response) => response.once('close', () => turns.add(turn)));
    socket.write(get('/quick').repeat(99) + get('/quick', 'Connection: close'));
    await answers;
    clearImmediate(ticking);
    assert.deepEqual([service.asked, turns.size], [100, 100]);
  });

  test('of many connections have a common bound as well', async () => {
    await service.serve({});
    const all = await Promise.all(Array.from({ length: 120 }, () => service.rig.open()));
    for (const socket of all) socket.write(get('/slow') + get('/slow').repeat(99));
    await until('some are closed', async () => (await service.rig.closedBy('pipelining')) > 0);
    await until('each is asked', async () => running.length === 120);
  });

  test('are carried out no more behind an answer that closes the connection', async () => {
    await service.serve({});
    const socket = await service.rig.open();
    const answers = readToEnd(socket);
    socket.write(get('/quick') + get('/refused') + get('/quick').repeat(50));
    assert.match(await answers, /^HTTP\/1\.1 200 [\s\S]*HTTP\/1\.1 503 [\s\S]*overloaded[\s\S]*\}$/);
    await until('it is gone', async () => (await service.rig.figure('connections')) === 0);
    assert.equal(service.asked, 2);
  });

  test('are carried out no more when the client is gone', async () => {
    await service.serve({});
    const socket = await service.rig.open();
    socket.write(get('/slow') + get('/quick').repeat(50));
    await until('the first is asked', async () => running.length === 1);
    reset(socket);
    await until('it is gone', async () => {
      running.shift()?.();
      return (await service.rig.figure('connections')) === 0;
    });
    assert.equal(service.asked, 1);
  });

  test('do not become a channel behind their answers', async () => {
    await service.serve({});
    const socket = await service.rig.open();
    let upgrades = 0;
    service.rig.app.server.on('upgrade', () => upgrades++);
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
    const socket = await service.rig.open();
    socket.allowHalfOpen = true;
    return socket;
  }

  test('gets the answers to what it service.asked, and is closed behind the last', async () => {
    await service.serve({});
    const socket = await halfOpen();
    socket.end(get('/slow') + get('/quick').repeat(5));
    await until('the first is asked', async () => running.length === 1);
    const answers = readToEnd(socket);
    running.shift()?.();
    assert.deepEqual(statuses(await answers), Array(6).fill(200));
  });

  test('is closed at once where nothing is under way', async () => {
    await service.serve({});
    const socket = await halfOpen();
    socket.write(get('/quick'));
    await once(socket, 'data');
    socket.end();
    await readToEnd(socket);
    await until('it is gone', async () => (await service.rig.figure('connections')) === 0);
  });
});

describe('what cannot be read', () => {
  const junk = '\x01\x02JUNK\r\n\r\n';
  const post = (path: string, ...lines: string[]) =>
    [`POST ${path} HTTP/1.1`, 'Host: localhost', 'Content-Type: application/json', ...lines].join('\r\n');

  test('is answered behind the answers to what came before it', async () => {
    await service.serve({});
    for (const before of [get('/slow'), get('/slow') + get('/quick').repeat(3)]) {
      const socket = await service.rig.open();
      const answers = readToEnd(socket);
      socket.write(before + junk);
      await until('the first is asked', async () => running.length === 1);
      running.shift()?.();
      const expected = before.match(/GET/g)?.map(() => 200) ?? [];
      assert.deepEqual(statuses(await answers), [...expected, 400]);
    }
  });

  test('of a body is answered behind those before, and its request is not carried out', async () => {
    await service.serve({});
    const broken = post('/whole', 'Transfer-Encoding: chunked', '', 'no length\r\n');
    const alone = await service.rig.open();
    alone.write(broken);
    assert.deepEqual(statuses(await readToEnd(alone)), [400]);
    const socket = await service.rig.open();
    const answers = readToEnd(socket);
    socket.write(get('/slow') + get('/quick') + broken);
    await until('the first is asked', async () => running.length === 1);
    running.shift()?.();
    assert.deepEqual(statuses(await answers), [200, 200, 400]);
    assert.equal(service.asked, 2);
  });

  test('of a body whose request was answered already is not answered again', async () => {
    await service.serve({});
    const socket = await service.rig.open();
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
    await service.serve({ routes: [slow], clock });
    const all = await Promise.all(Array.from({ length: 200 }, () => service.rig.open()));
    const answers = Promise.all(all.map(readToEnd));
    for (const socket of all) socket.write(get('/work', 'Connection: close'));
    for (const answer of await answers) assert.match(answer, /^HTTP\/1\.1 200 [\s\S]*"done"$/);
    clearImmediate(ticking);
    assert.ok(Math.max(...turns.values()) <= 20, `${Math.max(...turns.values())} in one turn`);
  });

  test('are not carried out where the client goes while they wait', async () => {
    const clock = new ManualClock();
    let taken: Socket[] = [];
    let worked = 0;
    const handle = () => {
      worked++;
      clock.advance(10); // all of the turn
      if (worked === 12) for (const socket of taken) socket.destroy();
      return '"done"';
    };
    await service.serve({ routes: [{ ...common, method: 'GET', path: '/work', id: 'work', handle }], clock });
    taken = service.rig.taken();
    const all = await Promise.all(Array.from({ length: 50 }, () => service.rig.open()));
    await until('all are taken', async () => taken.length === 50);
    for (const socket of all) socket.write(get('/work'));
    await until('all are gone', async () => (await service.rig.figure('connections')) === 0);
    assert.equal(worked, 12);
  });
});
