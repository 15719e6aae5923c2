// A server that falls silent while its connection stays open.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { quality } from '@telltale/schema';
import { ManualClock } from '@telltale/schema/testing';
import { FaultProxy, until } from '@telltale/stack-kit/testing';
import { UaBench } from './ua-bench.ts';
import { UaDevice } from './ua-device.ts';

/** Of the clock of the connector; as many turns of the event loop as its work may want lie between two steps. */
async function pass(clock: ManualClock, ms: number, stepMs: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += stepMs) {
    clock.advance(stepMs);
    for (let at = 0; at < 20; at++) await turn();
  }
}

test('a server that falls silent just after an answer is lost within 5 s, with the variables as they are', async (t) => {
  const device = await UaDevice.start();
  t.after(() => device.stop());
  const proxy = await FaultProxy.start({ host: '127.0.0.1', port: device.port });
  t.after(() => proxy[Symbol.asyncDispose]());
  const clock = new ManualClock(Date.now() * 1000);
  const bench = new UaBench(proxy, 'as they are', clock);
  try {
    bench.setPoints({ Flow: { datatype: 'd' } });
    await bench.start();
    await bench.reads('Flow', 7, quality.good);
    const outcome: { error?: unknown } = {};
    void bench.lost.then((error) => {
      outcome.error = error;
    });
    // Namespaces, subscription, item, and the first look at the server.
    await until('nothing is under way', () => bench.answered === 4);
    clock.advance(1000);
    await until('it was looked at again and has answered', () => bench.answered === 5);
    proxy.setFaults({ toClient: { kind: 'stall' }, toDevice: { kind: 'stall' } });
    await pass(clock, 3900, 100);
    assert.equal(outcome.error, undefined, 'nobody is given up before its time');
    await pass(clock, 1100, 100);
    assert.equal((outcome.error as Error | undefined)?.name, 'NotConnected');
    assert.equal(proxy.counts.open, 1, 'nothing was closed by the other side');
  } finally {
    // A goodbye that nobody hears is waited for.
    const stopped = bench.stop().then(() => true);
    await until('it is stopped', () => {
      clock.advance(100);
      return Promise.race([stopped, turn(false)]);
    });
  }
});
