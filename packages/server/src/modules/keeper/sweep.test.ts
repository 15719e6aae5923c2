import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, describe, test } from 'node:test';
import { systemClock as clock } from '@telltale/schema/values';
import { mayChangeUser } from './machine.ts';
import { markName } from './process-table.ts';
import { keeperMark, sweep } from './sweep.ts';

const skip = (await mayChangeUser()) ? false : 'only root can give processes a user of their own';
const uid = 61184 + (process.pid % 4096);
const folderId = `feed${process.pid.toString(16).padStart(12, '0')}`;
const children: ChildProcess[] = [];
afterEach(() => {
  for (const each of children.splice(0)) each.kill('SIGKILL');
});

async function sleeper(user: number, mark: string | undefined): Promise<ChildProcess> {
  const env = { LANG: 'C', ...(mark !== undefined && { [markName]: mark }) };
  const child = spawn('/bin/sleep', ['1000'], { uid: user, gid: user, env, cwd: '/', stdio: 'ignore' });
  children.push(child);
  await once(child, 'spawn');
  return child;
}

const isKilled = ({ signalCode }: ChildProcess) => signalCode === 'SIGKILL';

describe('what a killed server has left', { skip }, () => {
  test('is also what forgot its mark and has the user of a module; others with that user are left alone', async () => {
    const forgetful = await sleeper(uid, undefined);
    const foreign = await sleeper(uid, '0123456789abcdef.1');
    const stranger = await sleeper(uid + 1, undefined);
    const { ended, left } = await sweep({ folderId, users: new Set([uid]), clock, sparesKeeper: () => true });
    assert.deepEqual([ended, left], [1, 0]);
    assert.deepEqual([forgetful, foreign, stranger].map(isKilled), [true, false, false]);
  });

  test('waits for nobody who only calls himself the keeper', async () => {
    const boaster = await sleeper(uid, keeperMark(folderId));
    await sweep({ folderId, users: new Set(), clock, sparesKeeper: () => true });
    assert.ok(isKilled(boaster));
  });
});
