// Writes of one request reach the stack of their connector together, where it can take them so.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { ChannelSocket } from './channel-socket.ts';
import { countersArgs } from './counters-plant.ts';
import { startServer } from './server-process.ts';
import { until } from './until.ts';

const names = Array.from({ length: 100 }, (_, at) => `c${at}`);

test('100 commands that are written by one request of the channel reach the device in one batch, and each is answered', async (t) => {
  const server = await startServer(t, { data: temporaryFolder(t), args: countersArgs });
  const put = (family: string, name: string, fields: object) => ({
    operation: 'put',
    family,
    name,
    object: { name, ...fields },
  });
  const point = { datatype: 'i', connectorName: 'plc' };
  const operations = [
    put('connectors', 'plc', { stackName: 'together' }),
    put('measurements', 'last', { ...point, address: 'last' }),
    ...names.map((name) => put('commands', name, { ...point, address: name })),
  ];
  const made = await server.send('POST', '/cfgdb/txn?render=1', { operations });
  assert.equal(made.status, 204, await made.text());
  const last = async () => {
    const { vtq } = (await (await fetch(`${server.url}/data/measurements/last`)).json()) as { vtq: [string] };
    return vtq[0];
  };
  const channel = await ChannelSocket.open(server.url);
  const write = async (value: (at: number) => number) => {
    const writes = names.map((name, at) => ({ name, value: `i${value(at)}` }));
    return (await channel.ask({ request: 'WriteCommands', writes })) as unknown as {
      readonly result: boolean;
      readonly results: readonly { readonly name: string; readonly result: boolean }[];
    };
  };
  await until('the connector is up', async () => (await write(() => 1)).result);
  assert.equal((await write((at) => 100 + at)).result, true);
  await until('they came together', async () => (await last()) === 'i100');
  const { result, results } = await write((at) => (at === 7 ? 13 : 5));
  assert.equal(result, false);
  assert.deepEqual(
    results.filter((each) => !each.result).map(({ name }) => name),
    ['c7'],
  );
  await channel.close();
});
