import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { BackOff, NotConnected } from '../connector.ts';
import { backOffMs } from './back-off.ts';

const failed = (failures: number, tookMs = 0) => ({ failures, error: new NotConnected(''), tookMs });
const chance = fc.double({ min: 0, max: 1, noNaN: true });

test('a pause is between 0.5 s and the longest, and longer after more failures', () => {
  fc.assert(
    fc.property(fc.nat(1e9), chance, fc.integer({ min: 500, max: 600_000 }), (failures, random, maxMs) => {
      const ms = backOffMs(failed(failures), maxMs, () => random);
      assert.ok(ms >= 500 && ms <= maxMs, `${ms}`);
      assert.ok(backOffMs(failed(failures + 1), maxMs, () => random) >= ms);
    }),
    { examples: [[0, 1, 5000]] },
  );
});

test('after many failures, pauses are spread over the longest half', () => {
  const pause = (random: number) => backOffMs(failed(100), 5000, () => random);
  assert.deepEqual([0, 0.5, 1].map(pause), [5000, 3750, 2500]);
});

test('how long it was tried counts as a part of the pause, which is 0.5 s at least', () => {
  fc.assert(
    fc.property(fc.nat(100), chance, fc.nat(20_000), (failures, random, tookMs) => {
      const rested = backOffMs(failed(failures), 5000, () => random);
      assert.equal(
        backOffMs(failed(failures, tookMs), 5000, () => random),
        Math.max(500, rested - tookMs),
      );
    }),
  );
});

test('what the device asks for is done, within an hour', () => {
  const asked = (ms: unknown) =>
    backOffMs({ failures: 0, error: new BackOff(ms as number, ''), tookMs: 400 }, 5000, () => 0);
  assert.deepEqual([60_000, 3_600_001, Number.POSITIVE_INFINITY].map(asked), [60_000, 3_600_000, 3_600_000]);
  assert.deepEqual([0, -1, Number.NaN, 'soon', undefined].map(asked), [500, 500, 500, 500, 500]);
});
