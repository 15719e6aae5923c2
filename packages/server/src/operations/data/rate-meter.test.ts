import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '@telltale/schema/testing';
import { RateMeter } from './rate-meter.ts';

test('a rate is that of about the last 10 s, however often somebody asks', () => {
  const clock = new ManualClock(0);
  let count = 1000;
  const meter = new RateMeter(clock, () => count);
  assert.equal(meter.perSecond(), 0);
  for (let second = 0; second < 30; second++) {
    clock.advance(500);
    count += 50;
    meter.perSecond();
    clock.advance(500);
    count += 50;
    assert.equal(meter.perSecond(), 100);
  }
  for (let second = 0; second < 12; second++) {
    clock.advance(1000);
    meter.perSecond();
  }
  assert.equal(meter.perSecond(), 0);
});
