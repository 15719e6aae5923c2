import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pause } from '@telltale/schema';
import fc from 'fast-check';
import { setUp } from '../../test/connection-bench.ts';
import { NotConnected } from '../connector.ts';

const stepMs = 500;

/** How a try fails while the device is away, and the chance that is drawn for the pause after it. */
const anyTry = fc.record({
  failsAfterMs: fc.constantFrom(0, 20, 1000, 4000, 8000),
  random: fc.double({ min: 0, max: 1, noNaN: true }),
});

test('a device is found within 10 s when it is back, however long it was away and however long a try takes to fail', async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat(300), fc.array(anyTry, { minLength: 1, maxLength: 8 }), async (awayS, tries) => {
      let isThere = false;
      let at = 0;
      const present = () => tries[at % tries.length] ?? { failsAfterMs: 0, random: 0 };
      const bench = setUp(
        {
          // Who begins too early does not notice that it is back.
          connect: async (signal) => {
            if (isThere) return;
            at++;
            await pause(bench.clock, present().failsAfterMs, signal);
            throw new NotConnected('nobody is there');
          },
        },
        undefined,
        () => present().random,
      );
      await bench.begin();
      const wait = async (ms: number) => {
        for (let passed = 0; passed < ms; passed += stepMs) await bench.pass(stepMs);
      };
      await wait(awayS * 1000);
      isThere = true;
      await wait(10_000);
      assert.equal(bench.connection.status().state, 'up');
      await bench.connection.stop();
    }),
    { numRuns: 30, examples: [[75, [{ failsAfterMs: 8000, random: 0 }]]] },
  );
});
