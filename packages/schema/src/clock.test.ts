import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mock, test } from 'node:test';
import { Worker } from 'node:worker_threads';
import fc from 'fast-check';
import { systemClock } from './clock.ts';
import { ManualClock } from './testing/manual-clock.ts';

test('a clock moved by hand calls what falls due in the order of its time, each at its time', () => {
  const anyDelays = fc.array(fc.integer({ min: -5, max: 1000 }), { maxLength: 30 });
  fc.assert(
    fc.property(anyDelays, fc.array(fc.nat(400), { maxLength: 10 }), (delays, steps) => {
      const clock = new ManualClock(0);
      const called: number[] = [];
      for (const ms of delays) {
        clock.after(ms, () => {
          assert.equal(clock.now(), Math.max(0, ms) * 1000);
          called.push(Math.max(0, ms));
        });
      }
      for (const ms of steps) clock.advance(ms);
      const passed = steps.reduce((sum, ms) => sum + ms, 0);
      assert.equal(clock.now(), passed * 1000);
      const due = steps.length === 0 ? [] : delays.map((ms) => Math.max(0, ms)).filter((ms) => ms <= passed);
      assert.deepEqual(
        called,
        due.sort((a, b) => a - b),
      );
      assert.equal(clock.pending, delays.length - called.length);
    }),
  );
});

test('a clock moved by hand calls what was asked for at the same time in the order of the asking', () => {
  const clock = new ManualClock();
  const called: string[] = [];
  for (const name of ['a', 'b', 'c']) clock.after(10, () => called.push(name));
  clock.advance(10);
  assert.deepEqual(called, ['a', 'b', 'c']);
});

test('what is taken back is not called, and what is asked for meanwhile is called in the same move', () => {
  const clock = new ManualClock(0);
  const called: number[] = [];
  const cancel = clock.after(20, () => called.push(20));
  clock.after(10, () => {
    cancel();
    clock.after(5, () => called.push(clock.now()));
  });
  clock.advance(100);
  assert.deepEqual([called, clock.now()], [[15_000], 100_000]);
});

test('a clock moved by hand that jumps goes on evenly beside it, and nothing falls due by the jump', () => {
  const clock = new ManualClock(0);
  const called: number[] = [];
  clock.after(1000, () => called.push(clock.now()));
  clock.advance(400);
  clock.jump(3_600_000);
  assert.deepEqual([clock.now(), clock.monotonicMs(), called.length], [3_600_400_000, 400, 0]);
  clock.jump(-7_200_000);
  clock.advance(600);
  assert.deepEqual([clock.monotonicMs(), called], [1000, [-3_599_000_000]]);
});

test('all threads read the same even clock of the system', async () => {
  const script = `import { systemClock } from ${JSON.stringify(new URL('./clock.ts', import.meta.url).href)};
    import { parentPort } from 'node:worker_threads';
    parentPort.postMessage(systemClock.monotonicMs());`;
  const before = systemClock.monotonicMs();
  const worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(script)}`));
  const [there] = await once(worker, 'message');
  assert.ok(before <= there && there <= systemClock.monotonicMs());
});

test('the even clock of the system never goes back', () => {
  let before = systemClock.monotonicMs();
  for (let turn = 0; turn < 1000; turn++) {
    const now = systemClock.monotonicMs();
    assert.ok(now >= before);
    before = now;
  }
});

test('the clock of the system waits longer than its timers can', () => {
  mock.timers.enable({ apis: ['setTimeout'] });
  try {
    const called: string[] = [];
    const days = 24 * 3600 * 1000;
    systemClock.after(60 * days, () => called.push('kept'));
    const cancel = systemClock.after(60 * days, () => called.push('taken back'));
    const longestMs = 2 ** 31 - 1;
    mock.timers.tick(longestMs);
    cancel();
    assert.deepEqual(called, []);
    mock.timers.tick(longestMs);
    mock.timers.tick(60 * days - 2 * longestMs - 1);
    assert.deepEqual(called, []);
    mock.timers.tick(1);
    assert.deepEqual(called, ['kept']);
  } finally {
    mock.timers.reset();
  }
});

test('the clock of the system has whole microseconds of today', () => {
  const nowUs = systemClock.now();
  assert.ok(Number.isSafeInteger(nowUs) && Math.abs(nowUs / 1000 - Date.now()) < 60_000);
});
