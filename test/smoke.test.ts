// What README promises a newcomer: one command, and there is a server with a plant in it.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { cleanupOf, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';

const root = fileURLToPath(new URL('..', import.meta.url));

test('npm start, as README has it, runs a server with the demo plant, and Ctrl-C ends it cleanly', async (t) => {
  const folder = temporaryFolder(t);
  const child = spawn('npm', ['start', '--', '--data', `${folder}/data`, '--port', '0'], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true, // a group of its own, as a terminal makes one: Ctrl-C reaches npm and the server
  });
  const closed = once(child, 'close');
  cleanupOf(t).defer(async () => {
    if (child.exitCode === null && child.signalCode === null) process.kill(-(child.pid ?? 0), 'SIGKILL');
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

  const read = async (path: string) => (await fetch(url + path)).json() as Promise<Record<string, unknown>>;
  assert.deepEqual(await read('/readyz'), { status: 'ready' });
  const measurements = await read('/config/v2/measurements/');
  assert.ok(Object.keys(measurements).length >= 50);
  assert.deepEqual(await read('/config/v2/cfgdb/render'), { up_to_date: true });
  assert.ok(Object.values(await read('/config/v2/stacks/connector/names')).includes('simulator'));
  assert.equal((await read('/openapi.json')).openapi, '3.1.0');
  const docs = await fetch(`${url}/`);
  assert.match(docs.url, /\/docs\/$/);
  assert.match(docs.headers.get('content-type') ?? '', /^text\/html/);
  assert.match(
    await (await fetch(`${url}/metrics`)).text(),
    /^telltale_configuration_objects\{family="alarms"\} [1-9]/m,
  );

  process.kill(-(child.pid ?? 0), 'SIGINT');
  await closed;
  assert.match(lines.at(-1) ?? '', /"msg":"stopped"/);
});
