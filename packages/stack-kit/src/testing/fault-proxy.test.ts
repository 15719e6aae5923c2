import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createConnection, createServer, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import fc from 'fast-check';
import type { Faults } from './fault.ts';
import { FaultProxy } from './fault-proxy.ts';
import { until } from './until.ts';

/** What one end of a connection has got, and how it ended. */
class End {
  got = Buffer.alloc(0);
  chunks = 0;
  ending: string | undefined;
  readonly socket: Socket;

  constructor(socket: Socket) {
    this.socket = socket.setNoDelay();
    socket.on('data', (bytes: Buffer) => {
      this.got = Buffer.concat([this.got, bytes]);
      this.chunks++;
    });
    socket.on('end', () => {
      this.ending ??= 'end';
    });
    socket.on('error', (error: NodeJS.ErrnoException) => {
      this.ending ??= error.code;
    });
  }

  say(text: string): void {
    this.socket.write(text);
  }

  get text(): string {
    return this.got.toString('latin1');
  }
}

async function setUp(t: TestContext) {
  const devices: End[] = [];
  const server = createServer((socket) => devices.push(new End(socket))).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const proxy = await FaultProxy.start({ host: '127.0.0.1', port });
  t.after(async () => {
    await proxy[Symbol.asyncDispose]();
    for (const { socket } of devices) socket.destroy();
    server.close();
    assert.equal(proxy.counts.open, 0);
  });
  /** A client, and the device's end of its connection. */
  const connect = async () => {
    const before = devices.length;
    const client = new End(createConnection({ host: proxy.host, port: proxy.port }));
    await once(client.socket, 'connect');
    await until('the device has the connection', () => devices.length > before);
    t.after(() => client.socket.destroy());
    return { client, device: devices[before] as End };
  };
  return { proxy, connect };
}

const got = (end: End, text: string) => until(`${text} comes`, () => end.text === text);

test('without a fault everything comes, in both directions, and is counted', async (t) => {
  const { proxy, connect } = await setUp(t);
  const { client, device } = await connect();
  client.say('question');
  await got(device, 'question');
  device.say('answer');
  await got(client, 'answer');
  device.socket.end('!');
  await got(client, 'answer!');
  await until('the client hears the end', () => client.ending === 'end');
  await until('it is closed', () => proxy.counts.open === 0);
  assert.deepEqual(proxy.counts, { connections: 1, open: 0, bytes: { toDevice: 8, toClient: 7 }, struck: 0 });
});

test('a large stream comes whole, though its reader is slow', async (t) => {
  const { connect } = await setUp(t);
  const { client, device } = await connect();
  client.socket.pause();
  const bytes = Buffer.from(Uint8Array.from({ length: 1 << 23 }, (_, at) => at * 7));
  device.socket.end(bytes);
  client.socket.resume();
  await until('all of it has come', () => client.ending === 'end');
  assert.ok(client.got.equals(bytes));
});

test('what stalls comes when the fault ends, after it was delayed as well, in order', async (t) => {
  const { proxy, connect } = await setUp(t);
  const { client, device } = await connect();
  proxy.setFaults({ toClient: { kind: 'stall' } });
  device.say('a');
  client.say('heard');
  await got(device, 'heard');
  assert.equal(client.text, '');
  proxy.setFaults({ toClient: { kind: 'delay', ms: 3_600_000 } });
  device.say('b');
  proxy.setFaults({});
  device.say('c');
  await got(client, 'abc');
  proxy.setFaults({ toClient: { kind: 'delay', ms: 30 } });
  device.say('d');
  await got(client, 'abcd');
});

test('a half-open connection stays and answers nothing, and is reset when the fault ends', async (t) => {
  const { proxy, connect } = await setUp(t);
  const { client, device } = await connect();
  proxy.setFaults({ toClient: { kind: 'discard' } });
  client.say('question');
  await got(device, 'question');
  device.socket.end('answer');
  client.say('?');
  await got(device, 'question?');
  assert.deepEqual([client.text, client.ending, proxy.counts.open], ['', undefined, 1]);
  proxy.setFaults({});
  await until('the client is reset', () => client.ending === 'ECONNRESET');
});

test('a connection that has lost nothing goes on when a half-open fault ends', async (t) => {
  const { proxy, connect } = await setUp(t);
  const { client, device } = await connect();
  proxy.setFaults({ toClient: { kind: 'discard' }, toDevice: { kind: 'discard' } });
  proxy.setFaults({});
  device.say('still here');
  await got(client, 'still here');
});

test('a reset reaches both sides, an end as well, and refusing leaves open connections alone', async (t) => {
  const { proxy, connect } = await setUp(t);
  const first = await connect();
  assert.equal(proxy.reset(), 1);
  await until('both are reset', () => [first.client, first.device].every(({ ending }) => ending === 'ECONNRESET'));
  const second = await connect();
  proxy.hangUp();
  await until('both have ended', () => [second.client, second.device].every(({ ending }) => ending === 'end'));
  const third = await connect();
  await proxy.refuse();
  await assert.rejects(connect(), { code: 'ECONNREFUSED' });
  third.device.say('here');
  await got(third.client, 'here');
  await proxy.listen();
  await connect();
});

test('dripped bytes come one at a time, and all of them', async (t) => {
  const { proxy, connect } = await setUp(t);
  const { client, device } = await connect();
  proxy.setFaults({ toClient: { kind: 'drip', ms: 2 } });
  device.say('drop by drop');
  await got(client, 'drop by drop');
  assert.ok(client.chunks > 3, `${client.chunks}`);
});

test('a duplicated chunk comes twice', async (t) => {
  const { proxy, connect } = await setUp(t);
  const { client, device } = await connect();
  proxy.setFaults({ toDevice: { kind: 'duplicate', oneIn: 1, seed: 1 } });
  client.say('again ');
  await got(device, 'again again ');
  assert.equal(proxy.counts.struck, 1);
});

test('a truncated chunk is the beginning of it, and then the connection ends', async (t) => {
  const { proxy, connect } = await setUp(t);
  const { client, device } = await connect();
  proxy.setFaults({ toClient: { kind: 'truncate', oneIn: 1, seed: 5 } });
  device.say('a long answer');
  await until('both have ended', () => client.ending === 'end' && device.ending === 'end');
  assert.ok('a long answer'.startsWith(client.text) && client.text.length < 13, client.text);
  assert.equal(proxy.counts.struck, 1);
});

test('a garbled chunk differs in one bit; the same seed garbles the same', async (t) => {
  const { proxy, connect } = await setUp(t);
  const text = 'x'.repeat(100);
  const once = async (faults: Faults) => {
    const { client, device } = await connect();
    proxy.setFaults(faults);
    device.say(text);
    await until('it has come', () => client.got.length === 100);
    return client.got;
  };
  const seeds = fc.sample(fc.nat(), { seed: 7, numRuns: 5 });
  for (const seed of seeds) {
    const garbled = await once({ toClient: { kind: 'garble', oneIn: 1, seed } });
    const bits = garbled.reduce((sum, byte) => sum + (byte ^ 120).toString(2).replaceAll('0', '').length, 0);
    assert.equal(bits, 1);
    assert.deepEqual(await once({ toClient: { kind: 'garble', oneIn: 1, seed } }), garbled);
  }
});

test('a device that is not there resets the client', async (t) => {
  const proxy = await FaultProxy.start({ host: '127.0.0.1', port: 1 });
  t.after(() => proxy[Symbol.asyncDispose]());
  const client = new End(createConnection({ host: proxy.host, port: proxy.port }));
  await until('the client is reset', () => client.ending === 'ECONNRESET');
  await until('nothing is open', () => proxy.counts.open === 0);
});

test('closing it ends everything that it had, whatever stalls', async (t) => {
  const { proxy, connect } = await setUp(t);
  const { client, device } = await connect();
  proxy.setFaults({ toClient: { kind: 'stall' }, toDevice: { kind: 'discard' } });
  device.say('never');
  client.say('never');
  await proxy[Symbol.asyncDispose]();
  await until('both are reset', () => [client, device].every(({ ending }) => ending === 'ECONNRESET'));
  assert.equal(client.text, '');
});

test('a reset reaches a side that has been ended, and has not taken everything yet', async (t) => {
  const { proxy, connect } = await setUp(t);
  const { client, device } = await connect();
  device.socket.pause();
  client.socket.write(Buffer.alloc(1 << 25));
  let taken = 0;
  await until('nothing more is taken', () => {
    const before = taken;
    taken = proxy.counts.bytes.toDevice;
    return before > 0 && taken === before;
  });
  proxy.hangUp();
  proxy.reset();
  device.socket.resume();
  await until('the device hears of it', () => device.ending !== undefined);
});
