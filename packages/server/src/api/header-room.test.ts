// Headers that never end, over real sockets: how much of each is read, and how many are sent the reason.
import assert from 'node:assert/strict';
import type { AddressInfo, Socket } from 'node:net';
import { beforeEach, describe, test } from 'node:test';
import { ManualClock } from '@telltale/schema/testing';
import { cleanupOf } from '@telltale/stack-kit/testing/cleanup';
import { openSocket, readToEnd } from '../../../../test/raw-http.ts';
import { until } from '../../../../test/until.ts';
import { plainHttp } from '../../test/plain-http.ts';
import type { HttpServer } from './http-server.ts';
import { Metrics } from './metrics.ts';
import type { Route } from './route.ts';

const route: Route = {
  method: 'GET',
  path: '/quick',
  id: 'quick',
  effect: { action: 'read', resource: 'service' },
  permission: 'public',
  audited: false,
  answer: { status: 200, description: '' },
  problems: [],
  handle: () => '"quick"',
};

let http: HttpServer;
let url: string;
let taken: Socket[];
let clock: ManualClock;
let metrics: Metrics;

beforeEach(async (t) => {
  clock = new ManualClock();
  metrics = new Metrics();
  http = plainHttp({ routes: [route], clock, metrics, maxConnections: 3000 });
  taken = [];
  http.server.on('connection', (socket: Socket) => taken.push(socket));
  await http.listen({ host: '127.0.0.1', port: 0 });
  url = `http://127.0.0.1:${(http.server.address() as AddressInfo).port}`;
  cleanupOf(t).defer(async () => {
    for (const socket of taken) socket.destroy();
    await http.close();
  });
});

async function open(count: number): Promise<Socket[]> {
  const before = taken.length;
  const sockets = await Promise.all(Array.from({ length: count }, () => openSocket(url)));
  await until('all are taken', async () => taken.length === before + count);
  return sockets;
}

/** The status of a request with so many bytes of headers, on a new connection. */
async function statusOf(bytes: number): Promise<string> {
  const socket = await openSocket(url);
  const answer = readToEnd(socket).catch(() => '');
  socket.write(`GET /quick HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nX: ${'x'.repeat(bytes)}\r\n\r\n`);
  return (await answer).slice(9, 12);
}

describe('headers', () => {
  test('may have 256 KiB where few connections are open', async () => {
    await open(100);
    assert.deepEqual([await statusOf(250_000), await statusOf(270_000)], ['200', '431']);
  });

  test('have a share of 32 MiB where many are, and 8 KiB in any case', async () => {
    await open(1000);
    assert.deepEqual([await statusOf(30_000), await statusOf(40_000), await statusOf(250_000)], ['200', '431', '431']);
    for (const socket of taken) socket.destroy();
    await until('there is room again', async () => (await statusOf(250_000)) === '200');
  });

  test('of 1,000 connections that never end are held within twice that', async () => {
    const sockets = await open(1000);
    for (const socket of sockets) socket.write(`GET /quick HTTP/1.1\r\nHost: localhost\r\nX: ${'x'.repeat(200_000)}`);
    const isSettled = ({ destroyed, writableEnded, bytesRead }: Socket) =>
      destroyed || writableEnded || bytesRead > 2e5;
    await until('each is read or given up', async () => taken.every(isSettled));
    const held = taken.filter(({ destroyed, writableEnded }) => !destroyed && !writableEnded);
    const bytes = held.reduce((sum, { bytesRead }) => sum + bytesRead, 0);
    assert.ok(bytes <= 64 << 20, `${bytes} bytes of ${held.length} connections`);
  });
});

test('of many connections that send what is no request, each is informed, though not all in one turn', async () => {
  const sockets = await open(50);
  const answers = Promise.all(sockets.map((socket) => readToEnd(socket).catch(() => '')));
  http.server.on('clientError', () => clock.advance(5));
  for (const socket of sockets) socket.write('nonsense\r\n\r\n'); // all are there when the loop turns
  const reported = (await answers).filter((text) => text.startsWith('HTTP/1.1 400 ')).length;
  assert.equal(reported, 50);
});
