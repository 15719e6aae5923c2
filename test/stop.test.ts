// Stopping the server as a person or a supervisor does: what runs is finished, nothing new is taken, and it ends by
// itself within 5 seconds, whatever its clients do.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, test } from 'node:test';
import { cleanupOf, suiteCleanup, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { ChannelSocket } from './channel-socket.ts';
import { nameOfProblem } from './config-client.ts';
import { put } from './live-plant.ts';
import { openSocket, parseAnswer, readToEnd } from './raw-http.ts';
import { type Ended, type ServerProcess, spawnServer, startServer } from './server-process.ts';
import { until } from './until.ts';

const limitMs = 5000;
const cleanup = suiteCleanup();
const folder = temporaryFolder(cleanup);
let count = 0;
const freshPath = () => join(folder, `folder${++count}`);

/** Sends the signal and waits for the end, which must be a clean one in time. */
async function endInTime(server: ServerProcess, signal: NodeJS.Signals = 'SIGTERM'): Promise<Ended> {
  const started = performance.now();
  const ended = await server.end(signal);
  const tookMs = performance.now() - started;
  assert.deepEqual([ended.code, ended.signal, ended.stderr], [0, null, '']);
  assert.match(ended.stdout, /"msg":"stopped"\}\n$/);
  assert.ok(tookMs < limitMs, `it took ${Math.round(tookMs)} ms`);
  return ended;
}

/** Resolves when nobody listens any more. */
async function refusesConnections(url: string): Promise<void> {
  const deadline = performance.now() + limitMs;
  while (performance.now() < deadline) {
    try {
      (await openSocket(url)).destroy();
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ECONNREFUSED') return;
    }
  }
  assert.fail('it still takes connections');
}

const alarm = (name: string) => JSON.stringify({ name, severity: 1 });

/** The head of a PUT of an alarm, for a connection that stays open. */
const headOfPut = (name: string) =>
  `PUT /config/v2/alarms/${name} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n` +
  `Content-Length: ${alarm(name).length}\r\n\r\n`;

/** Asks, and reads the answer without closing the connection. */
async function askOn(socket: Socket, path: string): Promise<string> {
  socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
  const [chunk] = (await once(socket, 'data')) as [Buffer];
  return chunk.toString('latin1');
}

/** The server has read what was sent on the socket before, since it answers what was sent to it later. */
async function hasArrived(server: ServerProcess): Promise<void> {
  for (let time = 0; time < 3; time++) assert.equal((await server.get('/cfgdb/render')).status, 200);
}

for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
  test(`${signal} ends an idle server with 0, and leaves the database as one file beside what proves it`, async (t) => {
    const data = freshPath();
    const server = await startServer(t, { data });
    assert.equal((await server.send('PUT', '/alarms/a', { name: 'a', severity: 1 })).status, 204);
    const { stdout } = await endInTime(server, signal);
    assert.match(stdout, new RegExp(`stopping \\(${signal}\\)`));
    assert.deepEqual(
      readdirSync(data).filter((name) => name.startsWith('cfgdb')),
      ['cfgdb.control', 'cfgdb.sqlite'],
    );
  });
}

test('a signal while it starts ends it cleanly, and nothing says that it is ready then', async (t) => {
  const child = spawnServer(['--data', freshPath(), '--port', '0', '--demo']);
  const closed = once(child, 'close');
  cleanupOf(t).defer(async () => {
    child.kill('SIGKILL');
    await closed;
  });
  let log = '';
  for await (const chunk of child.stdout as NodeJS.ReadableStream) {
    if (log === '') child.kill('SIGTERM'); // its first line comes before it is ready
    log += chunk;
  }
  const [code] = await closed;
  assert.equal(code, 0);
  assert.match(log, /"msg":"stopped"\}\n$/);
  assert.doesNotMatch(log.slice(log.indexOf('stopping (SIGTERM)')), /ready/);
});

describe('after the signal', () => {
  test('a request that runs is finished and answered, and what it wrote is there after a new start', async (t) => {
    const data = freshPath();
    const server = await startServer(t, { data });
    const socket = await openSocket(server.url);
    const answer = readToEnd(socket);
    socket.write(headOfPut('late') + alarm('late').slice(0, 5));
    await hasArrived(server);
    const ended = endInTime(server);
    await refusesConnections(server.url);
    socket.write(alarm('late').slice(5));
    const { status, headers } = parseAnswer(await answer);
    assert.deepEqual([status, headers.get('connection')], [204, 'close']);
    await ended;
    const again = await startServer(t, { data });
    assert.deepEqual(await (await again.get('/alarms/late')).json(), { name: 'late', severity: 1 });
    await endInTime(again);
  });

  test('a request that begins on an open connection learns that the service is stopping', async (t) => {
    const server = await startServer(t, { data: freshPath() });
    const [busy, begun] = [await openSocket(server.url), await openSocket(server.url)];
    const answers = [readToEnd(busy), readToEnd(begun)];
    busy.write(headOfPut('a') + alarm('a').slice(0, 5));
    begun.write('GET /config/v2/alarms HTTP/1.1\r\nHost: local');
    await hasArrived(server);
    const ended = endInTime(server);
    await refusesConnections(server.url);
    begun.write('host\r\n\r\n');
    const refused = parseAnswer((await answers[1]) ?? '');
    assert.equal(nameOfProblem(refused), 'stopping');
    busy.write(alarm('a').slice(5));
    assert.equal(parseAnswer((await answers[0]) ?? '').status, 204);
    await ended;
  });

  test('a write on the channel that the device has not answered yet is answered, and is there after a new start', async (t) => {
    const data = freshPath();
    const server = await startServer(t, { data });
    const onDevice = (address: string) => ({ connectorName: 'device', address });
    const operations = [
      put('connectors', 'device', { stackName: 'simulator' }),
      put('commands', 'slow', { datatype: 'b', ...onDevice('slow_write(of=valve, delay=0.5)') }),
      put('commands', 'valve', { datatype: 'i', ...onDevice('echo(valve)') }),
    ];
    assert.equal((await server.send('POST', '/cfgdb/txn?render=1', { operations })).status, 204);
    const channel = await ChannelSocket.open(server.url);
    const write = (name: string, value: string) => channel.ask({ request: 'WriteCommands', writes: [{ name, value }] });
    await until('the device is slow', async () => (await write('slow', 'b1')).result);
    const written = write('valve', 'i7');
    await channel.ask({ request: 'Heartbeat' });
    await endInTime(server);
    assert.equal((await written).result, true);
    const again = await startServer(t, { data });
    const { vt } = (await (await fetch(`${again.url}/data/commands/valve`)).json()) as { vt: [string] };
    assert.equal(vt[0], 'i7');
    await endInTime(again);
  });

  test('a second signal changes nothing', async (t) => {
    const server = await startServer(t, { data: freshPath() });
    const socket = await openSocket(server.url);
    const answer = readToEnd(socket);
    socket.write(headOfPut('a') + alarm('a').slice(0, 5));
    await hasArrived(server);
    const ended = endInTime(server);
    await refusesConnections(server.url);
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.kill(server.pid, signal);
    socket.write(alarm('a').slice(5));
    assert.equal(parseAnswer(await answer).status, 204);
    await ended;
  });
});

describe('the server ends in time', { concurrency: true }, () => {
  test('with connections that are kept alive and idle', async (t) => {
    const server = await startServer(t, { data: freshPath() });
    const sockets = await Promise.all(Array.from({ length: 20 }, () => openSocket(server.url)));
    for (const socket of sockets.slice(0, 10))
      assert.match(await askOn(socket, '/config/v2/alarms'), /^HTTP\/1\.1 200/);
    await endInTime(server);
    for (const socket of sockets) socket.destroy();
  });

  test('with a client that never sends the rest of its request', async (t) => {
    const data = freshPath();
    const server = await startServer(t, { data });
    const sockets = await Promise.all([openSocket(server.url), openSocket(server.url), openSocket(server.url)]);
    sockets[0].write(headOfPut('stuck') + alarm('stuck').slice(0, 5));
    sockets[1].write('GET /config/v2/alarms HTT');
    sockets[2].write(
      'POST /config/v2/cfgdb/database HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-sqlite3\r\n' +
        'Content-Length: 1000\r\n\r\nSQLite format 3',
    );
    await hasArrived(server);
    await endInTime(server);
    for (const socket of sockets) socket.destroy();
    const again = await startServer(t, { data });
    assert.deepEqual(await (await again.get('/alarms/names')).json(), []);
    assert.deepEqual(readdirSync(join(data, 'temporary')), []);
    await endInTime(again);
  });

  test('with a client that does not read its answer', async (t) => {
    const server = await startServer(t, { data: freshPath() });
    const object = (name: string) => ({ name, severity: 1, description: 'x'.repeat(1_000_000) });
    const operations = Array.from({ length: 30 }, (_, at) => ({
      operation: 'put',
      family: 'alarms',
      name: `a${at}`,
      object: object(`a${at}`),
    }));
    assert.equal((await server.send('POST', '/cfgdb/txn', { operations })).status, 204);
    const socket = await openSocket(server.url);
    socket.pause();
    socket.write('GET /config/v2/alarms HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await once(socket, 'readable');
    await endInTime(server);
    socket.destroy();
  });
});

test('a server whose log nobody reads any more goes on, and ends as others do', async (t) => {
  const path = freshPath();
  const child = spawnServer(['--data', path, '--port', '0', '--no-demo']);
  t.after(() => child.kill('SIGKILL'));
  let url = '';
  for await (const line of createInterface({ input: child.stdout ?? assert.fail() })) {
    url = /http:\/\/[^/]+/.exec(line)?.[0] ?? '';
    if (url !== '') break;
  }
  child.stdout?.destroy();
  child.stderr?.destroy();
  const connector = {
    operation: 'put',
    family: 'connectors',
    name: 'plc',
    object: { name: 'plc', stackName: 'simulator' },
  };
  const txn = {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ operations: [connector] }),
  };
  assert.equal((await fetch(`${url}/config/v2/cfgdb/txn?render=1`, txn)).status, 204);
  await until('it has logged that the link is up', async () => {
    return ((await (await fetch(`${url}/data/connectors/plc`)).json()) as { state: string }).state === 'up';
  });
  child.kill('SIGTERM');
  assert.deepEqual(await once(child, 'exit'), [0, null]);
});

test('after SIGKILL the next start has the folder, with everything that was acknowledged', async (t) => {
  const data = freshPath();
  const server = await startServer(t, { data });
  for (let at = 0; at < 20; at++) {
    assert.equal((await server.send('PUT', `/alarms/a${at}`, { name: `a${at}`, severity: at })).status, 204);
  }
  assert.equal((await server.send('POST', '/cfgdb/render')).status, 204);
  assert.equal((await server.end('SIGKILL')).signal, 'SIGKILL');
  const again = await startServer(t, { data });
  assert.equal(((await (await again.get('/alarms/names')).json()) as string[]).length, 20);
  assert.deepEqual(await (await again.get('/cfgdb/render')).json(), { up_to_date: true });
  await endInTime(again);
});
