import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { until } from '@telltale/stack-kit/testing';
import { suiteCleanup, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { LinkedConnector } from '../linked-connector.ts';
import { LinkedProvider } from '../linked-provider.ts';
import { Mosquitto, withoutMosquitto } from '../mosquitto.ts';
import { holds } from './holds.ts';
import { readPayload, readState, Traffic } from './traffic.ts';

describe('with several brokers, by the statements of Sparkplug 3.0', { skip: withoutMosquitto }, () => {
  const cleanup = suiteCleanup();

  /** Two brokers, and what is sent to each. */
  const startTwo = async () => {
    const stack = cleanup.use(new AsyncDisposableStack());
    const start = async () => {
      const broker = await Mosquitto.start();
      stack.defer(() => broker.stop());
      const traffic = await Traffic.to(broker.port);
      stack.defer(() => traffic.stop());
      return { broker, traffic };
    };
    const [first, second] = [await start(), await start()];
    const vars = { port: `${first.traffic.port}`, otherBrokers: `127.0.0.1:${second.traffic.port}`, timeoutMs: '2000' };
    return { stack, first, second, vars };
  };
  const state = (broker: Mosquitto, online: boolean) =>
    broker.pub('spBv1.0/STATE/scada', JSON.stringify({ online, timestamp: Date.now() }), '-r');
  const kindsOf = (traffic: Traffic) => traffic.published().map(({ kind }) => kind);

  holds(
    [
      'tck-id-operational-behavior-primary-application-state-with-multiple-servers-walk',
      'tck-id-operational-behavior-edge-node-termination-host-offline-reconnect',
    ],
    'where its host application is offline, it ends the session and goes to the next broker, each time with the next bdSeq',
    async () => {
      const { stack, first, second, vars } = await startTwo();
      await state(first.broker, false);
      await state(second.broker, true);
      const node = { format: 'sparkplug', group: 'G', node: 'N', primaryHost: 'scada' };
      const p = new LinkedProvider({ vars: { ...vars, ...node }, folder: temporaryFolder(stack) });
      stack.defer(async () => void (await p.stop()));
      p.setPoints([{ name: 'a', address: 'A' }]);
      await p.start();
      await until('the birth', () => kindsOf(second.traffic).includes('NBIRTH'));
      assert.deepEqual(kindsOf(first.traffic), []);
      assert.equal(first.traffic.disconnects.length, 1);
      await state(first.broker, true);
      await state(second.broker, false);
      await p.lost();
      assert.deepEqual(kindsOf(second.traffic).at(-1), 'NDEATH');
      await p.start();
      await until('the birth', () => kindsOf(first.traffic).includes('NBIRTH'));
      const [walked, left, born] = [first.traffic.connects[0], second.traffic.connects[0], first.traffic.connects[1]];
      const numbers = [walked, left, born].map((connect) => {
        const { metrics } = readPayload(connect?.will?.payload as Buffer);
        return metrics.find(({ name }) => name === 'bdSeq')?.long;
      });
      assert.deepEqual(numbers, [0, 1, 2]);
      const [birth] = first.traffic.published('NBIRTH');
      assert.equal(birth?.metrics.find(({ name }) => name === 'bdSeq')?.long, 2);
    },
  );

  holds(
    ['tck-id-operational-behavior-host-application-multi-server-timestamp'],
    'its STATE has at each broker the time of the connection to that broker',
    async () => {
      const { stack, first, second, vars } = await startTwo();
      const c = new LinkedConnector({ vars: { ...vars, hostId: 'scada' } });
      stack.defer(async () => void (await c.stop()));
      c.setPoints([]);
      await c.start();
      await until('its birth', () => first.traffic.published('STATE').length > 0);
      await until('it is later', () => Date.now() > Number(timesOf(first.traffic)[0]));
      first.traffic.cut();
      await c.lost();
      await c.start();
      await until('its birth', () => second.traffic.published('STATE').length > 0);
      const [here, there] = [timesOf(first.traffic), timesOf(second.traffic)];
      assert.equal(here[0], here[1]);
      assert.equal(there[0], there[1]);
      assert.ok(Number(there[0]) > Number(here[0]));
    },
  );
});

/** Of the last will of the first connection, and of its birth. */
function timesOf(traffic: Traffic): unknown[] {
  const will = readState(traffic.connects[0]?.will?.payload as Buffer);
  const birth = readState(traffic.published('STATE')[0]?.bytes ?? Buffer.alloc(0));
  return [will.timestamp, birth.timestamp];
}
