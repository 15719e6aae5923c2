// The line protocol as a stack, and its world for the conformance suite.
import type { Value } from '@telltale/schema';
import { type Connector, type ConnectorOptions, defineStack, Type } from '../src/index.ts';
import type { ConnectorWorld } from '../src/testing/index.ts';
import { LineConnector, type LineVariables } from './line-connector.ts';
import { LineDevice } from './line-device.ts';

const address = { regex: '^[a-z]+$', doc: 'A name.', examples: [{ address: 'level', meaning: 'the level' }] };
const sound = (options: ConnectorOptions<LineVariables>): Connector => new LineConnector(options);

export function lineWorld(createConnector = sound): ConnectorWorld {
  return {
    stack: defineStack({
      name: 'line',
      title: 'Lines',
      description: 'Lines over TCP.',
      connector: {
        load: async () => ({ createConnector }),
        variables: Type.Object({
          host: Type.String({ title: 'Host', pattern: '^\\S+$' }),
          port: Type.Integer({ title: 'Port', minimum: 1, maximum: 65_535 }),
          scanPeriodMs: Type.Integer({ title: 'Milliseconds between scans', default: 1000, minimum: 10 }),
          timeoutMs: Type.Integer({ title: 'Milliseconds to answer', default: 1000, minimum: 10 }),
        }),
        measurement: address,
        command: address,
      },
    }),
    transport: 'tcp',
    recognisesGarbling: true,
    async startDevice() {
      const device = await LineDevice.start();
      device.values.set('locked', '1');
      return {
        port: device.port,
        set: (name, value) => void device.values.set(name, `${value}`),
        get: (name) => readValue(device.values.get(name)),
        stop: () => device.stop(),
      };
    },
    variables: ({ host, port }) => ({ host, port: `${port}`, scanPeriodMs: '20', timeoutMs: '300' }),
    badVariables: [{ port: '0' }, { port: 'x' }, { host: '' }, { timeoutMs: '-1' }],
    measurements: [
      { address: 'level', datatype: 'i', values: [1234, 2345, 3456] },
      { address: 'flow', datatype: 'd', values: [0.5, 107.25, -3.5] },
      { address: 'state', datatype: 's', values: ['open', 'closing', 'a bit stuck'] },
    ],
    commands: [{ address: 'valve', datatype: 'i', values: [71, 72, 73] }],
    refused: { address: 'locked', datatype: 'i', value: 5 },
    unknown: { address: 'nothing', datatype: 'i' },
    silenceMs: 2500,
    recoveryMs: 2500,
  };
}

function readValue(text: string | undefined): Value | undefined {
  return text === undefined ? undefined : Number(text);
}
