// A data folder that is not as the server left it: what was acknowledged is there, or it is reported where people look, and
// what cannot be used is refused in one line with its path.
import assert from 'node:assert/strict';
import { cpSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { TelltaleClient } from '@telltale/client';
import { suiteCleanup, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { AccessDatabase } from '../packages/server/src/access/index.ts';
import { plantOf } from './full-disk.ts';
import { runServer, startServer } from './server-process.ts';
import { until } from './until.ts';

const cleanup = suiteCleanup();
const folder = temporaryFolder(cleanup);
const killed = join(folder, 'killed');
let count = 0;

/** As a server leaves it that was killed just after three revisions, a command and an alarm. */
before(async () => {
  const server = await startServer(cleanup, { data: killed });
  const put = (family: string, name: string, more: object) => ({
    operation: 'put',
    family,
    name,
    object: { name, ...more },
  });
  for (let revision = 1; revision <= 3; revision++) {
    const alarms = Array.from({ length: 20 }, (_, at) => put('alarms', `a${revision}_${at}`, { severity: revision }));
    const operations = [put('commands', 'note', { datatype: 's' }), ...alarms];
    const rendered = await server.send('POST', '/cfgdb/txn?render=1', { operations });
    assert.equal(rendered.status, 204, await rendered.text());
    assert.equal((await plantOf(server).ask('PUT', `/data/commands/note?value=s${revision}`)).status, 204);
    if (revision < 3) await logIsEmpty(); // what comes of the next one is all that the log has
  }
  await server.end('SIGKILL');
  assert.ok(readFileSync(join(killed, 'cfgdb.sqlite-wal')).length > 0, 'the server was killed too late');
});

/** Soon after a commit it has been moved into the file. */
async function logIsEmpty(): Promise<void> {
  for (const name of ['cfgdb.sqlite-wal', 'state.sqlite-wal']) {
    await until(`${name} is empty`, async () => readFileSync(join(killed, name)).length === 0);
  }
}

function copyOf(spoil: (data: string) => void): string {
  const data = join(folder, `copy${++count}`);
  cpSync(killed, data, { recursive: true });
  spoil(data);
  return data;
}

function flip(path: string, share: number): void {
  const bytes = readFileSync(path);
  const at = Math.floor(bytes.length * share);
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  writeFileSync(path, bytes);
}

describe('what is missing is reported in the log, the status and /readyz until it is acknowledged, and the rest runs, where', () => {
  for (const [name, reported] of [
    [
      'cfgdb.sqlite-wal',
      /^\/.*\/cfgdb\.sqlite lacks the last 1 of \d+ changes, .*alarms 60.*: changes of .* It has .*alarms 40/,
    ],
    ['state.sqlite-wal', /^\/.*\/state\.sqlite lacks the last 1 of 3 changes, .*commands 1/],
  ] as const) {
    test(`a bit of ${name} is flipped`, async (t) => {
      const data = copyOf((path) => flip(join(path, name), 0.3));
      const server = await startServer(t, { data });
      const { ask, read, figure } = plantOf(server);
      const ready = await ask('GET', '/readyz');
      assert.equal(ready.status, 503);
      assert.match(ready.detail, reported);
      assert.match(ready.detail, /\. telltale config missing says what to do\.$/);
      assert.match(server.log, /"msg":"running, and not ready \(data-missing, see \/readyz\): /);
      assert.match(server.log, /something that was acknowledged is missing: /);
      const status = async () => (await (await server.get('/cfgdb/render')).json()) as { missing?: string[] };
      assert.match((await status()).missing?.join() ?? '', reported);
      assert.equal(await figure('data_missing'), 1);
      assert.ok(Object.keys(await read<object>('/alarms/')).length >= 40);
      assert.equal((await ask('PUT', '/data/commands/note?value=slater')).status, 204);

      assert.equal((await ask('POST', '/config/v2/cfgdb/missing/acknowledge')).status, 204);
      assert.equal((await ask('GET', '/readyz')).status, 200);
      assert.equal((await status()).missing, undefined);
      await server.end();
      const again = await startServer(t, { data });
      assert.equal((await plantOf(again).ask('GET', '/readyz')).status, 200);
      assert.doesNotMatch(again.log, /missing/);
    });
  }

  test('the whole archive is removed', async (t) => {
    const data = join(folder, 'without-archive');
    const first = await startServer(t, { data, args: ['--demo'] });
    const archive = new TelltaleClient({ url: first.url }).archive;
    await archive.backfill('measurements', 'tank1_level', [['d1', [1_600_000_000, 0], 0xc0]]);
    await first.end();
    rmSync(join(data, 'archive'), { recursive: true });

    const second = await startServer(t, { data });
    await second.end('SIGKILL');
    const server = await startServer(t, { data });
    const { ask, figure } = plantOf(server);
    const ready = await ask('GET', '/readyz');
    assert.equal(ready.status, 503);
    assert.ok(ready.detail.startsWith(`${join(data, 'archive')} is missing or empty: `), ready.detail);
    assert.match(server.log, /something that was acknowledged is missing: .*archive is missing/);
    assert.equal(await figure('data_missing'), 1);
    assert.equal((await ask('POST', '/config/v2/cfgdb/missing/acknowledge')).status, 204);
    assert.equal((await ask('GET', '/readyz')).status, 200);
    await server.end();
    const again = await startServer(t, { data });
    assert.equal((await plantOf(again).ask('GET', '/readyz')).status, 200);
  });
});

describe('the server does not start, and says in one line which path is why and what to do, where', {
  concurrency: 2,
}, () => {
  async function refusal(data: string): Promise<string> {
    const { code, stdout, stderr } = await runServer(['--data', data, '--port', '0', '--no-demo']);
    assert.equal(code, 1, stdout);
    assert.match(stderr, /^telltale: [^\n]+\n$/);
    assert.doesNotMatch(stderr, /delete|remove it|rm /);
    return stderr;
  }

  for (const name of ['cfgdb.sqlite', 'state.control', 'telltale.lock']) {
    test(`there is a folder in the place of ${name}`, async () => {
      const data = copyOf((path) => {
        renameSync(join(path, name), join(path, `${name}-old`));
        mkdirSync(join(path, name));
      });
      const line = await refusal(data);
      assert.ok(line.includes(join(data, name)), line);
      assert.match(line, /in the place of a file; move it away/);
    });
  }

  test('state.sqlite is no database', async () => {
    const data = copyOf((path) => writeFileSync(join(path, 'state.sqlite'), 'nonsense '.repeat(2000)));
    const line = await refusal(data);
    assert.ok(line.includes(join(data, 'state.sqlite')), line);
    assert.match(line, /move it away, with its -wal, and put a backup in its place/);
    assert.match(readFileSync(join(data, 'state.sqlite'), 'utf8'), /^nonsense/);
  });

  test('cfgdb.sqlite is gone, but its claim says what it had', async () => {
    const data = copyOf((path) => rmSync(join(path, 'cfgdb.sqlite')));
    const line = await refusal(data);
    assert.match(line, /cfgdb\.sqlite is missing or empty, but had \d+ changes, .*alarms 60.*: put it back/);
  });

  test('access.sqlite is gone, but its claim says that there were users: without it, everybody would be let in', async () => {
    const data = copyOf(() => undefined);
    const store = new AccessDatabase({ folder: data, onFailure: assert.fail });
    await store.open();
    await store.change([{ kind: 'users', key: 'anna', value: {} }]);
    await store.close(5000);
    rmSync(join(data, 'access.sqlite'));
    const line = await refusal(data);
    assert.match(line, /access\.sqlite is missing or empty, but had 1 change, .*users 1.*: put it back/);
  });

  test('another server runs there, and its lock was removed', async (t) => {
    const data = copyOf(() => undefined);
    const first = await startServer(t, { data });
    rmSync(join(data, 'telltale.lock'));
    const line = await refusal(data);
    assert.ok(line.includes(join(data, 'cfgdb.sqlite')), line);
    assert.match(line, /another program has it open; end that one/);
    assert.equal((await plantOf(first).ask('PUT', '/data/commands/note?value=sstill')).status, 204);
  });
});
