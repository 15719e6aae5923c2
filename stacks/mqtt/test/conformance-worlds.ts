// What the conformance suite has to know of MQTT: a broker, with a client beside it.
import type { Value } from '@telltale/schema';
import {
  type ConnectorWorld,
  type ProviderWorld,
  type Seen,
  type TestClient,
  until,
} from '@telltale/stack-kit/testing';
import stack from '../src/stack.ts';
import { Mosquitto, withoutMosquitto } from './mosquitto.ts';
import { codec, SparkplugDecoder } from './sparkplug-decoder.ts';
import { BrokerClient } from './test-client.ts';

const skip = withoutMosquitto === false ? {} : { skip: withoutMosquitto };

/** `plant/a#/v` is the part v of the JSON at plant/a. */
const topicOf = (address: string) => address.split('#')[0] ?? '';
const textOf = (address: string, value: Value) => {
  const text = typeof value === 'boolean' ? String(Number(value)) : String(value);
  return address.includes('#/v') ? `{"v":${text}}` : text;
};

export const connector: ConnectorWorld = {
  stack,
  ...skip,
  transport: 'tcp',
  recognisesGarbling: false,
  startDevice: async () => {
    const broker = await Mosquitto.start();
    const client = await BrokerClient.open(broker.port, 'commands/#');
    return {
      port: broker.port,
      set: (address, value) => client.publish(topicOf(address), textOf(address, value), true),
      get: (address) => {
        const text = client.newest.get(topicOf(address));
        if (text === undefined) return undefined;
        return Number(address.includes('#/v') ? JSON.parse(text).v : text);
      },
      stop: async () => {
        await client.close();
        await broker.stop();
      },
    };
  },
  // The suite's device keeps its state in retained messages.
  variables: ({ host, port }) => ({ host, port: `${port}`, timeoutMs: '400', pingAfterMs: '200', retained: 'good' }),
  badVariables: [
    { port: '0' },
    { port: 'x' },
    { host: '' },
    { version: '4' },
    { cleanStart: 'false' },
    { caFile: '../ca.pem' },
    { certFile: 'a.pem' },
    { password: 'x' },
    { statusTopic: 'a/{device}x' },
  ],
  measurements: [
    { address: 'plain/level', datatype: 'd', values: [1.5, 2.5, 3.5] },
    { address: 'json/count#/v', datatype: 'i', values: [11, 12, 13] },
    { address: 'json/total#/v', datatype: 'l', values: [9007199254740993n, 9007199254740995n, 9007199254740997n] },
    { address: 'plain/text', datatype: 's', values: ['open', 'closed', 'moving'] },
  ],
  commands: [
    { address: 'commands/speed#/v', datatype: 'i', values: [101, 102, 103] },
    { address: 'commands/level', datatype: 'd', values: [21.5, 22.5, 23.5] },
  ],
  refused: { address: 'nobody/listens', datatype: 'i', value: 7 },
  unknown: { address: 'json/count#/missing', datatype: 'i' },
};

export const provider: ProviderWorld = {
  stack,
  ...skip,
  transport: 'tcp',
  startServed: () => Mosquitto.start(),
  variables: ({ host, port }) => ({ host, port: `${port}`, timeoutMs: '400', pingAfterMs: '200' }),
  badVariables: [{ port: '0' }, { format: 'sparkplug' }, { topic: 'same' }, { payload: '{unknown}' }, { qos: '3' }],
  writesFail: { refused: /"refused"/, notSent: /"not-sent"/, unknown: /"unknown"/ },
  connectClient: async ({ port }) => {
    const client = await BrokerClient.open(port);
    return {
      read: async (address) => {
        const text = client.newest.get(address);
        if (text === undefined || text === '') return { value: undefined, isGood: false };
        const { value, quality, time } = JSON.parse(text);
        return { value: value ?? undefined, isGood: quality === 0xc0, timeUs: Date.parse(time) * 1000 };
      },
      write: async (address, value) => {
        const answer = await client.ask(`${address}/set`, textOf(address, value), `${address}/set/answer`);
        if (!answer.includes('accepted')) throw new Error(answer);
      },
      close: () => client.close(),
    };
  },
  measurements: [
    { address: 'out/level', datatype: 'd', values: [1.5, 2.5, 3.5] },
    { address: 'out/text', datatype: 's', values: ['open', 'closed', 'moving'] },
    { address: 'out/on', datatype: 'b', values: [true, false] },
  ],
  commands: [{ address: 'out/speed', datatype: 'i', values: [101, 102, 103] }],
};

/** A host application of the edge node, by an independent codec. */
async function connectHost(port: number): Promise<TestClient> {
  const metrics = new Map<string, Seen & { readonly type: string }>();
  const names = new Map<number, string>();
  const decoder = new SparkplugDecoder();
  const client = await BrokerClient.open(port, 'spBv1.0/Plant/#', (topic, bytes) => {
    const [, , kind = ''] = topic.split('/');
    if (kind.endsWith('CMD') || kind === 'NDEATH') return;
    for (const { name, alias, type, value, timestamp, properties } of decoder.decode(topic, bytes).metrics ?? []) {
      if (name && alias !== undefined && alias !== null) names.set(Number(alias), name);
      const known = name || names.get(Number(alias)) || '';
      const isGood = value !== null && properties?.Quality?.value === 192;
      metrics.set(known, { type, value: (value ?? undefined) as Value, isGood, timeUs: Number(timestamp) * 1000 });
    }
  });
  const command = (name: string, type: string, value: unknown) => {
    const payload = codec.encodePayload({ timestamp: Date.now(), metrics: [{ name, type, value } as never] });
    return client.publish('spBv1.0/Plant/NCMD/Telltale', Buffer.from(payload));
  };
  await command('Node Control/Rebirth', 'Boolean', true);
  return {
    read: async (address) => metrics.get(address) ?? { value: undefined, isGood: false },
    // Sparkplug's answer is the value that results, or none where nobody knows.
    write: async (address, value) => {
      const before = metrics.get(address);
      metrics.delete(address);
      await command(address, before?.type ?? 'Int32', value);
      const answered = until(`the value of ${address}`, () => metrics.has(address), { deadlineMs: 5000 });
      await answered.finally(() => before !== undefined && !metrics.has(address) && metrics.set(address, before));
      if (metrics.get(address)?.value !== value) throw new Error(`${address} stays as it is`);
    },
    close: () => client.close(),
  };
}

export const edgeNode: ProviderWorld = {
  ...provider,
  variables: (endpoint) => ({
    ...provider.variables(endpoint),
    format: 'sparkplug',
    group: 'Plant',
    node: 'Telltale',
  }),
  badVariables: [{ node: '' }, { group: 'a/b' }, { qos: '3' }],
  // Where the value is late, as it is by much load, there is no answer yet either.
  writesFail: {
    refused: /stays as it is|the value of/,
    notSent: /stays as it is|the value of/,
    unknown: /the value of/,
  },
  connectClient: ({ port }) => connectHost(port),
};
