// A client that asks for far more than it takes, or sends more than it may: it costs little, and nobody else anything.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { test } from 'node:test';
import { suiteCleanup, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { WebSocket } from 'ws';
import { countersArgs, makeCounters, tick } from './counters-plant.ts';
import { hasProcMemory, peakBytes } from './process-memory.ts';
import { openSocket, readToEnd } from './raw-http.ts';
import { startServer } from './server-process.ts';
import { until } from './until.ts';

const points = 10_000;
/** Each answer has some 2 MB. */
const reads = 100;

const cleanup = suiteCleanup();
const folder = temporaryFolder(cleanup);

test('a client that asks in one go for more than may wait is answered as it takes the answers, in little memory', async (t) => {
  const server = await startServer(t, { data: folder, args: countersArgs });
  await makeCounters(server, { points, periodMs: 1000, alarms: ['never'] });
  await until('the counters are linked', async () => (await tick(server, 0)) === 204);
  const socket = new WebSocket(`${server.url.replace('http', 'ws')}/data/ws`, { perMessageDeflate: false });
  cleanup.defer(() => socket.terminate());
  await once(socket, 'open');
  const { _socket: stream } = socket as unknown as { _socket: Socket };
  const answers: number[] = [];
  const last = new Promise<string>((resolve) => {
    socket.on('close', (code) => resolve(`closed with ${code}`));
    socket.on('message', (message: Buffer) => {
      answers.push(message.length);
      if (answers.length > reads) resolve(message.toString());
    });
  });
  stream.cork();
  for (let id = 1; id <= reads; id++) socket.send(JSON.stringify({ request: 'ReadMeasurements', id }));
  const operations = [{ name: 'never', opcode: 'activate' }];
  socket.send(JSON.stringify({ request: 'OperateAlarms', id: 0, operations }));
  stream.uncork();
  assert.match(await last, /^\{"request_id":0,"result":true/);
  assert.ok(answers.slice(0, reads).every((length) => length > 1 << 20));
  if (!hasProcMemory) return;
  const peakMB = (peakBytes(server.pid) ?? 0) / 1e6;
  t.diagnostic(`at most ${peakMB.toFixed(0)} MB resident`);
  assert.ok(peakMB < 512, `${peakMB} MB`);
});

test('a connection that asks on without reading has a hundred answers, one refusal, and is closed', async (t) => {
  const server = await startServer(t, { data: folder });
  const before = peakBytes(server.pid) ?? 0;
  const request = 'GET /openapi.json HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n';
  const sockets = await Promise.all(Array.from({ length: 20 }, () => openSocket(server.url)));
  for (const socket of sockets) socket.pause().write(request.repeat(3000));
  await until('others are served', async () => (await fetch(`${server.url}/readyz`)).status === 200);
  const texts = await Promise.all(sockets.map((socket) => readToEnd(socket.resume()).catch(() => 'reset')));
  for (const text of texts) {
    const statuses = Array.from(text.matchAll(/HTTP\/1\.1 (\d{3}) /g), ([, status]) => status);
    assert.deepEqual(statuses, [...Array(100).fill('200'), '429']);
  }
  const figures = await (await fetch(`${server.url}/metrics`)).text();
  assert.match(figures, /^telltale_http_connections_closed_total\{reason="pipelining"\} 20$/m);
  // Of 60,000 requests, those that were carried out: what is behind a refusal is not even read.
  assert.match(figures, /^telltale_http_requests_total\{method="GET",route="\/openapi.json",status="200"\} 2000$/m);
  if (!hasProcMemory) return;
  const grownMiB = ((peakBytes(server.pid) ?? 0) - before) / 2 ** 20;
  t.diagnostic(`the server had ${grownMiB.toFixed(0)} MiB more than at its start`);
  assert.ok(grownMiB < 100, `${grownMiB} MiB`);
});

test('of 25 bodies of 60 MB at once the server holds one, refuses the others, and stays within 512 MB', async (t) => {
  const server = await startServer(t, { data: folder });
  const body = Buffer.alloc(60_000_000, ' ');
  body.write('{"operations":[]}');
  const head = [
    'POST /config/v2/cfgdb/txn HTTP/1.1',
    'Host: 127.0.0.1',
    'Connection: close',
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
  ];
  const clients = Array.from({ length: 25 }, async () => {
    const socket = await openSocket(server.url);
    const answer = readToEnd(socket).catch(() => ''); // who still sends may see a reset in the place of an answer
    socket.write(`${head.join('\r\n')}\r\n\r\n`);
    socket.write(body);
    return Number(/^HTTP\/1\.1 (\d+)/.exec(await answer)?.[1] ?? 503);
  });
  const statuses = await Promise.all(clients);
  assert.deepEqual(new Set(statuses), new Set([204, 503]));
  const figures = await (await fetch(`${server.url}/metrics`)).text();
  const taken = statuses.filter((status) => status === 204).length;
  assert.match(figures, new RegExp(`^telltale_http_bodies_refused_total ${25 - taken}$`, 'm'));
  assert.match(figures, /^telltale_http_body_bytes 0$/m);
  if (!hasProcMemory) return;
  const peakMB = (peakBytes(server.pid) ?? 0) / 1e6;
  t.diagnostic(`${taken} bodies were taken; at most ${peakMB.toFixed(0)} MB resident`);
  assert.ok(peakMB < 512, `${peakMB} MB`);
});
