// A data folder that is taken away under the running server: nothing is acknowledged that nobody would find again.
import assert from 'node:assert/strict';
import { mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { suiteCleanup, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { ChannelSocket } from './channel-socket.ts';
import { plantOf } from './full-disk.ts';
import { type ServerProcess, startServer } from './server-process.ts';
import { until } from './until.ts';

const cleanup = suiteCleanup();
const folder = temporaryFolder(cleanup);
const data = join(folder, 'data');
let server: ServerProcess;

before(async () => {
  server = await startServer(cleanup, { data });
  const object = (name: string, more: object) => ({ object: { name, ...more }, name, operation: 'put' });
  const operations = [
    { family: 'commands', ...object('note', { datatype: 's' }) },
    { family: 'alarms', ...object('manual', { severity: 1 }) },
  ];
  const rendered = await server.send('POST', '/cfgdb/txn?render=1', { operations });
  assert.equal(rendered.status, 204, await rendered.text());
});

async function isRefused(what: RegExp): Promise<void> {
  const { ask, read } = plantOf(server);
  await until('/readyz says it', async () => what.test((await ask('GET', '/readyz')).detail));
  const writes = [
    ['PUT', '/data/commands/note?value=slost'],
    ['POST', '/data/alarms/manual/activate'],
    ['PUT', '/config/v2/alarms/lost'],
    ['POST', '/config/v2/cfgdb/txn'],
    ['DELETE', '/config/v2/alarms/manual'],
  ] as const;
  for (const [method, path] of writes) {
    const { status, detail } = await ask(method, path);
    assert.equal(status, 503, `${method} ${path}: ${detail}`);
    assert.match(detail, what);
  }
  const channel = await ChannelSocket.open(server.url, () => undefined);
  const commands = [{ name: 'note', value: 'slost' }];
  assert.equal((await channel.ask({ request: 'WriteCommands', commands })).result, false);
  await channel.close();
  assert.notEqual((await read<{ vt: [string] }>('/commands/note')).vt[0], 'slost');
  assert.equal((await server.get('/alarms/manual')).status, 200);
}

async function isWell(): Promise<void> {
  const { ask } = plantOf(server);
  await until('/readyz is well', async () => (await ask('GET', '/readyz')).status === 200);
}

describe('while the server runs', () => {
  test('a folder that is moved is noticed, writes are refused, and it goes on when the folder is back', async () => {
    renameSync(data, `${data}-elsewhere`);
    await isRefused(/data was removed or moved away; nothing is written\.$/);
    renameSync(`${data}-elsewhere`, data);
    await isWell();
    assert.match(server.log, /was removed or moved away: nothing is written/);
    assert.match(server.log, /the data folder is whole again/);
  });

  for (const name of ['cfgdb.sqlite', 'state.sqlite', 'access.sqlite', 'archive']) {
    test(`${name} that is moved is noticed as well`, async () => {
      renameSync(join(data, name), join(folder, name));
      await isRefused(new RegExp(`${name} was removed or moved away; nothing is written`));
      renameSync(join(folder, name), join(data, name));
      await isWell();
    });
  }

  test('an upload, which puts another file in the place of the configuration, is none of this', async () => {
    const file = await (await fetch(`${server.config}/cfgdb/database`)).bytes();
    const sent = await server.sendBytes('POST', '/cfgdb/database?render=1', 'application/x-sqlite3', file);
    assert.equal(sent.status, 204, await sent.text());
    const { ask } = plantOf(server);
    for (let time = 0; time < 3; time++) {
      assert.equal((await ask('PUT', `/data/commands/note?value=s${time}`)).status, 204);
      assert.equal((await ask('GET', '/readyz')).status, 200);
    }
  });

  test('a folder that is removed is reported, and one that is new does not count for it', async () => {
    rmSync(data, { recursive: true });
    await isRefused(/data was removed or moved away/);
    mkdirSync(data);
    await isRefused(/data was replaced by something else/);
    await server.end();
  });
});
