// The connector against devices of pymodbus: over TCP, with the frames of serial lines over TCP, and over a serial line.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { quality } from '@telltale/schema';
import { until } from '@telltale/stack-kit/testing';
import { missingPymodbus, PymodbusDevice } from './pymodbus-device.ts';
import { TestLink } from './test-link.ts';

const skip = missingPymodbus() ?? false;

for (const transport of ['tcp', 'rtu-tcp', 'serial'] as const) {
  describe(`a device over ${transport}`, { skip }, () => {
    let device: PymodbusDevice;
    let link: TestLink;
    before(async () => {
      device = await PymodbusDevice.start(transport, [1, 3]);
      const variables = {
        transport,
        host: '127.0.0.1',
        port: device.port,
        path: device.path,
        baudRate: 115_200,
        parity: 'none',
      };
      link = new TestLink({ ...variables, scanPeriodMs: 20, timeoutMs: 300 });
    });
    after(async () => {
      await link.stop();
      await device.stop();
    });

    test('is read in every area, type, order and unit, as the bytes stand there', async () => {
      await device.set('hr', 0, [0xfffe, 0x3fc0, 0x0000, 0x0000, 0x3fc0, 0x1234, 0x5678]);
      await device.set('hr', 20, [0x8000, 0, 0, 1, 0x4142, 0x4300, 0x0008]);
      await device.set('ir', 7, [0x8001]);
      await device.set('co', 12, [1]);
      await device.set('di', 3, [1]);
      await device.set('hr', 100, [77], 3);
      link.setPoints({
        signed: ['hr0:int16', 'i'],
        unsigned: ['hr0', 'i'],
        classic: ['400001', 'i'],
        float: ['hr1:float32', 'f'],
        swapped: ['hr3:float32/cdab', 'd'],
        bcd: ['hr5:bcd32', 'i'],
        long: ['hr20:int64', 'l'],
        text: ['hr24:string(4)', 's'],
        bit: ['hr26.3', 'b'],
        clear: ['hr26.2', 'b'],
        input: ['ir7:int16', 'd'],
        coil: ['co12', 'b'],
        other: ['co13', 'b'],
        discrete: ['di3', 'b'],
        unit3: ['3/hr100', 'i'],
        nowhere: ['hr60000', 'i'],
      });
      await link.start();
      await until('all are read', () => link.readings.size === 16);
      assert.deepEqual(link.values(), {
        signed: -2,
        unsigned: 0xfffe,
        classic: 0xfffe,
        float: 1.5,
        swapped: 1.5,
        bcd: 12_345_678,
        long: -(2n ** 63n) + 1n,
        text: 'ABC',
        bit: 1,
        clear: 0,
        input: -32_767,
        coil: 1,
        other: 0,
        discrete: 1,
        unit3: 77,
        nowhere: undefined,
      });
      assert.equal(link.readings.get('nowhere')?.quality, quality.bad.configurationError);
      assert.equal(link.readings.get('signed')?.quality, quality.good);
    });

    test('shows soon what it was set to', async () => {
      await device.set('hr', 0, [5]);
      await until('the new value is read', () => link.values().signed === 5);
    });

    test('explains a reading by its bytes', async () => {
      const trace = link.explain('float');
      assert.deepEqual(
        { raw: trace?.raw, value: trace?.value, device: trace?.device, scanPeriodMs: trace?.scanPeriodMs },
        { raw: '3f c0 00 00', value: 1.5, device: '1', scanPeriodMs: 20 },
      );
      assert.match(trace?.request ?? '', /^read holding registers \d+ to \d+ of unit 1$/);
      assert.match(link.explain('nowhere')?.error ?? '', /exception 2, illegal data address/);
    });

    test('takes what is written, in every area and width', async () => {
      await link.write('hr200:int16', 'i', -3);
      await link.write('hr201:float32/dcba', 'f', 1.5);
      await link.write('hr203:string(5)', 's', 'Größ'.slice(0, 3));
      await link.write('co20', 'b', true);
      await link.write('3/hr200:uint64', 'l', 2n ** 62n);
      assert.deepEqual(await device.get('hr', 200, 6), [0xfffd, 0x0000, 0xc03f, 0x4772, 0xc3b6, 0]);
      assert.deepEqual(await device.get('co', 19, 3), [0, 1, 0]);
      assert.deepEqual(await device.get('hr', 200, 4, 3), [0x4000, 0, 0, 0]);
    });

    test('has single bits of registers written, by mask', async () => {
      await device.set('hr', 210, [0x8001]);
      await link.write('hr210.3', 'b', true);
      await link.write('hr210.15', 'b', false);
      assert.deepEqual(await device.get('hr', 210), [0x0009]);
    });

    test('refuses what it does not have, and values that do not fit are not sent', async () => {
      await assert.rejects(link.write('hr60000', 'i', 1), { name: 'refused', message: /illegal data address/ });
      await assert.rejects(link.write('hr0', 'i', -1), {
        name: 'refused',
        message: '-1 does not fit uint16: 0 to 65535 is expected',
      });
    });

    test('has one unit that is silent, and the others go on', async () => {
      link.setPoints({ alive: ['hr0', 'i'], dead: ['9/hr0', 'i'], alsoAlive: ['3/hr0', 'i'] });
      await device.set('hr', 0, [41], 3);
      await until(
        'the silent one is bad',
        () => link.readings.get('dead')?.quality === quality.bad.communicationFailure,
      );
      await device.set('hr', 0, [42], 1);
      await until('the others go on', () => link.values().alive === 42 && link.values().alsoAlive === 41);
      const names = link.detail().devices?.map(({ name, isUp }) => [name, isUp]);
      assert.deepEqual(Object.fromEntries(names ?? []), { 1: true, 3: true, 9: false });
    });
  });
}

describe('a device that writes and reads in one request', { skip }, () => {
  for (const transport of ['tcp', 'rtu-tcp'] as const) {
    test(`over ${transport}`, async () => {
      const device = await PymodbusDevice.start(transport);
      const given = { transport, host: '127.0.0.1', port: device.port, readBack: true, readWrite: true };
      const link = new TestLink(given);
      try {
        await link.start();
        await link.write('hr5:float32', 'f', 1.5);
        await link.write('hr7', 'i', 9);
        await link.write('co3', 'b', true);
        assert.deepEqual(await device.get('hr', 5, 3), [0x3fc0, 0, 9]);
        assert.deepEqual(await device.get('co', 3), [1]);
        await assert.rejects(link.write('hr60000', 'i', 1), /illegal data address/);
      } finally {
        await link.stop();
        await device.stop();
      }
    });
  }
});

describe('what a device does not have is done another way', { skip }, () => {
  test('bits are read, changed and written, and single ones by the functions for many', async () => {
    const device = await PymodbusDevice.start('tcp');
    const link = new TestLink({
      host: '127.0.0.1',
      port: device.port,
      bitWrites: 'read-modify-write',
      writeFunction: 'multiple',
      readBack: true,
    });
    try {
      await link.start();
      await device.set('hr', 5, [0x8001]);
      await Promise.all([
        link.write('hr5.3', 'b', true),
        link.write('hr5.0', 'b', false),
        link.write('hr5.7', 'b', true),
      ]);
      await link.write('co3', 'b', true);
      await link.write('hr6:int16', 'i', -7);
      assert.deepEqual(await device.get('hr', 5, 2), [0x8088, 0xfff9]);
      assert.deepEqual(await device.get('co', 3), [1]);
    } finally {
      await link.stop();
      await device.stop();
    }
  });
});
