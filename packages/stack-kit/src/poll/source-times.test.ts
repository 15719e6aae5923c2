import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { quality } from '@telltale/schema';
import { ManualClock } from '@telltale/schema/testing';
import { SourceTimes } from './source-times.ts';

const clock = new ManualClock();
const nowUs = clock.now();
const second = 1_000_000;
const { good, uncertain, bad } = quality;

function judged(sourceUs: number, deviceNowUs: number | undefined, q: number = good) {
  const times = new SourceTimes({ clock, maxSkewMs: 60_000 });
  times.judge(sourceUs, deviceNowUs, q);
  return { time: times.timeUs, quality: times.quality, distrusted: times.distrusted };
}

describe('a time of a device', () => {
  test('is taken while its clock is off by no more than allowed', () => {
    for (const skew of [-60, -1, 0, 1, 60]) {
      const sourceUs = nowUs + skew * second;
      assert.deepEqual(judged(sourceUs, sourceUs), { time: sourceUs, quality: good, distrusted: 0 });
    }
  });

  test('is not taken where its clock is off by more: the server has the time, and good becomes uncertain', () => {
    for (const skew of [-61, 61, 3600 * 24 * 365]) {
      const deviceNowUs = nowUs + skew * second;
      const found = judged(deviceNowUs - 5 * second, deviceNowUs);
      assert.deepEqual(found, { time: nowUs, quality: uncertain.nonSpecific, distrusted: 1 });
    }
  });

  test('may be old where the device does not say what its clock has, but not ahead', () => {
    const old = nowUs - 3600 * 24 * second;
    assert.deepEqual(judged(old, undefined), { time: old, quality: good, distrusted: 0 });
    assert.equal(judged(nowUs + 61 * second, undefined).time, nowUs);
  });

  test('leaves bad and uncertain qualities as they are, and flags where they are', () => {
    const off = nowUs + 100 * second;
    for (const q of [bad.sensorFailure, uncertain.lastUsableValue]) assert.equal(judged(off, off, q).quality, q);
    assert.equal(judged(off, off, good | 0x8000).quality, 0x8040);
  });

  test('that is no time, or that of a clock that was never set, is not taken', () => {
    const neverSet = [0, 1_700_000_000_000, Date.UTC(1994) * 1000, Date.UTC(2000) * 1000 - 1];
    for (const sourceUs of [...neverSet, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, -1]) {
      assert.deepEqual(judged(sourceUs, undefined), { time: nowUs, quality: uncertain.nonSpecific, distrusted: 1 });
    }
    assert.equal(judged(nowUs, Number.NaN).time, nowUs);
  });

  test('follows the clock of the server when that is set', () => {
    const set = new ManualClock();
    const times = new SourceTimes({ clock: set, maxSkewMs: 1000 });
    set.jump(10_000);
    times.judge(set.now(), set.now(), good);
    assert.equal(times.quality, good);
    times.judge(nowUs, nowUs, good);
    assert.equal(times.quality, uncertain.nonSpecific);
    assert.equal(times.distrusted, 1);
  });
});
