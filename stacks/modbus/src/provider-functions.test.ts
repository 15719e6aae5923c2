// Functions 8, 17, 23 and 43/14, byte by byte as MODBUS Application Protocol V1.1b3 has them.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { afterEach, describe, test } from 'node:test';
import { quality } from '@telltale/schema';
import { until } from '@telltale/stack-kit/testing';
import { RawClient } from '../test/raw-client.ts';
import { TestServer } from '../test/test-server.ts';

const started: { stop(): Promise<void> | void }[] = [];
afterEach(async () => {
  for (const each of started.splice(0).reverse()) await each.stop();
});

async function setUp(given = {}): Promise<{ server: TestServer; client: RawClient }> {
  const server = await TestServer.start(
    { level: ['hr0:int16', 'i'], other: ['3/hr0:int16', 'i'] },
    { speed: ['hr1:int16', 'i'], setpoint: ['hr2:float32', 'f'] },
    { revision: '1.2.3', modelName: 'pumps', ...given },
  );
  started.push(server);
  const client = await connect(server);
  for (const [name, value] of Object.entries({ level: 5, other: 9, speed: 7 })) server.publish(name, value);
  server.publish('setpoint', 0, quality.bad.notConnected, 0);
  return { server, client };
}

async function connect(server: TestServer): Promise<RawClient> {
  const client = await RawClient.connect(server.port);
  started.push({ stop: () => client.close() });
  return client;
}

const text = (ascii: string) => Buffer.from(ascii).toString('hex');
/** An object of the identification. */
const object = (id: number, ascii: string) => hex(id) + hex(ascii.length) + text(ascii);
const hex = (byte: number) => byte.toString(16).padStart(2, '0');

describe('function 23 writes, then reads', () => {
  test('and what it reads is what it has written', async () => {
    const { client, server } = await setUp();
    assert.equal(await client.ask('17 0000 0002 0001 0001 02 fffd'), '1704' + '0005' + 'fffd');
    assert.equal(
      await client.ask('17 0002 0002 0001 0003 06 0004 3fc00000'),
      '1704' + '3fc00000',
      'never written before',
    );
    assert.deepEqual(server.written, [
      ['speed', -3],
      ['speed', 4],
      ['setpoint', 1.5],
    ]);
  });

  test('or nothing, where anything is wrong with it', async () => {
    const { client, server } = await setUp();
    assert.equal(await client.ask('17 0000 0000 0001 0001 02 0001'), '9703', 'reads none');
    assert.equal(await client.ask('17 0000 007e 0001 0001 02 0001'), '9703', 'reads 126');
    assert.equal(await client.ask('17 0000 0001 0001 0000 00'), '9703', 'writes none');
    assert.equal(await client.ask('17 0000 0001 0001 007a f4 0001'), '9703', 'writes 122');
    assert.equal(await client.ask('17 0000 0001 0001 0001 04 0001'), '9703', 'the count of bytes contradicts');
    assert.equal(await client.ask('17 0000 0001 0001 0001 02 00'), '9703', 'cut short');
    assert.equal(await client.ask('17 0000'), '9703', 'cut shorter');
    assert.equal(await client.ask('17 0009 0001 0001 0001 02 0001'), '9702', 'nothing to read there');
    assert.equal(await client.ask('17 ffff 0002 0001 0001 02 0001'), '9702', 'beyond the last');
    assert.equal(await client.ask('17 0000 0001 0009 0001 02 0001'), '9702', 'nothing to write there');
    assert.equal(await client.ask('17 0000 0001 0000 0001 02 0001'), '9702', 'a measurement');
    assert.equal(await client.ask('17 0000 0001 0002 0001 02 3fc0'), '9703', 'a part of a value');
    server.refusing.add('speed');
    assert.equal(await client.ask('17 0000 0001 0001 0001 02 0001'), '9704', 'refused');
    assert.deepEqual(server.written, []);
  });
});

describe('function 17', () => {
  test('reports the unit, that it runs, product and revision', async () => {
    const { client } = await setUp();
    assert.equal(await client.ask('11'), `1110${'01'}ff${text('Telltale 1.2.3')}`);
    assert.equal(await client.ask('11', 3), `1110${'03'}ff${text('Telltale 1.2.3')}`);
    assert.equal(await client.ask('11 00'), '9103');
    assert.equal(await client.ask('11', 9), '9102', 'no such unit');
  });
});

describe('function 43/14', () => {
  const basic = object(0, 'Telltale') + object(1, 'telltale') + object(2, '1.2.3');
  const regular = basic + object(4, 'Telltale') + object(5, 'pumps');

  test('streams the basic and the regular identification', async () => {
    const { client } = await setUp();
    assert.equal(await client.ask('2b 0e 01 00'), `2b0e0182000003${basic}`);
    assert.equal(await client.ask('2b 0e 02 00'), `2b0e0282000005${regular}`);
    assert.equal(await client.ask('2b 0e 03 00'), `2b0e0382000005${regular}`, 'there is nothing extended');
    assert.equal(await client.ask('2b 0e 01 02'), `2b0e0182000001${object(2, '1.2.3')}`, 'from there on');
    for (const id of ['03', '05', '80']) {
      assert.equal(await client.ask(`2b 0e 01 ${id}`), `2b0e0182000003${basic}`, 'no basic object: from the beginning');
    }
  });

  test('has each object by itself', async () => {
    const { client } = await setUp();
    assert.equal(await client.ask('2b 0e 04 00'), `2b0e0482000001${object(0, 'Telltale')}`);
    assert.equal(await client.ask('2b 0e 04 05'), `2b0e0482000001${object(5, 'pumps')}`);
    assert.equal(await client.ask('2b 0e 04 03'), 'ab02', 'not set');
    assert.equal(await client.ask('2b 0e 04 80'), 'ab02', 'no such object');
  });

  test('says where it goes on if not all of it fits', async () => {
    const long = 'x'.repeat(100);
    const { client } = await setUp({ vendorName: long, productCode: long, revision: long });
    assert.equal(await client.ask('2b 0e 01 00'), `2b0e0182ff0202${object(0, long)}${object(1, long)}`);
    assert.equal(await client.ask('2b 0e 01 02'), `2b0e0182000001${object(2, long)}`);
  });

  test('refuses what it does not have', async () => {
    const { client } = await setUp();
    assert.equal(await client.ask('2b 0e 00 00'), 'ab03', 'no such code');
    assert.equal(await client.ask('2b 0e 05 00'), 'ab03', 'no such code');
    assert.equal(await client.ask('2b 0e 01'), 'ab03', 'cut short');
    assert.equal(await client.ask('2b 0d 01 00'), 'ab01', 'CANopen');
    assert.equal(await client.ask('2b'), 'ab01');
    assert.equal(await client.ask('2b 0e 01 00', 9), 'ab02', 'no such unit');
  });
});

describe('function 8', () => {
  test('returns what it was sent', async () => {
    const { client } = await setUp();
    assert.equal(await client.ask('08 0000 a537'), '080000a537');
    assert.equal(await client.ask('08 0000 a53712345678'), '080000a53712345678');
    assert.equal(await client.ask('08 0000'), '080000');
    assert.equal(await client.ask('08 0000 a5'), '8803', 'half a word');
  });

  test('counts requests, exceptions, garbage and answers that nobody waited for, until it is cleared', async () => {
    const { client, server } = await setUp();
    const count = async (subfunction: string) => (await client.ask(`08 ${subfunction} 0000`)).slice(6);
    assert.equal(await count('000b'), '0001');
    await client.ask('03 0000 0001');
    await client.ask('03 0000 0001', 9);
    assert.equal(await count('000b'), '0004');
    assert.equal(await count('000e'), '0004', 'all but that to another unit');
    assert.equal(await count('000d'), '0001');
    for (const frame of ['000100000000', '000100000001', '00010000000001']) {
      const other = await connect(server);
      other.socket.write(Buffer.from(frame, 'hex'));
      await once(other.socket, 'close');
    }
    assert.equal(await count('000c'), '0003', 'frames of no length, and of one byte');
    assert.equal(server.warnings.filter((each) => /not Modbus TCP/.test(each)).length, 3);
    for (const never of ['0010', '0011', '0012']) assert.equal(await count(never), '0000');
    assert.equal(await client.ask('08 000a 0000'), '08000a0000');
    assert.equal(await count('000c'), '0000');
    assert.equal(await count('000b'), '0002');
    assert.equal(await client.ask('08 0001 ff00'), '080001ff00');
    assert.equal(await count('000b'), '0001');
    assert.equal(await client.ask('08 0014 0000'), '0800140000');
  });

  test('counts a write whose client did not wait for its answer', async () => {
    const { client, server } = await setUp();
    const gate = server.holdWrites();
    const other = await connect(server);
    other.send('06 0001 0002');
    await until('it is under way', () => server.underWay === 1);
    other.close();
    await until('it is gone', () => server.provider.detail?.().clients === 1);
    gate.open();
    await until('it is counted', async () => (await client.ask('08 000f 0000')) === '08000f0001');
  });

  test('refuses other subfunctions, and data that they do not have', async () => {
    const { client } = await setUp();
    for (const subfunction of ['0002', '0003', '0004', '0005', '0013', '0015', 'ffff']) {
      assert.equal(await client.ask(`08 ${subfunction} 0000`), '8801', subfunction);
    }
    assert.equal(await client.ask('08 000b 0001'), '8803');
    assert.equal(await client.ask('08 000b'), '8803');
    assert.equal(await client.ask('08 0001 0001'), '8803');
    assert.equal(await client.ask('08 000a 0000 0000'), '8803');
    assert.equal(await client.ask('08 00'), '8803');
    assert.equal(await client.ask('08 000b 0000', 9), '8802', 'no such unit');
  });
});

describe('a unit of which nothing is served', () => {
  test('is an illegal address, and the own one has an identity even without points', async () => {
    const { client, server } = await setUp();
    assert.equal(await client.ask('03 0000 0001', 9), '8302');
    assert.equal(await client.ask('06 0001 0001', 9), '8602');
    server.setPoints({}, {});
    assert.equal((await client.ask('11')).slice(0, 2), '11');
  });

  test('is answered as the own one where that is set, and one of which something is served as before', async () => {
    const { client, server } = await setUp({ anyUnit: 'true' });
    assert.equal(await client.ask('03 0000 0002', 9), '0304' + '0005' + '0007');
    assert.equal(await client.ask('03 0000 0001', 3), '0302' + '0009');
    assert.equal(await client.ask('03 0000 0002', 3), '8302', 'and nothing of the own one');
    assert.equal(await client.ask('06 0001 0008', 247), '0600010008');
    assert.deepEqual(server.written, [['speed', 8]]);
    assert.equal(await client.ask('08 0000 1234', 77), '0800001234');
  });
});
