import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { test } from 'node:test';
import { onAbort, pause, unlessAborted, untilAborted } from './abort.ts';
import { ManualClock } from './testing/manual-clock.ts';

const never = new Promise<string>(() => {});
const listenersOf = (signal: AbortSignal) => getEventListeners(signal, 'abort').length;

test('an abort is reported once, with its reason', () => {
  const controller = new AbortController();
  const reasons: unknown[] = [];
  onAbort(controller.signal, (reason) => reasons.push(reason));
  assert.deepEqual(reasons, []);
  controller.abort('enough');
  controller.abort('again');
  assert.deepEqual(reasons, ['enough']);
});

test('an abort of before is reported at once', () => {
  const reasons: unknown[] = [];
  onAbort(AbortSignal.abort('before'), (reason) => reasons.push(reason));
  assert.deepEqual(reasons, ['before']);
});

test('who stops listening hears nothing, and leaves nothing behind', () => {
  const controller = new AbortController();
  const stopListening = onAbort(controller.signal, () => assert.fail());
  stopListening();
  assert.equal(listenersOf(controller.signal), 0);
  controller.abort();
});

test('without a signal nothing is ever aborted', () => {
  onAbort(undefined, () => assert.fail())();
});

test('work until an abort settles as the work does, or with nothing', async () => {
  const { signal } = new AbortController();
  assert.equal(await untilAborted(signal, Promise.resolve('done')), 'done');
  await assert.rejects(untilAborted(signal, Promise.reject(new Error('broken'))), /broken/);
  assert.equal(listenersOf(signal), 0);
  assert.equal(await untilAborted(AbortSignal.abort(), Promise.resolve('done')), undefined);
  const controller = new AbortController();
  const ended = [untilAborted(controller.signal, never), untilAborted(controller.signal)];
  controller.abort();
  assert.deepEqual(await Promise.all(ended), [undefined, undefined]);
});

test('work unless aborted settles as the work does, or rejects with the reason', async () => {
  const controller = new AbortController();
  assert.equal(await unlessAborted(controller.signal, Promise.resolve('done')), 'done');
  assert.equal(listenersOf(controller.signal), 0);
  const { promise, reject } = Promise.withResolvers<string>();
  const ended = unlessAborted(controller.signal, promise);
  controller.abort(new Error('enough'));
  await assert.rejects(ended, /enough/);
  reject(new Error('too late to matter')); // and no unhandled rejection
  await assert.rejects(unlessAborted(controller.signal, Promise.resolve('done')), /enough/);
});

test('a pause ends after its time or with an abort, and leaves neither timer nor listener', async () => {
  const clock = new ManualClock();
  const controller = new AbortController();
  const whole = pause(clock, 100, controller.signal);
  clock.advance(100);
  await whole;
  assert.equal(listenersOf(controller.signal), 0);
  const cut = pause(clock, 100, controller.signal);
  controller.abort();
  await cut;
  assert.equal(clock.pending, 0);
});
