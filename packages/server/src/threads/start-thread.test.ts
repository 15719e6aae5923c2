import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import type { ProblemError } from '@telltale/schema';
import { cleanupOf } from '@telltale/stack-kit/testing/cleanup';
import { startThread } from './start-thread.ts';

const greedy = new URL(`data:text/javascript,const kept=[];for(;;)kept.push({at:kept.length});`);
const broken = new URL(`data:text/javascript,throw new Error('broken');`);
const unlucky = new URL(`data:text/javascript,throw Object.assign(new Error('too many open files'),{code:'EMFILE'});`);
const idle = new URL(
  `data:text/javascript,import{parentPort}from'node:worker_threads';parentPort.on('message',()=>{});`,
);

test('a thread that wants more heap than it may have ends, and its error says which thread and how much', async (t) => {
  const thread = startThread(greedy, 'live state', { maxOldGenerationSizeMb: 16 });
  cleanupOf(t).defer(async () => void (await thread.terminate()));
  const ended = new Promise((resolve) => thread.once('exit', resolve));
  const [error] = (await once(thread, 'error')) as [Error];
  assert.match(error.message, /^the thread "live state" has reached the 16 MB of its heap$/);
  await ended;
});

test('any other error of a thread comes as it is', async (t) => {
  const thread = startThread(broken, 'archive');
  cleanupOf(t).defer(async () => void (await thread.terminate()));
  const [error] = (await once(thread, 'error')) as [Error];
  assert.equal(error.message, 'broken');
});

test('a thread for which there are no files gives an error that asks for another try', async (t) => {
  const thread = startThread(unlucky, 'archive reader');
  cleanupOf(t).defer(async () => void (await thread.terminate()));
  const [error] = (await once(thread, 'error')) as [ProblemError];
  assert.equal(error.problem, 'overloaded');
  assert.match(error.message, /"archive reader": too many open files\.$/);
});

test('no thread is given more than V8 would give it on this machine', async (t) => {
  const thread = startThread(idle, 'archive', { maxOldGenerationSizeMb: 1 << 20 });
  cleanupOf(t).defer(async () => void (await thread.terminate()));
  assert.ok((thread.resourceLimits?.maxOldGenerationSizeMb ?? 0) < 1 << 20);
});
