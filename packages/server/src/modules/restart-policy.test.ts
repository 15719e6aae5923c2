import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '@telltale/schema/testing';
import fc from 'fast-check';
import { RestartPolicy } from './restart-policy.ts';

/** Starts it, lets it run, and asks for the pause; until it may not be started any more. */
function pausesOf(runsMs: readonly number[]): { pauses: (number | undefined)[]; startsMs: number[] } {
  const clock = new ManualClock();
  const policy = new RestartPolicy(clock);
  const startsMs: number[] = [];
  const pauses: (number | undefined)[] = [];
  for (const runMs of runsMs) {
    policy.started();
    startsMs.push(clock.monotonicMs());
    clock.advance(runMs);
    const pauseMs = policy.takePauseMs();
    pauses.push(pauseMs);
    if (pauseMs === undefined) break;
    clock.advance(pauseMs);
  }
  return { pauses, startsMs };
}

test('one that ends at once is started five times, after pauses that double, and then no more', () => {
  assert.deepEqual(pausesOf([0, 0, 0, 0, 0, 0]).pauses, [1000, 2000, 4000, 8000, undefined]);
});

test('one that runs for a while each time is started again and again, after a minute at most', () => {
  const { pauses } = pausesOf(new Array(10).fill(20_000));
  assert.deepEqual(pauses, [1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000, 60_000, 60_000]);
});

test('what counts is how many starts there would be in the minute before the next one', () => {
  assert.deepEqual(pausesOf(new Array(5).fill(8000)).pauses, [1000, 2000, 4000, 8000, 16_000]);
  assert.deepEqual(pausesOf(new Array(5).fill(5000)).pauses, [1000, 2000, 4000, 8000, undefined]);
});

test('one that ran for a minute is well: the pauses begin again', () => {
  assert.deepEqual(
    pausesOf([20_000, 20_000, 59_999, 20_000, 60_000, 20_000]).pauses,
    [1000, 2000, 4000, 8000, 1000, 2000],
  );
});

test('somebody who acts makes all of it forgotten', () => {
  const policy = new RestartPolicy(new ManualClock());
  for (let start = 0; start < 5; start++) policy.started();
  assert.equal(policy.takePauseMs(), undefined);
  policy.forgive();
  policy.started();
  assert.equal(policy.takePauseMs(), 1000);
});

test('however long it runs each time, no minute has six starts', () => {
  const runMs = fc.oneof(fc.nat(100), fc.nat(70_000));
  fc.assert(
    fc.property(fc.array(runMs, { maxLength: 60 }), (runsMs) => {
      const { startsMs } = pausesOf(runsMs);
      for (const [index, startMs] of startsMs.entries()) {
        const fifthNext = startsMs[index + 5];
        assert.ok(fifthNext === undefined || fifthNext - startMs >= 60_000);
      }
    }),
  );
});
