// Contexts of the command line: names for servers, which of them is asked, and that changes say where they go.
import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { suiteCleanup, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { contextsFile } from '../packages/cli/src/contexts.ts';
import { type CliResult, runCli, spawnCli } from './cli-process.ts';
import { startServer } from './server-process.ts';

const nowhere = 'http://127.0.0.1:55/';

interface Home {
  readonly folder: string;
  readonly file: string;
  cli(args: string[], env?: NodeJS.ProcessEnv): Promise<CliResult>;
  json(...args: string[]): Promise<unknown>;
  refused(...args: string[]): Promise<string>;
}

/** A person without contexts. */
function home(t: TestContext): Home {
  const folder = temporaryFolder(t);
  const cli = (args: string[], env: NodeJS.ProcessEnv = {}) =>
    runCli(args, { url: '', env: { XDG_CONFIG_HOME: folder, ...env } });
  return {
    folder,
    file: join(folder, 'telltale', 'contexts.json'),
    cli,
    json: async (...args) => {
      const { code, stdout, stderr } = await cli(args);
      assert.equal(code, 0, stderr);
      return JSON.parse(stdout);
    },
    refused: async (...args) => {
      const { code, stderr } = await cli(args);
      assert.ok(code === 1 || code === 2, `${code} ${stderr}`);
      return stderr;
    },
  };
}

describe('contexts', () => {
  test('are added, listed, used, shown and removed', async (t) => {
    const { json, refused } = home(t);
    assert.deepEqual(await json('context', 'list'), []);
    assert.deepEqual(await json('context', 'add', 'plant', 'https://plant.example'), {
      name: 'plant',
      url: 'https://plant.example/',
    });
    await json('context', 'add', '__proto__', nowhere);
    assert.deepEqual(await json('context', 'list'), [
      { name: 'plant', url: 'https://plant.example/', current: false },
      { name: '__proto__', url: nowhere, current: false },
    ]);
    assert.deepEqual(await json('context', 'use', 'plant'), { current: 'plant' });
    const shown = { context: 'plant', url: 'https://plant.example/', by: 'the current context' };
    assert.deepEqual(await json('context', 'show'), shown);
    assert.match(
      await refused('context', 'add', 'plant', nowhere),
      /There is a context plant, https:\/\/plant\.example/,
    );
    assert.match(await refused('context', 'use', 'plaant'), /no context "plaant"\. Did you mean plant\?/);
    assert.match(await refused('context', 'use'), /Either a NAME or --none/);
    assert.deepEqual(await json('context', 'remove', 'plant'), { removed: 'plant' });
    assert.deepEqual(await json('context', 'list'), [{ name: '__proto__', url: nowhere, current: false }]);
    await json('context', 'use', '__proto__');
    await json('context', 'use', '--none');
    assert.deepEqual(await json('context', 'show'), {
      context: null,
      url: 'http://127.0.0.1:8080/',
      by: 'the default',
    });
    assert.match(await refused('context', 'remove', 'plant'), /There is no context "plant"/);
  });

  test('have names and addresses that can be used', async (t) => {
    const { refused, file } = home(t);
    for (const name of ['', 'a b', '-a', '.a', 'a/b', 'ä', 'x'.repeat(65)]) {
      assert.match(await refused('context', 'add', '--', name, nowhere), /is not a name: 1 to 64 characters/, name);
    }
    for (const url of ['', 'plant', 'ftp://plant', 'file:///etc', 'http://', `http://${'x'.repeat(3000)}/`]) {
      assert.match(await refused('context', 'add', 'plant', url), /is not an address: http:\/\/HOST:PORT\//, url);
    }
    assert.match(await refused('context', 'add', 'plant', 'https://me:secret@plant'), /password is not stored/);
    assert.throws(() => statSync(file), { code: 'ENOENT' });
  });

  test('are in a file of the user that nobody else reads, whole or not at all', async (t) => {
    const { json, refused, file } = home(t);
    await json('context', 'add', 'plant', nowhere);
    assert.equal(statSync(file).mode & 0o777, 0o600);
    assert.equal(statSync(dirname(file)).mode & 0o777, 0o700);
    // What a later version may add to an entry stays.
    const entry = { name: 'plant', url: nowhere, token: 'later' };
    writeFileSync(file, JSON.stringify({ version: 1, contexts: [entry], note: 'mine' }));
    chmodSync(file, 0o644);
    await json('context', 'use', 'plant');
    const stored = { version: 1, contexts: [entry], note: 'mine', current: 'plant' };
    assert.deepEqual(JSON.parse(readFileSync(file, 'utf8')), stored);
    assert.equal(statSync(file).mode & 0o777, 0o600);
    assert.deepEqual(readdirSync(dirname(file)), ['contexts.json']);
    for (const [text, why] of [
      ['{', /is not JSON/],
      ['null', /has no version 1/],
      ['{"version": 1}', /has no list/],
      ['{"version": 1, "contexts": [{"name": "a b", "url": "http://a/"}]}', /has no name and URL in its context 1/],
      ['{"version": 1, "contexts": [], "current": 5}', /current context that is no name/],
      ['{"version": 2, "contexts": {}}', /newer version of telltale/],
      [' '.repeat(2 << 20), /larger than 1 MiB/],
    ] as const) {
      writeFileSync(file, text);
      assert.match(await refused('status'), why);
      assert.match(await refused('context', 'add', 'other', nowhere), why);
      assert.equal(readFileSync(file, 'utf8'), text);
    }
  });

  test('are in the configuration folder of the user', () => {
    const file = (environment: NodeJS.ProcessEnv, platform: NodeJS.Platform = 'linux') =>
      contextsFile(environment, platform);
    assert.equal(file({ XDG_CONFIG_HOME: '/x', HOME: '/home/me' }), '/x/telltale/contexts.json');
    assert.equal(file({ XDG_CONFIG_HOME: 'x', HOME: '/home/me' }), '/home/me/.config/telltale/contexts.json');
    assert.equal(file({ APPDATA: '/roaming', HOME: '/home/me' }, 'win32'), '/roaming/telltale/contexts.json');
  });

  test('are found in this order: --url, --context, TELLTALE_URL, TELLTALE_CONTEXT, the current one', async (t) => {
    const { json, cli } = home(t);
    for (const name of ['one', 'two', 'three']) await json('context', 'add', name, `http://${name}/`);
    await json('context', 'use', 'three');
    const all = { TELLTALE_URL: 'http://variable/', TELLTALE_CONTEXT: 'two' };
    for (const [args, env, url, by] of [
      [['--url', 'http://option/', '--context', 'one'], all, 'http://option/', '--url'],
      [['--context', 'one'], all, 'http://one/', '--context'],
      [[], all, 'http://variable/', 'TELLTALE_URL'],
      [[], { ...all, TELLTALE_URL: '' }, 'http://two/', 'TELLTALE_CONTEXT'],
      [[], { TELLTALE_URL: '', TELLTALE_CONTEXT: '' }, 'http://three/', 'the current context'],
    ] as const) {
      const { stdout } = await cli([...args, 'context', 'show'], env);
      const shown = JSON.parse(stdout) as { url: string; by: string };
      assert.deepEqual([shown.url, shown.by], [url, by]);
    }
    const { code, stderr } = await cli(['--context', 'four', 'status']);
    assert.deepEqual([code, stderr], [1, 'telltale: There is no context "four".\n']);
  });

  test('are completed by their names', async (t) => {
    const { json, cli, file } = home(t);
    await json('context', 'add', 'plant', nowhere);
    await json('context', 'add', 'pilot', nowhere);
    const words = async (...line: string[]) => (await cli(['completion', 'words', '--', ...line])).stdout;
    assert.equal(await words('context', 'use', 'p'), 'plant\npilot\n');
    assert.equal(await words('--context', 'pl'), 'plant\n');
    assert.equal(await words('context', ''), 'add\nlist\nuse\nremove\nshow\n');
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, '{');
    assert.equal(await words('--context', ''), '');
  });
});

describe('a change at a server that a context names', async () => {
  const cleanup = suiteCleanup();
  const server = await startServer(cleanup, { data: temporaryFolder(cleanup) });
  const folder = temporaryFolder(cleanup);
  const cli = (...args: string[]) =>
    spawnCli(args, { url: '', env: { TELLTALE_URL: '', XDG_CONFIG_HOME: folder }, input: '{"datatype": "d"}' });

  test('says on the standard error where it goes; a read, or an address that was given, says nothing', async () => {
    assert.equal((await cli('context', 'add', 'plant', server.url)).code, 0);
    assert.equal((await cli('context', 'use', 'plant')).code, 0);
    const put = await cli('config', 'put', 'measurements', 'level', '-');
    assert.equal(put.code, 0, put.stderr);
    assert.equal(put.stderr, `To plant, ${server.url}/:\n`);
    const read = await cli('config', 'get', 'measurements', 'level');
    assert.deepEqual([read.code, read.stderr], [0, '']);
    const given = await cli('--url', server.url, 'config', 'delete', 'measurements', 'level');
    assert.deepEqual([given.code, given.stderr], [0, '']);
  });
});
