import assert from 'node:assert/strict';
import { before, describe } from 'node:test';
import { quality } from '@telltale/schema';
import { until } from '@telltale/stack-kit/testing';
import { suiteCleanup, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { LinkedProvider } from '../linked-provider.ts';
import { Mosquitto, withoutMosquitto } from '../mosquitto.ts';
import { sendCommand } from '../watched-edge-node.ts';
import { holds } from './holds.ts';
import { type Published, readPayload, Traffic } from './traffic.ts';

const { communicationFailure } = quality.bad;
const rebirth = { name: 'Node Control/Rebirth', type: 'Boolean', value: true };
/** Types that the specification has for metrics and, of these, for properties. */
const isType = (type: unknown) => typeof type === 'number' && Number.isInteger(type) && type >= 1 && type <= 34;
const isBasicType = (type: unknown) => isType(type) && (type as number) <= 15;

describe('an edge node, by the statements of Sparkplug 3.0', { skip: withoutMosquitto }, () => {
  const cleanup = suiteCleanup();
  const folder = temporaryFolder(cleanup);
  let broker: Mosquitto;
  let traffic: Traffic;
  let startedMs = 0;
  let stoppedMs = 0;
  /** What the broker sent on, last wills included. */
  let deaths: Uint8Array[] = [];
  const published: Published[] = [];
  const of = (...kinds: string[]) => published.filter(({ kind }) => kinds.includes(kind));

  // One life with everything in it; the statements below look at what was sent.
  before(async () => {
    startedMs = Date.now();
    broker = await Mosquitto.start();
    cleanup.defer(() => broker.stop());
    traffic = await Traffic.to(broker.port);
    cleanup.defer(() => traffic.stop());
    const heard = await broker.sub('spBv1.0/G/NDEATH/E');
    cleanup.defer(() => heard.stop());
    const vars = { port: `${traffic.port}`, format: 'sparkplug', group: 'G', node: 'E' };
    const p = new LinkedProvider({ vars, folder });
    cleanup.defer(async () => void (await p.stop()));
    const member = (name: string, device: string) => ({
      name: `${device}_${name}`,
      address: `Pump/${name}`,
      properties: { device, template: 'PumpType' },
    });
    p.setPoints(
      [
        { name: 'hours', address: 'Hours', datatype: 'l' },
        { name: 'state', address: 'State', datatype: 's' },
        { name: 'flow', address: 'Flow', properties: { device: 'A' }, eu: 'm³/h' },
        { name: 'level', address: 'Level', datatype: 'i', properties: { device: 'A' } },
        { name: 'other', address: 'Flow', properties: { device: 'B' } },
        { ...member('Power', 'A') },
        { ...member('Power', 'B') },
        { ...member('Heat', 'B') },
      ],
      [
        { name: 'limit', address: 'Limit', datatype: 'i' },
        { name: 'speed', address: 'Speed', properties: { device: 'A' } },
      ],
    );
    p.publish('hours', 5n);
    p.publish('flow', 1.5, 0xc0, (startedMs - 60_000) * 1000);
    p.publish('level', 3);
    p.publish('other', 1);
    const count = (kind: string) => traffic.published(kind).length;
    await p.start();
    await until('the births', () => count('DBIRTH') === 2);
    p.publish('hours', 6n);
    await until('data of the edge node', () => count('NDATA') === 1);
    p.publish('flow', 2.5, quality.uncertain.lastUsableValue);
    p.publish('level', -3, quality.bad.sensorFailure);
    p.publish('A_Power', 4);
    await until('data of the device', () => count('DDATA') === 1);
    await sendCommand(broker, 'spBv1.0/G/NCMD/E', [{ name: 'Limit', type: 'Int32', value: 7 }]);
    await sendCommand(broker, 'spBv1.0/G/DCMD/E/A', [{ name: 'Speed', type: 'Double', value: 8 }]);
    await until('the commands', () => p.written.length === 2);
    await until('their values', () => count('NDATA') === 2 && count('DDATA') === 2);
    for (const name of ['flow', 'level', 'A_Power']) p.publish(name, undefined, communicationFailure);
    await until('the death of the device', () => count('DDEATH') === 1);
    for (const name of ['flow', 'level', 'A_Power']) p.publish(name, 1);
    await until('its next birth', () => count('DBIRTH') === 3);
    await sendCommand(broker, 'spBv1.0/G/NCMD/E', [rebirth]);
    await until('the births again', () => count('NBIRTH') === 2 && count('DBIRTH') === 5);
    // More than 255, so that the sequence starts over.
    for (let turn = 1; turn <= 260; turn++) {
      p.publish('hours', BigInt(100 + turn));
      await until('the next data', () => count('NDATA') === 2 + turn);
    }
    await p.stop();
    await until('the death', () => heard.messages.length === 2);
    await p.start();
    await until('the next birth', () => count('NBIRTH') === 3);
    traffic.cut();
    await p.lost();
    await until('the last will', () => heard.messages.length === 3);
    deaths = heard.messages.map(({ payload }) => payload);
    published.push(...traffic.published());
    stoppedMs = Date.now();
  });

  const wills = () => traffic.connects.map(({ will }) => will);
  const bdSeqOf = (bytes: Uint8Array | undefined) =>
    readPayload(bytes ?? Buffer.alloc(0)).metrics.find(({ name }) => name === 'bdSeq');
  const metricsOf = (...kinds: string[]) => of(...kinds).flatMap(({ metrics }) => metrics);
  const isNow = (ms: number | undefined) => ms !== undefined && ms >= startedMs && ms <= stoppedMs;
  /** All messages with a sequence number, a life after the other. */
  const lives = () => {
    const all: Published[][] = [];
    for (const each of published) {
      if (each.kind === 'NBIRTH') all.push([]);
      if (each.kind !== 'NDEATH') all.at(-1)?.push(each);
    }
    return all;
  };

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
      'tck-id-topics-nbirth-metrics',
      'tck-id-topics-dbirth-metrics',
      'tck-id-payloads-name-requirement',
      'tck-id-payloads-metric-datatype-req',
      'tck-id-payloads-metric-datatype-value',
      'tck-id-payloads-metric-datatype-value-type',
    ],
    'metrics of births have a name, a datatype of the specification, and a value or null',
    () => {
      for (const { name, datatype, isNull, hasValue } of metricsOf('NBIRTH', 'DBIRTH')) {
        assert.ok(name && isType(datatype) && isNull !== hasValue, `${name}`);
      }
    },
  );

  holds(['tck-id-payloads-metric-datatype-not-req'], 'metrics of data have no datatype', () =>
    assert.ok(metricsOf('NDATA', 'DDATA').every(({ datatype }) => datatype === undefined)),
  );

  holds(
    ['tck-id-payloads-alias-birth-requirement', 'tck-id-payloads-alias-uniqueness'],
    'metrics of births have aliases, each its own, but for those of the edge node itself',
    () => {
      const own = ['bdSeq', 'Node Control/Rebirth'];
      for (const life of lives()) {
        const names = new Map<number, string>();
        for (const { kind, device, metrics } of life) {
          if (!kind.endsWith('BIRTH')) continue;
          for (const { name = '', alias } of metrics) {
            if (own.includes(name)) continue;
            const full = `${device} ${name}`;
            assert.equal(names.get(alias ?? -1) ?? full, full);
            names.set(alias ?? assert.fail(`${full} has no alias`), full);
          }
        }
      }
    },
  );

  holds(['tck-id-payloads-alias-data-cmd-requirement'], 'metrics of data have the alias alone', () =>
    assert.ok(metricsOf('NDATA', 'DDATA').every(({ name, alias }) => name === undefined && alias !== undefined)),
  );

  holds(
    ['tck-id-payloads-name-birth-data-requirement', 'tck-id-payloads-metric-timestamp-in-UTC'],
    'every metric has a time in UTC',
    () => {
      const all = metricsOf('NBIRTH', 'DBIRTH', 'NDATA', 'DDATA');
      assert.ok(all.every(({ timestamp = 0 }) => timestamp >= startedMs - 60_000 && timestamp <= stoppedMs));
    },
  );

  holds(
    [
      'tck-id-topics-nbirth-metric-reqs',
      'tck-id-topics-dbirth-metric-reqs',
      'tck-id-operational-behavior-data-publish-nbirth',
      'tck-id-operational-behavior-data-publish-dbirth',
    ],
    'what data ever has is in the birth before',
    () => {
      for (const life of lives()) {
        const born = new Map<string, Set<number | undefined>>();
        for (const { kind, device = '', metrics } of life) {
          const aliases = metrics.map(({ alias }) => alias);
          if (kind.endsWith('BIRTH')) born.set(device, new Set(aliases));
          else if (kind.endsWith('DATA')) assert.ok(aliases.every((alias) => born.get(device)?.has(alias)));
        }
      }
    },
  );

  holds(
    [
      'tck-id-operational-behavior-data-publish-nbirth-values',
      'tck-id-operational-behavior-data-publish-dbirth-values',
    ],
    'births have the present values; what has none is null, without a value',
    () => {
      const [node, again] = of('NBIRTH');
      const value = (from: Published | undefined, name: string) => from?.metrics.find((each) => each.name === name);
      assert.equal(value(node, 'Hours')?.long, 5);
      assert.equal(value(again, 'Hours')?.long, 6);
      assert.deepEqual([value(node, 'State')?.isNull, value(node, 'State')?.hasValue], [true, false]);
      const [device] = of('DBIRTH');
      assert.equal(value(device, 'Flow')?.double, 1.5);
      assert.deepEqual([value(device, 'Speed')?.isNull, value(device, 'Speed')?.hasValue], [true, false]);
      assert.equal(
        value(
          of('DBIRTH')
            .filter((each) => each.device === 'A')
            .at(-1),
          'Speed',
        )?.double,
        8,
      );
    },
  );

  holds(
    [
      'tck-id-operational-behavior-data-publish-nbirth-change',
      'tck-id-operational-behavior-data-publish-dbirth-change',
      'tck-id-topics-ndata-payload',
      'tck-id-topics-ddata-payload',
      'tck-id-principles-rbe-recommended',
    ],
    'data has what has changed, and nothing else',
    () => {
      const aliasOf = (kind: string, name: string) =>
        of(kind)[0]?.metrics.find((metric) => metric.name === name)?.alias;
      const [hours] = of('NDATA');
      assert.deepEqual(
        hours?.metrics.map(({ alias, long }) => [alias, long]),
        [[aliasOf('NBIRTH', 'Hours'), 6]],
      );
      const changed = of('DDATA')[0]?.metrics.map(({ alias }) => alias);
      const names = ['Flow', 'Level', 'Pump'].map((name) => aliasOf('DBIRTH', name));
      assert.deepEqual(new Set(changed), new Set(names));
      assert.equal(of('DDATA').length, 2);
    },
  );

  holds(
    ['tck-id-operational-behavior-data-publish-nbirth-order', 'tck-id-operational-behavior-data-publish-dbirth-order'],
    'metrics are in the order of their times',
    () => {
      for (const { metrics } of published) {
        const times = metrics.map(({ timestamp = 0 }) => timestamp);
        assert.deepEqual(
          times,
          times.toSorted((one, other) => one - other),
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
      const first = traffic.at(({ cmd }) => cmd === 'publish');
      const subscribed = traffic.at(({ cmd }) => cmd === 'subscribe');
      assert.ok(traffic.at(({ cmd }) => cmd === 'connect') === 0 && subscribed > 0 && subscribed < first);
      const filters = traffic.subscriptions.filter(({ qos }) => qos === 1).map(({ topic }) => topic);
      assert.ok(filters.includes('spBv1.0/G/NCMD/E') && filters.includes('spBv1.0/G/DCMD/E/+'));
    },
  );

  holds(
    ['tck-id-principles-persistence-clean-session-50'],
    'with MQTT 5 each session is clean, and ends with its connection',
    () => {
      assert.ok(traffic.connects.every(({ clean }) => clean));
      assert.ok(traffic.connects.every(({ properties }) => !properties?.sessionExpiryInterval));
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
      const payloads = [...wills().map((will) => Buffer.from(will?.payload ?? '')), ...deaths];
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
        deaths.map((bytes) => bdSeqOf(bytes)?.long),
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
      const end = traffic.at(({ cmd }) => cmd === 'disconnect');
      const said = traffic.packets[end - 1];
      assert.ok(said?.cmd === 'publish' && said.topic === 'spBv1.0/G/NDEATH/E');
      assert.deepEqual(
        traffic.disconnects.map(({ reasonCode }) => reasonCode),
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

  holds(
    ['tck-id-payloads-propertyset-keys-array-size', 'tck-id-payloads-propertyset-values-array-size'],
    'properties have as many keys as values',
    () => {
      const sets = metricsOf('NBIRTH', 'DBIRTH', 'NDATA', 'DDATA').flatMap(({ properties }) => properties ?? []);
      assert.ok(sets.length > 0);
      for (const { keys, values } of sets) assert.equal(keys?.length, values?.length);
    },
  );

  holds(
    [
      'tck-id-payloads-metric-propertyvalue-type-req',
      'tck-id-payloads-metric-propertyvalue-type-type',
      'tck-id-payloads-metric-propertyvalue-type-value',
    ],
    'every property has a type of the specification',
    () => {
      const sets = metricsOf('NBIRTH', 'DBIRTH').flatMap(({ properties }) => properties ?? []);
      assert.ok(sets.flatMap(({ values }) => values ?? []).every(({ type }) => isBasicType(type)));
    },
  );

  holds(
    ['tck-id-payloads-propertyset-quality-value-type', 'tck-id-payloads-propertyset-quality-value-value'],
    'the quality is an Int32: 0, 192 or 500',
    () => {
      const sets = metricsOf('NBIRTH', 'DBIRTH', 'NDATA', 'DDATA').flatMap(({ properties }) => properties ?? []);
      const values = sets.map(({ keys, values: all }) => all?.[keys?.indexOf('Quality') ?? -1]);
      assert.ok(values.every((value) => value?.type === 3));
      assert.deepEqual(new Set(values.map((value) => value?.intValue)), new Set([0, 192, 500]));
    },
  );

  const definitions = () => of('NBIRTH').map(({ metrics }) => metrics.filter(({ template }) => template?.isDefinition));
  const instances = (...kinds: string[]) =>
    metricsOf(...kinds)
      .flatMap(({ template }) => template ?? [])
      .filter(({ isDefinition }) => !isDefinition);
  const namesOf = (metrics: readonly { name?: string | null }[] | null | undefined) =>
    new Set(metrics?.map(({ name }) => name));

  holds(
    [
      'tck-id-topics-nbirth-templates',
      'tck-id-payloads-template-definition-nbirth',
      'tck-id-payloads-template-definition-nbirth-only',
      'tck-id-payloads-template-definition-members',
      'tck-id-payloads-template-definition-is-definition',
      'tck-id-payloads-template-definition-ref',
      'tck-id-payloads-template-ref-definition',
      'tck-id-payloads-template-is-definition',
      'tck-id-payloads-template-is-definition-definition',
    ],
    'the birth of the edge node, and no other message, has the definitions of templates, with all members',
    () => {
      for (const [definition, ...others] of definitions()) {
        assert.deepEqual([definition?.name, definition?.datatype, others.length], ['PumpType', 19, 0]);
        assert.deepEqual(namesOf(definition?.template?.metrics), new Set(['Power', 'Heat']));
        assert.ok(!Object.hasOwn(definition?.template ?? {}, 'templateRef'));
      }
      assert.ok(instances('NBIRTH').length === 0 && definitions().length === 3);
      assert.ok(metricsOf('DBIRTH', 'NDATA', 'DDATA').every(({ template }) => !template?.isDefinition));
    },
  );

  holds(
    [
      'tck-id-payloads-template-instance-is-definition',
      'tck-id-payloads-template-is-definition-instance',
      'tck-id-payloads-template-instance-ref',
      'tck-id-payloads-template-ref-instance',
      'tck-id-payloads-template-instance-members',
    ],
    'instances name their definition, and have its members alone',
    () => {
      for (const template of instances('DBIRTH', 'DDATA')) {
        assert.ok(Object.hasOwn(template, 'isDefinition') && !template.isDefinition);
        assert.equal(template.templateRef, 'PumpType');
        assert.ok(namesOf(template.metrics).isSubsetOf(new Set<unknown>(['Power', 'Heat'])));
      }
    },
  );

  holds(['tck-id-payloads-template-instance-members-birth'], 'in births, instances have all members', () => {
    assert.ok(instances('DBIRTH').length > 0);
    for (const { metrics } of instances('DBIRTH')) assert.equal(metrics?.length, 2);
  });

  holds(['tck-id-payloads-template-instance-members-data'], 'in data, instances have what has changed', () => {
    assert.deepEqual(
      instances('DDATA').map(({ metrics }) => [...namesOf(metrics)]),
      [['Power']],
    );
  });
});
