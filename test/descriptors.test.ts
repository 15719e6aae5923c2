// More sockets and files than there are file descriptors: the server starts, and its connectors and commands go on.
import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { test } from 'node:test';
import { cleanupOf, suiteCleanup, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { mostAtOnce } from '../packages/server/src/modules/executables.ts';
import { openSocket } from './raw-http.ts';
import { type ServerProcess, startServer } from './server-process.ts';
import { until } from './until.ts';

const files = 400;
const idle = 600;
const options = {
  skip: process.platform !== 'linux' && 'only Linux tells a process its limit',
  timeout: 120_000,
};
const upload = [
  'PUT /config/v2/function-modules/pump/executable HTTP/1.1',
  'Host: localhost',
  'Content-Type: application/octet-stream',
  'Content-Length: 1000000',
  '',
  '',
].join('\r\n');
const folder = temporaryFolder(suiteCleanup());

/** Connects, again and again where nobody listens yet, until so many are or were open. */
async function crowd(url: string, sockets: Socket[]): Promise<void> {
  while (sockets.length < idle) {
    const socket = await openSocket(url).catch(() => undefined);
    if (socket !== undefined) sockets.push(socket);
  }
}

async function assertWell(server: ServerProcess): Promise<void> {
  await until('the connectors are up', async () => {
    const instances = (await (await fetch(`${server.url}/data/connectors/?fields=state`)).json()) as object;
    return Object.values(instances).every(({ state }) => state === 'up');
  });
  for (const value of ['d2', 'd3']) {
    const command = `${server.url}/data/commands/tank1_level_setpoint?value=${value}`;
    assert.equal((await fetch(command, { method: 'PUT' })).status, 204);
  }
  const object = { name: 'level', datatype: 'd' };
  assert.equal((await server.send('PUT', '/measurements/level', object)).status, 204);
  assert.equal((await fetch(`${server.url}/data/archive/measurements/tank1_level/-60/0`)).status, 200);
  const figures = await (await fetch(`${server.url}/metrics`)).text();
  const [, open] = /^telltale_http_connections (\d+)$/m.exec(figures) ?? [];
  assert.ok(Number(open) <= files / 2, `${open} are open`);
  assert.match(figures, /^telltale_stack_threads_replaced_total 0$/m);
}

async function evicted(server: ServerProcess): Promise<number> {
  const figures = await (await fetch(`${server.url}/metrics`)).text();
  const [, count] = /^telltale_http_connections_closed_total\{reason="evicted"\} (\d+)$/m.exec(figures) ?? [];
  return Number(count);
}

test(
  `${idle} idle sockets with ulimit -n ${files} leave connectors, commands and a start as they are`,
  options,
  async (t) => {
    const sockets: Socket[] = [];
    cleanupOf(t).defer(() => {
      for (const socket of sockets) socket.destroy();
    });
    const start = (...args: string[]) => startServer(t, { data: folder, args, prelude: `ulimit -n ${files}` });
    const server = await start('--demo');
    await crowd(server.url, sockets);
    await assertWell(server);
    assert.ok((await evicted(server)) > 0);
    const { code, stdout, stderr } = await server.end();
    assert.deepEqual([code, stderr], [0, '']);
    assert.equal(stdout.match(/connections are closed/g)?.length, 1);

    for (const socket of sockets.splice(0)) socket.destroy();
    const crowding = crowd(server.url, sockets);
    const again = await start('--port', new URL(server.url).port);
    await crowding;
    await assertWell(again);
    assert.ok((await evicted(again)) > 0);
  },
);

test(
  'uploads that never end take a few files and no more: the others are refused, and the plant goes on',
  options,
  async (t) => {
    const uploads = 180;
    const server = await startServer(t, { data: temporaryFolder(t), args: ['--demo'], prelude: `ulimit -n ${files}` });
    const pump = { name: 'pump', termToKill: 1, queryTimeout: 1 };
    assert.equal((await server.send('PUT', '/function-modules/pump', pump)).status, 204);
    let refused = 0;
    for (let at = 0; at < uploads; at++) {
      const socket = await openSocket(server.url);
      cleanupOf(t).defer(() => void socket.destroy());
      socket.on('data', (text) => {
        refused += Number(/^HTTP\/1\.1 503 [\s\S]*executables are under way/.test(String(text)));
      });
      socket.write(`${upload}some of it`);
    }
    await until('all but a few are refused', async () => refused === uploads - mostAtOnce);
    await assertWell(server);
  },
);
