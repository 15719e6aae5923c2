// A server that is killed while it fills a gap from the history of another: what is left is filled after the restart, each record once.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { freePort } from '@telltale/stack-kit/testing';
import { temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { type ServerProcess, startServer } from '../../../test/server-process.ts';
import { until } from '../../../test/until.ts';

/** Pages of a thousand: enough of them that the server is killed between two. */
const records = 20_000;

describe('a server that is killed while it fills a gap', () => {
  test('fills the rest after its restart, and has each record once', async (t) => {
    const port = await freePort();
    const startS = Math.floor(Date.now() / 1000) - 3600;
    const source = await startServer(t, { data: temporaryFolder(t) });
    await configure(source, [
      [
        'providers/ua',
        { name: 'ua', stackName: 'opcua', vars: { port: String(port), unsecured: 'true', anonymous: 'true' } },
      ],
      ['measurements/level', { name: 'level', datatype: 'd', archMode: 'change', providerAddresses: { ua: 'level' } }],
    ]);
    const times = Array.from({ length: records }, (_, at) => (startS + 1 + at / 10).toFixed(1));
    await importRecords(
      source,
      times.map((time, at) => `${time},${at},192`),
    );
    assert.equal((await fetch(`${source.url}/data/measurements/level?value=d5`, { method: 'PUT' })).status, 204);

    const data = temporaryFolder(t);
    const vars = { endpointUrl: `opc.tcp://127.0.0.1:${port}/telltale`, securityMode: 'None' };
    let target = await startServer(t, { data });
    await configure(target, [['measurements/level', { name: 'level', datatype: 'd', archMode: 'change' }]]);
    await importRecords(target, [`${startS},-1,192`]);
    await configure(target, [
      ['connectors/ua', { name: 'ua', stackName: 'opcua', vars }],
      [
        'measurements/level',
        { name: 'level', datatype: 'd', archMode: 'change', connectorName: 'ua', address: 'ns=2;s=level' },
      ],
    ]);
    const filled = async () => (await read(target, startS + 1, startS + 1 + records / 10)).length;
    const isLive = async () => (await read(target, Date.now() / 1000 - 1800, 0)).length > 0;
    await until('it has begun, and has a live value', async () => (await filled()) > 0 && (await isLive()));
    await target.end('SIGKILL');
    target = await startServer(t, { data });
    const before = await filled();
    t.diagnostic(`killed after ${before} of ${records} records`);
    await until('all is filled', async () => (await filled()) >= records);
    assert.deepEqual(
      (await read(target, startS + 1, startS + 1 + records / 10)).map(([value]) => value),
      times.map((_, at) => `d${at}`),
    );
  });
});

async function configure(server: ServerProcess, objects: readonly [path: string, object: object][]): Promise<void> {
  for (const [path, object] of objects) assert.equal((await server.send('PUT', `/${path}`, object)).status, 204, path);
  assert.equal((await server.send('POST', '/cfgdb/render')).status, 204);
}

async function importRecords(server: ServerProcess, rows: readonly string[]): Promise<void> {
  const answer = await fetch(`${server.url}/data/archive/measurements/level`, {
    method: 'POST',
    headers: { 'content-type': 'text/csv' },
    body: `time,value,quality\n${rows.join('\n')}\n`,
  });
  assert.equal(answer.status, 204, await answer.text());
}

async function read(server: ServerProcess, sinceS: number, untilS: number): Promise<[string, unknown, number][]> {
  const answer = await fetch(`${server.url}/data/archive/measurements/level/${sinceS}/${untilS}`);
  return ((await answer.json()) as { level: [string, unknown, number][] }).level;
}
