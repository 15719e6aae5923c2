import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { test } from 'node:test';
import { OpenCalls } from './open-calls.ts';
import { ManualClock } from './testing/manual-clock.ts';

/** Opens a call, and returns its number with its outcome. */
function open(calls: OpenCalls, options = {}, onGivenUp?: (id: number) => void) {
  const sent: number[] = [];
  const outcome = calls.open<string>((id) => sent.push(id), options, onGivenUp);
  return { id: sent[0] as number, outcome };
}

test('each call gets its own answer, in whatever order they come', async () => {
  const calls = new OpenCalls();
  const [first, second] = [open(calls), open(calls)];
  assert.equal(calls.size, 2);
  assert.ok(calls.answer(second.id, 'second'));
  assert.ok(calls.answer(first.id, 'first'));
  assert.deepEqual(await Promise.all([first.outcome, second.outcome]), ['first', 'second']);
  assert.equal(calls.size, 0);
});

test('a call that fails rejects, and a second outcome is passed over', async () => {
  const calls = new OpenCalls();
  const { id, outcome } = open(calls);
  assert.ok(calls.fail(id, new Error('refused')));
  assert.ok(!calls.answer(id, 'too late'));
  assert.ok(!calls.fail(id, new Error('too late')));
  await assert.rejects(outcome, /refused/);
});

test('a call whose signal is aborted rejects with the reason, and the other side is notified once', async () => {
  const calls = new OpenCalls();
  const controller = new AbortController();
  const given: number[] = [];
  const { id, outcome } = open(calls, { signal: controller.signal }, (each) => given.push(each));
  controller.abort(new Error('enough'));
  await assert.rejects(outcome, /enough/);
  assert.deepEqual(given, [id]);
  assert.ok(!calls.answer(id, 'too late'));
});

test('nothing is sent for a signal that is aborted already', async () => {
  const calls = new OpenCalls();
  const outcome = calls.open(() => assert.fail(), { signal: AbortSignal.abort(new Error('before')) });
  await assert.rejects(outcome, /before/);
  assert.equal(calls.size, 0);
});

test('a call that is not answered in time rejects with the error of its limit', async () => {
  const calls = new OpenCalls();
  const clock = new ManualClock();
  const given: number[] = [];
  const limit = { clock, ms: 1000, error: () => new Error('too late') };
  const { id, outcome } = open(calls, { limit }, (each) => given.push(each));
  clock.advance(999);
  assert.ok(calls.has(id));
  clock.advance(1);
  await assert.rejects(outcome, /too late/);
  assert.deepEqual(given, [id]);
});

test('whatever ends a call, it leaves neither timer nor listener', async () => {
  const calls = new OpenCalls();
  const clock = new ManualClock();
  const { signal } = new AbortController();
  const limit = { clock, ms: 1000, error: () => new Error() };
  const opened = [open(calls, { signal, limit }), open(calls, { signal, limit }), open(calls, { signal, limit })];
  calls.answer(1, 'answer');
  calls.fail(2, new Error());
  calls.endAll(new Error());
  const unsendable = () => {
    throw new Error('it cannot be sent');
  };
  assert.throws(() => calls.open(unsendable, { signal, limit }), /cannot be sent/);
  await Promise.allSettled(opened.map(({ outcome }) => outcome));
  assert.deepEqual([getEventListeners(signal, 'abort').length, clock.pending, calls.size], [0, 0, 0]);
});

test('the end of the other side rejects all calls that are open, and those alone', async () => {
  const calls = new OpenCalls();
  const [answered, ...others] = [open(calls), open(calls), open(calls)];
  calls.answer(1, 'answer');
  calls.endAll(new Error('gone'));
  assert.equal(await answered?.outcome, 'answer');
  for (const { outcome } of others) await assert.rejects(outcome, /gone/);
});

test('progress reaches the call that it is of, until its answer', async () => {
  const calls = new OpenCalls();
  const heard: number[] = [];
  const { id, outcome } = open(calls, { onProgress: (part: number) => heard.push(part) });
  calls.progress(id, 1);
  calls.progress(id, 2);
  calls.answer(id, 'done');
  calls.progress(id, 3);
  await outcome;
  assert.deepEqual(heard, [1, 2]);
});
