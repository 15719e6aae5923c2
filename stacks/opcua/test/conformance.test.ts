// The shared suite, against a server in a process of its own. Without security: what is asked here has nothing to do with
// it, and a thousand handshakes would take their time.
import { after } from 'node:test';
import type { Value } from '@telltale/schema';
import { type ConnectorWorld, conformance, type ProviderWorld } from '@telltale/stack-kit/testing';
import stack from '../src/stack.ts';
import { UaClientProcess } from './ua-client.ts';
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

/** One process for all of them, started by the first. */
const clients: { started?: Promise<UaClientProcess> } = {};
after(async () => (await clients.started)?.stop());

/** What the provider serves of each sample. */
const types: Readonly<Record<string, string>> = { b: 'Boolean', i: 'Int32', l: 'Int64', d: 'Double', s: 'String' };

const served: ProviderWorld = {
  stack,
  transport: 'tcp',
  variables: ({ host, port }) => ({ host, port: `${port}`, unsecured: 'true', userName: 'joe', password: 'secret' }),
  badVariables: [{ password: '' }, { anonymous: 'true', host: '0.0.0.0' }, { port: '0' }, { readerName: 'ann' }],
  greedy: new URL('./greedy-main.ts', import.meta.url),
  writesFail: { refused: /BadRequestNotAllowed/, notSent: /BadNoCommunication/, unknown: /BadCommunicationError/ },
  connectClient: async ({ port }) => {
    clients.started ??= UaClientProcess.start();
    const session = await (await clients.started).open({ port, userName: 'joe', password: 'secret' });
    const datatypeOf = (address: string) => address.split('.').at(-1) ?? '';
    return {
      read: async (address) => {
        const { value, status, timeUs } = await session.read(`ns=2;s=${address}`);
        const shown = datatypeOf(address) === 'l' ? BigInt(value as string) : (value as Value);
        return { value: shown, isGood: status === 'Good', timeUs };
      },
      write: async (address, value) => {
        const given = typeof value === 'bigint' ? String(value) : value;
        const status = await session.write(`ns=2;s=${address}`, types[datatypeOf(address)] ?? '', given);
        if (!status.startsWith('Good')) throw new Error(status);
      },
      close: () => session.close(),
    };
  },
  measurements: [
    { address: 'level.d', datatype: 'd', values: [1.5, 2.5, 3.5] },
    { address: 'total.l', datatype: 'l', values: [9007199254740993n, -9007199254740995n, 21n] },
    { address: 'label.s', datatype: 's', values: ['stopped', 'running', 'tripped'] },
    { address: 'open.b', datatype: 'b', values: [true, false] },
  ],
  commands: [
    { address: 'speed.i', datatype: 'i', values: [101, 102, 103] },
    { address: 'setpoint.d', datatype: 'd', values: [100.5, 101.5, 102.5] },
  ],
};

conformance('opcua', { connector, provider: served });
