// A server with 100 commands in a row of one Modbus device, served in a row by its Modbus provider, and a client of that.
import assert from 'node:assert/strict';
import { freePort } from '@telltale/stack-kit/testing';
import { temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { RawClient } from '../stacks/modbus/test/raw-client.ts';
import { ScriptedDevice } from '../stacks/modbus/test/scripted-device.ts';
import { put } from './live-plant.ts';
import { type ServerProcess, startServer } from './server-process.ts';
import { until } from './until.ts';

const count = 100;

export interface BlockPlant {
  readonly server: ServerProcess;
  readonly client: RawClient;
  readonly devicePort: number;
  /** Every write that the device was asked for, in hexadecimal. */
  readonly writes: string[];
}

const hex = (number: number, digits: number) => number.toString(16).padStart(digits, '0');

/** The request that writes all of them at once, and its answer. */
export const block = (value: (at: number) => number) =>
  `10 0000 ${hex(count, 4)} ${hex(2 * count, 2)} ${Array.from({ length: count }, (_, at) => hex(value(at), 4)).join('')}`;
export const blockDone = `100000${hex(count, 4)}`;

/** Ready to be written. */
export async function startBlockPlant(cleanup: AsyncDisposableStack): Promise<BlockPlant> {
  const writes: string[] = [];
  const device = await ScriptedDevice.start((_, request) => {
    if (request.startsWith('03')) return '03020001';
    writes.push(request);
    return request.slice(0, 10);
  });
  cleanup.defer(() => device.stop());
  const port = await freePort();
  const server = await startServer(cleanup, { data: temporaryFolder(cleanup) });
  const command = (at: number) => {
    const address = `hr${at}:int16`;
    const providerAddresses = { panel: address };
    return put('commands', `c${at}`, { datatype: 'i', connectorName: 'plc', address, providerAddresses });
  };
  const operations = [
    put('connectors', 'plc', { stackName: 'modbus', vars: { host: '127.0.0.1', port: String(device.port) } }),
    put('providers', 'panel', { stackName: 'modbus', vars: { port: String(port) } }),
    put('measurements', 'alive', { datatype: 'i', connectorName: 'plc', address: 'hr500:int16' }),
    ...Array.from({ length: count }, (_, at) => command(at)),
  ];
  const made = await server.send('POST', '/cfgdb/txn?render=1', { operations });
  assert.equal(made.status, 204, await made.text());
  const client = await until('the panel is served', () => RawClient.connect(port).catch(() => undefined));
  cleanup.defer(() => client.close());
  await until('the connector is up', async () => (await client.ask(block(() => 1))) === blockDone);
  writes.length = 0;
  return { server, client, devicePort: device.port, writes };
}
