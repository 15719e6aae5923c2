// Nodes that come and go at the server while the connector runs: what is there again is read again, by the same link.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type Clock, quality, systemClock } from '@telltale/schema';
import { UaBench } from './ua-bench.ts';
import { UaDevice } from './ua-device.ts';

/** A minute is over soon. */
const hasty: Clock = { ...systemClock, after: (ms, call) => systemClock.after(ms === 60_000 ? 200 : ms, call) };

describe('a node', () => {
  let device: UaDevice;
  before(async () => {
    device = await UaDevice.start();
  });
  after(() => device.stop());

  async function running(points: Parameters<UaBench['setPoints']>[0], use: (bench: UaBench) => Promise<void>) {
    await new UaBench(device, {}, hasty).running(points, use);
  }

  test('that was taken away turns its point bad, and is found when it is there again', async () => {
    await device.order({ kind: 'add', node: 'Fleeting', value: 1 });
    await running({ Fleeting: { datatype: 'd' }, Flow: { datatype: 'd' } }, async (bench) => {
      await bench.reads('Fleeting', 1, quality.good);
      await device.order({ kind: 'remove', node: UaDevice.address('Fleeting') });
      await bench.has('Fleeting', quality.bad.configurationError);
      await device.order({ kind: 'add', node: 'Fleeting', value: 2 });
      await bench.reads('Fleeting', 2, quality.good);
      await device.order({ kind: 'set', node: UaDevice.address('Fleeting'), value: 3 });
      await bench.reads('Fleeting', 3, quality.good);
      await bench.reads('Flow', 7, quality.good);
    });
  });

  test('of a namespace that comes late is found when it has come', async () => {
    const address = 'nsu=urn:late;s=Late';
    await running({ Late: { datatype: 'd', address }, Flow: { datatype: 'd' } }, async (bench) => {
      await bench.has('Late', quality.bad.configurationError);
      await device.order({ kind: 'add', node: 'Late', value: 5, type: 'urn:late' });
      await bench.reads('Late', 5, quality.good);
      await bench.reads('Flow', 7, quality.good);
    });
  });

  test('that is of another type by now is written as that type, after one write that was refused', async () => {
    await running({ Speed: { datatype: 'i' } }, async (bench) => {
      await bench.write('Speed', 'i', 5);
      await device.order({ kind: 'remove', node: UaDevice.address('Speed') });
      await device.order({ kind: 'add', node: 'Speed', value: 0 });
      await assert.rejects(bench.write('Speed', 'i', 6), { name: 'refused', message: /^BadTypeMismatch/ });
      await bench.write('Speed', 'i', 7);
      assert.equal(await device.order({ kind: 'get', node: UaDevice.address('Speed') }), 7);
    });
  });
});
