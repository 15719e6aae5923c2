// The provider as the conformance suite sees it, through clients of the library in a process of their own.
import type { Value } from '@telltale/schema';
import type { ProviderWorld } from '@telltale/stack-kit/testing';
import stack from '../src/stack.ts';
import { UaClientProcess } from './ua-client.ts';

/** One process for all of them, started by the first. */
const clients: { started?: Promise<UaClientProcess> } = {};

/** At the end. */
export async function stopClients(): Promise<void> {
  await (await clients.started)?.stop();
}

/** What the provider serves of each sample. */
const types: Readonly<Record<string, string>> = { b: 'Boolean', i: 'Int32', l: 'Int64', d: 'Double', s: 'String' };

export const provider: ProviderWorld = {
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
