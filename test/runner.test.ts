// The test runner ends every file, names and kills what a file has left, and counts what happened.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { runTestFile } from '../scripts/test/run-test-file.ts';
import { canListProcesses, processesWith } from './marked-processes.ts';
import { until } from './until.ts';

const skip = canListProcesses ? false : 'only Linux tells which processes there are';
const script = fileURLToPath(new URL('../scripts/test.ts', import.meta.url));
/** That no process but those of this file sleeps. */
const sleepS = String(1_000_000 + process.pid);
const env = { ...process.env, SLEEP_S: sleepS };
const given = (name: string) => fileURLToPath(new URL(`runner/${name}.ts`, import.meta.url));
const leftBehind = (name: string) =>
  new RegExp(`${name}\\.ts left process \\d+ running, which was killed: sleep ${sleepS}`, 'g');

async function run(t: test.TestContext, name: string, timeoutMs = 60_000) {
  const mark = join(temporaryFolder(t), 'run');
  return runTestFile({ file: given(name), timeoutMs, mark, env, isShown: false });
}

test('a file that passes is good, and its tests are counted by outcome', async (t) => {
  const { isGood, counts, output, failures } = await run(t, 'passes');
  assert.deepEqual(counts, { tests: 3, suites: 1, pass: 1, fail: 0, cancelled: 0, skipped: 1, todo: 1 });
  assert.match(output, /✔ passes/);
  assert.match(output, /is skipped.*there is no such peer/);
  assert.doesNotMatch(output, /ℹ tests/);
  assert.equal(failures, '');
  assert.ok(isGood);
});

test('a file that does not end is killed with all that it started; the test that hangs is named', {
  skip,
}, async (t) => {
  const { isGood, counts, failures } = await run(t, 'hangs', 4000);
  assert.match(failures, /hangs\.ts had not ended after 4 s and was killed; under way: waits for ever/);
  assert.equal(failures.match(leftBehind('hangs'))?.length, 2, failures);
  assert.deepEqual(processesWith(sleepS), []);
  assert.deepEqual([counts.tests, counts.pass, counts.fail], [2, 1, 1]);
  assert.ok(!isGood);
});

test('a file that leaves processes behind has failed; they are named and killed', { skip }, async (t) => {
  const { isGood, counts, failures } = await run(t, 'leaves-processes');
  assert.equal(failures.match(leftBehind('leaves-processes'))?.length, 2, failures);
  assert.deepEqual(processesWith(sleepS), []);
  assert.deepEqual([counts.pass, counts.fail], [1, 1]);
  assert.ok(!isGood);
});

test('a file whose hook throws has failed and ends, also where a later hook would have ended a process', {
  skip,
}, async (t) => {
  const { isGood, failures } = await run(t, 'throws-in-a-hook', 4000);
  assert.match(failures, /had not ended after 4 s and was killed; no test was under way/);
  assert.equal(failures.match(leftBehind('throws-in-a-hook'))?.length, 1, failures);
  assert.deepEqual(processesWith(sleepS), []);
  assert.ok(!isGood);
});

test('a file that ends before its tests has failed, whatever its exit code', async (t) => {
  const { isGood, failures } = await run(t, 'exits');
  assert.match(failures, /exits\.ts ended with code 0 before its tests did/);
  assert.ok(!isGood);
});

test('the command prints counts and the slowest files, and fails when one file does', async () => {
  const child = spawn(process.execPath, [script, given('passes'), given('exits')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines = await Array.fromAsync(createInterface({ input: child.stdout }));
  assert.equal(child.exitCode ?? (await once(child, 'close'))[0], 1);
  assert.ok(lines.includes('ℹ tests 4'), lines.join('\n'));
  assert.ok(lines.includes('ℹ pass 1') && lines.includes('ℹ fail 1'));
  const slowest = lines.slice(lines.indexOf('slowest files:') + 1);
  assert.match(slowest[0] ?? '', /^ +[\d.]+ s {2}.*\.ts$/);
  assert.match(slowest[1] ?? '', /^ +[\d.]+ s {2}.*\.ts$/);
});

test('of files that failed while others ran, only those fail the run that fail again alone; the others are listed', async (t) => {
  const runTogether = async (...names: string[]) => {
    const child = spawn(process.execPath, [script, '--together', ...names.map(given)], {
      env: { ...env, RAN_BEFORE: join(temporaryFolder(t), 'ran') },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const lines = await Array.fromAsync(createInterface({ input: child.stdout }));
    return { code: child.exitCode ?? (await once(child, 'close'))[0], lines };
  };
  const good = await runTogether('passes', 'unsteady');
  assert.equal(good.code, 0);
  assert.ok(good.lines.some((line) => /^unsteady, passed when run alone: .*unsteady\.ts$/.test(line)));
  assert.ok(good.lines.includes('ℹ pass 2') && good.lines.includes('ℹ fail 0'), good.lines.join('\n'));
  const bad = await runTogether('exits', 'unsteady');
  assert.equal(bad.code, 1);
  assert.ok(bad.lines.includes('ℹ pass 1') && bad.lines.includes('ℹ fail 1'), bad.lines.join('\n'));
});

test('Ctrl-C ends every process of the run', { skip }, async () => {
  const child = spawn(process.execPath, [script, given('hangs')], { env, stdio: 'ignore' });
  const ended = once(child, 'exit');
  await until('both processes run', async () => processesWith(sleepS).length === 2);
  child.kill('SIGINT');
  assert.deepEqual(await ended, [130, null]);
  assert.deepEqual(processesWith(sleepS), []);
});
