// Imports that do not come to their end, at the real server: bad records, clients that go away, a server that stops.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { beforeEach, test } from 'node:test';
import { cleanupOf, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { openSocket } from './raw-http.ts';
import { type ServerProcess, startServer } from './server-process.ts';
import { until } from './until.ts';

const path = '/data/archive/measurements/level';
const header = 'time,value,quality\n';

let server: ServerProcess;
/** A client that has sent the head of an import. */
let client: Socket;

beforeEach(async (t) => {
  server = await startServer(t, { data: temporaryFolder(t) });
  await server.send('PUT', '/measurements/level', { name: 'level', datatype: 'd' });
  assert.equal((await server.send('POST', '/cfgdb/render')).status, 204);
  client = await openSocket(server.url);
  cleanupOf(t).defer(() => void client.destroy());
  client.on('error', () => undefined);
  client.write(
    `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/csv\r\nContent-Length: 100000000\r\n\r\n`,
  );
});

/** The seconds of the records that there are. */
async function seconds(): Promise<number[]> {
  const response = await fetch(`${server.url}${path}/1/2000000000`);
  const { level = [] } = (await response.json()) as { level?: [string, [number, number], number][] };
  return level.map(([, [s]]) => s);
}

async function importOne(second: number): Promise<void> {
  const headers = { 'content-type': 'text/csv' };
  const answer = await fetch(`${server.url}${path}`, { method: 'POST', headers, body: `${header}${second},1,192\n` });
  assert.equal(answer.status, 204, await answer.text());
}

test('a bad record is refused before the rest of the body is there, and those before it are kept', async () => {
  client.write(`${header}10,1,192\n11,1,192\nx,1,192\n`);
  const [answer] = (await once(client, 'data')) as [Buffer];
  assert.match(String(answer), /^HTTP\/1\.1 400 .*Record 3: .*is no time.*The 2 records before it were taken\./s);
  assert.deepEqual(await seconds(), [10, 11]);
});

test('a client that goes away in the middle is done with, and the next import is taken', async () => {
  const underWay = async () => {
    const text = await (await fetch(`${server.url}/metrics`)).text();
    return /^telltale_archive_imports (\d+)$/m.exec(text)?.[1];
  };
  client.write(`${header}10,1,192\n`);
  await until('it is under way', async () => (await underWay()) === '1');
  await importOne(20);
  client.destroy();
  await until('it is over', async () => (await underWay()) === '0');
  await importOne(30);
  assert.deepEqual(await seconds(), [20, 30]);
});

test('a server that stops ends an import whose client takes its time', async () => {
  client.write(`${header}10,1,192\n`);
  await importOne(20);
  const { code, signal, stderr } = await server.end();
  assert.deepEqual([code, signal, stderr], [0, null, '']);
});
