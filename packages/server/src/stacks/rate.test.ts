import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Rate } from './rate.ts';

test('a rate is that of the last ten seconds, and less than that at the beginning', () => {
  const rate = new Rate(1000);
  assert.equal(rate.perSecond, 0);
  rate.update(2000, 50);
  assert.equal(rate.perSecond, 50);
  for (let second = 3; second <= 30; second++) rate.update(second * 1000, 50 + (second - 2) * 7);
  assert.equal(rate.perSecond, 7);
});

test('a counter that is reported twice at a time has the rate of no time: none', () => {
  const rate = new Rate(1000);
  rate.update(1000, 50);
  assert.equal(rate.perSecond, 0);
});

test('a counter that stands still has no rate after ten seconds', () => {
  const rate = new Rate(0);
  rate.update(1000, 1000);
  for (let second = 2; second <= 10; second++) rate.update(second * 1000, 1000);
  assert.equal(rate.perSecond, 100);
  rate.update(11_000, 1000);
  assert.equal(rate.perSecond, 0);
});
