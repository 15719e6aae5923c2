// A server that falls silent while its connection stays open.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { quality } from '@telltale/schema';
import { ManualClock } from '@telltale/schema/testing';
import type { BackOff } from '@telltale/stack-kit';
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

/** `answered`: requests until nothing is under way. */
async function fallSilent(
  t: TestContext,
  variables: (url: string) => Record<string, string> | 'as they are',
  { answered, heldMs, lostMs }: { readonly answered: number; readonly heldMs: number; readonly lostMs: number },
): Promise<unknown> {
  const device = await UaDevice.start();
  t.after(() => device.stop());
  const proxy = await FaultProxy.start({ host: '127.0.0.1', port: device.port });
  t.after(() => proxy[Symbol.asyncDispose]());
  const clock = new ManualClock(Date.now() * 1000);
  const bench = new UaBench(proxy, variables(`opc.tcp://127.0.0.1:${proxy.port}`), clock);
  try {
    bench.setPoints({ Flow: { datatype: 'd' } });
    await bench.start();
    await bench.reads('Flow', 7, quality.good);
    const outcome: { error?: unknown } = {};
    void bench.lost.then((error) => {
      outcome.error = error;
    });
    await until('nothing is under way', () => bench.answered === answered);
    clock.advance(1000);
    await until('it was looked at again and has answered', () => bench.answered === answered + 1);
    proxy.setFaults({ toClient: { kind: 'stall' }, toDevice: { kind: 'stall' } });
    await pass(clock, heldMs, 100);
    assert.equal(outcome.error, undefined, 'nobody is given up before its time');
    await pass(clock, lostMs - heldMs, 100);
    assert.equal(proxy.counts.open, 1, 'nothing was closed by the other side');
    return outcome.error;
  } finally {
    // A goodbye that nobody hears is waited for.
    const stopped = bench.stop().then(() => true);
    await until('it is stopped', () => {
      clock.advance(100);
      return Promise.race([stopped, turn(false)]);
    });
  }
}

test('a server that falls silent just after an answer is lost within 5 s, with the variables as they are', async (t) => {
  // Namespaces, subscription, item, and the first look at the server.
  const error = await fallSilent(t, () => 'as they are', { answered: 4, heldMs: 3900, lostMs: 5000 });
  assert.equal((error as Error | undefined)?.name, 'NotConnected');
});

test('one that is of a redundant pair is lost within 3 s, and the other is tried half a second later', async (t) => {
  const variables = (url: string) => ({ endpointUrl: `${url},opc.tcp://127.0.0.1:1`, keepAliveMs: '1000' });
  // Beside those, a look before it is used.
  const error = await fallSilent(t, variables, { answered: 5, heldMs: 2900, lostMs: 3100 });
  assert.deepEqual([(error as BackOff).name, (error as BackOff).ms], ['BackOff', 500]);
});
