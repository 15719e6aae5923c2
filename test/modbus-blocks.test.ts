// A block that a client writes at the Modbus provider goes through the server, and to the device of its commands, in one piece.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { freePort } from '@telltale/stack-kit/testing';
import { cleanupOf, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { RawClient } from '../stacks/modbus/test/raw-client.ts';
import { ScriptedDevice } from '../stacks/modbus/test/scripted-device.ts';
import { put } from './live-plant.ts';
import { startServer } from './server-process.ts';
import { until } from './until.ts';

const count = 100;
const hex = (number: number, digits: number) => number.toString(16).padStart(digits, '0');
const block = (value: (at: number) => number) =>
  `10 0000 ${hex(count, 4)} ${hex(2 * count, 2)} ${Array.from({ length: count }, (_, at) => hex(value(at), 4)).join('')}`;

test('100 registers that a client writes at once reach the device by one request', async (t) => {
  const cleanup = cleanupOf(t);
  const writes: string[] = [];
  const device = await ScriptedDevice.start((_, request) => {
    if (request.startsWith('03')) return '03020001';
    writes.push(request);
    return request.slice(0, 10);
  });
  cleanup.defer(() => device.stop());
  const port = await freePort();
  const server = await startServer(cleanup, { data: temporaryFolder(cleanup) });
  const operations = [
    put('connectors', 'plc', { stackName: 'modbus', vars: { host: '127.0.0.1', port: String(device.port) } }),
    put('providers', 'panel', { stackName: 'modbus', vars: { port: String(port) } }),
    put('measurements', 'alive', { datatype: 'i', connectorName: 'plc', address: 'hr500:int16' }),
    ...Array.from({ length: count }, (_, at) =>
      put('commands', `c${at}`, {
        ...{
          datatype: 'i',
          connectorName: 'plc',
          address: `hr${at}:int16`,
          providerAddresses: { panel: `hr${at}:int16` },
        },
      }),
    ),
  ];
  const made = await server.send('POST', '/cfgdb/txn?render=1', { operations });
  assert.equal(made.status, 204, await made.text());
  const client = await until('the panel is served', () => RawClient.connect(port).catch(() => undefined));
  cleanup.defer(() => {
    client.socket.destroy();
  });
  const done = `100000${hex(count, 4)}`;
  await until('the connector is up', async () => (await client.ask(block(() => 1))) === done);
  writes.length = 0;
  assert.equal(await client.ask(block((at) => at)), done);
  assert.deepEqual(writes, [block((at) => at).replaceAll(' ', '')]);
  const { vt } = (await (await fetch(`${server.url}/data/commands/c99`)).json()) as { vt: [string] };
  assert.equal(vt[0], 'i99');
});
