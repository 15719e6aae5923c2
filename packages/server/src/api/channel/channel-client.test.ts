import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, test } from 'node:test';
import type { WebSocket } from 'ws';
import { connect, fill, MiB, shortMessages } from '../../../test/channel-pair.ts';
import { Backlog, mostBacklogBytes } from './backlog.ts';

describe('a client that does not keep up', () => {
  test('has at most 8 MiB waiting, then gets the newest values, after all that was gathered', async () => {
    const events: string[] = [];
    const { far, client, source } = await connect(events);
    far.pause();
    fill(client);
    assert.ok(client.pendingBytes <= 8 * MiB, `${client.pendingBytes} bytes`);
    for (const handle of [3, 4, 3, 3]) client.passOver(source, handle);
    assert.equal(client.sendUpdates(Buffer.from('later')), false);
    const newest = shortMessages(far, 1);
    far.resume();
    assert.deepEqual(await newest, ['newest 3,4 skipped 2']);
    assert.deepEqual(events, ['flush', 'newest 3,4 skipped 2']);
    assert.equal(client.sendUpdates(Buffer.from('later')), true);
  });

  test('gets the newest values of very many bit by bit, each once, and what is passed over meanwhile behind them', async () => {
    const events: string[] = [];
    const { far, client, source } = await connect(events);
    far.pause();
    fill(client);
    for (let handle = 0; handle < 12_000; handle++) client.passOver(source, handle);
    for (let handle = 0; handle < 70; handle++) client.passOver(source, handle);
    assert.equal(client.unwatched(source, 11_999), 1);
    const last = new Promise<void>((resolve) => {
      far.on('message', (message: Buffer) => message.toString().startsWith('newest 1999') && resolve());
    });
    far.resume();
    await last;
    const reported = ['newest 5000 skipped 70', 'turn', 'flush', 'newest 5000 skipped 0', 'turn', 'flush'];
    assert.deepEqual(events, ['flush', ...reported, 'newest 1999 skipped 0']);
    assert.equal(client.sendUpdates(Buffer.from('later')), true);
  });

  test('does not hear what was passed over of measurements that it watches no more', async () => {
    const { far, client, source } = await connect();
    far.pause();
    fill(client);
    for (const handle of [3, 3, 3, 4]) client.passOver(source, handle);
    assert.deepEqual([client.unwatched(source, 3), client.unwatched(source, 3)], [3, 0]);
    const newest = shortMessages(far, 1);
    far.resume();
    assert.deepEqual(await newest, ['newest 4 skipped 0']);
  });

  test('hears with the next values what was passed over of a measurement that is gone', async () => {
    const { far, client, source } = await connect();
    far.pause();
    fill(client);
    for (const handle of [3, 3, 4]) client.passOver(source, handle);
    client.sendRemoval(source, 3, Buffer.from('3 is gone'));
    const reported = shortMessages(far, 2);
    far.resume();
    assert.deepEqual(await reported, ['3 is gone', 'newest 4 skipped 2']);
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
    assert.equal(client.pendingBytes, 0);
  });

  test('but takes a little now and then stays', async () => {
    const { far, socket, client } = await connect();
    far.pause();
    fill(client);
    for (let nowMs = 0; nowMs <= 120_000; nowMs += 20_000) {
      client.check(nowMs);
      const before = client.pendingBytes;
      far.resume();
      while (client.pendingBytes === before) await new Promise(setImmediate);
      far.pause();
      fill(client);
    }
    assert.equal(socket.readyState, socket.OPEN);
  });
});

describe('what waits for all clients', () => {
  /** So many that read nothing. */
  async function lazy(backlog: Backlog, count: number) {
    const peers = await Promise.all(Array.from({ length: count }, () => connect([], backlog)));
    for (const { far } of peers) far.pause();
    return peers;
  }

  test('is counted once though several wait for it, until all have taken it or are gone', async () => {
    const backlog = new Backlog();
    const peers = await lazy(backlog, 3);
    const message = [Buffer.alloc(20 * MiB), Buffer.alloc(MiB)];
    let given = 0;
    const given3 = new Promise<void>((resolve) => {
      for (const { client } of peers) client.send(message, () => ++given === 3 && resolve());
    });
    assert.deepEqual([backlog.bytes, given], [21 * MiB, 0]);
    peers[0]?.client.terminate();
    for (const { far } of peers.slice(1)) far.resume();
    await given3;
    assert.equal(backlog.bytes, 0);
    assert.ok(peers.slice(1).every(({ client }) => client.isOpen));
    await new Promise<void>((resolve) => peers[0]?.client.send('to nobody', resolve));
    assert.equal(backlog.bytes, 0);
  });

  test('beyond a bound, the one that most waits for is closed with 1013, and the others stay', async () => {
    const backlog = new Backlog();
    const peers = await lazy(backlog, 4);
    const closed = once(peers[2]?.far as WebSocket, 'close');
    for (const [at, { client }] of peers.entries()) client.send(Buffer.alloc(at === 2 ? 40 * MiB : 20 * MiB));
    assert.ok(backlog.bytes > mostBacklogBytes);
    while (peers[2]?.client.isOpen) await new Promise(setImmediate);
    peers[2]?.far.resume(); // in time to hear the reason
    const [code, reason] = await closed;
    assert.deepEqual([code, String(reason)], [1013, 'too much waits for the clients of the service']);
    assert.deepEqual(
      peers.map(({ client }) => client.isOpen),
      [true, true, false, true],
    );
    assert.equal(backlog.bytes, 60 * MiB);
  });

  test('far beyond it, those that were closed are cut off at once, and nobody else is closed in their place', async () => {
    const backlog = new Backlog();
    const peers = await lazy(backlog, 6);
    const gone = new Set<number>();
    for (const [at, { socket }] of peers.entries()) socket.once('close', () => gone.add(at));
    for (const [at, { client }] of peers.entries()) client.send(Buffer.alloc((22 + at) * MiB));
    while (gone.size === 0) {
      peers[0]?.client.send(Buffer.alloc(1));
      await new Promise(setImmediate);
    }
    while (backlog.bytes > mostBacklogBytes) {
      peers[0]?.client.send(Buffer.alloc(1));
      await new Promise(setImmediate);
    }
    assert.deepEqual([...gone], [5, 4]);
    assert.deepEqual(
      peers.map(({ client }) => client.isOpen),
      [true, true, true, true, false, false],
    );
  });

  test('when it is much, conflates the updates of whoever does not keep up, however little waits, and of nobody else', async () => {
    const backlog = new Backlog();
    const [slow, other] = await lazy(backlog, 2);
    const { client: healthy } = await connect([], backlog);
    other?.client.send(Buffer.alloc(44 * MiB));
    let sent = 0;
    while (slow?.client.sendUpdates(Buffer.alloc(MiB / 4)) && sent < 100) sent++;
    assert.ok(sent > 15, `${sent} updates were sent before it was tight`);
    assert.ok(backlog.bytes <= 48.5 * MiB, `${backlog.bytes} bytes`);
    for (let update = 0; update < 100; update++) {
      assert.equal(healthy.sendUpdates(Buffer.alloc(100)), true);
      await new Promise(setImmediate);
    }
  });
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

test('whoever asks for a client learns when it goes, and leaves nothing behind while it stays', async () => {
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

test('whoever asks for a client that has closed its side and holds the line is informed at once, and others at the next check', async () => {
  const { far, socket, client } = await connect();
  const early = client.gone();
  far.pause(); // it never sees that it was answered
  socket.close();
  assert.equal(early.aborted, false);
  client.check(0);
  assert.ok(early.aborted);
  const other = await connect();
  const [known, before] = [other.client.gone(), other.socket.listenerCount('close')];
  other.far.pause();
  other.socket.close();
  assert.ok(other.client.gone().aborted && known.aborted);
  assert.equal(other.socket.listenerCount('close'), before);
});
