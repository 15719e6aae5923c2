import assert from 'node:assert/strict';
import { existsSync, mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { cleanupOf } from '@telltale/stack-kit/testing/cleanup';
import { doctorBench, found, put } from '../../../test/doctor-bench.ts';
import { lockName, takeDataFolder } from '../../data-folder.ts';
import { lockHolder } from '../machine.ts';
import { checkLock } from './lock-check.ts';

const onLinux = existsSync('/proc/locks') ? false : 'only Linux tells who has a lock';

test('who has the lock is known while a server has it, and a lock that is left behind is in order', {
  skip: onLinux,
}, async (t) => {
  const bench = doctorBench(t, { machine: { root: '/' } });
  assert.match((await found(checkLock, bench)).join(), /^ok: No server has used/);
  const folder = await takeDataFolder(bench.folder);
  let isHeld = true;
  cleanupOf(t).defer(() => {
    if (isHeld) folder.release();
  });
  const holder = () => lockHolder(bench.machine, statSync(join(bench.folder, lockName)).ino);
  assert.equal(holder(), process.pid);
  const running = await found(checkLock, { ...bench, serverPid: holder() });
  assert.deepEqual(running, [`ok: A server runs on the data folder (process ${process.pid}).`]);
  folder.release();
  isHeld = false;
  assert.equal(holder(), undefined);
  assert.match((await found(checkLock, bench)).join(), /^ok: No server runs/);
});

test('what is no lock file in its place is wrong', async (t) => {
  const bench = doctorBench(t);
  put(join(bench.folder, lockName), 'something else');
  assert.match((await found(checkLock, bench)).join(), /^wrong: FOLDER\/telltale\.lock is not a lock file of a server/);
  const other = doctorBench(t);
  mkdirSync(join(other.folder, lockName));
  assert.match((await found(checkLock, other)).join(), /^wrong: /);
});
