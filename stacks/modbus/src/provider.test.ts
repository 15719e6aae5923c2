import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { afterEach, describe, test } from 'node:test';
import { type Datatype, quality } from '@telltale/schema';
import { until } from '@telltale/stack-kit/testing';
import { RawClient } from '../test/raw-client.ts';
import { TestServer } from '../test/test-server.ts';

type Declared = Readonly<Record<string, readonly [string, Datatype]>>;

const measurements: Declared = {
  level: ['hr0:float32', 'd'],
  count: ['hr2:int16;good=di7', 'i'],
  total: ['ir10:uint64;quality=ir14', 'l'],
  on: ['di0', 'b'],
  open: ['hr5.0', 'b'],
  name: ['ir20:string(4)', 's'],
  elsewhere: ['3/ir0', 'q'],
};
const commands: Declared = {
  start: ['co0', 'b'],
  speed: ['hr100:int16', 'i'],
  setpoint: ['hr101:float32', 'f'],
  reset: ['hr5.1', 'b'],
  mode: ['hr5.15', 'b'],
};

const started: { stop(): Promise<void> | void }[] = [];
afterEach(async () => {
  for (const each of started.splice(0).reverse()) await each.stop();
});

async function setUp(given = {}): Promise<{ server: TestServer; client: RawClient }> {
  const server = await TestServer.start(measurements, commands, given);
  started.push(server);
  const client = await RawClient.connect(server.port);
  started.push({ stop: () => client.close() });
  for (const [name, value] of Object.entries({
    level: 1.5,
    count: -2,
    total: 258n,
    on: true,
    open: false,
    name: 'ok',
    elsewhere: 2,
    start: false,
    speed: 7,
    setpoint: 2.5,
    reset: false,
    mode: true,
  })) {
    server.publish(name, value);
  }
  return { server, client };
}

describe('a client', () => {
  test('reads registers and bits of every area and unit', async () => {
    const { client } = await setUp();
    assert.equal(await client.ask('03 0000 0003'), '0306' + '3fc00000' + 'fffe');
    assert.equal(await client.ask('04 000a 0005'), '040a' + '0000000000000102' + '00c0');
    assert.equal(await client.ask('04 0014 0002'), '0404' + '6f6b0000');
    assert.equal(await client.ask('02 0000 0001'), '020101');
    assert.equal(await client.ask('01 0000 0001'), '010100');
    assert.equal(await client.ask('03 0005 0001'), '0302' + '8000');
    assert.equal(await client.ask('04 0000 0001', 3), '0402' + '0002');
    for (const unit of [0, 255]) assert.equal(await client.ask('03 0002 0001', unit), '0302fffe');
  });

  test('is reported by exceptions what it must not ask', async () => {
    const { client } = await setUp();
    assert.equal(await client.ask('03 0003 0001'), '8302', 'nothing is there');
    assert.equal(await client.ask('03 0002 0002'), '8302', 'nothing is behind it');
    assert.equal(await client.ask('03 0002 0001', 9), '8302', 'no such unit');
    assert.equal(await client.ask('03 ffff 0002'), '8302', 'beyond the last');
    assert.equal(await client.ask('03 0000 0000'), '8303', 'none');
    assert.equal(await client.ask('03 0000 007e'), '8303', 'too many');
    assert.equal(await client.ask('01 0000 07d1'), '8103', 'too many');
    assert.equal(await client.ask('03 0000'), '8303', 'cut short');
    assert.equal(await client.ask('14 00'), '9401', 'no such function');
    assert.equal(await client.ask('05 0000 0001'), '8503', 'neither on nor off');
    assert.equal(await client.ask('10 0064 0001 04 00000000'), '9003', 'counts that contradict each other');
    assert.equal(await client.ask('06 0002 0001'), '8602', 'a measurement');
    assert.equal(await client.ask('05 0007 ff00'), '8502', 'no such coil');
  });

  test('reads zeros between the points where that is set, and still writes nothing there', async () => {
    const { client, server } = await setUp({ unmapped: 'zeros' });
    assert.equal(await client.ask('03 0002 0004'), '0308' + 'fffe' + '00000000' + '8000');
    assert.equal(await client.ask('06 0003 0001'), '8602');
    assert.equal(await client.ask('03 0000 0001', 9), '8302', 'no such unit');
    assert.deepEqual(server.written, []);
  });

  test('is reported of bad quality by an exception, a bit or a register', async () => {
    const { client, server } = await setUp();
    server.publish('level', undefined, quality.bad.communicationFailure);
    server.publish('count', undefined, quality.bad.communicationFailure);
    server.publish('total', undefined, quality.bad.communicationFailure);
    assert.equal(await client.ask('03 0000 0003'), '8304');
    assert.equal(await client.ask('03 0002 0001'), '0302fffe', 'its quality has a bit');
    assert.equal(await client.ask('02 0007 0001'), '020100');
    assert.equal(await client.ask('04 000d 0002'), '0404' + '0102' + '0018');
    server.publish('level', 2.5, quality.uncertain.nonSpecific);
    assert.equal(await client.ask('03 0000 0002'), '0304' + '40200000', 'uncertain is not bad');
  });

  test('gets the last value all the same where that is set', async () => {
    const { client, server } = await setUp({ badQuality: 'last-value' });
    server.publish('level', undefined, quality.bad.communicationFailure);
    assert.equal(await client.ask('03 0000 0002'), '0304' + '3fc00000');
  });

  test('never gets a value that does not fit its registers', async () => {
    const { client, server } = await setUp();
    server.publish('count', 70_000);
    assert.equal(await client.ask('02 0007 0001'), '020100', 'it is not good');
    server.publish('level', 1e300);
    assert.equal(await client.ask('03 0000 0002'), '8304');
  });

  test('gets no zeros where there is no last value, or it does not fit', async () => {
    const server = await TestServer.start(
      { count: ['hr0:int16', 'i'], on: ['di0', 'b'] },
      {},
      { badQuality: 'last-value' },
    );
    started.push(server);
    const client = await RawClient.connect(server.port);
    started.push({ stop: () => client.close() });
    assert.equal(await client.ask('03 0000 0001'), '8304');
    assert.equal(await client.ask('02 0000 0001'), '8204');
    server.publish('count', 70_000);
    assert.equal(await client.ask('03 0000 0001'), '8304');
    server.publish('count', 7);
    server.publish('count', undefined, quality.bad.communicationFailure);
    assert.equal(await client.ask('03 0000 0001'), '03020007');
  });
});

describe('a command that was never written', () => {
  const declared: Declared = { speed: ['hr0:int16', 'i'], start: ['co0', 'b'], level: ['hr9:int16;quality=hr10', 'i'] };
  for (const badQuality of ['exception', 'last-value']) {
    test(`is an exception, with badQuality ${badQuality}, or bad where its quality is served`, async () => {
      const server = await TestServer.start({}, declared, { badQuality });
      started.push(server);
      const client = await RawClient.connect(server.port);
      started.push({ stop: () => client.close() });
      const all = async () => [
        await client.ask('03 0000 0001'),
        await client.ask('01 0000 0001'),
        await client.ask('03 0009 0002'),
      ];
      server.publish('speed', 7);
      for (const name of ['speed', 'start', 'level']) server.publish(name, 0, quality.bad.notConnected, 0);
      assert.deepEqual(await all(), ['8304', '8104', '0304' + '0000' + '0008']);
      for (const [name, value] of Object.entries({ speed: 5, start: true, level: 6 })) server.publish(name, value);
      assert.deepEqual(await all(), ['03020005', '010101', '0304' + '0006' + '00c0']);
    });
  }
});

describe('a write by a client', () => {
  test('is a command, whichever function carries it', async () => {
    const { client, server } = await setUp();
    assert.equal(await client.ask('05 0000 ff00'), '050000ff00');
    assert.equal(await client.ask('06 0064 fffd'), '060064fffd');
    assert.equal(await client.ask('10 0065 0002 04 3fc00000'), '1000650002');
    assert.equal(await client.ask('0f 0000 0001 01 00'), '0f00000001');
    assert.equal(await client.ask('10 0064 0003 06 000540200000'), '1000640003');
    assert.deepEqual(server.written, [
      ['start', true],
      ['speed', -3],
      ['setpoint', 1.5],
      ['start', false],
      ['speed', 5],
      ['setpoint', 2.5],
    ]);
    assert.equal(await client.ask('03 0064 0003'), '0306' + '000540200000', 'and is read back at once');
  });

  test('of a bit changes that bit alone, and the bits of measurements not at all', async () => {
    const { client, server } = await setUp();
    assert.equal(await client.ask('16 0005 fffd 0002'), '160005fffd0002');
    assert.equal(await client.ask('06 0005 0002'), '0600050002', 'clears bit 15');
    assert.deepEqual(server.written, [
      ['reset', true],
      ['mode', false],
    ]);
    assert.equal(await client.ask('06 0005 0003'), '8602', 'bit 0 is a measurement');
    assert.equal(await client.ask('06 0005 0006'), '8603', 'nothing is at bit 2');
    assert.equal(await client.ask('16 0005 fffd 0002'), '160005fffd0002', 'named, it is written again');
    assert.deepEqual(server.written.slice(2), [['reset', true]]);
  });

  test('of a part of a value is refused, and nothing of it is written', async () => {
    const { client, server } = await setUp();
    assert.equal(await client.ask('06 0065 3fc0'), '8603');
    assert.equal(await client.ask('06 0066 3fc0'), '8603');
    assert.equal(await client.ask('10 0064 0002 04 00013fc0'), '9003');
    assert.equal(await client.ask('10 0065 0002 04 7fc00000'), '9003', 'not a number');
    assert.deepEqual(server.written, []);
  });

  test('of which the server refuses a part is answered with a failure, and its value stands', async () => {
    const { client, server } = await setUp();
    server.refusing.add('speed');
    assert.equal(await client.ask('10 0064 0003 06 000540200000'), '9004');
    assert.deepEqual(
      server.written.map(([name]) => name),
      ['setpoint'],
    );
    assert.equal(await client.ask('03 0064 0001'), '03020007', 'the old value stands');
  });
});

describe('the server', () => {
  test('answers many requests of one write in their order, also behind a command', async () => {
    const { client } = await setUp();
    for (let at = 0; at < 500; at++)
      client.send(at % 2 === 0 ? `06 0064 ${at.toString(16).padStart(4, '0')}` : '03 0064 0001');
    for (let at = 0; at < 500; at++) {
      const value = (at - (at % 2)).toString(16).padStart(4, '0');
      assert.equal(await client.answer(), at % 2 === 0 ? `060064${value}` : `0302${value}`);
    }
  });

  test('sends a client away that speaks something else, and nobody else', async () => {
    const { client, server } = await setUp();
    const other = await RawClient.connect(server.port);
    other.socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    await once(other.socket, 'close');
    assert.equal(await client.ask('02 0000 0001'), '020101');
    assert.match(server.warnings.join(), /not Modbus TCP/);
  });

  test('has only so many clients, and has room again when one has left', async () => {
    const { client, server } = await setUp({ maxClients: '2' });
    const second = await RawClient.connect(server.port);
    assert.equal(await second.ask('02 0000 0001'), '020101');
    const third = await RawClient.connect(server.port);
    await once(third.socket, 'close');
    assert.equal(server.provider.detail?.().clients, 2);
    second.close();
    await until('there is room', () => server.provider.detail?.().clients === 1);
    const fourth = await RawClient.connect(server.port);
    assert.equal(await fourth.ask('02 0000 0001'), '020101');
    assert.equal(await client.ask('02 0000 0001'), '020101');
    fourth.close();
  });

  test('lets a client that reads nothing wait, with little memory, and sends it away in the end', async () => {
    let { client, server } = await setUp({ idleSeconds: '1', unmapped: 'zeros' });
    const greedy = await RawClient.connect(server.port);
    greedy.socket.pause();
    const frame = Buffer.from('0001000000060103000a007d', 'hex');
    const many = Buffer.concat(Array.from({ length: 10_000 }, () => frame));
    let sent = 0;
    const fill = () => {
      while (sent < 300 && greedy.socket.write(many)) sent++;
    };
    greedy.socket.on('drain', fill);
    fill();
    await until('it is gone', async () => {
      // On a busy machine, the one that asks may have been idle for too long as well.
      if (client.socket.destroyed) client = await RawClient.connect(server.port);
      const answer = await client.ask('02 0000 0001').catch(() => undefined);
      if (answer === undefined) return false;
      assert.equal(answer, '020101');
      return server.provider.detail?.().clients === 1;
    });
    assert.ok(sent < 300, 'its requests were not all taken');
    client.close();
    greedy.close();
  });

  test('leaves nothing that listens where it is closed while the name of its host is looked up', async () => {
    const server = await TestServer.start({}, {}, { host: 'localhost' });
    await server.stop();
    const connecting = server.provider.connect(new AbortController().signal);
    await server.provider.close();
    await connecting;
    const socket = connect({ port: server.port, host: 'localhost' });
    await assert.rejects(once(socket, 'connect'));
  });

  test('keeps the values of points that stay when the points change, and says which it cannot serve', async () => {
    const { client, server } = await setUp();
    server.setPoints({ level: ['hr0:float32', 'd'], twice: ['hr1', 'q'], more: ['hr9:float32;good=hr9.1', 'd'] }, {});
    assert.equal(await client.ask('03 0000 0002'), '0304' + '3fc00000');
    assert.equal(await client.ask('03 0002 0001'), '8302');
    assert.match(server.warnings.join(), /more is not served: good=hr9.1 overlaps the registers of the value/);
    assert.match(server.warnings.join(), /twice is not served: hr1 of unit 1 is another point's already/);
    server.setPoints({ level: ['hr0:float32', 'd'] }, { level: ['hr2:float32', 'd'] });
    server.setPoints({ level: ['hr0:float32', 'd'] }, {});
    assert.equal(await client.ask('03 0000 0002'), '0304' + '3fc00000', 'a command has its name');
  });
});
