// A broker that falls silent while its connection stays open.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { ManualClock } from '@telltale/schema/testing';
import { FaultProxy, until } from '@telltale/stack-kit/testing';
import type { ConnectorVariables } from '../src/connector-variables.ts';
import stack from '../src/stack.ts';
import { LinkedConnector } from './linked-connector.ts';
import { Mosquitto, withoutMosquitto } from './mosquitto.ts';

const asTheyAre = stack.connector?.readVariables({}).values as ConnectorVariables;
const { pingAfterMs, timeoutMs } = asTheyAre;

const stepMs = 50;

/** Of the clock of the connector; as many turns of the event loop as its work may want lie between two steps. */
async function pass(clock: ManualClock, ms: number): Promise<void> {
  for (let passed = 0; passed <= ms; passed += stepMs) {
    if (passed > 0) clock.advance(stepMs);
    for (let at = 0; at < 20; at++) await turn();
  }
}

describe('a broker that falls silent is lost within 5 s, with the variables as they are', {
  skip: withoutMosquitto,
}, () => {
  let broker: Mosquitto;
  before(async () => {
    broker = await Mosquitto.start();
  });
  after(() => broker.stop());

  async function linked(use: (c: LinkedConnector, clock: ManualClock, proxy: FaultProxy) => Promise<void>) {
    await using proxy = await FaultProxy.start({ host: '127.0.0.1', port: broker.port });
    const clock = new ManualClock(Date.now() * 1000);
    const vars = { port: `${proxy.port}`, pingAfterMs: `${pingAfterMs}`, timeoutMs: `${timeoutMs}` };
    const c = new LinkedConnector({ vars, clock });
    c.setPoints([{ name: 'level', address: 'silence/level' }]);
    await c.start();
    try {
      await use(c, clock, proxy);
    } finally {
      await c.stop();
    }
  }

  async function isLostInTime(c: LinkedConnector, clock: ManualClock, proxy: FaultProxy) {
    const outcome: { error?: unknown } = {};
    void c.lost().then((error) => {
      outcome.error = error;
    });
    proxy.setFaults({ toClient: { kind: 'stall' }, toDevice: { kind: 'stall' } });
    await pass(clock, 5000);
    assert.equal((outcome.error as Error | undefined)?.name, 'NotConnected');
  }

  test('just after a message, which came just after the last look', async () => {
    await linked(async (c, clock, proxy) => {
      const { toClient } = proxy.counts.bytes;
      await broker.pub('silence/level', '1.5');
      await until('it has come', () => proxy.counts.bytes.toClient > toClient);
      await pass(clock, 0);
      await isLostInTime(c, clock, proxy);
    });
  });

  test('just after it has answered a ping', async () => {
    await linked(async (c, clock, proxy) => {
      const { toDevice, toClient } = proxy.counts.bytes;
      for (let at = 0; at < 2; at++) await pass(clock, pingAfterMs - 50);
      clock.advance(100);
      await until('it was asked', () => proxy.counts.bytes.toDevice === toDevice + 2);
      await until('it has answered', () => proxy.counts.bytes.toClient === toClient + 2);
      await isLostInTime(c, clock, proxy);
    });
  });
});
