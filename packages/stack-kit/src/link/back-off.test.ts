import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { BackOff, NotConnected } from '../connector.ts';
import { backOffMs } from './back-off.ts';

test('a pause is between 0.5 and 30 s, and longer after more failures', () => {
  fc.assert(
    fc.property(fc.nat(1e9), fc.double({ min: 0, max: 1, noNaN: true }), (failures, random) => {
      const ms = backOffMs(failures, new NotConnected(''), () => random);
      assert.ok(ms >= 500 && ms <= 30_000, `${ms}`);
      assert.ok(backOffMs(failures + 1, undefined, () => random) >= ms);
    }),
    { examples: [[0, 1]] },
  );
});

test('what the device asks for is done, within an hour', () => {
  const asked = (ms: unknown) => backOffMs(0, new BackOff(ms as number, ''), () => 0);
  assert.deepEqual([60_000, 3_600_001, Number.POSITIVE_INFINITY].map(asked), [60_000, 3_600_000, 3_600_000]);
  assert.deepEqual([0, -1, Number.NaN, 'soon', undefined].map(asked), [500, 500, 500, 500, 500]);
});
