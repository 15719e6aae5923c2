import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { until } from '@telltale/stack-kit/testing';
import { engineFolder, freezeAll, killAll, processesIn } from './engine-folder.ts';

/** One that is frozen, and one that has left its parent and its session. */
const program = `
import { spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { engineFolder, freezeAll, processesIn } from ${JSON.stringify(fileURLToPath(new URL('engine-folder.ts', import.meta.url)))};
const folder = engineFolder(new AsyncDisposableStack());
mkdirSync(folder + '/data');
spawn('sleep', ['1000'], { cwd: folder });
while (processesIn(folder).length < 1) await new Promise(setImmediate);
await freezeAll(folder);
spawn('sh', ['-c', 'setsid sleep 1000 & sleep 1000'], { cwd: folder + '/data', detached: true, stdio: 'ignore' }).unref();
while (processesIn(folder).length < 4) await new Promise(setImmediate);
console.log(folder);
setInterval(() => {}, 1000);
`;

test('what works in the folder of an engine ends with its process, however that ends, and the folder is gone', async () => {
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [said] = (await once(child.stdout.setEncoding('utf8'), 'data')) as [string];
  const folder = said.trim();
  assert.equal(processesIn(folder).length, 4);
  child.kill('SIGKILL');
  await until('everything has ended', () => processesIn(folder).length === 0);
  await until('the folder is gone', () => !existsSync(folder));
});

test('only what works in the folder is frozen and killed', async () => {
  await using scope = new AsyncDisposableStack();
  const [folder, other] = [engineFolder(scope), engineFolder(scope)];
  const children = [folder, other].map((cwd) => spawn('sleep', ['1000'], { cwd }));
  await Promise.all(children.map((child) => once(child, 'spawn')));
  await until('both are there', () => processesIn(folder).length + processesIn(other).length === 2);
  await freezeAll(folder);
  await killAll(folder);
  assert.deepEqual([processesIn(folder), processesIn(other)], [[], [children[1]?.pid]]);
  await scope.disposeAsync();
  assert.deepEqual([processesIn(other), existsSync(folder), existsSync(other)], [[], false, false]);
});
