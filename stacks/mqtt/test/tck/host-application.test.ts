import assert from 'node:assert/strict';
import { before, describe } from 'node:test';
import { until } from '@telltale/stack-kit/testing';
import { suiteCleanup } from '@telltale/stack-kit/testing/cleanup';
import { LinkedConnector } from '../linked-connector.ts';
import { Mosquitto, withoutMosquitto } from '../mosquitto.ts';
import { codec } from '../sparkplug-decoder.ts';
import { BrokerClient } from '../test-client.ts';
import { holds } from './holds.ts';
import { type Published, readState, Traffic } from './traffic.ts';

const communicationFailure = 0x18;
const topic = 'spBv1.0/STATE/scada';

describe('a host application, by the statements of Sparkplug 3.0', { skip: withoutMosquitto }, () => {
  const cleanup = suiteCleanup();
  let broker: Mosquitto;
  let traffic: Traffic;
  let c: LinkedConnector;
  let startedMs = 0;
  let stoppedMs = 0;
  let published: Published[] = [];
  /** What the connector showed when the device, and then the edge node, had died. */
  const shown: [string, number, number][] = [];
  let diedMs = 0;

  before(async () => {
    broker = await Mosquitto.start();
    cleanup.defer(() => broker.stop());
    traffic = await Traffic.to(broker.port);
    cleanup.defer(() => traffic.stop());
    const client = await BrokerClient.open(broker.port, 'spBv1.0/#');
    cleanup.defer(() => client.close());
    const send = (kind: string, seq: number | undefined, metrics: readonly object[], timestamp = Date.now()) => {
      const payload = { timestamp, ...(seq !== undefined && { seq }), metrics: metrics as never };
      return client.publish(`spBv1.0/G/${kind}`, Buffer.from(codec.encodePayload(payload)));
    };
    const bdSeq = { name: 'bdSeq', type: 'Int64', value: 0 };
    c = LinkedConnector.to(traffic, { hostId: 'scada', reorderTimeoutMs: '4000' });
    cleanup.defer(async () => void (await c.stop()));
    c.setPoints(
      [
        { name: 'own', address: 'spBv1.0/G/E#Own' },
        { name: 'flow', address: 'spBv1.0/G/E/D#Flow' },
      ],
      [
        { name: 'own_set', address: 'spBv1.0/G/E#Own' },
        { name: 'flow_set', address: 'spBv1.0/G/E/D#Flow' },
        { name: 'plain_set', address: 'spBv1.0/G/E/D#Plain', datatype: 'i' },
      ],
    );
    startedMs = Date.now();
    await c.start();
    const births = async (value: number) => {
      await send('NBIRTH/E', 0, [bdSeq, { name: 'Own', alias: 1, type: 'Double', value }]);
      await send('DBIRTH/E/D', 1, [
        { name: 'Flow', alias: 2, type: 'Double', value },
        { name: 'Plain', type: 'Int32', value: 1 },
      ]);
    };
    const count = (kind: string) => traffic.published(kind).length;
    await until('a birth is asked for', () => count('NCMD') > 0);
    await births(1);
    await c.shows('flow', 1);
    await c.write('own_set', 2);
    await c.write('flow_set', 3);
    await c.write('plain_set', 4);
    await until('the commands', () => count('DCMD') === 2 && count('NCMD') > 1);
    for (const timestamp of [1, 2]) {
      await client.publish(topic, JSON.stringify({ online: false, timestamp }), true);
      await until('it contradicts', () => count('STATE') === 1 + timestamp);
    }
    // The third before the second: nothing is missing in the end.
    await send('NDATA/E', 3, [{ alias: 1, type: 'Double', value: 13 }]);
    await send('NDATA/E', 2, [{ alias: 1, type: 'Double', value: 12 }]);
    await c.shows('own', 13);
    diedMs = Date.now() - 5000;
    await send('DDEATH/E/D', 4, [], diedMs);
    await c.shows('flow', 1, communicationFailure);
    const show = (name: string) => {
      const { quality = 0, timeUs = 0 } = c.readings.get(name) ?? {};
      shown.push([name, quality, timeUs / 1000]);
    };
    show('flow');
    show('own');
    await send('NDEATH/E', undefined, [bdSeq], 1000);
    await c.shows('own', 13, communicationFailure);
    show('own');
    await births(5);
    await c.shows('flow', 5);
    await send('NDEATH/E', undefined, [bdSeq], 1000);
    await c.shows('flow', 5, communicationFailure);
    show('flow');
    await births(6);
    await c.shows('flow', 6);
    const asked = count('NCMD');
    await send('NDATA/E', 9, [{ alias: 1, type: 'Double', value: 99 }]);
    await until('a birth is asked for, since a message is missing', () => count('NCMD') > asked);
    await c.stop();
    published = traffic.published();
    stoppedMs = Date.now();
  });

  const states = () => published.filter(({ kind }) => kind === 'STATE');
  const commands = () => published.filter(({ kind }) => kind.endsWith('CMD'));
  const will = () => traffic.connects[0]?.will;
  const isNow = (ms: unknown) => typeof ms === 'number' && ms >= startedMs && ms <= stoppedMs;

  holds(
    [
      'tck-id-intro-sparkplug-host-state',
      'tck-id-components-ph-state',
      'tck-id-conformance-primary-host',
      'tck-id-host-topic-phid-birth-topic',
      'tck-id-host-topic-phid-birth-qos',
      'tck-id-host-topic-phid-birth-retain',
      'tck-id-host-topic-phid-death-topic',
      'tck-id-host-topic-phid-death-qos',
      'tck-id-host-topic-phid-death-retain',
      'tck-id-operational-behavior-host-application-connect-birth-topic',
      'tck-id-operational-behavior-host-application-connect-birth-qos',
      'tck-id-operational-behavior-host-application-connect-birth-retained',
      'tck-id-operational-behavior-host-application-death-topic',
      'tck-id-operational-behavior-host-application-death-qos',
      'tck-id-operational-behavior-host-application-death-retained',
      'tck-id-payloads-state-birth',
    ],
    'its births and its death are at spBv1.0/STATE and its identifier, of quality 1, retained',
    () => {
      const all = states().map((each) => [each.topic, each.qos, each.retain]);
      assert.deepEqual(all, Array(4).fill([topic, 1, true]));
    },
  );

  holds(
    [
      'tck-id-host-topic-phid-birth-message',
      'tck-id-host-topic-phid-birth-required',
      'tck-id-operational-behavior-host-application-connect-birth',
      'tck-id-operational-behavior-primary-application-state-with-multiple-servers-state',
      'tck-id-message-flow-phid-sparkplug-state-publish',
    ],
    'its birth is the first message that it publishes',
    () => assert.deepEqual([published[0]?.topic, published[1]?.kind], [topic, 'NCMD']),
  );

  holds(
    [
      'tck-id-host-topic-phid-birth-sub-required',
      'tck-id-message-flow-phid-sparkplug-subscription',
      'tck-id-payloads-state-subscribe',
    ],
    'it subscribes to its own STATE and to its edge nodes before that',
    () => {
      const filters = traffic.subscriptions.map((each) => each.topic);
      assert.ok(filters.includes(topic) && filters.includes('spBv1.0/G/+/E/#'));
      const last = traffic.packets.findLastIndex(({ cmd }) => cmd === 'subscribe');
      assert.ok(last > 0 && last < traffic.at(({ cmd }) => cmd === 'publish'));
    },
  );

  holds(
    [
      'tck-id-host-topic-phid-birth-payload',
      'tck-id-host-topic-phid-birth-payload-timestamp',
      'tck-id-message-flow-phid-sparkplug-state-publish-payload',
      'tck-id-message-flow-phid-sparkplug-state-publish-payload-timestamp',
      'tck-id-operational-behavior-host-application-connect-birth-payload',
      'tck-id-payloads-state-birth-payload',
    ],
    'its birth is JSON: online, true, and the timestamp of its last will',
    () => {
      const { timestamp } = readState(Buffer.from(will()?.payload ?? ''));
      assert.deepEqual(readState(states()[0]?.bytes ?? Buffer.alloc(0)), { online: true, timestamp });
      assert.ok(isNow(timestamp));
    },
  );

  holds(
    [
      'tck-id-host-topic-phid-death-required',
      'tck-id-host-topic-phid-death-payload',
      'tck-id-host-topic-phid-death-payload-timestamp-connect',
      'tck-id-operational-behavior-host-application-connect-will',
      'tck-id-operational-behavior-host-application-connect-will-payload',
      'tck-id-operational-behavior-host-application-connect-will-qos',
      'tck-id-operational-behavior-host-application-connect-will-retained',
      'tck-id-operational-behavior-host-application-connect-will-topic',
      'tck-id-operational-behavior-host-application-death-payload',
      'tck-id-payloads-state-will-message',
      'tck-id-payloads-state-will-message-payload',
      'tck-id-payloads-state-will-message-qos',
      'tck-id-payloads-state-will-message-retain',
    ],
    'its last will is its death: JSON, online, false, and the time at which it connected; of quality 1, retained',
    () => {
      assert.deepEqual([will()?.topic, will()?.qos, will()?.retain], [topic, 1, true]);
      const { online, timestamp, ...more } = readState(Buffer.from(will()?.payload ?? ''));
      assert.deepEqual([online, more], [false, {}]);
      assert.ok(isNow(timestamp));
    },
  );

  holds(
    [
      'tck-id-operational-behavior-host-application-termination',
      'tck-id-operational-behavior-host-application-disconnect-intentional',
      'tck-id-host-topic-phid-death-payload-timestamp-disconnect-clean',
    ],
    'when it ends it publishes its death with the time of now, and disconnects',
    () => {
      assert.equal(traffic.packets.at(-1)?.cmd, 'disconnect');
      const death = published.at(-1);
      const { online, timestamp } = readState(death?.bytes ?? Buffer.alloc(0));
      assert.deepEqual([death?.topic, online], [topic, false]);
      assert.ok(isNow(timestamp) && Number(timestamp) > diedMs);
    },
  );

  holds(
    ['tck-id-message-flow-hid-sparkplug-state-message-delivered'],
    'each word that it is offline, which is not its own, is answered with its birth',
    () => {
      const [birth, ...again] = states().slice(0, 3);
      assert.deepEqual(
        again.map(({ bytes }) => bytes.toString()),
        Array(2).fill(birth?.bytes.toString()),
      );
    },
  );

  holds(
    ['tck-id-message-flow-phid-sparkplug-clean-session-50'],
    'with MQTT 5 its session is clean, and ends with its connection',
    () => {
      const [connect] = traffic.connects;
      assert.deepEqual([connect?.clean, connect?.properties?.sessionExpiryInterval ?? 0], [true, 0]);
    },
  );

  holds(['tck-id-message-flow-phid-sparkplug-clean-session-311'], 'with MQTT 3.1.1 its session is clean', async () => {
    const own = await Traffic.to(broker.port);
    cleanup.defer(() => own.stop());
    const old = LinkedConnector.to(own, { hostId: 'old', version: '3.1.1' });
    cleanup.defer(async () => void (await old.stop()));
    old.setPoints([]);
    await old.start();
    assert.deepEqual(
      own.connects.map(({ clean, protocolVersion }) => [clean, protocolVersion]),
      [[true, 4]],
    );
  });

  holds(
    [
      'tck-id-topics-ncmd-mqtt',
      'tck-id-topics-dcmd-mqtt',
      'tck-id-payloads-ncmd-qos',
      'tck-id-payloads-ncmd-retain',
      'tck-id-payloads-dcmd-qos',
      'tck-id-payloads-dcmd-retain',
    ],
    'commands are of quality 0 and not retained',
    () => assert.ok(commands().every(({ qos, retain }) => qos === 0 && !retain)),
  );

  holds(
    [
      'tck-id-topics-ncmd-topic',
      'tck-id-topics-dcmd-topic',
      'tck-id-operational-behavior-data-commands-ncmd-verb',
      'tck-id-operational-behavior-data-commands-dcmd-verb',
      'tck-id-operational-behavior-data-commands-ncmd-rebirth-verb',
    ],
    'commands to an edge node are NCMD, those to a device DCMD',
    () => {
      const topics = new Set(commands().map((each) => each.topic));
      assert.deepEqual(topics, new Set(['spBv1.0/G/NCMD/E', 'spBv1.0/G/DCMD/E/D']));
    },
  );

  holds(
    [
      'tck-id-topics-ncmd-timestamp',
      'tck-id-topics-dcmd-timestamp',
      'tck-id-payloads-ncmd-timestamp',
      'tck-id-payloads-dcmd-timestamp',
      'tck-id-payloads-ncmd-seq',
      'tck-id-payloads-dcmd-seq',
    ],
    'commands have the time at which they were sent, and no sequence number',
    () => assert.ok(commands().every(({ timestamp, seq }) => isNow(timestamp) && seq === undefined)),
  );

  holds(
    [
      'tck-id-topics-ncmd-payload',
      'tck-id-topics-dcmd-payload',
      'tck-id-operational-behavior-data-commands-ncmd-metric-name',
      'tck-id-operational-behavior-data-commands-ncmd-metric-value',
      'tck-id-operational-behavior-data-commands-dcmd-metric-name',
      'tck-id-operational-behavior-data-commands-dcmd-metric-value',
      'tck-id-payloads-alias-data-cmd-requirement',
      'tck-id-payloads-name-requirement',
      'tck-id-payloads-metric-datatype-not-req',
      'tck-id-payloads-name-cmd-requirement',
    ],
    'a command has one metric of the birth, by alias alone where it has one, without a datatype, in the form of the birth',
    () => {
      const sent = commands().filter(({ metrics }) => metrics[0]?.name !== 'Node Control/Rebirth');
      assert.deepEqual(
        sent.flatMap(({ metrics }) =>
          metrics.map(({ name, alias, datatype, double, int }) => [name, alias, datatype, double ?? int]),
        ),
        [
          [undefined, 1, undefined, 2],
          [undefined, 2, undefined, 3],
          ['Plain', undefined, undefined, 4],
        ],
      );
      assert.ok(sent.every(({ metrics }) => isNow(metrics[0]?.timestamp)));
    },
  );

  holds(
    [
      'tck-id-operational-behavior-data-commands-ncmd-rebirth-name',
      'tck-id-operational-behavior-data-commands-ncmd-rebirth-value',
    ],
    'a request for births is Node Control/Rebirth, true',
    () => {
      const asked = published.filter(({ kind }) => kind === 'NCMD').flatMap(({ metrics }) => metrics);
      const rebirths = asked.filter(({ alias }) => alias === undefined);
      assert.ok(rebirths.length > 0);
      assert.ok(rebirths.every(({ name, boolean }) => name === 'Node Control/Rebirth' && boolean));
    },
  );

  holds(['tck-id-operational-behavior-host-reordering-param'], 'how long a message may be late is a variable', () =>
    assert.throws(() => LinkedConnector.to(broker, { reorderTimeoutMs: '-1' })),
  );

  holds(
    ['tck-id-operational-behavior-host-reordering-start', 'tck-id-operational-behavior-host-reordering-success'],
    'a message that comes before another is held back, and read after it',
    () => {
      const own = c.history.flatMap(([name, { value, quality }]) => (name === 'own' ? [[value, quality]] : []));
      const values = own.map(([value]) => value);
      assert.deepEqual(own.slice(values.indexOf(12), values.indexOf(12) + 2), [
        [12, 0xc0],
        [13, 0xc0],
      ]);
    },
  );

  holds(
    ['tck-id-operational-behavior-host-reordering-rebirth'],
    'when the missing message does not come in time, births are asked for, and what came early is not read',
    () => {
      assert.ok(!c.history.some(([, { value }]) => value === 99));
      const last = c.history.findLast(([name, { value }]) => name === 'own' && value === 6);
      assert.equal(last?.[1].quality, 0x44);
    },
  );

  holds(
    [
      'tck-id-operational-behavior-edge-node-termination-host-action-ddeath-devices-offline',
      'tck-id-operational-behavior-edge-node-termination-host-action-ddeath-devices-tags-stale',
    ],
    'what a device has is bad from the time of its death on, and nothing else is',
    () => {
      assert.deepEqual(shown[0], ['flow', communicationFailure, diedMs]);
      assert.deepEqual(shown[1]?.slice(0, 2), ['own', 0xc0]);
    },
  );

  holds(
    [
      'tck-id-operational-behavior-edge-node-termination-host-action-ndeath-node-offline',
      'tck-id-operational-behavior-edge-node-termination-host-action-ndeath-node-tags-stale',
      'tck-id-operational-behavior-edge-node-termination-host-action-ndeath-devices-offline',
      'tck-id-operational-behavior-edge-node-termination-host-action-ndeath-devices-tags-stale',
    ],
    'when an edge node has died, what it and its devices have is bad from now on, whatever time its death has',
    () => {
      for (const [at, name] of [
        [2, 'own'],
        [3, 'flow'],
      ] as const) {
        assert.deepEqual(shown[at]?.slice(0, 2), [name, communicationFailure]);
        assert.ok(isNow(shown[at]?.[2]));
      }
    },
  );
});
