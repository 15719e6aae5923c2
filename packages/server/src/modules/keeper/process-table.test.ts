// Promises of what is read from /proc: it is of exactly the process that is meant, whatever it calls itself.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { cleanupOf, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { readProcess, signalProcess } from './process-table.ts';

test('a process is read right, though its program is called as if it were something else', async (context) => {
  const program = join(temporaryFolder(context), 'x) Z 1 1');
  copyFileSync('/bin/sleep', program);
  const child = spawn(program, ['60'], { detached: true, stdio: 'ignore' });
  cleanupOf(context).defer(() => void child.kill('SIGKILL'));
  await once(child, 'spawn');
  const pid = child.pid ?? assert.fail();
  const { parent, group, session } = readProcess(pid) ?? assert.fail('it is not there');
  assert.deepEqual({ parent, group, session }, { parent: process.pid, group: pid, session: pid });
});

test('a signal goes to the process that is meant, and to no other that has its number by now', async (context) => {
  const child = spawn('/bin/sleep', ['60'], { stdio: 'ignore' });
  context.after(() => child.kill('SIGKILL'));
  await once(child, 'spawn');
  const entry = readProcess(child.pid ?? 0) ?? assert.fail('it is not there');
  signalProcess({ ...entry, startTicks: entry.startTicks - 1 }, 'SIGKILL');
  signalProcess(entry, 'SIGTERM');
  assert.deepEqual(await once(child, 'exit'), [null, 'SIGTERM']);
});
