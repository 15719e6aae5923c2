// Promises of the census: which processes belong to a run, and that none can be made up.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { type TestContext, test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { until } from '@telltale/stack-kit/testing';
import { Census } from './census.ts';
import { markName, readProcess } from './process-table.ts';

const folderId = '0123456789abcdef';
const asRoot = { skip: process.getuid?.() === 0 ? false : 'only root can give processes away' };

/** One that has said that it is there, with the numbers that it printed. */
async function started(context: TestContext, script: string, options: { uid?: number; mark?: string } = {}) {
  const { uid, mark = '' } = options;
  const env = { PATH: '/usr/bin:/bin', [markName]: mark };
  const child: ChildProcess = spawn('/bin/sh', ['-c', script], {
    env,
    cwd: '/',
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore'],
    ...(uid !== undefined && { uid, gid: uid }),
  });
  context.after(() => process.kill(-(child.pid ?? assert.fail()), 'SIGKILL'));
  const [text] = (await once(child.stdout ?? assert.fail(), 'data')) as [Buffer];
  return { pid: child.pid ?? assert.fail(), printed: Number(text.toString()) };
}

const sleeps = 'echo $$; exec sleep 60';

test('what has the user that only this run has belongs to it, whatever mark it has', asRoot, async (context) => {
  const uid = 61_999;
  const census = new Census(folderId);
  census.add(1, undefined, uid);
  census.add(2, undefined, undefined);
  const { pid } = await started(context, sleeps, { uid, mark: `${folderId}.2` });
  const members = await census.take();
  assert.ok(members.get(1)?.some((each) => each.pid === pid));
  assert.equal(members.get(2), undefined);
});

test('what has lost its mark and its parent belongs to the run in whose session it is', async (context) => {
  const census = new Census(folderId);
  const script = '(env -i sleep 60 >/dev/null & echo $!); exec sleep 60';
  const { pid, printed } = await started(context, script, { mark: `${folderId}.1` });
  census.add(1, readProcess(pid), undefined);
  // The shell between the two may take a moment to end.
  await until('only those two are left', async () => {
    const members = (await census.take()).get(1)?.map((each) => each.pid) ?? [];
    return isDeepStrictEqual(members.toSorted(), [pid, printed].toSorted());
  });
});

test('a mark of a run that there is not makes nobody a member', async (context) => {
  const census = new Census(folderId);
  census.add(1, undefined, undefined);
  await started(context, sleeps, { mark: `${folderId}.99` });
  assert.deepEqual([...(await census.take()).keys()], []);
});
