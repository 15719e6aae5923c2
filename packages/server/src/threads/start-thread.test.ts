import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { cleanupOf } from '@telltale/stack-kit/testing/cleanup';
import { startThread } from './start-thread.ts';

const greedy = new URL(`data:text/javascript,const kept=[];for(;;)kept.push({at:kept.length});`);
const broken = new URL(`data:text/javascript,throw new Error('broken');`);
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

test('no thread is given more than V8 would give it on this machine', async (t) => {
  const thread = startThread(idle, 'archive', { maxOldGenerationSizeMb: 1 << 20 });
  cleanupOf(t).defer(async () => void (await thread.terminate()));
  assert.ok((thread.resourceLimits?.maxOldGenerationSizeMb ?? 0) < 1 << 20);
});
