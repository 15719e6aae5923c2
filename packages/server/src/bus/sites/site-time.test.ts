// What a centre believes of the time at a site is never later than it is there, and says how old the news are.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { SiteTime } from './site-time.ts';

const driftOf = 1e-4;

test('the time of a site is never taken for later than it is, and earlier by the way of the last heartbeat alone', () => {
  const beats = fc.array(
    fc.record({ afterMs: fc.integer({ min: 1, max: 5000 }), delayMs: fc.integer({ max: 60_000, min: 0 }) }),
    {
      minLength: 1,
    },
  );
  fc.assert(
    fc.property(beats, fc.double({ min: -driftOf, max: driftOf, noNaN: true }), fc.nat(1e9), (all, drift, startMs) => {
      const time = new SiteTime();
      const siteAt = (ms: number) => startMs + ms * (1 + drift);
      let [sentMs, heardMs, least] = [0, 0, Number.POSITIVE_INFINITY];
      for (const { afterMs, delayMs } of all) {
        sentMs += afterMs;
        // In order: one that is faster waits for those before it.
        heardMs = Math.max(heardMs, sentMs + delayMs);
        const wayMs = heardMs - sentMs;
        least = Math.min(least, wayMs);
        time.hear(siteAt(sentMs), heardMs);
        const laterMs = heardMs + 1000;
        const errorMs = siteAt(laterMs) - time.atSiteMs(laterMs);
        const slack = 1 + driftOf * (wayMs + 1000);
        assert.ok(errorMs >= -slack && errorMs <= wayMs + slack, `${errorMs} of ${wayMs}`);
        // Of the way, what the fastest took as well cannot be known.
        const age = time.ageMs(laterMs);
        const forgotten = 2 * 5e-4 * heardMs;
        assert.ok(
          age <= 1000 + wayMs - least + forgotten + slack && age >= 1000 + wayMs - least - forgotten - slack,
          `${age}`,
        );
      }
    }),
  );
});
