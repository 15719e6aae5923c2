// Promises of what is read of a machine: what is found works, and what is not found is not claimed.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { getPriority } from 'node:os';
import { test } from 'node:test';
import { hardLimits, mayChangeUser, readMachine } from './machine.ts';

const isLinux = { skip: process.platform === 'linux' ? false : 'these programs are of Linux' };

test('the programs that are found start others as they are asked to', isLinux, async () => {
  const { setpriv, prlimit, nice } = await readMachine();
  const output = (command: readonly string[]) => execFileSync(command[0] ?? '', command.slice(1), { encoding: 'utf8' });
  const isThere = (name: string) => existsSync(`/usr/bin/${name}`);
  assert.deepEqual(
    [setpriv, prlimit, nice].map((found) => found !== undefined),
    ['setpriv', 'prlimit', 'nice'].map(isThere),
  );
  if (setpriv !== undefined) {
    assert.match(output([...setpriv, 'grep', 'NoNewPrivs', '/proc/self/status']), /NoNewPrivs:\s1\n/);
  }
  if (prlimit !== undefined) assert.equal(output([prlimit, '--nofile=77', 'sh', '-c', 'ulimit -n']), '77\n');
  if (nice !== undefined) assert.equal(output([nice, '-n', '10', nice]), `${Math.min(19, getPriority() + 10)}\n`);
  for (const path of [setpriv?.[0], prlimit, nice]) assert.match(path ?? '/', /^\//);
});

test('limits are the hard ones; none is endless, and so is what cannot be read', () => {
  const text = `Limit                     Soft Limit           Hard Limit           Units
Max data size             unlimited            unlimited            bytes
Max processes             100                  200                  processes
Max open files            1024                 4096                 files
`;
  assert.deepEqual(hardLimits(text), { openFiles: 4096, processes: 200, dataBytes: Number.POSITIVE_INFINITY });
  const endless = Number.POSITIVE_INFINITY;
  assert.deepEqual(hardLimits(''), { openFiles: endless, processes: endless, dataBytes: endless });
});

test('who is not root cannot change users', { skip: process.getuid?.() !== 0 ? false : 'this is root' }, async () => {
  assert.equal(await mayChangeUser(), false);
});
