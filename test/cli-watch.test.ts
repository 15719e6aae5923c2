// `telltale` as a process of its own: how it ends, and what goes on until Ctrl-C.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { closeSync, existsSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { LiveAlarm } from '@telltale/schema';
import { cleanupOf, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { ScriptedService } from '../packages/client/test/scripted-service.ts';
import { CliPlant } from './cli-plant.ts';
import { mainFile, RunningCli, spawnCli } from './cli-process.ts';
import { startServer } from './server-process.ts';

const plant = new CliPlant();
const { good } = plant;
const noFullDevice = existsSync('/dev/full') ? false : 'this machine has no device that is always full';

test('it ends with the code', async () => {
  const { code, stdout } = await spawnCli(['read', 'tank1_level'], { url: plant.url });
  assert.deepEqual([code, Object.keys(JSON.parse(stdout))], [0, ['tank1_level']]);
  assert.equal((await spawnCli(['read', 'nowhere'], { url: plant.url })).code, 1);
});

test('output that cannot be written is an error, not an end', { skip: noFullDevice }, (t) => {
  const full = openSync('/dev/full', 'w');
  t.after(() => closeSync(full));
  const env = { ...process.env, TELLTALE_URL: plant.url };
  const stdio = ['ignore', full, 'pipe'] as const;
  const { status, stderr } = spawnSync(process.execPath, [mainFile, 'read'], {
    env,
    stdio: [...stdio],
    encoding: 'utf8',
  });
  assert.equal(status, 1);
  assert.match(stderr, /^telltale: the output cannot be written: ENOSPC/);
});

test('watch prints the present value and every change as a line of JSON, until Ctrl-C', async (t) => {
  await good('simulate', 'tank1_level', '1');
  const watch = new RunningCli(t, ['watch', 'tank1_level'], { url: plant.url });
  assert.equal(JSON.parse(await watch.line(() => true)).vtq[0], 'd1');
  for (const value of ['2', '3']) await good('simulate', 'tank1_level', value);
  assert.equal(JSON.parse(await watch.line(() => true)).vtq[0], 'd2');
  assert.equal(JSON.parse(await watch.line(() => true)).vtq[0], 'd3');
  await good('simulate', '--stop', 'tank1_level');
  assert.equal(await watch.end('SIGINT'), 0);
  assert.equal(watch.stderr, '');
});

test('watch ends with Ctrl-C though the server is stuck', async (t) => {
  const watch = new RunningCli(t, ['watch', '--all'], { url: plant.url });
  await watch.line(() => true);
  t.after(() => process.kill(plant.server.pid, 'SIGCONT'));
  process.kill(plant.server.pid, 'SIGSTOP');
  assert.equal(await watch.end(), 0);
});

test('watch ends quietly where its reader has seen enough', async (t) => {
  const watch = new RunningCli(t, ['watch', '--all'], { url: plant.url });
  await watch.line(() => true);
  watch.stopReading();
  assert.equal(await watch.ended, 0);
  assert.equal(watch.stderr, '');
});

test('alarms watch prints every transition', async (t) => {
  const watch = new RunningCli(t, ['alarms', 'watch', 'fire'], { url: plant.url });
  await watch.line(() => true);
  await good('alarms', 'activate', 'fire');
  await good('alarms', 'ack', 'fire', '--authority', 'shift 1');
  await good('alarms', 'deactivate', 'fire');
  const states: string[] = [];
  while (states.length < 3) states.push((JSON.parse(await watch.line(() => true)) as LiveAlarm).state);
  assert.deepEqual(states, ['ACT_UNACK', 'ACT_ACK', 'INACT_ACK']);
  assert.equal(await watch.end('SIGTERM'), 0);
});

test('watch of what does not exist ends with 1, beside what does it goes on and says so', async (t) => {
  const { code, stderr } = await spawnCli(['watch', 'tank1_levle'], { url: plant.url });
  assert.deepEqual([code, stderr], [1, 'telltale: There is no measurement "tank1_levle". Did you mean tank1_level?\n']);
  const watch = new RunningCli(t, ['watch', 'tank1_levle', 'tank1_level'], { url: plant.url });
  const line = await watch.line((each) => each.includes('tank1_levle'));
  assert.deepEqual(JSON.parse(line), { name: 'tank1_levle', unknown: true });
  await watch.end();
  assert.equal((await spawnCli(['watch', '--all'], { url: 'http://127.0.0.1:55' })).code, 3);
});

test('watch says why a name is not watched that there is', async (t) => {
  const service = await ScriptedService.start(t);
  const error = { type: '/docs/#problem-too-many-watches', title: 'Too many watches', status: 429, detail: 'One.' };
  service.measurements.set('level', { name: 'level', vtq: ['d1', [1, 0], 192] });
  service.answer = (asked) =>
    asked.request === 'WatchMeasurements'
      ? {
          result: false,
          error,
          results: [
            { name: 'level', result: true },
            { name: 'flow', result: false, error },
          ],
        }
      : { result: true };
  const watch = new RunningCli(t, ['watch', 'level', 'flow'], { url: `http://127.0.0.1:${service.port}` });
  const line = await watch.line((each) => each.includes('flow'));
  assert.deepEqual(JSON.parse(line), { name: 'flow', error });
  assert.equal(await watch.end(), 0);
});

test('a watch whose server goes says so, waits, and goes on when it is back', async (t) => {
  const folder = temporaryFolder(t);
  const data = join(folder, 'data');
  const first = await startServer(t, { data });
  await first.send('PUT', '/measurements/level', { name: 'level', datatype: 'd' });
  await first.send('POST', '/cfgdb/render');
  const watch = new RunningCli(t, ['watch', 'level'], { url: first.url });
  cleanupOf(t).defer(async () => void (await watch.end('SIGKILL')));
  await watch.line((line) => line.includes('"vtq"'));
  await first.end('SIGKILL');
  assert.deepEqual(JSON.parse(await watch.line(() => true)), { state: 'lost' });
  await startServer(t, { data, args: ['--port', new URL(first.url).port] });
  assert.deepEqual(JSON.parse(await watch.line(() => true)), { state: 'connected' });
  assert.equal(JSON.parse(await watch.line(() => true)).name, 'level');
  assert.equal(await watch.end(), 0);
  assert.match(watch.stderr, /^The connection is lost .*out of date.*\nThe connection is back/);
});
