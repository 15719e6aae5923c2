import assert from 'node:assert/strict';
import { before, describe } from 'node:test';
import { until } from '@telltale/stack-kit/testing';
import { suiteCleanup, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { LinkedProvider } from '../linked-provider.ts';
import { Mosquitto, withoutMosquitto } from '../mosquitto.ts';
import { BrokerClient } from '../test-client.ts';
import { holds } from './holds.ts';
import { readPayload, Traffic } from './traffic.ts';

describe('an edge node and its primary host application, by the statements of Sparkplug 3.0', {
  skip: withoutMosquitto,
}, () => {
  const cleanup = suiteCleanup();
  let broker: Mosquitto;
  let client: BrokerClient;
  before(async () => {
    broker = await Mosquitto.start();
    cleanup.defer(() => broker.stop());
    client = await BrokerClient.open(broker.port);
    cleanup.defer(() => client.close());
  });

  /** An edge node that waits for its host application, and what it sends. */
  const start = async (node: string, version = '5') => {
    const stack = cleanup.use(new AsyncDisposableStack());
    const traffic = await Traffic.to(broker.port);
    stack.defer(() => traffic.stop());
    const host = `host-${node}`;
    const vars = { port: `${traffic.port}`, format: 'sparkplug', group: 'G', node, primaryHost: host, version };
    const p = new LinkedProvider({ vars, folder: temporaryFolder(stack) });
    stack.defer(async () => void (await p.stop()));
    p.setPoints([{ name: 'a', address: 'A', properties: { device: 'D' } }]);
    await p.start();
    const state = (online: boolean, timestamp: number, id = host) =>
      client.publish(`spBv1.0/STATE/${id}`, JSON.stringify({ online, timestamp }), true);
    /** Until the edge node has heard what was said before: of a command that it cannot read, it warns. */
    const settled = async () => {
      const before = p.warnings.length;
      await client.publish(`spBv1.0/G/NCMD/${node}`, Buffer.from([0xff]));
      await until('it is heard', () => p.warnings.length > before);
    };
    const births = () => traffic.published().filter(({ kind }) => kind.endsWith('BIRTH'));
    return { p, traffic, state, settled, births };
  };

  holds(
    [
      'tck-id-message-flow-edge-node-birth-publish-phid-wait',
      'tck-id-message-flow-edge-node-birth-publish-phid-wait-id',
      'tck-id-message-flow-edge-node-birth-publish-phid-wait-online',
      'tck-id-operational-behavior-edge-node-birth-sequence-wait',
    ],
    'it is born when its own host application says that it is online, and not before',
    async () => {
      const { state, settled, births } = await start(crypto.randomUUID());
      await state(true, 5, 'another');
      await state(false, 5);
      await settled();
      assert.deepEqual(births(), []);
      await state(true, 6);
      await until('the births', () => births().length === 2);
    },
  );

  holds(
    ['tck-id-operational-behavior-primary-application-state-with-multiple-servers-state-subs'],
    'it subscribes to the STATE of its host application',
    async () => {
      const { traffic } = await start('subscribed');
      assert.ok(traffic.subscriptions.some(({ topic }) => topic === 'spBv1.0/STATE/host-subscribed'));
    },
  );

  holds(
    ['tck-id-message-flow-edge-node-birth-publish-phid-wait-timestamp'],
    'a STATE that is older than the one before does not count; the first always does',
    async () => {
      const { state, settled, births } = await start('timed');
      await state(false, 10);
      await state(true, 9);
      await settled();
      assert.deepEqual(births(), []);
      await state(true, 10);
      await until('the births', () => births().length === 2);
    },
  );

  holds(
    ['tck-id-operational-behavior-edge-node-termination-host-offline-timestamp'],
    'an older word that its host application is offline does not end it',
    async () => {
      const { p, state, settled, births, traffic } = await start('older');
      await state(true, 10);
      await until('the births', () => births().length === 2);
      await state(false, 9);
      await settled();
      p.publish('a', 1);
      await until('data', () => traffic.published('DDATA').length === 1);
      assert.deepEqual(traffic.published('NDEATH'), []);
    },
  );

  holds(
    [
      'tck-id-message-flow-edge-node-birth-publish-phid-offline',
      'tck-id-operational-behavior-edge-node-termination-host-offline',
    ],
    'when its host application is offline it publishes its death, disconnects and starts over, with the next bdSeq',
    async () => {
      const node = crypto.randomUUID();
      const { p, state, births, traffic } = await start(node);
      await state(true, 10);
      await until('the births', () => births().length === 2);
      await state(false, 10);
      assert.match(String(await p.lost()), /primary host application is offline/);
      assert.equal(traffic.published().at(-1)?.kind, 'NDEATH');
      await p.start();
      await state(true, 11);
      await until('the next births', () => births().length === 4);
      const bdSeq = traffic
        .published('NBIRTH')
        .map(({ bytes }) => readPayload(bytes).metrics.find(({ name }) => name === 'bdSeq')?.long);
      assert.deepEqual(bdSeq, [0, 1]);
    },
  );

  holds(
    ['tck-id-operational-behavior-primary-application-state-with-multiple-servers-single-server'],
    'it has one connection at a time',
    async () => {
      const { p, traffic } = await start('single');
      await p.stop();
      await p.start();
      const kinds = traffic.packets.map(({ cmd }) => cmd).filter((cmd) => cmd === 'connect' || cmd === 'disconnect');
      assert.deepEqual(kinds, ['connect', 'disconnect', 'connect']);
    },
  );

  holds(
    [
      'tck-id-payloads-ndeath-will-message-publisher-disconnect-mqtt311',
      'tck-id-principles-persistence-clean-session-311',
    ],
    'with MQTT 3.1.1 sessions are clean, and it publishes its death before it disconnects',
    async () => {
      const { p, traffic, state, births } = await start(crypto.randomUUID(), '3.1.1');
      await state(true, 1);
      await until('the births', () => births().length === 2);
      await p.stop();
      assert.deepEqual(
        traffic.connects.map(({ clean, protocolVersion }) => [clean, protocolVersion]),
        [[true, 4]],
      );
      assert.equal(traffic.published().at(-1)?.kind, 'NDEATH');
      assert.ok(['publish', 'disconnect'].includes(traffic.packets.at(-1)?.cmd ?? ''));
    },
  );

  holds(
    ['tck-id-case-sensitivity-metric-names', 'tck-id-case-sensitivity-sparkplug-ids'],
    'of names that differ in case alone, people are told',
    async () => {
      const { p } = await start(crypto.randomUUID());
      p.setPoints([
        { name: 'a', address: 'Flow', properties: { device: 'D' } },
        { name: 'b', address: 'flow', properties: { device: 'D' } },
        { name: 'c', address: 'Flow', properties: { device: 'd' } },
      ]);
      assert.deepEqual(
        p.warnings.map((text) => /D\/Flow and D\/flow|D and d/.exec(text)?.[0]),
        ['D/Flow and D/flow', 'D and d'],
      );
    },
  );
});
