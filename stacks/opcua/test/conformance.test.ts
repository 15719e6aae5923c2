// The shared suite, against a server in a process of its own. Without security: what is asked here has nothing to do with
// it, and a thousand handshakes would take their time.
import { after } from 'node:test';
import type { Value } from '@telltale/schema';
import { type ConnectorWorld, conformance } from '@telltale/stack-kit/testing';
import stack from '../src/stack.ts';
import { provider, stopClients } from './conformance-provider.ts';
import { UaDevice } from './ua-device.ts';

const { address } = UaDevice;

const connector: ConnectorWorld = {
  stack,
  transport: 'tcp',
  recognisesGarbling: false,
  startDevice: async () => {
    const device = await UaDevice.start();
    return {
      port: device.port,
      set: async (node, value) => {
        await device.order({ kind: 'set', node, value: typeof value === 'bigint' ? String(value) : value });
      },
      get: async (node) => {
        const value = (await device.order({ kind: 'get', node })) as Value;
        return node === address('Total') ? BigInt(value) : value;
      },
      forgetClients: async () => {
        await device.order({ kind: 'forget' });
      },
      stop: () => device.stop(),
    };
  },
  variables: ({ host, port }) => ({
    endpointUrl: `opc.tcp://${host}:${port}`,
    securityMode: 'None',
    publishingIntervalMs: '50',
    samplingIntervalMs: '20',
    keepAliveMs: '200',
    timeoutMs: '500',
  }),
  badVariables: [
    { endpointUrl: 'http://127.0.0.1' },
    { endpointUrl: '' },
    { securityMode: 'Off' },
    { userName: 'joe', userCertificate: 'joe.pem' },
    { publishingIntervalMs: '0' },
  ],
  measurements: [
    { address: address('Level'), datatype: 'd', values: [1.5, 2.5, 3.5] },
    { address: address('Count'), datatype: 'i', values: [11, 12, 13] },
    { address: address('Total'), datatype: 'l', values: [9007199254740993n, -9007199254740995n, 21n] },
    { address: address('Label'), datatype: 's', values: ['stopped', 'running', 'tripped'] },
    { address: address('Open'), datatype: 'b', values: [true, false] },
  ],
  commands: [
    { address: address('Speed'), datatype: 'i', values: [101, 102, 103, 104] },
    { address: address('Setpoint'), datatype: 'd', values: [100.5, 101.5, 102.5] },
  ],
  refused: { address: address('Locked'), datatype: 'i', value: 7 },
  unknown: { address: address('Nowhere'), datatype: 'i' },
};

after(stopClients);

conformance('opcua', { connector, provider });
