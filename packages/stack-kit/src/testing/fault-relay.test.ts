import assert from 'node:assert/strict';
import { createSocket, type RemoteInfo, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { type TestContext, test } from 'node:test';
import { FaultRelay } from './fault-relay.ts';
import { until } from './until.ts';

async function bound(t: TestContext): Promise<Socket> {
  const socket = createSocket('udp4').bind(0, '127.0.0.1');
  await once(socket, 'listening');
  t.after(() => socket.close());
  return socket;
}

/** A device that answers every datagram with `re ` before it, and clients of the relay. */
async function setUp(t: TestContext) {
  const device = await bound(t);
  const heard: string[] = [];
  const peers = new Set<number>();
  device.on('message', (bytes: Buffer, { port, address }: RemoteInfo) => {
    heard.push(`${bytes}`);
    peers.add(port);
    device.send(`re ${bytes}`, port, address);
  });
  const relay = await FaultRelay.start({ host: '127.0.0.1', port: device.address().port });
  t.after(() => relay[Symbol.asyncDispose]());
  const client = async () => {
    const socket = await bound(t);
    const answers: string[] = [];
    socket.on('message', (bytes) => answers.push(`${bytes}`));
    return { answers, say: (text: string) => socket.send(text, relay.port, relay.host) };
  };
  return { relay, client, heard, peers };
}

test('every client gets its own answers, and everything is counted', async (t) => {
  const { relay, client, peers } = await setUp(t);
  const [one, other] = [await client(), await client()];
  one.say('a');
  other.say('bc');
  await until('both are answered', () => one.answers.length + other.answers.length === 2);
  assert.deepEqual([one.answers, other.answers, peers.size], [['re a'], ['re bc'], 2]);
  const { bytes, datagrams, struck } = relay.counts;
  assert.deepEqual([bytes, datagrams, struck], [{ toDevice: 3, toClient: 9 }, { toDevice: 2, toClient: 2 }, 0]);
});

test('what is discarded never comes; what stalls comes when the fault ends', async (t) => {
  const { relay, client, heard } = await setUp(t);
  const { say, answers } = await client();
  relay.setFaults({ toDevice: { kind: 'discard' } });
  say('lost');
  relay.setFaults({ toDevice: { kind: 'discard' }, toClient: { kind: 'stall' } });
  await until('the relay has taken it', async () => {
    relay.setFaults({ toClient: { kind: 'stall' } });
    say('kept');
    return heard.length > 0;
  });
  assert.deepEqual(answers, []);
  relay.setFaults({});
  await until('the answers come', () => answers.length === heard.length);
  assert.equal(answers.at(-1), 're kept');
});

test('datagrams are delayed, duplicated, truncated and garbled', async (t) => {
  const { relay, client } = await setUp(t);
  const { say, answers } = await client();
  const answersTo = async (text: string, count: number) => {
    answers.length = 0;
    say(text);
    await until(`${count} answers`, () => answers.length >= count);
    return [...answers];
  };
  relay.setFaults({ toClient: { kind: 'delay', ms: 20 } });
  assert.deepEqual(await answersTo('late', 1), ['re late']);
  relay.setFaults({ toClient: { kind: 'duplicate', oneIn: 1, seed: 1 } });
  assert.deepEqual(await answersTo('twice', 2), ['re twice', 're twice']);
  relay.setFaults({ toClient: { kind: 'truncate', oneIn: 1, seed: 2 } });
  const [truncated = ''] = await answersTo('a long one', 1);
  assert.ok('re a long one'.startsWith(truncated) && truncated.length < 13, truncated);
  relay.setFaults({ toDevice: { kind: 'garble', oneIn: 1, seed: 3 } });
  const [garbled = ''] = await answersTo('garbled', 1);
  assert.notEqual(garbled, 're garbled');
  assert.equal(relay.counts.struck, 3);
});

test('nobody is at the port while it refuses', async (t) => {
  const { relay, client, heard } = await setUp(t);
  const { say, answers } = await client();
  await relay.refuse();
  say('to nobody');
  await relay.listen();
  say('to the device');
  await until('it is answered', () => answers.length === 1);
  assert.deepEqual(heard, ['to the device']);
});

test('a crowd of clients costs a bounded number of sockets', async (t) => {
  const { relay, client } = await setUp(t);
  const sockets = () => process.getActiveResourcesInfo().filter((each) => each === 'UDPWrap').length;
  for (let i = 0; i < 100; i++) {
    const { say, answers } = await client();
    say('hello');
    await until('it is answered', () => answers.length === 1);
  }
  assert.ok(sockets() <= 2 + 100 + 64, `${sockets()}`);
  await relay.forgetClients();
  await until('only the relay, the device and the clients are left', () => sockets() === 2 + 100);
});
