import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pause } from '@telltale/schema';
import fc from 'fast-check';
import { setUp } from '../../test/connection-bench.ts';
import { NotConnected } from '../connector.ts';

const stepMs = 500;

test('the time since which there is no link is when it was lost, however often it is tried again since', async () => {
  let isThere = true;
  let lose = (_: Error) => {};
  const bench = setUp({
    connect: async () => {
      if (!isThere) throw new NotConnected('nobody is there');
    },
    run: (signal) =>
      new Promise((_, reject) => {
        lose = reject;
        signal.addEventListener('abort', () => reject(signal.reason));
      }),
  });
  const status = () => bench.connection.status();
  await bench.begin();
  const upUs = bench.clock.now();
  assert.deepEqual([status().state, status().sinceUs], ['up', upUs]);
  await bench.pass(60_000);
  isThere = false;
  const lostUs = bench.clock.now();
  lose(new NotConnected('the cable is cut'));
  await bench.pass(0);
  const states = new Set<string>();
  for (let passed = 0; passed < 60_000; passed += stepMs) {
    await bench.pass(stepMs);
    states.add(status().state);
    assert.equal(status().sinceUs, lostUs);
  }
  assert.ok(states.has('down') && !states.has('up'));
  assert.ok(status().counters.errors > 3, 'it was tried again and again');
  isThere = true;
  while (status().state !== 'up') await bench.pass(stepMs);
  assert.equal(status().sinceUs, bench.clock.now());
  await bench.connection.stop();
});

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
