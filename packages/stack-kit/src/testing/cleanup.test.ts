import assert from 'node:assert/strict';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { cleanupOf, temporaryFolder } from './cleanup.ts';

test('what was begun last is ended first, and a folder goes after what wrote into it', async () => {
  const order: string[] = [];
  const cleanup = new AsyncDisposableStack();
  const folder = temporaryFolder(cleanup);
  cleanup.defer(async () => {
    await new Promise(setImmediate);
    writeFileSync(join(folder, 'last-words'), 'stopped');
    order.push(`first, folder there: ${existsSync(folder)}`);
  });
  cleanup.defer(() => void order.push('second'));
  await cleanup.disposeAsync();
  assert.deepEqual(order, ['second', 'first, folder there: true']);
  assert.equal(existsSync(folder), false);
});

test('everything is ended whatever throws, and the errors are reported', async () => {
  const cleanup = new AsyncDisposableStack();
  const folder = temporaryFolder(cleanup);
  const ended: string[] = [];
  cleanup.defer(() => void ended.push('a'));
  cleanup.defer(() => Promise.reject(new Error('b does not end')));
  cleanup.defer(() => void ended.push('c'));
  cleanup.defer(() => {
    throw new Error('d does not end');
  });
  await assert.rejects(cleanup.disposeAsync(), ({ error, suppressed }: SuppressedError) => {
    assert.deepEqual([error.message, suppressed.message], ['b does not end', 'd does not end']);
    return true;
  });
  assert.deepEqual(ended, ['c', 'a']);
  assert.equal(existsSync(folder), false);
});

test('a test that fails takes its folder with it', async (t) => {
  let folder = '';
  await t.test('has a folder', (inner) => {
    folder = temporaryFolder(inner);
    assert.equal(cleanupOf(inner), cleanupOf(inner));
    assert.ok(existsSync(folder));
  });
  assert.equal(existsSync(folder), false);
});
