import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { firstFrom } from './time-search.ts';

test('the first position whose time is not before another is found, wherever the search begins and ends', () => {
  const times = fc.array(fc.nat({ max: 60 }), { maxLength: 40 }).map((all) => Float64Array.from(all).sort());
  fc.assert(
    fc.property(times, fc.nat(40), fc.nat(40), fc.nat(61), (all, one, other, timeUs) => {
      const from = Math.min(one, other, all.length);
      const to = Math.min(Math.max(one, other), all.length);
      const plain = all.subarray(from, to).findIndex((time) => time >= timeUs);
      assert.equal(firstFrom(all, from, to, timeUs), plain < 0 ? to : from + plain);
    }),
    { numRuns: 5000 },
  );
});
