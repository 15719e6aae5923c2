import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { afterEach, describe, test } from 'node:test';
import { WebSocket, WebSocketServer } from 'ws';
import { localCaller } from '../../access/index.ts';
import { ChannelClient } from './channel-client.ts';

const MiB = 1 << 20;
const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

/** Both ends of one real connection, and what the server's end asked for. */
async function connect(events: string[] = []) {
  const http = createServer();
  const server = new WebSocketServer({ server: http, perMessageDeflate: false });
  const accepted = once(server, 'connection') as Promise<[WebSocket, { socket: Socket }]>;
  await once(http.listen(0, '127.0.0.1'), 'listening');
  const far = new WebSocket(`ws://127.0.0.1:${(http.address() as AddressInfo).port}`, { perMessageDeflate: false });
  const [socket, { socket: stream }] = await accepted;
  await once(far, 'open');
  ends.push(() => {
    far.terminate();
    socket.terminate();
    http.close();
  });
  const client = new ChannelClient(
    {
      socket,
      stream,
      caller: localCaller,
      flush: () => events.push('flush'),
      newest(handles, skipped) {
        const text = `newest ${handles.length > 9 ? handles.length : handles} skipped ${skipped}`;
        events.push(text);
        return Buffer.from(text);
      },
      nextTurn: async () => {
        events.push('turn');
      },
    },
    0,
  );
  return { far, socket, client };
}

/** Sends updates until they have to be passed over. */
function fill(client: ChannelClient): number {
  let sent = 0;
  while (client.sendUpdates(Buffer.alloc(MiB / 4, 0x20))) sent++;
  return sent;
}

describe('a client that does not keep up', () => {
  test('has at most 8 MiB waiting, then gets the newest values, after all that was gathered', async () => {
    const events: string[] = [];
    const { far, client } = await connect(events);
    far.pause();
    fill(client);
    assert.ok(client.waitingBytes <= 8 * MiB, `${client.waitingBytes} bytes`);
    for (const handle of [3, 4, 3, 3]) client.passOver(handle);
    assert.equal(client.sendUpdates(Buffer.from('later')), false);
    const newest = new Promise<string>((resolve) => {
      far.on('message', (message: Buffer) => message.length < 100 && resolve(message.toString()));
    });
    far.resume();
    assert.equal(await newest, 'newest 3,4 skipped 2');
    assert.deepEqual(events, ['flush', 'newest 3,4 skipped 2']);
    assert.equal(client.sendUpdates(Buffer.from('later')), true);
  });

  test('gets the newest values of very many bit by bit, each once, and what is passed over meanwhile behind them', async () => {
    const events: string[] = [];
    const { far, client } = await connect(events);
    far.pause();
    fill(client);
    for (let handle = 0; handle < 12_000; handle++) client.passOver(handle);
    for (let handle = 0; handle < 70; handle++) client.passOver(handle);
    client.unwatched(11_999);
    const last = new Promise<void>((resolve) => {
      far.on('message', (message: Buffer) => message.toString().startsWith('newest 1999') && resolve());
    });
    far.resume();
    await last;
    const told = ['newest 5000 skipped 71', 'turn', 'flush', 'newest 5000 skipped 0', 'turn', 'flush'];
    assert.deepEqual(events, ['flush', ...told, 'newest 1999 skipped 0']);
    assert.equal(client.sendUpdates(Buffer.from('later')), true);
  });

  test('and takes nothing for 30 s is closed with 1013', async () => {
    const { far, client } = await connect();
    far.pause();
    fill(client);
    client.check(5000);
    client.check(34_999);
    assert.equal(far.readyState, far.OPEN);
    const closed = once(far, 'close');
    client.check(35_000);
    far.resume(); // in time to hear the reason
    assert.deepEqual(await closed.then(([code, reason]) => `${code} ${reason}`), '1013 the client takes nothing');
  });

  test('and reads again long after it was closed still gets what waited, and its 1013', async () => {
    const { far, client } = await connect();
    far.pause();
    const sent = fill(client);
    let received = 0;
    far.on('message', () => received++);
    for (let nowMs = 0; nowMs < 900_000; nowMs += 5000) client.check(nowMs);
    assert.equal(client.isOpen, false);
    const closed = once(far, 'close');
    far.resume();
    const [code, reason] = await closed;
    assert.deepEqual([code, String(reason), received], [1013, 'the client takes nothing', sent]);
  });

  test('and takes nothing for a quarter of an hour more is cut off', async () => {
    const { far, socket, client } = await connect();
    far.pause();
    fill(client);
    const closed = once(socket, 'close');
    for (let nowMs = 0; nowMs <= 935_000; nowMs += 5000) client.check(nowMs);
    await closed;
    assert.equal(client.waitingBytes, 0);
  });

  test('but takes a little now and then stays', async () => {
    const { far, socket, client } = await connect();
    far.pause();
    fill(client);
    for (let nowMs = 0; nowMs <= 120_000; nowMs += 20_000) {
      client.check(nowMs);
      const before = client.waitingBytes;
      far.resume();
      while (client.waitingBytes === before) await new Promise(setImmediate);
      far.pause();
      fill(client);
    }
    assert.equal(socket.readyState, socket.OPEN);
  });
});

test('a long message that is sent in pieces is one message', async () => {
  const { far, client } = await connect();
  const whole = Buffer.from('aä€'.repeat(600_000));
  const pieces = Array.from({ length: 36 }, (_, at) => whole.subarray(at * 100_000, (at + 1) * 100_000));
  const messages: Buffer[] = [];
  far.on('message', (message: Buffer) => messages.push(message));
  client.send(pieces);
  client.send([Buffer.from('short'), Buffer.from('er')]);
  client.send('last');
  while (messages.length < 3) await once(far, 'message');
  assert.ok(messages[0]?.equals(whole));
  assert.deepEqual(messages.slice(1).map(String), ['shorter', 'last']);
});

describe('a client that is silent', () => {
  test('is asked, and stays while it answers', async () => {
    const { far, socket, client } = await connect();
    socket.on('pong', () => client.heard(25_000));
    const pong = once(socket, 'pong');
    client.check(25_000);
    await pong;
    client.check(54_999);
    assert.deepEqual([socket.readyState, far.readyState], [socket.OPEN, far.OPEN]);
  });

  test('for 30 s though asked is cut off', async () => {
    const { far, socket, client } = await connect();
    far.pause();
    client.check(29_999);
    const closed = once(socket, 'close');
    client.check(30_000);
    const [code] = await closed;
    assert.equal(code, 1006);
  });
});

test('whoever asks for a client is told when it goes, and leaves nothing behind while it stays', async () => {
  const { far, socket, client } = await connect();
  const before = socket.listenerCount('close');
  const signals = Array.from({ length: 100 }, () => client.gone());
  assert.ok(socket.listenerCount('close') <= before + 1 && signals.every(({ aborted }) => !aborted));
  const closed = once(socket, 'close');
  far.terminate();
  await closed;
  assert.ok(signals.every(({ aborted }) => aborted));
  assert.ok(client.gone().aborted);
});
