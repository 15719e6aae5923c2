// Statements about the messages of an edge node: topics, order, sequence, connections, deaths and births.
import assert from 'node:assert/strict';
import { holds } from './holds.ts';
import type { LivedEdgeNode } from './lived-edge-node.ts';
import { readPayload } from './traffic.ts';

export function messagesHold(life: LivedEdgeNode): void {
  const { published, of, lives, isNow } = life;
  const wills = () => life.traffic.connects.map(({ will }) => will);
  const bdSeqOf = (bytes: Uint8Array | undefined) =>
    readPayload(bytes ?? Buffer.alloc(0)).metrics.find(({ name }) => name === 'bdSeq');

  holds(
    [
      'tck-id-topic-structure',
      'tck-id-topic-structure-namespace-a',
      'tck-id-intro-group-id-string',
      'tck-id-intro-group-id-chars',
      'tck-id-intro-edge-node-id-string',
      'tck-id-intro-edge-node-id-chars',
      'tck-id-intro-device-id-string',
      'tck-id-intro-device-id-chars',
      'tck-id-topic-structure-namespace-valid-group-id',
      'tck-id-topic-structure-namespace-valid-edge-node-id',
      'tck-id-topic-structure-namespace-valid-device-id',
      'tck-id-topics-nbirth-topic',
      'tck-id-topics-dbirth-topic',
      'tck-id-topics-ndata-topic',
      'tck-id-topics-ddata-topic',
      'tck-id-topics-ddeath-topic',
      'tck-id-topics-ndeath-topic',
      'tck-id-message-flow-edge-node-birth-publish-nbirth-topic',
      'tck-id-message-flow-device-birth-publish-dbirth-topic',
      'tck-id-message-flow-device-birth-publish-dbirth-match-edge-node-topic',
    ],
    'topics are spBv1.0/group/kind/node, and the device behind it',
    () => {
      assert.deepEqual(
        new Set(published.map(({ topic }) => topic)),
        new Set([
          ...['NBIRTH', 'NDATA', 'NDEATH'].map((kind) => `spBv1.0/G/${kind}/E`),
          ...['DBIRTH', 'DDATA', 'DDEATH'].map((kind) => `spBv1.0/G/${kind}/E/A`),
          'spBv1.0/G/DBIRTH/E/B',
        ]),
      );
    },
  );

  holds(
    [
      'tck-id-topic-structure-namespace-device-id-associated-message-types',
      'tck-id-topic-structure-namespace-device-id-non-associated-message-types',
    ],
    'messages of devices, and no others, name a device',
    () => assert.ok(published.every(({ kind, device }) => kind.startsWith('D') === (device !== undefined))),
  );

  holds(
    ['tck-id-topic-structure-namespace-unique-device-id'],
    'a device is born once, until its edge node is born or it has died',
    () => {
      for (const life of lives()) {
        const alive = new Set<string>();
        for (const { kind, device = '' } of life) {
          if (kind === 'DDEATH') alive.delete(device);
          if (kind !== 'DBIRTH') continue;
          assert.ok(!alive.has(device));
          alive.add(device);
        }
      }
    },
  );

  holds(
    [
      'tck-id-topics-nbirth-mqtt',
      'tck-id-topics-dbirth-mqtt',
      'tck-id-topics-ndata-mqtt',
      'tck-id-topics-ddata-mqtt',
      'tck-id-topics-ddeath-mqtt',
      'tck-id-payloads-nbirth-qos',
      'tck-id-payloads-nbirth-retain',
      'tck-id-payloads-dbirth-qos',
      'tck-id-payloads-dbirth-retain',
      'tck-id-payloads-ndata-qos',
      'tck-id-payloads-ndata-retain',
      'tck-id-payloads-ddata-qos',
      'tck-id-payloads-ddata-retain',
      'tck-id-message-flow-edge-node-birth-publish-nbirth-qos',
      'tck-id-message-flow-edge-node-birth-publish-nbirth-retained',
      'tck-id-message-flow-device-birth-publish-dbirth-qos',
      'tck-id-message-flow-device-birth-publish-dbirth-retained',
    ],
    'births, data and deaths of devices are of quality 0 and not retained',
    () => assert.ok(published.every(({ qos, retain }) => qos === 0 && !retain)),
  );

  holds(
    [
      'tck-id-topics-nbirth-timestamp',
      'tck-id-topics-dbirth-timestamp',
      'tck-id-topics-ndata-timestamp',
      'tck-id-topics-ddata-timestamp',
      'tck-id-payloads-nbirth-timestamp',
      'tck-id-payloads-dbirth-timestamp',
      'tck-id-payloads-ndata-timestamp',
      'tck-id-payloads-ddata-timestamp',
      'tck-id-payloads-ddeath-timestamp',
      'tck-id-payloads-timestamp-in-UTC',
      'tck-id-message-flow-edge-node-birth-publish-nbirth-payload',
      'tck-id-message-flow-device-birth-publish-dbirth-payload',
    ],
    'every payload is readable, and has the time in UTC at which it was sent',
    () => assert.ok(published.length > 260 && published.every(({ timestamp }) => isNow(timestamp))),
  );

  holds(
    [
      'tck-id-topics-nbirth-seq-num',
      'tck-id-payloads-nbirth-seq',
      'tck-id-payloads-sequence-num-req-nbirth',
      'tck-id-message-flow-edge-node-birth-publish-nbirth-payload-seq',
    ],
    'the birth of the edge node has sequence number 0',
    () =>
      assert.deepEqual(
        of('NBIRTH').map(({ seq }) => seq),
        [0, 0, 0],
      ),
  );

  holds(
    [
      'tck-id-topics-dbirth-seq',
      'tck-id-topics-ndata-seq-num',
      'tck-id-topics-ddata-seq-num',
      'tck-id-topics-ddeath-seq-num',
      'tck-id-payloads-dbirth-seq',
      'tck-id-payloads-dbirth-seq-inc',
      'tck-id-payloads-ndata-seq',
      'tck-id-payloads-ndata-seq-inc',
      'tck-id-payloads-ddata-seq',
      'tck-id-payloads-ddata-seq-inc',
      'tck-id-payloads-ddeath-seq',
      'tck-id-payloads-ddeath-seq-inc',
      'tck-id-payloads-ddeath-seq-number',
      'tck-id-payloads-sequence-num-always-included',
      'tck-id-payloads-sequence-num-incrementing',
      'tck-id-message-flow-device-birth-publish-dbirth-payload-seq',
    ],
    'every message has the number after the one before, and 0 after 255',
    () => {
      assert.ok(lives().some((life) => life.length > 256));
      for (const life of lives()) {
        assert.deepEqual(
          life.map(({ seq }) => seq),
          life.map((_, at) => at % 256),
        );
      }
    },
  );

  holds(
    [
      'tck-id-payloads-dbirth-order',
      'tck-id-payloads-ndata-order',
      'tck-id-payloads-ddata-order',
      'tck-id-message-flow-device-birth-publish-nbirth-wait',
      'tck-id-principles-birth-certificates-order',
    ],
    'all births come before any data, that of the edge node first',
    () => {
      for (const life of lives().slice(0, 2)) {
        assert.deepEqual(
          life.slice(0, 3).map(({ kind }) => kind),
          ['NBIRTH', 'DBIRTH', 'DBIRTH'],
        );
      }
    },
  );

  holds(
    [
      'tck-id-message-flow-edge-node-birth-publish-connect',
      'tck-id-message-flow-edge-node-ncmd-subscribe',
      'tck-id-message-flow-device-dcmd-subscribe',
    ],
    'before its birth it is connected and subscribed to its commands, with quality 1',
    () => {
      const first = life.traffic.at(({ cmd }) => cmd === 'publish');
      const subscribed = life.traffic.at(({ cmd }) => cmd === 'subscribe');
      assert.ok(life.traffic.at(({ cmd }) => cmd === 'connect') === 0 && subscribed > 0 && subscribed < first);
      const filters = life.traffic.subscriptions.filter(({ qos }) => qos === 1).map(({ topic }) => topic);
      assert.ok(filters.includes('spBv1.0/G/NCMD/E') && filters.includes('spBv1.0/G/DCMD/E/+'));
    },
  );

  holds(
    ['tck-id-principles-persistence-clean-session-50'],
    'with MQTT 5 each session is clean, and ends with its connection',
    () => {
      assert.ok(life.traffic.connects.every(({ clean }) => clean));
      assert.ok(life.traffic.connects.every(({ properties }) => !properties?.sessionExpiryInterval));
    },
  );

  holds(
    [
      'tck-id-message-flow-edge-node-birth-publish-will-message',
      'tck-id-message-flow-edge-node-birth-publish-will-message-topic',
      'tck-id-message-flow-edge-node-birth-publish-will-message-qos',
      'tck-id-message-flow-edge-node-birth-publish-will-message-will-retained',
      'tck-id-payloads-ndeath-will-message',
      'tck-id-payloads-ndeath-will-message-qos',
      'tck-id-payloads-ndeath-will-message-retain',
    ],
    'its last will is its death, of quality 1 and not retained',
    () => {
      assert.deepEqual(
        wills().map((will) => [will?.topic, will?.qos, will?.retain]),
        [0, 1].map(() => ['spBv1.0/G/NDEATH/E', 1, false]),
      );
    },
  );

  holds(
    [
      'tck-id-message-flow-edge-node-birth-publish-will-message-payload',
      'tck-id-message-flow-edge-node-birth-publish-will-message-payload-bdSeq',
      'tck-id-topics-ndeath-payload',
      'tck-id-topics-ndeath-seq',
      'tck-id-payloads-ndeath-seq',
      'tck-id-topics-nbirth-bdseq-increment',
    ],
    'a death has nothing but bdSeq, an Int64, which starts at 0 and is one more with each connection',
    () => {
      const payloads = [...wills().map((will) => Buffer.from(will?.payload ?? '')), ...life.deaths];
      for (const bytes of payloads) {
        const { seq, metrics } = readPayload(bytes);
        assert.deepEqual([seq, metrics.length, metrics[0]?.name, metrics[0]?.datatype], [undefined, 1, 'bdSeq', 4]);
      }
      assert.deepEqual(
        wills().map((will) => bdSeqOf(Buffer.from(will?.payload ?? ''))?.long),
        [0, 1],
      );
    },
  );

  holds(
    [
      'tck-id-topics-nbirth-bdseq-included',
      'tck-id-topics-nbirth-bdseq-matching',
      'tck-id-payloads-nbirth-bdseq',
      'tck-id-payloads-nbirth-bdseq-repeat',
      'tck-id-payloads-ndeath-bdseq',
      'tck-id-message-flow-edge-node-birth-publish-nbirth-payload-bdSeq',
      'tck-id-operational-behavior-data-commands-rebirth-action-3',
    ],
    'births have the bdSeq of the last will of their connection, births that were asked for too, and so have deaths',
    () => {
      assert.deepEqual(
        of('NBIRTH').map(({ bytes }) => [bdSeqOf(bytes)?.datatype, bdSeqOf(bytes)?.long]),
        [
          [4, 0],
          [4, 0],
          [4, 1],
        ],
      );
      assert.deepEqual(
        life.deaths.map((bytes) => bdSeqOf(bytes)?.long),
        [0, 0, 1],
      );
    },
  );

  holds(
    [
      'tck-id-operational-behavior-edge-node-intentional-disconnect-ndeath',
      'tck-id-operational-behavior-edge-node-intentional-disconnect-packet',
      'tck-id-payloads-ndeath-will-message-publisher',
      'tck-id-payloads-ndeath-will-message-publisher-disconnect-mqtt50',
    ],
    'when it ends it publishes its death, and disconnects with the reason code that leaves the last will in force',
    () => {
      const end = life.traffic.at(({ cmd }) => cmd === 'disconnect');
      const said = life.traffic.packets[end - 1];
      assert.ok(said?.cmd === 'publish' && said.topic === 'spBv1.0/G/NDEATH/E');
      assert.deepEqual(
        life.traffic.disconnects.map(({ reasonCode }) => reasonCode),
        [4],
      );
    },
  );

  holds(
    [
      'tck-id-topics-nbirth-rebirth-metric',
      'tck-id-payloads-nbirth-rebirth-req',
      'tck-id-operational-behavior-data-commands-rebirth-name',
      'tck-id-operational-behavior-data-commands-rebirth-name-aliases',
      'tck-id-operational-behavior-data-commands-rebirth-datatype',
      'tck-id-operational-behavior-data-commands-rebirth-value',
    ],
    'the birth has Node Control/Rebirth: a boolean, false, without an alias',
    () => {
      for (const { metrics } of of('NBIRTH')) {
        const metric = metrics.find(({ name }) => name === 'Node Control/Rebirth');
        assert.deepEqual([metric?.datatype, metric?.boolean, metric?.alias], [11, false, undefined]);
      }
    },
  );

  holds(
    [
      'tck-id-operational-behavior-data-commands-rebirth-action-1',
      'tck-id-operational-behavior-data-commands-rebirth-action-2',
    ],
    'asked for its births, it sends all of them, and no data before',
    () => {
      const [, second] = lives();
      assert.deepEqual(
        second?.slice(0, 3).map(({ kind, device }) => `${kind} ${device}`),
        ['NBIRTH undefined', 'DBIRTH A', 'DBIRTH B'],
      );
      const [first] = lives();
      assert.equal(first?.at(-1)?.kind, 'DBIRTH');
    },
  );

  holds(['tck-id-operational-behavior-device-ddeath'], 'a device that is lost dies', () =>
    assert.deepEqual(
      of('DDEATH').map(({ device }) => device),
      ['A'],
    ),
  );
}
