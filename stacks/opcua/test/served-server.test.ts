// What a client of the provider of a whole server sees: ranges of points, and points that were never read.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { quality } from '@telltale/schema';
import { freePort } from '@telltale/stack-kit/testing';
import { suiteCleanup, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { type ServerProcess, startServer } from '../../../test/server-process.ts';
import { until } from '../../../test/until.ts';
import { UaClientProcess, type UaClientSession } from './ua-client.ts';
import { UaDevice } from './ua-device.ts';

describe('a server with an OPC UA provider', () => {
  const cleanup = suiteCleanup();
  let server: ServerProcess;
  let device: UaDevice;
  let clients: UaClientProcess;
  let client: UaClientSession;

  before(async () => {
    server = await startServer(cleanup, { data: temporaryFolder(cleanup) });
    const port = await freePort();
    device = await UaDevice.start();
    cleanup.defer(() => device.stop());
    const put = async (path: string, object: Record<string, unknown>) => {
      const name = path.split('/').at(-1);
      assert.equal((await server.send('PUT', `/${path}`, { name, ...object })).status, 204, path);
    };
    await put('providers/ua', {
      stackName: 'opcua',
      vars: { port: String(port), unsecured: 'true', anonymous: 'true' },
    });
    const nowhere = { endpointUrl: `opc.tcp://127.0.0.1:${await freePort()}`, securityMode: 'None' };
    await put('connectors/down', { stackName: 'opcua', vars: nowhere });
    const there = { endpointUrl: `opc.tcp://127.0.0.1:${device.port}`, securityMode: 'None' };
    await put('connectors/plc', { stackName: 'opcua', vars: there });
    const served = (name: string) => ({ datatype: 'd', providerAddresses: { ua: name } });
    await put('measurements/level', { ...served('level'), euRangeLo: '0', euRangeHi: '200', eu: 'm' });
    await put('measurements/unread', { ...served('unread'), connectorName: 'down', address: 'ns=2;s=x' });
    await put('measurements/lost', { ...served('lost'), connectorName: 'plc', address: UaDevice.address('Silent') });
    assert.equal((await server.send('POST', '/cfgdb/render')).status, 204);
    clients = await UaClientProcess.start();
    client = await clients.openOnceServed({ port });
  });
  after(async () => {
    await client?.close();
    await clients?.stop();
  });

  const node = (name: string) => `ns=2;s=${name}`;
  const force = async (value: number) => {
    const answer = await fetch(`${server.url}/data/measurements/level?value=d${value}`, { method: 'PUT' });
    assert.equal(answer.status, 204, await answer.text());
  };

  test('serves the engineering range of a point, and deadbands in percent of it', async () => {
    const range = (await client.browse(node('level'))).find(({ name }) => name === 'EURange');
    const { low, high } = (await client.read(range?.nodeId ?? assert.fail('there is no EURange'))).value as {
      low: number;
      high: number;
    };
    assert.deepEqual([low, high], [0, 200]);
    await force(100);
    await until('it is served', async () => (await client.read(node('level'))).value === 100);
    await client.order({ kind: 'watch', node: node('level'), deadband: 10 });
    await until('the first is seen', async () => (await client.seen()).values.length === 1);
    for (const value of [110, 119, 121, 140, 142]) await force(value);
    await until('the last is seen', async () => (await client.seen()).values.at(-1)?.[0] === 142);
    assert.deepEqual(
      (await client.seen()).values.map(([value]) => value),
      [100, 121, 142],
    );
  });

  test('waits for the first value of a point whose connector never had a link', async () => {
    const { vtq } = (await (await fetch(`${server.url}/data/measurements/unread`)).json()) as { vtq: unknown };
    assert.deepEqual(vtq, ['d0', [0, 0], quality.bad.notConnected]);
    assert.equal((await client.read(node('unread'))).status, 'BadWaitingForInitialData');
  });

  test('says that the link is lost, also where that was before the first value', async () => {
    const read = async () => {
      const answer = await fetch(`${server.url}/data/measurements/lost`);
      return ((await answer.json()) as { vtq: [string, [number, number], number] }).vtq;
    };
    await until('there is a link', async () => (await read())[1][0] > 0);
    assert.equal((await read())[0], 'd0', 'nothing was read');
    await device.stop();
    await until('the link is lost', async () => (await read())[2] === quality.bad.communicationFailure);
    await until('the client is told', async () => {
      return (await client.read(node('lost'))).status === 'BadCommunicationError';
    });
  });
});
