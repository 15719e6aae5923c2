// Starting the server as a person does: settings, and every reason for which it does not start. Each is told in one
// line, and nothing is changed.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { before, describe, test } from 'node:test';
import { suiteCleanup, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { folderListing } from './folder-listing.ts';
import { runServer, type ServerProcess, startServer } from './server-process.ts';

const cleanup = suiteCleanup();
const folder = temporaryFolder(cleanup);
let count = 0;
const freshPath = () => join(folder, `folder${++count}`);

describe('settings', () => {
  test('come from the command line, before the environment, before the defaults', async (t) => {
    const env = { TELLTALE_CONFIG_PATH: '/from/environment', TELLTALE_MAX_JSON_SIZE: '200' };
    const server = await startServer(t, { data: freshPath(), env, args: ['--config-path', '/from/arguments'] });
    const status = async (path: string, init?: RequestInit) => (await fetch(server.url + path, init)).status;
    assert.equal(await status('/from/arguments/alarms'), 200);
    assert.equal(await status('/from/environment/alarms'), 404);
    assert.equal(await status('/config/v2/alarms'), 404);
    const headers = { 'content-type': 'application/json' };
    const large = { method: 'PUT', headers, body: ' '.repeat(201) };
    assert.equal(await status('/from/arguments/alarms/a', large), 413);
    const { paths } = (await (await fetch(`${server.url}/openapi.json`)).json()) as { paths: object };
    assert.ok(Object.hasOwn(paths, '/from/arguments/alarms/{name}'));
    assert.equal((await server.end()).code, 0);
  });

  test('are all listed by --help, which starts nothing', async () => {
    const path = freshPath();
    const { code, stdout, stderr } = await runServer(['--data', path, '--help']);
    assert.deepEqual([code, stderr], [0, '']);
    for (const option of ['data', 'host', 'port', 'log-level', 'config-path', 'max-json-size', 'max-database-size']) {
      const variable = `TELLTALE_${option.toUpperCase().replaceAll('-', '_')}`;
      assert.match(stdout, new RegExp(`^  --${option} .*\\n      .*\\(${variable}\\)$`, 'm'));
    }
    assert.match(stdout, /^ {2}--demo, --no-demo\n.*\(TELLTALE_DEMO\)$/m);
    assert.equal(existsSync(path), false);
  });

  test('say whether a new folder begins with the demo plant', async (t) => {
    const names = async (server: ServerProcess) =>
      ((await (await server.get('/alarms/names')).json()) as string[]).length;
    const data = freshPath();
    const filled = await startServer(t, { data, args: ['--demo'] });
    assert.ok((await names(filled)) > 0);
    await fetch(`${filled.config}/alarms/${((await (await filled.get('/alarms/names')).json()) as string[])[0]}`, {
      method: 'DELETE',
    });
    const left = await names(filled);
    await filled.end();
    const again = await startServer(t, { data, args: ['--demo'] });
    assert.equal(await names(again), left);
    assert.match((await again.end()).stdout, /the demo plant was not loaded/);
  });
});

/** Runs the server, which must not start: gives the one line that it leaves. */
async function refusal(args: readonly string[], env?: NodeJS.ProcessEnv): Promise<string> {
  const { code, signal, stdout, stderr } = await runServer(args, env);
  assert.ok(code !== 0 && signal === null, `it ended with ${code} ${signal}: ${stderr}`);
  assert.doesNotMatch(stdout, /ready/);
  assert.match(stderr, /^telltale: [^\n]+\n$/, `one line: ${stderr}`);
  return stderr;
}

describe('the server does not start, says why in one line, and changes nothing', { concurrency: 2 }, () => {
  /** Data folders as a server leaves them, with an alarm and a rendering. */
  const grown = join(folder, 'grown');
  before(async () => {
    const server = await startServer(cleanup, { data: grown });
    const operations = Array.from({ length: 2000 }, (_, at) => ({
      operation: 'put',
      family: 'alarms',
      name: `a${at}`,
      object: { name: `a${at}`, severity: 1, description: 'x'.repeat(20) },
    }));
    await server.send('POST', '/cfgdb/txn?render=1', { operations });
    await server.end();
  });

  function grownCopy(): string {
    const path = freshPath();
    cpSync(grown, path, { recursive: true });
    return path;
  }

  const start = (data: string, ...args: string[]) => refusal(['--data', data, '--port', '0', '--no-demo', ...args]);

  for (const [what, args, reported] of [
    ['a setting is bad', ['--port', '80x'], /--port "80x" must be an integer; --help lists all settings/],
    ['a setting is unknown', ['--prot', '80'], /"--prot" is not a setting/],
    ['the address is not loopback, without TLS', ['--host', '0.0.0.0'], /--host 0\.0\.0\.0 .* needs TLS: .*--tls-cert/],
    ['the proxies are no addresses', ['--trusted-proxy', 'plant'], /^telltale: --trusted-proxy "plant" is no address/],
  ] as const) {
    test(`where ${what}`, async () => {
      const path = freshPath();
      assert.match(await start(path, ...args), reported);
      assert.equal(existsSync(path), false);
    });
  }

  test('where the address is not loopback, without a user', async () => {
    const path = freshPath();
    assert.match(await start(path, '--host', '0.0.0.0', '--tls'), /no user yet: .*telltale access init/);
    assert.deepEqual(readdirSync(path), ['telltale.lock']);
  });

  test('where the port is in use', async (t) => {
    const other = createServer().listen(0, '127.0.0.1');
    t.after(() => other.close());
    await once(other, 'listening');
    const { port } = other.address() as { port: number };
    const path = freshPath();
    const reported = await refusal(['--data', path, '--port', String(port)]);
    assert.match(reported, new RegExp(`port ${port} of 127\\.0\\.0\\.1 is in use.*--port`));
    assert.equal(existsSync(path), false);
  });

  test('where the folder cannot be made', async () => {
    const path = freshPath();
    writeFileSync(path, 'text');
    assert.match(await start(join(path, 'data')), /cannot be used.*--data/);
    assert.equal(readFileSync(path, 'utf8'), 'text');
  });

  test('where the folder is a file', async () => {
    const path = freshPath();
    writeFileSync(path, 'text');
    assert.match(await start(path), /folder\d+ is not a folder: name another one with --data\.$/m);
  });

  test('where the system takes no folder', { skip: !existsSync('/proc') && 'there is no /proc' }, async () => {
    assert.match(await start('/proc/telltale/data'), /\/proc\/telltale\/data cannot be used.*--data/);
  });

  test('where another running server holds the folder, which goes on', async (t) => {
    const data = grownCopy();
    const server = await startServer(t, { data });
    const earlier = folderListing(data);
    assert.match(
      await start(data),
      /in use by another running server: stop that one, or name another folder with --data/,
    );
    assert.deepEqual(folderListing(data), earlier);
    assert.equal((await server.get('/alarms/a1')).status, 200);
    assert.equal((await server.send('PUT', '/alarms/b', { name: 'b', severity: 1 })).status, 204);
    assert.equal((await server.end()).code, 0);
  });

  /** Files that are no usable configuration database, and what is reported of each; `cfgdb/database.test.ts` has them all. */
  const unusable: [string, (path: string) => unknown, RegExp][] = [
    ['is damaged', (path) => writeFileSync(path, damaged(readFileSync(path))), /cannot be opened.*--data/],
    [
      'is newer',
      (path) => change(path, 'PRAGMA user_version = 99; PRAGMA journal_mode = DELETE'),
      /newer version.*form 99/,
    ],
  ];
  for (const [what, spoil, reported] of unusable) {
    test(`where cfgdb.sqlite ${what}`, async () => {
      const data = grownCopy();
      spoil(join(data, 'cfgdb.sqlite'));
      const earlier = folderListing(data);
      const line = await start(data);
      assert.match(line, reported);
      assert.ok(line.includes(join(data, 'cfgdb.sqlite')), line);
      assert.deepEqual(folderListing(data), earlier);
    });
  }

  test('where the folder holds somebody else’s files: only the lock is new', async () => {
    const data = freshPath();
    mkdirSync(data);
    change(join(data, 'cfgdb.sqlite'), 'CREATE TABLE notes (text)');
    writeFileSync(join(data, 'letter.txt'), 'dear');
    const earlier = folderListing(data);
    await start(data);
    const { 'telltale.lock': _lock, ...rest } = folderListing(data);
    assert.deepEqual(rest, earlier);
  });

  test('where a part of the folder is not what it should be', async () => {
    const data = grownCopy();
    rmSync(join(data, 'executables'), { recursive: true });
    writeFileSync(join(data, 'executables'), 'text');
    const earlier = folderListing(data);
    assert.match(await start(data), /cannot be used.*--data/);
    assert.deepEqual(folderListing(data), earlier);
  });
});

function change(path: string, sql: string): void {
  const sqlite = new DatabaseSync(path, { defensive: false });
  sqlite.exec(sql);
  sqlite.close();
}

/** Every page but the first has nonsense in its first half. */
function damaged(bytes: Buffer): Buffer {
  const pageBytes = 4096;
  for (let page = 1; page * pageBytes < bytes.length; page++) {
    bytes.fill(0xa5, page * pageBytes, page * pageBytes + pageBytes / 2);
  }
  return bytes;
}
