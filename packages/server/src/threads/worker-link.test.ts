import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { type TestContext, test } from 'node:test';
import { ProblemError } from '@telltale/schema';
import { ManualClock } from '@telltale/schema/testing';
import { cleanupOf } from '@telltale/stack-kit/testing/cleanup';
import type { TestClient, TestThread } from '../../test/link-thread.ts';
import { startThread } from './start-thread.ts';
import { threadPort, WorkerLink } from './worker-link.ts';

function start(t: TestContext, clock = new ManualClock()) {
  const deaths: Error[] = [];
  const noted: string[] = [];
  const thread = startThread(new URL('../../test/link-thread.ts', import.meta.url), 'archive');
  const link = new WorkerLink<TestThread, TestClient>(threadPort(thread), {
    handlers: { double: (value) => 2 * value, noted: (text) => void noted.push(text) },
    onDeath: (error) => deaths.push(error),
    clock,
  });
  cleanupOf(t).defer(() => link.kill());
  return { link, thread, deaths, noted, clock };
}

test('a call has its own answer, whatever else is called meanwhile, either way', async (t) => {
  const { link } = start(t);
  const answers = await Promise.all([
    link.call('askBack', [4]),
    link.call('echo', [{ at: new Map([[1, undefined]]) }]),
    link.call('echo', [undefined]),
    link.call('askBack', [5]),
  ]);
  assert.deepEqual(answers, [8, { at: new Map([[1, undefined]]) }, undefined, 10]);
  assert.equal(link.pending, 0);
});

test('a problem arrives as the problem that it is, and a mistake with the place where it was made', async (t) => {
  const { link, deaths } = start(t);
  await assert.rejects(link.call('refuse', ['no']), (error: ProblemError) => {
    assert.ok(error instanceof ProblemError);
    assert.deepEqual([error.problem, error.message], ['invalid-value', 'no']);
    assert.deepEqual(error.errors, [{ path: '/a', message: 'is wrong' }]);
    return true;
  });
  await assert.rejects(link.call('fail', ['oh']), (error: Error) => {
    assert.equal(error.message, 'oh');
    assert.match(error.stack ?? '', /link-thread\.ts/);
    return true;
  });
  assert.deepEqual(deaths, []);
});

test('notifications arrive in order with answers, and want none', async (t) => {
  const { link, noted } = start(t);
  assert.ok(link.notify('note', ['first']));
  link.notify('note', ['second']);
  await link.call('echo', [0]);
  assert.deepEqual(noted, ['first', 'second']);
});

test('a result that cannot be copied rejects its call, and no other', async (t) => {
  const { link, deaths } = start(t);
  await assert.rejects(link.call('symbol', []), /could not be cloned/);
  assert.equal(await link.call('echo', ['still there']), 'still there');
  assert.deepEqual(deaths, []);
});

test('memory is handed over and back without a copy', async (t) => {
  const { link } = start(t);
  const bytes = new Uint8Array(1 << 16);
  const filled = await link.call('fill', [bytes, 7], { transfer: [bytes.buffer] });
  assert.equal(bytes.length, 0);
  assert.ok(filled.length === 1 << 16 && filled.every((byte) => byte === 7));
});

test('progress is heard before the answer', async (t) => {
  const { link } = start(t);
  const heard: number[] = [];
  const count = await link.call('count', [3], { onProgress: (step: number) => heard.push(step) });
  assert.deepEqual([heard, count], [[1, 2, 3], 3]);
});

test('an abort rejects the call, ends the work, and leaves no listener', async (t) => {
  const { link } = start(t);
  const controller = new AbortController();
  const call = link.call('wait', [], { signal: controller.signal });
  controller.abort(new Error('enough'));
  await assert.rejects(call, /enough/);
  assert.equal(await link.call('lastReason', []), 'Error: the caller no longer waits for the answer');
  await link.call('echo', [0], { signal: new AbortController().signal });
  assert.equal(getEventListeners(controller.signal, 'abort').length, 0);
});

test('work that asks for its signal after the abort finds it aborted', async (t) => {
  const { link } = start(t);
  const giving = new AbortController();
  const late = link.call('waitLate', [], { signal: giving.signal });
  giving.abort(new Error('enough'));
  await assert.rejects(late, /enough/);
  await link.call('go', []);
  assert.match((await link.call('lastReason', [])) ?? '', /no longer waits/);
});

test('a call that takes longer than its limit rejects, and its work is aborted', async (t) => {
  const { link, clock } = start(t);
  const call = link.call('wait', [], { limit: { clock, ms: 100, error: () => new Error('too long') } });
  clock.advance(100);
  await assert.rejects(call, /too long/);
  assert.ok(await link.call('lastReason', []));
});

test('the death of the thread fails what is open and what comes later with its error, and is reported once', async (t) => {
  const { link, deaths } = start(t);
  const open = [link.call('wait', []), link.call('wait', [])];
  link.notify('die', ['broken']);
  for (const call of open) await assert.rejects(call, /^Error: broken$/);
  await link.ended;
  assert.deepEqual(
    deaths.map(({ message }) => message),
    ['broken'],
  );
  assert.ok(!link.isOpen);
  assert.ok(!link.notify('note', ['late']));
  await assert.rejects(link.call('echo', [1]), /broken/);
  await link.close(1000, () => link.call('close', []));
});

test('a thread that ends without an error is dead as well', async (t) => {
  const { link, thread, deaths } = start(t);
  const open = link.call('wait', []);
  thread.terminate();
  await assert.rejects(open, /it ended with exit code/);
  assert.equal(deaths.length, 1);
});

test('closing says the last, ends the thread, and reports no death; what is still open is rejected', async (t) => {
  const { link, deaths, clock } = start(t);
  const open = link.call('wait', []);
  const closed = link.close(1000, () => link.call('close', []));
  await assert.rejects(open, (error: ProblemError) => error.problem === 'stopping');
  await closed;
  assert.deepEqual([deaths, clock.pending], [[], 0]);
});

test('a thread that does not answer is closed by force after its time', async (t) => {
  const { link, deaths, clock } = start(t);
  await link.call('echo', [0]);
  const blocked = link.call('block', []);
  const closed = link.close(1000, () => link.call('close', []));
  clock.advance(1000);
  await assert.rejects(blocked, (error: ProblemError) => error.problem === 'stopping');
  await closed;
  assert.deepEqual(deaths, []);
});

test('what is no message of the link is passed over', async (t) => {
  const { link, thread } = start(t);
  const strange = [
    ...[0, null, undefined, 'text', {}, { kind: 'problem' }, { kind: 'failure', id: 'x' }],
    { kind: 'call', id: 1, method: 'toString', args: [] },
    ...[undefined, null, 5, {}].map((args) => ({ kind: 'call', id: 0, method: 'noted', args })),
    ...[undefined, null, 5, {}].map((args) => ({ kind: 'call', id: 0, method: 'note', args })),
  ];
  for (const message of strange) {
    thread.postMessage(message);
    thread.emit('message', message);
  }
  assert.equal(await link.call('echo', ['still there']), 'still there');
});
