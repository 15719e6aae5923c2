// Messages that a client requested: however long, they are sent as it takes them, and close no client.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, test } from 'node:test';
import { connect, MiB, shortMessages } from '../../../test/channel-pair.ts';
import { Backlog } from './backlog.ts';

describe('a message that was asked for', () => {
  const pieces = (bytes: number) => Array.from({ length: bytes / MiB }, () => Buffer.alloc(MiB, 0x20));

  test('and is longer than all that may wait goes out as it is taken, with what comes behind it, and closes nobody', async () => {
    const backlog = new Backlog();
    const { far, socket, client } = await connect([], backlog);
    const { client: other } = await connect([], backlog);
    far.pause();
    const lengths: number[] = [];
    far.on('message', (message: Buffer) => lengths.push(message.length));
    const whole = pieces(110 * MiB);
    const sent = new Promise<void>((resolve) => client.send(whole, resolve));
    client.send('an alarm');
    assert.equal(client.sendUpdates(Buffer.from('an update')), false);
    assert.ok(socket.bufferedAmount <= 2.5 * MiB, `${socket.bufferedAmount} bytes in the socket`);
    assert.ok(client.pendingBytes > 100 * MiB && backlog.bytes >= 110 * MiB);
    for (let turn = 0; turn < 10; turn++) await new Promise(setImmediate);
    assert.ok(client.isOpen && other.isOpen);
    const taken = client.whenTaken();
    far.resume();
    await sent;
    await taken;
    while (lengths.length < 2) await once(far, 'message');
    assert.deepEqual([lengths, client.pendingBytes, backlog.bytes], [[110 * MiB, 8], 0, 0]);
    assert.deepEqual([client.whenTaken(), client.sendUpdates(Buffer.from('later'))], [undefined, true]);
  });

  test('and is shorter than what may wait is followed by every update', async () => {
    const { far, client } = await connect();
    far.pause();
    client.send(pieces(6 * MiB));
    for (const update of ['first', 'second']) assert.equal(client.sendUpdates(Buffer.from(update)), true);
    const reported = shortMessages(far, 2);
    far.resume();
    assert.deepEqual(await reported, ['first', 'second']);
  });

  test('does not count among what makes a client lost; what comes behind it does', async () => {
    const { far, client } = await connect();
    far.pause();
    client.send(pieces(80 * MiB));
    for (let sent = 0; sent < 60; sent++) client.send(Buffer.alloc(MiB));
    assert.ok(client.isOpen);
    for (let sent = 0; sent < 10; sent++) client.send(Buffer.alloc(MiB));
    assert.equal(client.isOpen, false);
  });

  test('is let go with the client', async () => {
    const backlog = new Backlog();
    const { far, socket, client } = await connect([], backlog);
    far.pause();
    const sent = new Promise<void>((resolve) => client.send(pieces(20 * MiB), resolve));
    const taken = client.whenTaken();
    socket.terminate();
    await sent;
    await taken;
    while (backlog.bytes > 0) await new Promise(setImmediate);
    assert.deepEqual([client.requestedBytes, client.whenTaken()], [0, undefined]);
  });

  test('is whole where the client is closed behind it', async () => {
    const { far, client } = await connect();
    far.pause();
    const message = once(far, 'message');
    const closed = once(far, 'close');
    client.send(pieces(20 * MiB));
    client.farewell(1001, 'the service is stopping');
    far.resume();
    assert.equal(((await message)[0] as Buffer).length, 20 * MiB);
    assert.equal((await closed)[0], 1001);
  });

  test('may exceed what waits for all by itself; of several, one stays and the others are closed', async () => {
    const backlog = new Backlog();
    const peers = await Promise.all(Array.from({ length: 3 }, () => connect([], backlog)));
    for (const [at, { far, client }] of peers.entries()) {
      far.pause();
      client.send(pieces((100 + at) * MiB));
    }
    const open = () => peers.filter(({ client }) => client.isOpen).length;
    while (open() > 1) {
      peers[2]?.client.send('more');
      await new Promise(setImmediate);
    }
    for (let turn = 0; turn < 10; turn++) {
      peers[2]?.client.send('more');
      await new Promise(setImmediate);
    }
    assert.deepEqual(
      peers.map(({ client }) => client.isOpen),
      [false, false, true],
    );
  });

  test('and exceeds what waits for all by itself does not keep others from their answers', async () => {
    const backlog = new Backlog();
    const { far, client } = await connect([], backlog);
    far.pause();
    client.send(pieces(90 * MiB));
    const answer = Buffer.alloc(2 * MiB);
    backlog.hold(answer);
    backlog.admit(answer.length);
    const others = Buffer.alloc(64 * MiB);
    backlog.hold(others);
    assert.throws(() => backlog.admit(answer.length), /wait for clients/);
  });

  test('is made where it is longer than all the room there is, as long as little else waits', () => {
    const backlog = new Backlog();
    const [answer, other] = [Buffer.alloc(100 * MiB), Buffer.alloc(49 * MiB)];
    backlog.hold(answer);
    backlog.admit(answer.length);
    backlog.hold(other);
    assert.throws(() => backlog.admit(answer.length), /149|156237824/);
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
