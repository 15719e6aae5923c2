// What strangers may send to the agent, and what insiders may ask of it.
import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { test } from 'node:test';
import { type WriteResult, written } from '@telltale/stack-kit';
import { until } from '@telltale/stack-kit/testing';
import { decodeMessage, encodeCommunityMessage, encodeScoped, encodeSecured } from '../src/message.ts';
import { asked, encodePdu, encodeVarbinds, errorStatus, type Pdu, pduType } from '../src/pdu.ts';
import { encodeValue } from '../src/snmp-value.ts';
import { UsmUser } from '../src/usm.ts';
import { base, RunningProvider } from './running-provider.ts';

type Test = { after(call: () => unknown): void };
const communities = { community: 'reading', writeCommunity: 'writing' };
const keys = { user: 'operator', authKey: 'first key', privKey: 'second key' };
const user = new UsmUser({ ...keys, securityLevel: 'authPriv', authProtocol: 'sha256', privProtocol: 'aes' });

class Client {
  readonly socket: Socket = createSocket('udp4');
  readonly answers: Buffer[] = [];

  static async to(t: Test, { port }: RunningProvider): Promise<Client> {
    const client = new Client();
    t.after(() => client.socket.close());
    client.socket.on('message', (bytes) => client.answers.push(bytes));
    client.socket.connect(port, '127.0.0.1');
    await once(client.socket, 'connect');
    return client;
  }

  send(bytes: Buffer): Promise<void> {
    // The provider in the same thread has its turn before the next.
    return new Promise((resolve) => this.socket.send(bytes, () => setImmediate(resolve)));
  }

  async ask(head: { type: number; errorStatus?: number; errorIndex?: number }, oids: readonly string[]): Promise<Pdu> {
    const requestId = randomInt(2 ** 31 - 1);
    const pdu = encodePdu({ errorStatus: 0, errorIndex: 0, ...head, requestId }, encodeVarbinds(oids.map(asked)));
    const bytes = encodeCommunityMessage('2c', Buffer.from('writing'), pdu);
    const found = () => {
      for (const answer of this.answers) {
        const message = decodeMessage(answer);
        if (message.version === '2c' && message.pdu.requestId === requestId) return message.pdu;
      }
      return undefined;
    };
    // A datagram among very many may be lost: it is sent until it is answered.
    await until('it is answered', async () => {
      await this.send(bytes);
      return found() !== undefined;
    });
    return found() as Pdu;
  }
}

const setOf = (value: number, requestId: number) =>
  encodePdu(
    { type: pduType.set, requestId, errorStatus: 0, errorIndex: 0 },
    encodeVarbinds([encodeValue(`${base}.1.1.0`, value, 'integer')]),
  );

async function engineOf(client: Client): Promise<{ engineId: Buffer; boots: number; time: number }> {
  const none = Buffer.alloc(0);
  const pdu = encodePdu({ type: pduType.get, requestId: 1, errorStatus: 0, errorIndex: 0 }, none);
  const parts = { isAuthenticated: false, isEncrypted: false, isReportable: true };
  const engine = {
    engineId: none,
    engineBoots: 0,
    engineTime: 0,
    user: '',
    authParameters: none,
    privParameters: none,
  };
  await client.send(encodeSecured({ msgId: 1, ...parts, ...engine, scoped: encodeScoped(none, '', pdu) }).bytes);
  await until('the engine is told', () => client.answers.length > 0);
  const message = decodeMessage(client.answers.shift() ?? Buffer.alloc(0));
  assert.ok(message.version === '3');
  return { engineId: message.engineId, boots: message.engineBoots, time: message.engineTime };
}

test('garbage of every kind is turned away, counted, and answered by nothing', async (t) => {
  const running = await RunningProvider.start({ ...communities, ...keys }, [], [{ address: '1.0', datatype: 'i' }]);
  t.after(() => running.stop());
  const client = await Client.to(t, running);
  const engine = await engineOf(client);
  const scoped = encodeScoped(engine.engineId, '', setOf(666, 5));
  const templates = [
    encodeCommunityMessage('2c', Buffer.from('reading'), setOf(666, 5)),
    user.seal(engine, { msgId: 5, isReportable: false }, scoped),
  ];
  for (let round = 0; round < 4000; round++) {
    const bytes = Buffer.from(templates[round % 2] ?? Buffer.alloc(0));
    // Of the signed one the signature is broken for certain, so that nothing of it may be carried out.
    if (round % 2 === 1) bytes[100] = (bytes[100] ?? 0) ^ 1;
    for (let change = 0; change < 1 + (round % 5); change++) bytes[randomInt(bytes.length)] = randomInt(256);
    await client.send(round % 7 === 0 ? bytes.subarray(0, randomInt(bytes.length)) : bytes);
  }
  await client.send(Buffer.alloc(0));
  await client.send(Buffer.alloc(65_000, 0x30));
  await client.send(Buffer.alloc(65_000, 0xff));
  const { varbinds } = await client.ask({ type: pduType.get }, ['1.3.6.1.2.1.1.5.0', '1.3.6.1.2.1.11.6.0']);
  assert.equal(varbinds[0]?.content.toString(), 'tested');
  assert.ok((varbinds[1]?.content.readUIntBE(0, varbinds[1].content.length) ?? 0) > 1000);
  assert.deepEqual(running.writes, []);
  assert.equal(running.logged.filter((line) => line.startsWith('turned away')).length, 1);
});

test('however much is asked for, the answer is bounded', async (t) => {
  const rows = Array.from({ length: 300 }, (_, row) => ({ address: `7.${row}`, datatype: 's' as const }));
  const running = await RunningProvider.start(communities, rows);
  t.after(() => running.stop());
  for (const { address } of rows) running.publish(address, 'x'.repeat(500));
  running.publish('7.0', 'y'.repeat(60_000));
  const client = await Client.to(t, running);
  const bulk = { type: pduType.getBulk, errorStatus: 0, errorIndex: 2 ** 31 - 1 };
  const { varbinds } = await client.ask(bulk, [`${base}.2`]);
  assert.ok(varbinds.length > 10 && varbinds.length <= 128);
  assert.ok(client.answers.every((bytes) => bytes.length < 1472));
  assert.deepEqual((await client.ask({ ...bulk, errorIndex: -5 }, [base])).varbinds, []);
  assert.deepEqual((await client.ask({ ...bulk, errorStatus: -5, errorIndex: 1 }, [`${base}.2`])).varbinds.length, 1);
  assert.deepEqual((await client.ask({ ...bulk, errorStatus: 2 ** 31 - 1 }, [`${base}.2`])).varbinds.length, 1);
  // A value that is more than an answer to GETBULK otherwise holds comes alone.
  const large = await client.ask(bulk, [`${base}.1`]);
  assert.deepEqual(
    large.varbinds.map(({ content }) => content.length),
    [60_000],
  );
  assert.equal((await client.ask({ type: pduType.get }, [`${base}.1.7.0`])).varbinds[0]?.content.length, 60_000);
  const twice = await client.ask({ type: pduType.get }, [`${base}.1.7.0`, `${base}.1.7.0`]);
  assert.deepEqual([twice.errorStatus, twice.varbinds.length], [errorStatus.tooBig, 0]);
  const many = await client.ask({ type: pduType.get }, Array(200).fill('1.3.6.1.2.1.1.5.0'));
  assert.equal(many.errorStatus, errorStatus.tooBig);
});

test('writes that wait are bounded: more learn that there is no room', async (t) => {
  const blocked = Promise.withResolvers<WriteResult>();
  let writes = 0;
  const running = await RunningProvider.start(communities, [], [{ address: '1.0', datatype: 'i' }], {
    write: () => {
      writes++;
      return blocked.promise;
    },
  });
  t.after(() => running.stop());
  const client = await Client.to(t, running);
  for (let each = 0; each < 100; each++) {
    await client.send(encodeCommunityMessage('2c', Buffer.from('writing'), setOf(each, 1000 + each)));
  }
  await until('the others are answered', () => client.answers.length === 36);
  const statuses = client.answers.map((bytes) => {
    const message = decodeMessage(bytes);
    return message.version === '2c' ? message.pdu.errorStatus : -1;
  });
  assert.deepEqual(new Set(statuses), new Set([errorStatus.resourceUnavailable]));
  assert.equal(writes, 64);
  blocked.resolve(written.accepted);
  await until('all are answered', () => client.answers.length === 100);
});

test('a signed write that is played back, from elsewhere or later, is not carried out again', async (t) => {
  const running = await RunningProvider.start(keys, [], [{ address: '1.0', datatype: 'i' }]);
  t.after(() => running.stop());
  const client = await Client.to(t, running);
  const engine = await engineOf(client);
  const sealed = (value: number, time: number, boots = engine.boots) => {
    const scoped = encodeScoped(engine.engineId, '', setOf(value, value));
    return user.seal({ ...engine, time, boots }, { msgId: value, isReportable: false }, scoped);
  };
  const message = sealed(1, engine.time);
  await client.send(message);
  await until('it is answered', () => client.answers.length === 1);
  const thief = await Client.to(t, running);
  await thief.send(message);
  // Of another time or another start of the engine: recorded long ago.
  await thief.send(sealed(2, engine.time + 1000));
  await thief.send(sealed(3, engine.time, engine.boots - 1));
  await client.send(sealed(4, engine.time));
  await until('the last is written', () => running.writes.length >= 2);
  assert.deepEqual(running.writes, [
    ['1.0', 1],
    ['1.0', 4],
  ]);
  assert.deepEqual(thief.answers, []);
});

test('whoever is not allowed is not answered at all', async (t) => {
  const running = await RunningProvider.start({ ...communities, allowedClients: '10.0.0.0/8' });
  t.after(() => running.stop());
  const client = await Client.to(t, running);
  const get = encodePdu(
    { type: pduType.get, requestId: 9, errorStatus: 0, errorIndex: 0 },
    encodeVarbinds([asked('1.3.6')]),
  );
  await client.send(encodeCommunityMessage('2c', Buffer.from('guess'), get));
  await client.send(encodeCommunityMessage('2c', Buffer.from(''), get));
  await client.send(encodeCommunityMessage('2c', Buffer.from('reading'), get));
  await until('the right one is answered', () => client.answers.length > 0);
  assert.equal(client.answers.length, 1);
});
