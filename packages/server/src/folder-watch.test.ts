// Promises of the watch over the data folder: what is removed, moved away or replaced is noticed, and what is put back too.
import assert from 'node:assert/strict';
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { ManualClock } from '@telltale/schema/testing';
import { cleanupOf, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { FolderWatch } from './folder-watch.ts';

let root: string;
let path: string;
let clock: ManualClock;
let watch: FolderWatch;
let reported: (string | undefined)[];

beforeEach(async (t) => {
  root = temporaryFolder(t);
  path = join(root, 'data');
  mkdirSync(join(path, 'archive'), { recursive: true });
  writeFileSync(join(path, 'cfgdb.sqlite'), 'a');
  clock = new ManualClock();
  reported = [];
  const onFault = (reason: string | undefined) => reported.push(reason);
  watch = new FolderWatch({ path, names: ['cfgdb.sqlite', 'archive'], clock, onFault });
  cleanupOf(t).defer(() => watch.close());
  await watch.open();
});

/** Lets the watch look once, and waits until it has. */
async function look(): Promise<void> {
  clock.advance(1000);
  while (clock.pending === 0) await setImmediate();
}

describe('within a second it reports that', () => {
  test('nothing is wrong, by telling nothing', async () => {
    await look();
    writeFileSync(join(path, 'cfgdb.sqlite'), 'changed');
    writeFileSync(join(path, 'new'), 'new');
    await look();
    assert.deepEqual([reported, watch.failure], [[], undefined]);
  });

  test('the folder was moved away; and that it is back', async () => {
    renameSync(path, `${path}-elsewhere`);
    await look();
    assert.equal(watch.failure, `${path} was removed or moved away`);
    await look();
    renameSync(`${path}-elsewhere`, path);
    await look();
    assert.deepEqual([reported, watch.failure], [[`${path} was removed or moved away`, undefined], undefined]);
  });

  test('another folder is in its place', async () => {
    renameSync(path, `${path}-elsewhere`);
    mkdirSync(path);
    await look();
    assert.equal(watch.failure, `${path} was replaced by something else`);
  });

  for (const name of ['cfgdb.sqlite', 'archive']) {
    test(`${name} was removed, moved away or replaced; and that it is back`, async () => {
      const file = join(path, name);
      renameSync(file, `${file}-elsewhere`);
      await look();
      assert.equal(watch.failure, `${file} was removed or moved away`);
      writeFileSync(file, 'another');
      await look();
      assert.equal(watch.failure, `${file} was replaced by something else`);
      rmSync(file);
      renameSync(`${file}-elsewhere`, file);
      await look();
      assert.equal(watch.failure, undefined);
    });
  }
});

test('a file that the server itself puts in the place of another one is no failure, and must stay from then on', async () => {
  const file = join(path, 'cfgdb.sqlite');
  await watch.whileReplacing('cfgdb.sqlite', async () => {
    writeFileSync(`${file}-incoming`, 'b');
    renameSync(`${file}-incoming`, file);
    await look();
  });
  await look();
  assert.deepEqual(reported, []);
  rmSync(file);
  await look();
  assert.equal(watch.failure, `${file} was removed or moved away`);
});

test('nor is it a failure that one which comes meanwhile is put in its place later', async () => {
  const file = join(path, 'cfgdb.sqlite');
  const second = Promise.withResolvers<void>();
  const replacing = watch.whileReplacing('cfgdb.sqlite', () => second.promise);
  await watch.whileReplacing('cfgdb.sqlite', async () => undefined);
  writeFileSync(`${file}-incoming`, 'b');
  renameSync(`${file}-incoming`, file);
  await look();
  assert.deepEqual(reported, []);
  second.resolve();
  await replacing;
  await look();
  assert.deepEqual(reported, []);
});

test('a watch that is closed looks no more', async () => {
  watch.close();
  assert.equal(clock.pending, 0);
});
