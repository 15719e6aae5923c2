// More sockets than there are file descriptors: the server starts, and its connectors and commands go on.
import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { test } from 'node:test';
import { cleanupOf, suiteCleanup, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { openSocket } from './raw-http.ts';
import { type ServerProcess, startServer } from './server-process.ts';
import { until } from './until.ts';

const files = 400;
const idle = 600;
const options = {
  skip: process.platform !== 'linux' && 'only Linux tells a process its limit',
  timeout: 120_000,
};
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
  assert.match(figures, /^telltale_http_connections_closed_total\{reason="evicted"\} [1-9]/m);
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
    const { code, stdout, stderr } = await server.end();
    assert.deepEqual([code, stderr], [0, '']);
    assert.equal(stdout.match(/connections are closed/g)?.length, 1);

    for (const socket of sockets.splice(0)) socket.destroy();
    const crowding = crowd(server.url, sockets);
    const again = await start('--port', new URL(server.url).port);
    await crowding;
    await assertWell(again);
  },
);
