// Data folders of earlier formats, each made by the program of its time: they open, with everything in them; an upgrade can be
// killed at any change of a file, and taken back; and a folder of a newer format is refused.
import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import { cpSync, existsSync, globSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { quality } from '@telltale/schema';
import { suiteCleanup, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { versionOf } from '../../packages/server/src/upgrade/database-files.ts';
import { configurationFile, currentFormat, stateFile } from '../../packages/server/src/upgrade/index.ts';
import { closeServer } from '../closed-server.ts';
import { folderListing } from '../folder-listing.ts';
import { runServer, startServer } from '../server-process.ts';
import { type Contents, readFolder } from './read-folder.ts';

const here = fileURLToPath(new URL('.', import.meta.url));
const dieAt = join(here, 'die-at.ts');
const folders = globSync('format-*', { cwd: here }).map((name) => join(here, name));
const cleanup = suiteCleanup();
const root = temporaryFolder(cleanup);
const env = { ...process.env, NODE_COMPILE_CACHE: join(root, 'compiled') };
let copies = 0;

function copyOf(folder: string): string {
  const data = join(root, `data-${copies++}`);
  cpSync(join(folder, 'data'), data, { recursive: true });
  return data;
}

/** As they were read then. Level is still forced: a start that knows the mark of forced records marks its newest one. */
function contentsOf(folder: string): Contents {
  const contents = JSON.parse(readFileSync(join(folder, 'contents.json'), 'utf8')) as Contents;
  for (const [path, value] of Object.entries(contents)) {
    if (!path.startsWith('/data/archive/measurements/level/')) continue;
    const newest = (value as { level: [string, unknown, number][] }).level.at(-1);
    if (newest !== undefined) newest[2] = quality.goodLocalOverride;
  }
  return contents;
}

/** What was read then is read now. Objects may have got fields; lists are as long as they were. */
function assertCovers(now: unknown, then: unknown, at: string): void {
  if (typeof then !== 'object' || then === null) {
    assert.equal(now, then, at);
    return;
  }
  assert.ok(typeof now === 'object' && now !== null, at);
  if (Array.isArray(then)) assert.equal((now as unknown[]).length, then.length, at);
  for (const [key, value] of Object.entries(then)) assertCovers(Reflect.get(now, key), value, `${at} / ${key}`);
}

async function assertWhole(t: TestContext, data: string, folder: string): Promise<void> {
  const server = await startServer(t, { data });
  assertCovers(await readFolder(server), contentsOf(folder), '');
  assert.equal((await fetch(`${server.url}/readyz`)).status, 200);
  assert.equal((await server.end()).code, 0);
}

const databaseVersions = (data: string) =>
  [configurationFile, stateFile].map((file) => versionOf(join(data, file.name), file));

for (const folder of folders) {
  const format = Number(basename(folder).replace('format-', ''));
  describe(`a data folder of format ${format}`, () => {
    test('opens with everything in it, is upgraded once, and says how to go back', async (t) => {
      const data = copyOf(folder);
      const server = await startServer(t, { data });
      assertCovers(await readFolder(server), contentsOf(folder), '');
      assert.equal((await fetch(`${server.url}/readyz`)).status, 200);
      const { stdout } = await server.end();
      assert.match(stdout, new RegExp(`upgraded from format ${format} to ${currentFormat} .*To go back`));
      assert.deepEqual(databaseVersions(data), [currentFormat, currentFormat]);
      assert.deepEqual(JSON.parse(readFileSync(join(data, 'format.json'), 'utf8')), { format: currentFormat });
      const again = await startServer(t, { data });
      assertCovers(await readFolder(again), contentsOf(folder), '');
      assert.doesNotMatch((await again.end()).stdout, /upgraded/);
    });

    test('is open on loopback as ever, and to nobody without credentials once there is a user', async (t) => {
      const data = copyOf(folder);
      const server = await startServer(t, { data });
      const paths = ['/data/measurements', '/config/v2/measurements', '/data/archive/measurements/names', '/metrics'];
      const statuses = () => Promise.all(paths.map(async (path) => (await fetch(server.url + path)).status));
      assert.deepEqual(await statuses(), [200, 200, 200, 200]);
      await closeServer(server, data);
      assert.deepEqual(await statuses(), [401, 401, 401, 401]);
    });

    test('is edited and rendered like one that was made now', async (t) => {
      const server = await startServer(t, { data: copyOf(folder) });
      const object = { name: 'level', datatype: 'd', area: 'works.tanks' };
      assert.equal((await server.send('PUT', '/measurements/level', object)).status, 204);
      assert.equal((await server.send('POST', '/cfgdb/revisions/1/restore?render=1')).status, 204);
      const restored = (await (await server.get('/measurements/')).json()) as Record<string, object>;
      assert.ok('gone' in restored && !('area' in (restored.level ?? {})));
    });

    test('gives back what it was by the line in the log, for the program of its time', async (t) => {
      const data = copyOf(folder);
      const files = readdirSync(data).filter((name) => /^\w+\.(?:sqlite|control)$/.test(name));
      assert.ok(files.length >= 4);
      const before = files.map((name) => readFileSync(join(data, name)));
      const server = await startServer(t, { data });
      assert.equal((await server.send('PUT', '/alarms/later', { name: 'later', severity: 1 })).status, 204);
      const { stdout } = await server.end('SIGKILL');
      const [, line = ''] = /stop the server and run: ([^"]+)"/.exec(stdout) ?? [];
      execFileSync('sh', ['-c', line]);
      assert.deepEqual(
        readdirSync(data).filter((name) => name.endsWith('.sqlite-wal')),
        [],
      );
      for (const [at, name] of files.entries()) assert.deepEqual(readFileSync(join(data, name)), before[at], name);
      await assertWhole(t, data, folder); // and it is upgraded once more
    });

    test('is upgraded whole by the next start, whichever change of a file the last one was killed before', async () => {
      const upgrade = (data: string, n: number) =>
        promisify(execFile)(process.execPath, ['--import', dieAt, join(here, 'run-upgrade.ts'), data], {
          env: { ...env, DIE_IN: data, DIE_AT: String(n) },
        }).then(
          ({ stdout }) => Number(/changes (\d+)/.exec(stdout)?.[1]),
          ({ signal, stderr }: { signal: string | null; stderr: string }) => assert.equal(signal, 'SIGKILL', stderr),
        );
      const whole = copyOf(folder);
      const originals = folderListing(whole);
      const changes = await upgrade(whole, 0);
      assert.ok(changes !== undefined && changes > 20, String(changes));
      const numbers = Array.from({ length: changes }, (_, index) => index + 1).values();
      const killAtEach = async () => {
        for (const n of numbers) {
          const data = copyOf(folder);
          await upgrade(data, n);
          await upgrade(data, 0);
          const upgraded = folderListing(data);
          assert.deepEqual(Object.keys(upgraded), Object.keys(folderListing(whole)), `killed before change ${n}`);
          assert.deepEqual(databaseVersions(data), [currentFormat, currentFormat]);
          for (const name of ['cfgdb.sqlite', 'state.sqlite', 'cfgdb.control', 'state.control']) {
            const copy = upgraded[join('before-upgrade', `format-${format}`, name)];
            assert.equal(copy, originals[name], `${name} was copied after it was changed, killed before change ${n}`);
          }
        }
      };
      await Promise.all([killAtEach(), killAtEach()]);
    });

    for (const [moment, n] of [
      ['copies are made', 6],
      ['one database is upgraded', 20],
    ] as const) {
      test(`has everything after a server that was killed while ${moment}`, async (t) => {
        const data = copyOf(folder);
        const dying = { NODE_OPTIONS: `--import=${dieAt}`, DIE_IN: data, DIE_AT: String(n) };
        const { signal } = await runServer(['--data', data, '--port', '0', '--no-demo'], dying);
        assert.equal(signal, 'SIGKILL');
        await assertWhole(t, data, folder);
      });
    }

    test('has a database that can be uploaded to a server of now, its table of revisions and all', async (t) => {
      const server = await startServer(t, { data: join(root, `empty-${format}`) });
      const bytes = readFileSync(join(folder, 'data', 'cfgdb.sqlite'));
      const sent = await server.sendBytes('POST', '/cfgdb/database?render=1', 'application/x-sqlite3', bytes);
      assert.equal(sent.status, 204, await sent.text());
      const then = contentsOf(folder);
      for (const family of ['measurements', 'commands', 'alarms', 'connectors', 'providers', 'function-modules']) {
        const now = await (await server.get(`/${family}/`)).json();
        assertCovers(now, then[`/config/v2/${family}/`], family);
      }
    });
  });
}

test('a folder of a newer format is refused in one sentence, and left as it is', async () => {
  const data = join(root, 'newer');
  cpSync(join(folders[0] ?? '', 'data'), data, { recursive: true });
  writeFileSync(join(data, 'format.json'), JSON.stringify({ format: currentFormat + 1 }));
  const { 'telltale.lock': _, ...before } = folderListing(data);
  const { code, stderr, stdout } = await runServer(['--data', data, '--port', '0']);
  assert.notEqual(code, 0);
  assert.match(
    stderr + stdout,
    /format\.json was written by a newer version of the server .*: start that version, or name/,
  );
  const { 'telltale.lock': __, ...after } = folderListing(data);
  assert.deepEqual(after, before);
  assert.ok(!existsSync(join(data, 'before-upgrade')));
});
