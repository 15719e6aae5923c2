import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '@telltale/schema/testing';
import fc from 'fast-check';
import { SteadyClock } from './steady-clock.ts';

const hourMs = 3_600_000;
const dayUs = 86_400_000_000;

test('a clock that is near the newest record is steady at once, and so is one of an empty archive', () => {
  const clock = new ManualClock();
  assert.ok(new SteadyClock(clock, undefined).isSteady());
  assert.ok(new SteadyClock(clock, clock.now() - dayUs).isSteady());
  assert.ok(new SteadyClock(clock, clock.now()).isSteady());
});

test('a clock that is more than a day ahead of the newest record is steady after an hour', () => {
  const clock = new ManualClock();
  const steady = new SteadyClock(clock, clock.now() - dayUs - 1);
  assert.ok(!steady.isSteady());
  clock.advance(hourMs - 1);
  assert.ok(!steady.isSteady());
  clock.advance(1);
  assert.ok(steady.isSteady());
});

test('a clock that jumps by more than a minute, to and fro, is steady an hour after the last jump', () => {
  const aStep = fc.record({
    jumpMs: fc.oneof(fc.constant(0), fc.integer({ min: -60_000, max: 60_000 }), fc.integer({ min: -1e9, max: 1e9 })),
    passMs: fc.integer({ min: 0, max: 2 * hourMs }),
  });
  fc.assert(
    fc.property(fc.array(aStep), (steps) => {
      const clock = new ManualClock();
      const steady = new SteadyClock(clock, clock.now());
      let jumpedMs = Number.NEGATIVE_INFINITY;
      for (const { jumpMs, passMs } of steps) {
        clock.jump(jumpMs);
        if (Math.abs(jumpMs) > 60_000) jumpedMs = clock.monotonicMs();
        assert.equal(steady.isSteady(), clock.monotonicMs() - jumpedMs >= hourMs);
        clock.advance(passMs);
        assert.equal(steady.isSteady(), clock.monotonicMs() - jumpedMs >= hourMs);
      }
    }),
  );
});
