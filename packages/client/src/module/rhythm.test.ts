import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ManualClock } from '@telltale/schema/testing';
import fc from 'fast-check';
import { Rhythm } from './rhythm.ts';

const never = new AbortController().signal;

describe('a rhythm', () => {
  test('goes on evenly while what is done takes less than a period', async () => {
    const clock = new ManualClock();
    const rhythm = new Rhythm(100, clock);
    const moments: number[] = [];
    for (const took of [0, 30, 99, 100, 1]) {
      clock.advance(took);
      const next = rhythm.next(never);
      clock.advance(100 - took);
      await next;
      moments.push(clock.monotonicMs());
    }
    assert.deepEqual([moments, rhythm.overruns], [[100, 200, 300, 400, 500], 0]);
  });

  test('leaves out the moments that were missed, counts them, and never makes up for them', async () => {
    const clock = new ManualClock();
    const rhythm = new Rhythm(100, clock);
    clock.advance(350);
    const next = rhythm.next(never);
    assert.equal(clock.pending, 1);
    clock.advance(50);
    await next;
    assert.deepEqual([clock.monotonicMs(), rhythm.overruns], [400, 3]);
  });

  test('however long things take, every moment is one of the grid, and each is taken or counted', async () => {
    const took = fc.array(fc.integer({ min: 0, max: 1000 }), { maxLength: 30 });
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 300 }), took, async (periodMs, times) => {
        const clock = new ManualClock();
        const rhythm = new Rhythm(periodMs, clock);
        for (const [at, ms] of times.entries()) {
          clock.advance(ms);
          const beforeMs = clock.monotonicMs();
          const next = rhythm.next(never);
          for (clock.advance(0); clock.pending > 0; clock.advance(1));
          await next;
          assert.ok(clock.monotonicMs() - beforeMs <= periodMs);
          assert.equal(clock.monotonicMs(), (at + 1 + rhythm.overruns) * periodMs);
        }
      }),
    );
  });

  test('is woken by its signal, and leaves neither a timer nor a listener', async () => {
    const clock = new ManualClock();
    const ending = new AbortController();
    const pending = new Rhythm(100, clock).next(ending.signal);
    ending.abort();
    await pending;
    await new Rhythm(100, clock).next(ending.signal);
    assert.equal(clock.pending, 0);
  });
});
