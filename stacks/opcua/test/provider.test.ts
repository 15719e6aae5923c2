// The provider before a client in a process of its own.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readdirSync, renameSync } from 'node:fs';
import { createConnection } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { type Datatype, quality, type Value } from '@telltale/schema';
import { until } from '@telltale/stack-kit/testing';
import { point, Served } from './served.ts';
import { type Read, UaClientProcess } from './ua-client.ts';

/** Methods by their types, as clients call them. */
const [disable, acknowledge] = ['i=9028', 'i=9111'];

const node = (address: string) => `ns=2;s=${address}`;
describe('a provider', () => {
  let clients: UaClientProcess;
  before(async () => {
    clients = await UaClientProcess.start();
  });
  after(() => clients.stop());

  const joe = ({ port }: Served) => clients.open({ port, userName: 'joe', password: 'secret' });
  const ann = ({ port }: Served) => clients.open({ port, userName: 'ann', password: 'look' });

  test('serves values of every datatype, with quality and time to the microsecond', async (t) => {
    const values: [Datatype, Value, string, unknown][] = [
      ['b', true, 'Boolean', true],
      ['q', 2, 'Byte', 2],
      ['i', -(2 ** 31), 'Int32', -(2 ** 31)],
      ['l', -9007199254740993n, 'Int64', '-9007199254740993'],
      ['f', 1.5, 'Float', 1.5],
      ['d', 0.1, 'Double', 0.1],
      ['s', 'läuft', 'String', 'läuft'],
    ];
    const served = await Served.start(
      t,
      values.map(([datatype], id) => point(id, datatype, datatype)),
    );
    const timeUs = 1_700_000_000_123_456;
    const client = await ann(served);
    assert.equal((await client.read(node('At.d'))).status, 'BadWaitingForInitialData');
    served.publish((batch) => {
      for (const [id, [, value]] of values.entries()) batch.value(id, value, quality.good, timeUs);
    });
    for (const [datatype, , type, value] of values) {
      assert.deepEqual(await client.read(node(`At.${datatype}`)), { value, type, status: 'Good', timeUs });
    }
    served.publish((batch) => batch.none(5, quality.bad.communicationFailure, timeUs + 1));
    const bad = { value: 0.1, type: 'Double', status: 'BadCommunicationError', timeUs: timeUs + 1 };
    assert.deepEqual(await client.read(node('At.d')), bad);
    assert.equal(served.provider.detail?.().clients, 1);
    await client.close();
  });

  test('has what was published before it served', async (t) => {
    const served = await Served.start(t, [point(1, 'level', 'd')]);
    served.publish((batch) => batch.number(1, 7.5, quality.good, 5e15));
    await served.provider.close();
    await served.provider.connect(new AbortController().signal);
    const client = await ann(served);
    assert.equal((await client.read(node('At.level'))).value, 7.5);
    await client.close();
  });

  test('reports every change to those who watch', async (t) => {
    const served = await Served.start(t, [point(1, 'level', 'd')]);
    const client = await ann(served);
    await client.order({ kind: 'watch', node: node('At.level') });
    await until('the present value came', async () => (await client.seen()).values.length > 0);
    for (const value of [1, 2, 3]) {
      served.publish((batch) => batch.number(1, value, quality.good, Date.now() * 1000));
    }
    const expected = JSON.stringify([1, 2, 3].map((value) => [value, 'Good'])).slice(1, -1);
    await until('all changes came', async () => JSON.stringify((await client.seen()).values).includes(expected));
    await client.close();
  });

  test('waits for the first value of a command that was never written', async (t) => {
    const served = await Served.start(t, [], [point(2, 'speed', 'i')]);
    const client = await joe(served);
    served.publish((batch) => batch.number(2, 7, quality.good, 1e15));
    assert.deepEqual((await client.read(node('At.speed'))).value, 7);
    served.publish((batch) => batch.number(2, 0, quality.bad.notConnected, 0));
    assert.equal((await client.read(node('At.speed'))).status, 'BadWaitingForInitialData');
    assert.match(await client.write(node('At.speed'), 'Int32', 5), /^Good/);
    const { value, status } = await client.read(node('At.speed'));
    assert.deepEqual([value, status], [5, 'Good']);
    await client.close();
  });

  test('waits for the first value of a measurement that was never read', async (t) => {
    const served = await Served.start(t, [point(1, 'level', 'd')]);
    const client = await ann(served);
    served.publish((batch) => batch.number(1, 0, quality.bad.notConnected, 0));
    assert.equal((await client.read(node('At.level'))).status, 'BadWaitingForInitialData');
    served.publish((batch) => batch.none(1, quality.bad.notConnected, 1e15));
    assert.equal((await client.read(node('At.level'))).status, 'BadNotConnected');
    await client.close();
  });

  test('refuses ranges of indexes, since its values are scalars', async (t) => {
    const served = await Served.start(t, [point(1, 'level', 'd'), point(2, 'text', 's')], [point(3, 'speed', 'i')]);
    const client = await joe(served);
    served.publish((batch) => {
      batch.number(1, 4, quality.good, 1e15);
      batch.text(2, 'läuft', quality.good, 1e15);
    });
    for (const range of ['0', '0:1', '0:1,2:3']) {
      for (const at of ['At.level', 'At.text', 'At.speed']) {
        const read = (await client.order({ kind: 'read', node: node(at), range })) as Read;
        assert.deepEqual([read.status, read.value], ['BadIndexRangeInvalid', null], `${at} ${range}`);
        await assert.rejects(client.order({ kind: 'watch', node: node(at), range }), /BadIndexRangeInvalid/);
      }
      const write = { kind: 'write', node: node('At.speed'), type: 'Int32', value: 7, range };
      assert.match(String(await client.order(write)), /^BadIndexRangeInvalid/);
    }
    assert.deepEqual(served.written, []);
    assert.equal((await client.read(node('At.text'))).value, 'läuft');
    await client.close();
  });

  test('has commands carried out for whom it may, and says what became of them', async (t) => {
    const served = await Served.start(t, [point(1, 'level', 'd')], [point(2, 'start', 'b'), point(3, 'speed', 'i')]);
    const client = await joe(served);
    assert.match(await client.write(node('At.start'), 'Boolean', true), /^Good/);
    assert.match(await client.write(node('At.speed'), 'Int32', 7), /^Good/);
    assert.match(await client.write(node('At.speed'), 'Int32', 13), /^BadRequestNotAllowed/);
    assert.match(await client.write(node('At.speed'), 'Double', 1.5), /^BadTypeMismatch/);
    assert.match(await client.write(node('At.level'), 'Double', 1.5), /^BadNotWritable/);
    const doubted = { kind: 'write', node: node('At.speed'), type: 'Int32', value: 9, status: 'BadSensorFailure' };
    assert.match(String(await client.order(doubted)), /^BadWriteNotSupported/);
    assert.match(await client.write(node('At.speed'), 'Int32', 14), /^BadCommunicationError/);
    assert.match(await client.write(node('At.speed'), 'Int32', 15), /^BadNoCommunication/);
    assert.equal((await client.read(node('At.speed'))).value, 7);
    assert.deepEqual(served.written, [
      ['start', true],
      ['speed', 7],
    ]);
    assert.ok(served.log.includes('a write to speed was refused: interlock'));
    assert.ok(served.log.includes('a write to speed may have been lost: no answer'));
    assert.ok(served.log.includes('a write to speed was not sent: the connector is down'));
    const reader = await ann(served);
    assert.match(await reader.write(node('At.speed'), 'Int32', 8), /^BadUserAccessDenied/);
    assert.equal(served.written.length, 2);
    await client.close();
    await reader.close();
  });

  test('lets nobody in who is not named, and nobody at all without a password', async (t) => {
    const served = await Served.start(t, []);
    await assert.rejects(clients.open({ port: served.port }), /Cannot find ANONYMOUS user token policy/);
    for (const [userName, password] of [
      ['joe', 'wrong'],
      ['joe', ''],
      ['__proto__', ''],
      ['', ''],
    ] as const) {
      await assert.rejects(clients.open({ port: served.port, userName, password }), /Bad/, `${userName} ${password}`);
    }
    assert.equal(served.provider.detail?.().clients, 0);
  });

  test('shows anonymous clients what there is where they are wanted, and takes nothing from them', async (t) => {
    const served = await Served.start(t, [point(1, 'level', 'd')], [point(2, 'speed', 'i')], { anonymous: 'true' });
    served.publish((batch) => batch.number(1, 4, quality.good, 1e15));
    const client = await clients.open({ port: served.port });
    assert.equal((await client.read(node('At.level'))).value, 4);
    assert.match(await client.write(node('At.speed'), 'Int32', 7), /^BadUserAccessDenied/);
    await client.close();
  });

  test('is secured unless a person says otherwise, and wants the certificate of the client trusted', async (t) => {
    const served = await Served.start(t, [point(1, 'level', 'd')], [], { unsecured: 'false' });
    await assert.rejects(joe(served), /End point must exist/);
    const secured = { port: served.port, mode: 'SignAndEncrypt', userName: 'joe', password: 'secret' } as const;
    await assert.rejects(clients.open(secured), /rejected by server/);
    assert.match(
      served.log.join('\n'),
      /refused the certificate "urn:telltale:test-client" of \S*127\.0\.0\.1, .*: to trust it, telltale certificates trust /,
    );
    const [name = assert.fail()] = readdirSync(join(served.folder, 'rejected'));
    renameSync(join(served.folder, 'rejected', name), join(served.folder, 'trusted', name));
    const client = await clients.open(secured);
    assert.equal((await client.read(node('At.level'))).status, 'BadWaitingForInitialData');
    await client.close();
  });

  test('has points in folders, with unit and description, and follows them without a restart', async (t) => {
    const level = { ...point(1, 'level', 'd', { folder: 'Site/Tank 1' }), eu: 'm', description: 'Level' };
    const served = await Served.start(t, [level, point(2, 'flow', 'd')]);
    const client = await ann(served);
    const find = async (from: string, name: string) =>
      (await client.browse(from)).find((each) => each.name === name)?.nodeId ?? assert.fail(`${name} in ${from}`);
    const root = await find('i=85', 'site');
    const tank = await find(await find(root, 'Site'), 'Tank 1');
    assert.equal(await find(tank, 'level'), node('At.level'));
    const { value: unit } = await client.read(await find(node('At.level'), 'EngineeringUnits'));
    const { unitId, namespaceUri } = unit as { unitId: number; namespaceUri: string };
    assert.deepEqual([unitId, namespaceUri], [5067858, 'http://www.opcfoundation.org/UA/units/un/cefact']);
    served.publish((batch) => batch.number(2, 5, quality.good, 1e15));
    served.provider.setPoints({ measurements: [point(7, 'flow', 'd'), point(8, 'new', 's')], commands: [] });
    assert.equal((await client.read(node('At.level'))).status, 'BadNodeIdUnknown');
    assert.equal((await client.read(node('At.new'))).status, 'BadWaitingForInitialData');
    assert.equal((await client.read(node('At.flow'))).value, 5, 'what stays keeps its value');
    served.publish((batch) => batch.number(7, 6, quality.good, 1e15));
    assert.equal((await client.read(node('At.flow'))).value, 6);
    await client.close();
  });

  test('changes the unit and the description of a point under the eyes of those who watch it', async (t) => {
    const level = (description: string, eu?: string) => ({
      ...point(1, 'level', 'd'),
      description,
      ...(eu !== undefined && { eu }),
    });
    const served = await Served.start(t, [level('Level', 'm')]);
    served.publish((batch) => batch.number(1, 5, quality.good, 1e15));
    const client = await ann(served);
    await client.order({ kind: 'watch', node: node('At.level') });
    await until('the first value is seen', async () => (await client.seen()).values.length === 1);
    const unit = async () => {
      const found = (await client.browse(node('At.level'))).find(({ name }) => name === 'EngineeringUnits');
      if (found === undefined) return undefined;
      return ((await client.read(found.nodeId)).value as { displayName: { text: string } }).displayName.text;
    };
    for (const [description, eu] of [['Of the basin', 'cm'], ['Of the basin'], ['Level', 'mm']] as [
      string,
      string?,
    ][]) {
      served.provider.setPoints({ measurements: [level(description, eu)], commands: [] });
      assert.deepEqual(
        [await client.order({ kind: 'description', node: node('At.level') }), await unit()],
        [description, eu],
      );
    }
    served.publish((batch) => batch.number(1, 6, quality.good, 1e15));
    await until('the next value is seen', async () => (await client.seen()).values.length > 1);
    assert.deepEqual((await client.seen()).values, [
      [5, 'Good'],
      [6, 'Good'],
    ]);
    await client.close();
  });

  test('serves nothing of what a point was before, where it has another datatype or its id is another point’s', async (t) => {
    const served = await Served.start(t, [point(1, 'level', 'd'), point(2, 'flow', 'd')]);
    const client = await ann(served);
    served.publish((batch) => {
      batch.number(1, 5.5, quality.good, 1e15);
      batch.number(2, 7, quality.good, 1e15);
    });
    served.provider.setPoints({ measurements: [point(1, 'level', 's'), point(2, 'other', 'd')], commands: [] });
    for (const name of ['level', 'other']) {
      assert.equal((await client.read(node(`At.${name}`))).status, 'BadWaitingForInitialData', name);
    }
    served.publish((batch) => batch.text(1, 'high', quality.good, 1e15));
    assert.equal((await client.read(node('At.level'))).value, 'high');
    await client.close();
  });

  test('serves alarms as conditions, which a user who may acknowledges', async (t) => {
    const served = await Served.start(t, [point(1, 'level', 'd')]);
    const { provider } = served;
    provider.setAlarms?.([{ id: 5, name: 'level_high', description: 'Level is high', severity: 3, measurement: 1 }]);
    const state = (isActive: boolean, isAcknowledged: boolean) =>
      provider.publishAlarms?.([{ id: 5, isActive, isAcknowledged, timeUs: 1e15, authority: 'trigger' }]);
    state(false, true);
    const [client, reader] = [await joe(served), await ann(served)];
    for (const each of [client, reader]) await each.order({ kind: 'events', node: 'i=2253' });
    state(true, false);
    const heard = async (who: typeof client, count: number) => {
      await until('the event came', async () => (await who.seen()).events.length >= count);
      return (await who.seen()).events.at(-1);
    };
    assert.deepEqual(await heard(client, 1), ['level_high', true, false, 'Level is high (trigger)', 700]);
    await heard(reader, 1);
    const condition = (await client.browse(node('At.level'))).find(({ name }) => name === 'level_high')?.nodeId;
    const call = (who: typeof client, method: string) =>
      who.order({ kind: 'call', node: condition, value: method, ...(method === disable && { type: 'Null' }) });
    assert.match(String(await call(reader, acknowledge)), /^BadUserAccessDenied/);
    assert.match(String(await call(client, disable)), /^BadNotSupported/);
    assert.deepEqual(served.acknowledged, []);
    assert.match(String(await call(client, acknowledge)), /^Good/);
    assert.deepEqual(served.acknowledged, [['level_high', 'joe']]);
    assert.deepEqual(await heard(client, 2), ['level_high', true, true, 'Level is high (joe)', 700]);
    state(false, true);
    assert.deepEqual(await heard(client, 3), ['level_high', false, true, 'Level is high (trigger)', 700]);
    provider.setAlarms?.([]);
    assert.equal((await client.browse(node('At.level'))).length, 0);
    await client.close();
    await reader.close();
  });

  test('follows its alarms when the points below them come and go', async (t) => {
    const served = await Served.start(t, [point(1, 'level', 'd'), point(2, 'flow', 'd')]);
    const { provider } = served;
    const alarm = (id: number, name: string, measurement: number) => ({
      id,
      name,
      description: '',
      severity: 0,
      measurement,
    });
    const state = (id: number) => ({ id, isActive: true, isAcknowledged: false, timeUs: 1e15, authority: 'trigger' });
    provider.setAlarms?.([alarm(5, 'level_high', 1), alarm(6, 'flow_low', 2)]);
    provider.publishAlarms?.([state(5), state(6)]);
    const client = await ann(served);
    const conditions = async (address: string) => (await client.browse(node(address))).map(({ name }) => name);
    assert.deepEqual(await conditions('At.level'), ['level_high']);
    provider.setPoints({ measurements: [point(1, 'flow', 'd'), point(2, 'new', 'd')], commands: [] });
    provider.publishAlarms?.([state(5), state(6)]);
    provider.setAlarms?.([alarm(5, 'flow_low', 1), alarm(7, 'new_high', 2)]);
    provider.publishAlarms?.([state(5), state(7)]);
    await until('the new one is there', async () => (await conditions('At.new')).includes('new_high'));
    assert.deepEqual(await conditions('At.flow'), ['flow_low']);
    assert.equal((await client.read(`${node('At.new')}-new_high-ActiveState-Id`)).value, true);
    assert.deepEqual(
      served.log.filter((line) => line.includes('cannot')),
      [],
    );
    await client.close();
  });

  test('serves very many points without a standstill', async (t) => {
    const served = await Served.start(t, []);
    const client = await ann(served);
    const many = Array.from({ length: 5000 }, (_, id) => point(id, `p${id}`, 'd', { folder: `F${id % 10}` }));
    served.provider.setPoints({ measurements: many, commands: [] });
    served.publish((batch) => {
      for (const { id } of many) batch.number(id, id, quality.good, 1e15);
    });
    await until('the last is there', async () => (await client.read(node('At.p4999'))).value === 4999);
    assert.equal((await client.read(node('At.p0'))).value, 0);
    await client.close();
  });

  test('survives garbage, half a greeting, and no more clients than were allowed', async (t) => {
    const served = await Served.start(t, [point(1, 'level', 'd')], [], { maxSessions: '2' });
    for (const bytes of ['GET / HTTP/1.1\r\n\r\n', 'HELF\xff\xff\xff\x7f', 'HELF\x10\0\0\0', 'OPNF\x20\0\0\0']) {
      const socket = createConnection({ port: served.port, host: '127.0.0.1' }).on('error', () => {});
      socket.write(Buffer.from(bytes, 'latin1'));
      t.after(() => socket.destroy());
    }
    const [first, second] = [await ann(served), await ann(served)];
    await assert.rejects(ann(served), /BadTooManySessions/);
    assert.equal((await first.read(node('At.level'))).status, 'BadWaitingForInitialData');
    await first.close();
    const third = await ann(served);
    await third.close();
    await second.close();
  });

  test('reports clients how much they may have it hold, whatever they ask for', async (t) => {
    const served = await Served.start(t, []);
    const url = `opc.tcp://127.0.0.1:${served.port}`;
    const hello = Buffer.alloc(32 + url.length);
    hello.write('HELF');
    for (const [at, number] of [
      [4, hello.length],
      [12, 1 << 30],
      [16, 1 << 30],
      [20, 1 << 30],
      [28, url.length],
    ] as const) {
      hello.writeUInt32LE(number, at);
    }
    hello.write(url, 32);
    const socket = createConnection({ port: served.port, host: '127.0.0.1' });
    t.after(() => socket.destroy());
    socket.write(hello);
    const [answer] = (await once(socket, 'data')) as [Buffer];
    assert.equal(answer.toString('latin1', 0, 4), 'ACKF');
    const [bufferBytes, messageBytes, chunks] = [12, 20, 24].map((at) => answer.readUInt32LE(at));
    assert.deepEqual([bufferBytes, messageBytes, chunks], [16_384, 8 * 1024 * 1024, 512]);
  });

  test('ends the connection of who comes with half a certificate, and nothing else', async (t) => {
    const served = await Served.start(t, [point(1, 'level', 'd')]);
    const client = await ann(served);
    const became = await clients.order({ kind: 'halfCertificate', port: served.port });
    assert.notEqual(became, 'a session');
    assert.equal((await client.read(node('At.level'))).status, 'BadWaitingForInitialData');
    await client.close();
  });

  test('says so where its port is taken', async (t) => {
    const served = await Served.start(t, []);
    await assert.rejects(Served.start(t, [], [], { port: String(served.port) }), { name: 'NotConnected' });
  });
});
