import assert from 'node:assert/strict';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { quality } from '@telltale/schema';
import { NotConnected } from '@telltale/stack-kit';
import { until } from '@telltale/stack-kit/testing';
import { TestLink } from './test-link.ts';

const { good, bad } = quality;

describe('a server that lies', () => {
  let raw: Server;
  let onRequest: (socket: Socket, count: number) => void = () => {};
  let link: TestLink | undefined;
  const sockets = new Set<Socket>();
  beforeEach(async () => {
    let count = 0;
    raw = createServer((socket) => {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => sockets.delete(socket));
      socket.on('data', () => onRequest(socket, count++));
    });
    await new Promise<void>((resolve) => raw.listen(0, '127.0.0.1', resolve));
  });
  afterEach(async () => {
    await link?.stop();
    link = undefined;
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => raw.close(resolve));
  });

  const answer = (body: string, length = body.length) => `HTTP/1.1 200 OK\r\nContent-Length: ${length}\r\n\r\n${body}`;

  async function startRaw(respond: typeof onRequest, variables: Record<string, string> = {}): Promise<TestLink> {
    onRequest = respond;
    const baseUrl = `http://127.0.0.1:${(raw.address() as AddressInfo).port}`;
    link = new TestLink({ baseUrl, timeoutMs: '5000', maxBodyBytes: '4096', requestsAtOnce: '1', ...variables });
    link.setPoints({ a: { address: '/a' } });
    return link;
  }

  test('and speaks unasked on an idle connection is not believed, and gets a new connection', async () => {
    const running = await startRaw((socket, count) => {
      socket.write(answer(String(count)));
      setImmediate(() => socket.write(answer('666')));
    });
    await running.start();
    await until('it is read several times', () => running.batches.length > 5 || running.lost !== undefined);
    assert.notEqual(running.value('a'), 666);
  });

  const lies: [string, (socket: Socket) => void][] = [
    ['ends before its end', (socket) => socket.end(answer('12345', 9))],
    ['is no HTTP', (socket) => socket.end('SSH-2.0-OpenSSH\r\n')],
    [
      'switches the protocol',
      (socket) => socket.write('HTTP/1.1 101 Switching\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n'),
    ],
    ['has endless headers', (socket) => socket.write(`HTTP/1.1 200 OK\r\n${`X: ${'y'.repeat(900)}\r\n`.repeat(100)}`)],
    ['says nothing but "go on"', (socket) => socket.write('HTTP/1.1 100 Continue\r\n\r\n'.repeat(100))],
    ['drips', (socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n1')],
    ['closes', (socket) => socket.destroy()],
  ];
  for (const [what, respond] of lies) {
    test(`whose answer ${what} is as good as silent`, async () => {
      const running = await startRaw(respond, { timeoutMs: '200' });
      await assert.rejects(running.start(), NotConnected);
      assert.equal(running.readings.size, 0);
    });
  }

  test('and may have cut off a number is not believed, while what shows its end is', async () => {
    for (const [body, expected] of [
      ['12', bad.deviceFailure],
      ['[12]', good],
    ] as const) {
      const running = await startRaw((socket) => socket.end(`HTTP/1.0 200 OK\r\n\r\n${body}`));
      running.setPoints({ a: { address: body === '12' ? '/a' : '/a#/0' } });
      await running.start();
      await until('it is read', () => running.readings.size > 0);
      assert.equal(running.quality('a'), expected);
      await running.stop();
    }
  });

  test('and nests without end is read, and explained', async () => {
    const body = `{"deep":${'['.repeat(20_000)}${']'.repeat(20_000)},"a":1}`;
    const running = await startRaw((socket) => socket.write(answer(body)), { maxBodyBytes: '65536' });
    running.setPoints({ a: { address: '/a#/a' }, deep: { address: '/a#/deep' } });
    await running.start();
    await until('it is read', () => running.value('a') === 1);
    assert.equal(running.explain('deep')?.raw, 'nested too deeply to be shown');
  });

  test('and gives a reason as long as a book is quoted in short', async () => {
    const running = await startRaw((socket) => {
      socket.write(`HTTP/1.1 500 ${'because '.repeat(1000)}\r\nContent-Length: 0\r\n\r\n`);
    });
    await running.start();
    await until('it is read', () => running.quality('a') === bad.deviceFailure);
    assert.match(running.explain('a')?.error ?? '', /^the server answers 500 because (?:because )+.{0,7}$/);
    assert.ok(running.warnings.every((line) => line.length < 200));
  });

  test('whose answer never ends is cut off, and not kept', async () => {
    const running = await startRaw((socket) => {
      const chunk = `1000\r\n${'1'.repeat(4096)}\r\n`;
      socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n');
      const more = () => socket.writable && socket.write(chunk, () => setImmediate(more));
      more();
    });
    await running.start();
    await until('it is told', () => running.quality('a') === bad.configurationError);
    await until('the connections are closed', () => sockets.size <= 1);
  });
});
