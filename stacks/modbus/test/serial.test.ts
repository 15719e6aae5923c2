// Serial lines beyond what is the same over TCP: threads, ports that are not there, ports that go.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, before, describe, test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { NotConnected } from '@telltale/stack-kit';
import { until } from '@telltale/stack-kit/testing';
import { missingPymodbus, PymodbusDevice } from './pymodbus-device.ts';
import { TestLink } from './test-link.ts';

const serial = { transport: 'serial', baudRate: 115_200, parity: 'none', scanPeriodMs: 20, timeoutMs: 500 };

describe('a serial port', { skip: missingPymodbus() ?? false }, () => {
  let device: PymodbusDevice;
  before(async () => {
    device = await PymodbusDevice.start('serial');
    await device.set('hr', 0, [77]);
  });
  after(() => device.stop());

  const read = async (stays: boolean) => {
    const workerData = { path: device.path, stays };
    const worker = new Worker(new URL('./serial-worker.ts', import.meta.url), { workerData });
    const [value] = await once(worker, 'message');
    assert.equal(value, 77);
    return worker;
  };

  test('is read from any thread, and is free for the next when that was ended', async () => {
    const worker = await read(true);
    await worker.terminate();
    await once(await read(false), 'exit');
  });

  test('that is lost ends the link', async () => {
    const own = await PymodbusDevice.start('serial');
    const link = new TestLink({ ...serial, path: own.path });
    try {
      link.setPoints({ register: ['hr0', 'i'] });
      await link.start();
      await own.stop();
      await until('the link is lost', () => link.lost !== undefined);
      assert.ok(link.lost instanceof NotConnected);
      await link.stop();
      await assert.rejects(link.start(), NotConnected);
    } finally {
      await link.stop();
      await own.stop();
    }
  });
});

test('a serial port that is not there is told as such', async () => {
  const link = new TestLink({ ...serial, path: '/dev/no-such-port' });
  await assert.rejects(link.start(), (error) => error instanceof NotConnected && /no-such-port/.test(error.message));
  await link.stop();
});
