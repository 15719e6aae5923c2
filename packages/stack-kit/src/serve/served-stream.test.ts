import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { systemClock } from '@telltale/schema';
import { RequestMeter } from '../link/index.ts';
import { cleanupOf } from '../testing/cleanup.ts';
import { until } from '../testing/until.ts';
import { ServedClients } from './served-clients.ts';
import { serveSocket } from './served-socket.ts';
import { ServedStream } from './served-stream.ts';
import { ServingTurns } from './serving-turns.ts';

const fast = { maxClientRequestsPerSecond: 1_000_000, maxRequestsPerSecond: 1_000_000 };

/** Lines over TCP; the accepted socket is served as the test says. */
async function setUp(t: TestContext, serve: (socket: Socket, clients: ServedClients) => void, variables = fast) {
  const meter = new RequestMeter(() => systemClock.monotonicMs());
  const clients = new ServedClients({ clock: systemClock, turns: new ServingTurns(systemClock), meter, variables });
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    socket.on('error', () => {});
    sockets.push(socket);
    serve(socket, clients);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanupOf(t).defer(() => void server.close());
  const join = async () => {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    socket.on('error', () => {});
    cleanupOf(t).defer(() => void socket.destroy());
    await once(socket, 'connect');
    return socket;
  };
  return { join, sockets, counts: meter.counts };
}

function cut(bytes: Buffer): number {
  if (bytes.includes('!')) throw new Error('no shouting');
  return bytes.indexOf('\n') + 1;
}

const echo = (take: (line: string, socket: Socket) => unknown, wrong: string[] = []) => {
  return (socket: Socket, clients: ServedClients) => {
    const stream = new ServedStream({
      clients,
      socket,
      cut,
      take: (request) => take(`${request}`, socket),
      onWrong: ({ message }) => wrong.push(message),
    });
    socket.on('data', (chunk: Buffer) => stream.hear(chunk));
  };
};

test('every request is carried out once and in order, however the bytes come', async (t) => {
  const lines: string[] = [];
  const { join, counts } = await setUp(
    t,
    echo((line) => lines.push(line)),
  );
  const client = await join();
  client.setNoDelay(true);
  const text = Array.from({ length: 500 }, (_, at) => `${at}\n`).join('');
  for (let at = 0; at < text.length; at += 7) client.write(text.slice(at, at + 7));
  await until('all came', () => lines.length === 500);
  assert.equal(lines.join(''), text);
  assert.equal(counts.requests, 500);
});

test('the next request follows when the one before is done', async (t) => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const lines: string[] = [];
  const { join } = await setUp(
    t,
    echo((line) => {
      lines.push(line);
      return promise;
    }),
  );
  const [first, second] = [await join(), await join()];
  first.write('1\n2\n');
  await until('it came', () => lines.length === 1);
  second.write('other\n');
  await until('another is served meanwhile', () => lines.includes('other\n'));
  assert.deepEqual(lines, ['1\n', 'other\n']);
  resolve();
  await until('it came', () => lines.includes('2\n'));
});

test('of a client that takes no answers nothing more is read, and nothing is stored', async (t) => {
  const answer = Buffer.alloc(64 * 1024);
  const { join, sockets } = await setUp(
    t,
    echo((_, socket) => void socket.write(answer)),
  );
  const deaf = await join();
  deaf.pause();
  const many = `${'1'.repeat(9999)}\n`;
  const send = () => {
    while (deaf.write(many));
  };
  deaf.on('drain', send);
  send();
  await until('it is held', () => sockets[0]?.writableNeedDrain === true && sockets[0].isPaused());
  const [server] = sockets as [Socket];
  // The system on both sides has taken what it has room for.
  let bytesRead = -1;
  await until('nothing more is read', async () => {
    const before = bytesRead;
    ({ bytesRead } = server);
    for (const waited of await Promise.all([join(), join()])) await once(waited.end(), 'finish');
    return before === bytesRead && server.writableNeedDrain;
  });
  assert.ok(server.writableLength <= 4 * answer.length, `${server.writableLength} bytes wait`);
  assert.equal(server.bytesRead, bytesRead);
  deaf.resume();
  await until('it goes on', () => server.bytesRead > bytesRead);
});

test('what is no request ends the connection of who sent it, with the reason', async (t) => {
  const wrong: string[] = [];
  const { join } = await setUp(
    t,
    echo(() => {}, wrong),
  );
  const client = await join();
  client.resume();
  client.write('!');
  await once(client, 'close');
  assert.deepEqual(wrong, ['no shouting']);
});

test('who asks more often than allowed waits and is counted; nothing is lost', async (t) => {
  const lines: string[] = [];
  const variables = { maxClientRequestsPerSecond: 200, maxRequestsPerSecond: 10_000 };
  const { join, counts } = await setUp(
    t,
    echo((line) => lines.push(line)),
    variables,
  );
  const client = await join();
  const startMs = performance.now();
  client.write('1\n'.repeat(300));
  await until('all came', () => lines.length === 300);
  assert.ok(performance.now() - startMs >= 400, 'a second’s worth at once, the rest evenly');
  assert.ok(counts.held > 0);
});

test('a library that reads a socket gets a request at a time, and may hold the client back', async (t) => {
  const heard: string[] = [];
  let library: Socket | undefined;
  const { join } = await setUp(t, (socket, clients) => {
    serveSocket({ clients, socket, cut });
    library ??= socket;
    socket.on('data', (bytes: Buffer) => {
      heard.push(`${bytes}`);
      if (heard.length === 2) socket.pause();
    });
  });
  const client = await join();
  client.write('1\n2\n3\n4\n');
  await until('two came', () => heard.length === 2);
  client.write('5\n');
  const other = await join();
  await once(other.end(), 'finish');
  assert.deepEqual(heard, ['1\n', '2\n']);
  library?.resume();
  await until('all came', () => heard.length === 5);
  assert.equal(heard.join(''), '1\n2\n3\n4\n5\n');
});
