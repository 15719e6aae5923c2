// The page is built where there is no build of its sources, beside a service that does not wait for it; a release comes with it.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { globSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { closeServer } from './closed-server.ts';
import { makeInstallation } from './installation.ts';
import { type ServerProcess, startServer } from './server-process.ts';
import { until } from './until.ts';

const skip = process.platform === 'win32' && 'Windows has no pipes among its files';
const script = 'packages/web/src/main.tsx';

function start(t: TestContext, installation: string, data = temporaryFolder(t)): Promise<ServerProcess> {
  return startServer(t, { data, installation });
}

const indexOf = async ({ url }: ServerProcess) => (await fetch(`${url}/`)).text();

/** What the page runs, when it is there. */
async function scriptOf(server: ServerProcess): Promise<string> {
  const path = await until('the page is there', async () =>
    /"(\/assets\/main-\w+\.js)"/.exec(await indexOf(server))?.at(1),
  );
  return (await fetch(server.url + path)).text();
}

const childrenOf = ({ pid }: ServerProcess) =>
  globSync(`/proc/${pid}/task/*/children`)
    .map((file) => readFileSync(file, 'utf8').trim())
    .join('');

const isReady = async ({ url }: ServerProcess) => (await fetch(`${url}/readyz`)).status === 200;

describe('the page', () => {
  test('is waited for by nobody but who goes to it while it is built', { skip }, async (t) => {
    const installation = makeInstallation(t);
    // Whoever reads a pipe waits until somebody writes: the build takes as long as this test wants.
    const pipe = join(installation, 'packages/web/pipe.ts');
    execFileSync('mkfifo', [pipe]);
    await writeFile(join(installation, script), "import { word } from '../pipe.ts';\ndocument.title = word;\n");
    const server = await start(t, installation);
    assert.ok(await isReady(server));
    const answer = await fetch(`${server.url}/`);
    assert.deepEqual([answer.status, answer.headers.get('cache-control')], [200, 'no-store']);
    assert.match(answer.headers.get('content-security-policy') ?? '', /^default-src 'none'; style-src 'sha256-/);
    assert.match(await answer.text(), /<meta http-equiv="refresh" content="1">.*The page is being made ready/s);
    assert.equal((await fetch(`${server.url}/assets/main-ABCDEFGH.js`)).status, 503);
    assert.equal((await server.send('PUT', '/alarms/a', { name: 'a', severity: 1 })).status, 204);
    await writeFile(pipe, 'export const word = "piped";');
    assert.match(await scriptOf(server), /"piped"/);
  });

  test('does not keep a server from ending while it is built, and what builds it ends too', { skip }, async (t) => {
    const installation = makeInstallation(t);
    const pipe = join(installation, 'packages/web/pipe.ts');
    execFileSync('mkfifo', [pipe]);
    await writeFile(join(installation, script), "import '../pipe.ts';\n");
    const server = await start(t, installation);
    await until('it is built', async () => childrenOf(server) !== '');
    assert.equal((await server.end()).code, 0);
  });

  test('that cannot be built says why to who is known, and the service does its work', async (t) => {
    const installation = makeInstallation(t);
    await writeFile(join(installation, script), 'const <img onerror=alert(1)> = ;\n');
    const data = temporaryFolder(t);
    const server = await start(t, installation, data);
    await until('it has failed', async () => /cannot be shown/.test(await indexOf(server)));
    assert.ok(await isReady(server));
    assert.match(await indexOf(server), /packages\/web\/src\/main\.tsx:1:\d+: ERROR/);
    assert.doesNotMatch(await indexOf(server), /<img/);
    assert.match(server.log, /"level":50.*the page cannot be made, everything else works: Build failed/);
    assert.equal((await fetch(`${server.url}/assets/main-ABCDEFGH.js`)).status, 404);
    await closeServer(server, data);
    assert.match(await indexOf(server), /The log of the server says why/);
    assert.doesNotMatch(await indexOf(server), /packages|ERROR/);
  });

  test('of changed sources is there after a restart, and that of the same sources is not built again', async (t) => {
    const installation = makeInstallation(t);
    const builds = () =>
      readdirSync(join(installation, 'node_modules/.cache/telltale')).filter((name) => name.startsWith('page-'));
    for (const [word, count] of [
      ['one', 1],
      ['two', 2],
      ['two', 2],
    ] as const) {
      await writeFile(join(installation, script), `document.title = '${word}';\n`);
      const server = await start(t, installation);
      assert.match(await scriptOf(server), new RegExp(`document\\.title="${word}"`));
      assert.equal(builds().length, count);
      await server.end();
    }
  });

  test('comes with a release, which needs no sources and nothing that builds', async (t) => {
    const installation = makeInstallation(t);
    execFileSync(process.execPath, [join(installation, 'packages/launcher/src/build-all.js'), '--release']);
    for (const folder of globSync('{packages,stacks}/*/src', { cwd: installation })) {
      if (folder !== 'packages/launcher/src') rmSync(join(installation, folder), { recursive: true });
    }
    rmSync(join(installation, 'node_modules/esbuild'));
    const built = globSync('dist/page-*/assets/main-*.js', { cwd: installation });
    assert.equal(built.length, 1);
    const server = await start(t, installation);
    assert.equal(await scriptOf(server), readFileSync(join(installation, built[0] ?? ''), 'utf8'));
    assert.deepEqual(readdirSync(join(installation, 'node_modules/.cache')), []);
  });
});
