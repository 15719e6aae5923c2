// Promises of which connections are closed: those that make room, idle ones, and those whose client takes nothing.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { afterEach, describe, test } from 'node:test';
import { ManualClock } from '@telltale/schema/testing';
import pino from 'pino';
import { readToEnd } from '../../../../test/raw-http.ts';
import { until } from '../../../../test/until.ts';
import { get, statuses } from '../../test/http-rig.ts';
import { SlowService } from '../../test/slow-service.ts';
import { takenBytes } from './socket-internals.ts';

const service = new SlowService();
const { running } = service;

afterEach(() => service.end());

describe('when as many connections are open as may be', () => {
  const max = 10;

  test('the longest idle one makes room for a new one, and one that is being answered does not', async () => {
    await service.serve({ maxConnections: max });
    const busy = await service.rig.open();
    busy.write(get('/slow'));
    await until('it is asked', async () => running.length === 1);
    const idle: Socket[] = [];
    for (let count = 0; count < 600; count++) idle.push(await service.rig.open());
    const socket = await service.rig.open();
    socket.write(get('/quick', 'Connection: close'));
    assert.match(await readToEnd(socket), /^HTTP\/1\.1 200 /);
    assert.ok((await service.rig.figure('connections')) <= max);
    assert.ok((await service.rig.closedBy('evicted')) >= 590);
    const answer = once(busy, 'data');
    running.shift()?.();
    assert.match(String(await answer), /^HTTP\/1\.1 200 /);
  });

  test('those that never asked anything make room before those that did', async () => {
    await service.serve({ maxConnections: max });
    const client = await service.rig.open();
    client.write(get('/quick'));
    await once(client, 'data');
    for (let count = 0; count < 5 * max; count++) await service.rig.open();
    assert.ok((await service.rig.closedBy('evicted')) >= 4 * max);
    client.write(get('/quick', 'Connection: close'));
    assert.deepEqual(statuses(await readToEnd(client)), [200]);
  });

  test('those to which all is said make room, though their clients keep them open', async () => {
    await service.serve({ maxConnections: max });
    service.rig.app.server.on('upgrade', (_request, stream) => {
      stream.on('error', () => stream.destroy()).end('HTTP/1.1 404 Not Found\r\n\r\n');
    });
    for (let count = 0; count < max; count++) {
      const socket = await service.rig.open();
      socket.allowHalfOpen = true;
      socket.write(get('/quick', 'Connection: Upgrade', 'Upgrade: websocket'));
      await once(socket, 'data');
    }
    const socket = await service.rig.open();
    socket.write(get('/quick', 'Connection: close'));
    assert.deepEqual(statuses(await readToEnd(socket)), [200]);
  });

  test('and all are being answered, another one is informed, and closed', async () => {
    await service.serve({ maxConnections: max });
    for (let count = 0; count < max; count++) (await service.rig.open()).write(get('/slow'));
    await until('all are asked', async () => running.length === max);
    assert.match(await readToEnd(await service.rig.open()), /^HTTP\/1\.1 503 [\s\S]*too-many-connections/);
    assert.deepEqual([await service.rig.closedBy('refused'), await service.rig.figure('connections')], [1, max]);
  });

  test('the log says so once a minute', async () => {
    const lines: string[] = [];
    const clock = new ManualClock();
    const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) });
    await service.serve({ maxConnections: max, log, clock });
    for (let count = 0; count < 3 * max; count++) await service.rig.open();
    await until('they are evicted', async () => (await service.rig.closedBy('evicted')) === 2 * max);
    assert.equal(lines.length, 1);
    assert.match(lines[0] ?? '', /ulimit -n/);
    clock.advance(60_000); // all are idle for longer than they are kept
    for (let count = 0; count <= max; count++) await service.rig.open();
    await until('another is evicted', async () => (await service.rig.closedBy('evicted')) === 2 * max + 1);
    assert.equal(lines.length, 2);
  });
});

test('an idle connection is kept for as long as its client is reported, and closed soon after', async () => {
  const clock = new ManualClock();
  await service.serve({ clock });
  const busy = await service.rig.open();
  busy.write(get('/slow'));
  const idle = await service.rig.open();
  idle.write(get('/quick'));
  const [answer] = await once(idle, 'data');
  assert.match(String(answer), /^keep-alive: timeout=20\r$/im);
  await until('it is answered, the other one is not', async () => running.length === 1 && service.asked === 2);
  clock.advance(20_000);
  idle.write(get('/quick'));
  await once(idle, 'data');
  clock.advance(20_000);
  assert.equal(await service.rig.closedBy('idle'), 0);
  const closed = once(idle, 'close');
  clock.advance(4000);
  await closed;
  assert.deepEqual([await service.rig.closedBy('idle'), await service.rig.figure('connections')], [1, 1]);
  running.shift()?.();
  assert.match(String(await once(busy, 'data')), /^HTTP\/1\.1 200 /);
});

test('a connection that waits for the service is not closed for that, one that takes nothing for 30 s is', async () => {
  const clock = new ManualClock();
  await service.serve({ clock });
  const taken = service.rig.taken();
  const patient = await service.rig.open();
  patient.write(get('/slow'));
  const deaf = await service.rig.open();
  deaf.pause().write(get('/large'));
  await until('its answer waits', async () => (taken[1]?.writableLength ?? 0) > 0 && running.length === 1);
  clock.advance(2000); // it is noticed what was taken so far
  clock.advance(30_000);
  assert.equal(await service.rig.closedBy('stalled'), 0);
  const before = takenBytes(taken[1] as Socket);
  deaf.resume();
  while (takenBytes(taken[1] as Socket) === before) await once(deaf, 'data');
  deaf.pause();
  assert.ok((taken[1]?.writableLength ?? 0) > 0, 'not all of it');
  clock.advance(30_000);
  assert.equal(await service.rig.closedBy('stalled'), 0);
  clock.advance(4000);
  assert.equal(await service.rig.closedBy('stalled'), 1);
  const answer = once(patient, 'data');
  running.shift()?.();
  assert.match(String(await answer), /^HTTP\/1\.1 200 /);
});
