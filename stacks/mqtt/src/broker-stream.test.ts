// Promises of the bytes from a broker: they come whole and in order, in slices that leave others their turns.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { describe, type TestContext, test } from 'node:test';
import { cleanupOf } from '@telltale/stack-kit/testing/cleanup';
import { BrokerStream, packetsATurn } from './broker-stream.ts';
import { PacketGuard } from './packet-guard.ts';

const release = Buffer.from([0x62, 2, 0, 1]);

async function setUp(t: TestContext) {
  const cleanup = cleanupOf(t);
  const sockets: Socket[] = [];
  const server = createServer((socket) => sockets.push(socket.on('error', () => undefined))).listen(0, '127.0.0.1');
  cleanup.defer(() => void server.close());
  await once(server, 'listening');
  const guard = new PacketGuard({ maxLength: 1000, hasProperties: false, token: Buffer.from('instead') });
  const { port } = server.address() as AddressInfo;
  const stream = new BrokerStream({
    host: '127.0.0.1',
    port,
    lookup: undefined,
    tls: undefined,
    path: undefined,
    guard,
  });
  cleanup.defer(() => void stream.destroy());
  await once(server, 'connection');
  return { guard, stream, broker: sockets[0] as Socket };
}

/** Until it closes: what came, and the most packets that were taken in one turn of the event loop. */
async function takeAll(stream: BrokerStream, guard: PacketGuard) {
  const chunks: Buffer[] = [];
  let most = 0;
  let before = guard.packets;
  let turn = setImmediate(function look() {
    most = Math.max(most, guard.packets - before);
    before = guard.packets;
    turn = setImmediate(look);
  });
  stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  try {
    await once(stream, 'close');
  } finally {
    clearImmediate(turn);
  }
  return { bytes: Buffer.concat(chunks), most };
}

describe('a broker', () => {
  test('that sends without end gets so many packets taken a turn, and all of them in order', async (t) => {
    const { guard, stream, broker } = await setUp(t);
    const count = 200_000;
    const sent = Buffer.alloc(count * 4, release);
    for (let at = 0; at < count; at++) sent.writeUInt16BE(at % 65_536, at * 4 + 2);
    broker.end(sent);
    const { bytes, most } = await takeAll(stream, guard);
    assert.ok(bytes.equals(sent));
    assert.equal(guard.packets, count);
    assert.equal(most, packetsATurn);
  });

  test('that nobody takes anything from is held until somebody does', async (t) => {
    const { guard, stream, broker } = await setUp(t);
    const sent = Buffer.alloc(1_000_000, release);
    broker.end(sent);
    while (!stream.isHeld) await new Promise((resolve) => setImmediate(resolve));
    assert.ok(guard.packets * release.length < sent.length);
    const { bytes } = await takeAll(stream, guard);
    assert.ok(bytes.equals(sent));
    assert.ok(!stream.isHeld);
  });

  test('that ends the connection with packets that are no packets is reported of', async (t) => {
    const { guard, stream, broker } = await setUp(t);
    broker.end(Buffer.concat([Buffer.alloc(4 * 1000, release), Buffer.from([0x90, 0xff, 0x7f])]));
    await assert.rejects(takeAll(stream, guard), /a packet of 16383 bytes/);
    assert.equal(guard.packets, 1000);
  });

  test('whose connection is ended and given up at once is let go', async (t) => {
    const { stream, broker } = await setUp(t);
    await new Promise(setImmediate); // it is connected on both sides
    stream.end();
    await Promise.resolve();
    stream.destroy();
    await once(broker.resume(), 'close'); // where its own side stays open, this process does not end
  });
});
