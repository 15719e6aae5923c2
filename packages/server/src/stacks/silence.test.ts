import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { scanPeriodOf, silenceAfter } from './silence.ts';

test('a connector is late after two scan periods, after 2 s at least, and lost after twice as long', () => {
  const property = fc.property(fc.option(fc.nat(60_000), { nil: undefined }), fc.nat(300_000), (periodMs, silentMs) => {
    const lateMs = Math.max(2000, 2 * (periodMs ?? 0));
    const expected = silentMs >= 2 * lateMs ? 'lost' : silentMs >= lateMs ? 'late' : undefined;
    assert.equal(silenceAfter(silentMs, periodMs), expected);
  });
  fc.assert(property);
});

test('the scan period is the shortest, and none where a device reports some of its points by itself', () => {
  const group = { requests: 1, scans: 1, overruns: 0, tookMs: undefined };
  const groups = [
    { ...group, periodMs: 60_000, points: 2 },
    { ...group, periodMs: 5000, points: 3 },
    { ...group, periodMs: 100, points: 0 },
  ];
  assert.equal(scanPeriodOf(groups, 5), 5000);
  assert.equal(scanPeriodOf(groups, 6), undefined);
  assert.equal(scanPeriodOf([], 0), undefined);
});
