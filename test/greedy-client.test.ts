// A client that asks for far more than it takes: it is told to go, and what it still asks is not carried out.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { test } from 'node:test';
import { suiteCleanup, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { WebSocket } from 'ws';
import { countersArgs, makeCounters, tick } from './counters-plant.ts';
import { peakBytes, tellsMemory } from './process-memory.ts';
import { openSocket, readToEnd } from './raw-http.ts';
import { startServer } from './server-process.ts';
import { until } from './until.ts';

const points = 10_000;
/** Each answer has some 2 MB. */
const reads = 500;

const cleanup = suiteCleanup();
const folder = temporaryFolder(cleanup);

test('a client that asks in one go for more than it takes is closed with 1013, and the rest of it is not done', async (t) => {
  const server = await startServer(t, { data: folder, args: countersArgs });
  await makeCounters(server, { points, periodMs: 1000, alarms: ['never'] });
  await until('the counters are linked', async () => (await tick(server, 0)) === 204);
  const socket = new WebSocket(`${server.url.replace('http', 'ws')}/data/ws`, { perMessageDeflate: false });
  await once(socket, 'open');
  const { _socket: stream } = socket as unknown as { _socket: Socket };
  const answers: number[] = [];
  socket.on('message', (message: Buffer) => answers.push(message.length));
  stream.cork();
  for (let id = 1; id <= reads; id++) socket.send(JSON.stringify({ request: 'ReadMeasurements', id }));
  const operations = [{ name: 'never', opcode: 'activate' }];
  socket.send(JSON.stringify({ request: 'OperateAlarms', id: 0, operations }));
  const sinceMs = performance.now();
  stream.uncork();
  const [code] = (await once(socket, 'close')) as [number];
  const bytes = answers.reduce((sum, length) => sum + length, 0);
  const alarm = (await (await fetch(`${server.url}/data/alarms/never`)).json()) as { state: string };
  const peak = tellsMemory ? ((peakBytes(server.pid) ?? 0) / 2 ** 20).toFixed(0) : 'an unknown number of';
  console.log(
    `${answers.length} of ${reads} reads were answered, ${(bytes / 2 ** 20).toFixed(0)} MiB; ` +
      `closed and others served after ${Math.round(performance.now() - sinceMs)} ms, at most ${peak} MiB resident`,
  );
  assert.deepEqual([code, alarm.state], [1013, 'INACT_ACK']);
  assert.ok(answers.length < reads);
});

test('a connection that asks on without reading is answered a hundred times, and told to read first', async (t) => {
  const server = await startServer(t, { data: folder });
  const before = peakBytes(server.pid) ?? 0;
  const request = 'GET /openapi.json HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n';
  const last = 'GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n';
  const sockets = await Promise.all(Array.from({ length: 4 }, () => openSocket(server.url)));
  for (const socket of sockets) socket.pause().write(request.repeat(1000) + last);
  await until('others are served', async () => (await fetch(`${server.url}/readyz`)).status === 200);
  const texts = await Promise.all(sockets.map((socket) => readToEnd(socket.resume())));
  for (const text of texts) {
    const statuses = Array.from(text.matchAll(/HTTP\/1\.1 (\d{3}) /g), ([, status]) => status);
    assert.equal(statuses.length, 1001);
    assert.deepEqual(new Set(statuses), new Set(['200', '429']));
    assert.deepEqual(new Set(statuses.slice(0, 100)), new Set(['200']));
  }
  if (!tellsMemory) return;
  const grownMiB = ((peakBytes(server.pid) ?? 0) - before) / 2 ** 20;
  t.diagnostic(`the server had ${grownMiB.toFixed(0)} MiB more than at its start`);
  assert.ok(grownMiB < 200, `${grownMiB} MiB`);
});
