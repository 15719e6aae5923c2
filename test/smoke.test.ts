// What README promises a newcomer: one command, and there is a server with a plant in it.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { cleanupOf, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { mainFile as cliFile } from './cli-process.ts';
import { mainFile as serverFile } from './server-process.ts';
import { until } from './until.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

const skip = process.platform === 'win32' && 'Windows has no signals';
const olderNode = ['/usr/bin/node', '/usr/local/bin/node'].find((path) => {
  const { stdout } = spawnSync(path, ['--version'], { encoding: 'utf8' });
  return Number(/^v(\d+)\./.exec(stdout ?? '')?.[1]) < 26;
});

/** `npm start` on a folder of its own, and what it has printed. */
async function npmStart(t: TestContext) {
  const folder = temporaryFolder(t);
  const child = spawn('npm', ['start', '--', '--data', `${folder}/data`, '--port', '0'], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true, // a group of its own, as a terminal makes one: Ctrl-C reaches npm and the server
  });
  const closed = once(child, 'close');
  cleanupOf(t).defer(async () => {
    try {
      process.kill(-(child.pid ?? 0), 'SIGKILL'); // the server as well, where npm alone has ended
    } catch (error) {
      assert.equal((error as NodeJS.ErrnoException).code, 'ESRCH');
    }
    await closed;
  });

  const lines: string[] = [];
  const url = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      lines.push(line);
      const found = /ready: (http:\/\/[^/]+)\//.exec(line);
      if (found?.[1] !== undefined) resolve(found[1]);
    });
    closed.then(() => reject(new Error('the server ended before it was ready')));
  });
  return { child, closed, lines, url };
}

test('npm start, as README has it, runs a server with the demo plant, and Ctrl-C ends it cleanly', async (t) => {
  const { child, closed, lines, url } = await npmStart(t);
  const read = async (path: string) => (await fetch(url + path)).json() as Promise<Record<string, unknown>>;
  assert.deepEqual(await read('/readyz'), { status: 'ready' });
  const measurements = await read('/config/v2/measurements/');
  assert.ok(Object.keys(measurements).length >= 50);
  assert.deepEqual(await read('/config/v2/cfgdb/render'), { up_to_date: true });
  assert.ok(Object.values(await read('/config/v2/stacks/connector/names')).includes('simulator'));
  assert.equal((await read('/openapi.json')).openapi, '3.1.0');
  const page = await until('the page is there', async () => {
    const text = await (await fetch(`${url}/`)).text();
    return text.includes('/assets/') && text;
  });
  const [script = ''] = /\/assets\/main-\w+\.js/.exec(page) ?? [];
  assert.equal((await fetch(url + script)).headers.get('content-type'), 'text/javascript; charset=utf-8');
  assert.match((await fetch(`${url}/docs/`)).headers.get('content-type') ?? '', /^text\/html/);
  assert.match(
    await (await fetch(`${url}/metrics`)).text(),
    /^telltale_configuration_objects\{family="alarms"\} [1-9]/m,
  );

  process.kill(-(child.pid ?? 0), 'SIGINT');
  await closed;
  assert.match(lines.at(-1) ?? '', /"msg":"stopped"/);
});

test('SIGTERM to npm alone ends the server, too', { skip, timeout: 60_000 }, async (t) => {
  const { child, lines } = await npmStart(t);
  const ended = once(child.stdout, 'close'); // the server's end of it
  child.kill('SIGTERM');
  await ended;
  assert.match(lines.at(-1) ?? '', /"msg":"stopped"/);
});

test('an older Node says in one line what to do', {
  skip: olderNode === undefined && 'no older Node is installed',
}, () => {
  for (const file of [serverFile, cliFile]) {
    const { status, stdout, stderr } = spawnSync(olderNode ?? '', [file], { encoding: 'utf8' });
    assert.deepEqual([status, stdout], [1, '']);
    assert.match(stderr, /^telltale: this is Node \d+\.\d+\.\d+, and Node 26 or newer is needed.*npm start.*\n$/);
  }
});
