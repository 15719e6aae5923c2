// The provider asked by libmodbus, and the connector at a device of libmodbus.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { until } from '@telltale/stack-kit/testing';
import { askByLibmodbus, LibmodbusDevice, missingLibmodbus } from './libmodbus-peer.ts';
import { TestLink } from './test-link.ts';
import { TestServer } from './test-server.ts';

const skip = missingLibmodbus() ?? false;

describe('a client of libmodbus', { skip }, () => {
  let server: TestServer;
  const ask = (...calls: string[]) => askByLibmodbus(server.port, 1, ...calls);
  before(async () => {
    server = await TestServer.start(
      { level: ['ir0:int16', 'i'], count: ['hr0', 'i'], on: ['di4', 'b'] },
      {
        speed: ['hr10:int16', 'i'],
        setpoint: ['hr11:float32', 'f'],
        start: ['co3', 'b'],
        stop: ['co4', 'b'],
        bit: ['hr20.3', 'b'],
      },
      { revision: '1.2.3' },
    );
    const values = { level: -2, count: 65_535, on: true, speed: 1, setpoint: 0, start: false, stop: false, bit: false };
    for (const [name, value] of Object.entries(values)) server.publish(name, value);
  });
  after(() => server.stop());

  test('reads and writes by every function that it has', async () => {
    const lines = await ask(
      'read ir 0 1',
      'read hr 0 1',
      'read di 4 1',
      'write-one 10 7',
      'write 10 8,16320,0',
      'coil 3 1',
      'coils 3 0,1',
      'mask 20 0xfff7 0x0008',
      'read hr 10 3',
      'read co 3 2',
      'read hr 20 1',
    );
    assert.deepEqual(lines, ['65534', '65535', '1', ...Array(5).fill('ok'), '8,16320,0', '0,1', '8']);
    assert.deepEqual(server.written, [
      ['speed', 7],
      ['speed', 8],
      ['setpoint', 1.5],
      ['start', true],
      ['start', false],
      ['stop', true],
      ['bit', true],
    ]);
  });

  test('writes and reads in one request', async () => {
    assert.deepEqual(await ask('write-read 10 9 10 3', 'write-read 10 9 30 1', 'write-read 30 9 10 1'), [
      '9,16320,0',
      'Illegal data address',
      'Illegal data address',
    ]);
  });

  test('learns who is there, and what it must not ask', async () => {
    const name = Buffer.from('Telltale 1.2.3').toString('hex');
    assert.deepEqual(await ask('id', 'read hr 500 1', 'write-one 0 1', 'write 11 16320'), [
      `01ff${name}`,
      'Illegal data address',
      'Illegal data address',
      'Illegal data value',
    ]);
  });
});

describe('a device of libmodbus', { skip }, () => {
  let device: LibmodbusDevice;
  before(async () => {
    device = await LibmodbusDevice.start();
  });
  after(() => device.stop());

  test('is read and written', async () => {
    const link = new TestLink({ host: '127.0.0.1', port: device.port, scanPeriodMs: 20, timeoutMs: 1000 });
    try {
      link.setPoints({ level: ['hr1:float32', 'd'], on: ['co3', 'b'], bit: ['hr5.3', 'b'] });
      await link.start();
      await link.write('hr1:float32', 'f', 2.5);
      await link.write('co3', 'b', true);
      await link.write('hr5.3', 'b', true);
      await until(
        'all are read',
        () => link.values().level === 2.5 && link.values().on === 1 && link.values().bit === 1,
      );
      await assert.rejects(link.write('hr60000', 'i', 1), /illegal data address/);
    } finally {
      await link.stop();
    }
  });

  test('has its registers written and read back in one request', async () => {
    const link = new TestLink({ host: '127.0.0.1', port: device.port, readBack: true, readWrite: true });
    try {
      await link.start();
      await link.write('hr30:float32', 'f', 2.5);
      assert.deepEqual(await askByLibmodbus(device.port, 1, 'read hr 30 2'), ['16416,0']);
    } finally {
      await link.stop();
    }
  });
});
