// The line protocol as a stack, and its worlds for the conformance suite.
import type { Datatype, Value } from '@telltale/schema';
import {
  type Connector,
  type ConnectorOptions,
  defineStack,
  type Provider,
  type ProviderOptions,
  type Stack,
  Type,
} from '../src/index.ts';
import type { ConnectorWorld, ProviderWorld, SamplePoint } from '../src/testing/index.ts';
import { lineOf } from './line-codec.ts';
import { LineConnector, type LineVariables } from './line-connector.ts';
import { LineDevice } from './line-device.ts';
import { LineLink, openSocket } from './line-link.ts';
import { LineProvider, type LineProviderVariables } from './line-provider.ts';

const address = { regex: '^[a-z]+$', doc: 'A name.', examples: [{ address: 'level', meaning: 'the level' }] };
const host = Type.String({ title: 'Host', pattern: '^\\S+$' });
const port = Type.Integer({ title: 'Port', minimum: 1, maximum: 65_535 });
const soundConnector = (options: ConnectorOptions<LineVariables>): Connector => new LineConnector(options);
const soundProvider = (options: ProviderOptions<LineProviderVariables>): Provider => new LineProvider(options);

const measurements: readonly SamplePoint[] = [
  { address: 'level', datatype: 'i', values: [1234, 2345, 3456] },
  { address: 'flow', datatype: 'd', values: [0.5, 107.25, -3.5] },
  { address: 'state', datatype: 's', values: ['open', 'closing', 'a bit stuck'] },
];
const commands: readonly SamplePoint[] = [{ address: 'valve', datatype: 'i', values: [71, 72, 73] }];

export function lineStack(createConnector = soundConnector, createProvider = soundProvider): Stack {
  return defineStack({
    name: 'line',
    title: 'Lines',
    description: 'Lines over TCP.',
    connector: {
      load: async () => ({ createConnector }),
      variables: Type.Object({
        host,
        port,
        scanPeriodMs: Type.Integer({ title: 'Milliseconds between scans', default: 1000, minimum: 10 }),
        timeoutMs: Type.Integer({ title: 'Milliseconds to answer', default: 1000, minimum: 10 }),
      }),
      measurement: address,
      command: address,
    },
    provider: {
      load: async () => ({ createProvider }),
      variables: Type.Object({ host, port }),
      measurement: address,
      command: address,
    },
  });
}

export function lineConnectorWorld(stack = lineStack()): ConnectorWorld {
  return {
    stack,
    transport: 'tcp',
    recognisesGarbling: true,
    async startDevice() {
      const device = await LineDevice.start();
      device.values.set('locked', '1');
      return {
        port: device.port,
        set: (name, value) => void device.values.set(name, `${value}`),
        get: (name) => Number(device.values.get(name)),
        forgetClients: () => device.forgetClients(),
        stop: () => device.stop(),
      };
    },
    variables: (device) => ({ host: device.host, port: `${device.port}`, scanPeriodMs: '20', timeoutMs: '300' }),
    badVariables: [{ port: '0' }, { port: 'x' }, { host: '' }, { timeoutMs: '-1' }],
    measurements,
    commands,
    refused: { address: 'locked', datatype: 'i', value: 5 },
    unknown: { address: 'nothing', datatype: 'i' },
  };
}

export function lineProviderWorld(stack = lineStack()): ProviderWorld {
  const datatypes = new Map([...measurements, ...commands].map((sample) => [sample.address, sample.datatype]));
  return {
    stack,
    transport: 'tcp',
    variables: (endpoint) => ({ host: endpoint.host, port: `${endpoint.port}` }),
    badVariables: [{ port: '0' }, { host: '' }],
    greedy: Buffer.from(lineOf('1 get level')),
    writesFail: { refused: /refused/, notSent: /notSent/, unknown: /unknown/ },
    async connectClient(endpoint) {
      const { signal } = new AbortController();
      const link = new LineLink(await openSocket(endpoint.host, endpoint.port, 2000, signal), 2000);
      return {
        async read(name) {
          const [, isGood, text = ''] = /^is (?:(good)|bad) (.*)$/.exec(await link.ask(`get ${name}`, signal)) ?? [];
          return { isGood: isGood !== undefined, value: readValue(datatypes.get(name), text) };
        },
        async write(name, value) {
          await link.ask(`set ${name} ${value}`, signal);
        },
        close: () => link.close(),
      };
    },
    measurements,
    commands,
  };
}

function readValue(datatype: Datatype | undefined, text: string): Value {
  return datatype === 's' ? text : Number(text);
}
