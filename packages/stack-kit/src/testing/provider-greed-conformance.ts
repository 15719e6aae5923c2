// What is asked of every provider that listens: clients that never stop cost neither a connector in the same thread its
// scans nor another client its answers.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { observe, type Phase, startGreedy } from './greedy-phases.ts';
import type { ProviderBench } from './provider-bench.ts';
import type { Serving } from './provider-conformance.ts';
import { ScannedDevice } from './scanned-device.ts';

const scanPeriodMs = 200;
const maxOverruns = 2;
const maxMoreMs = 100;
/** A machine that is busy with something else makes everything late: then it is looked at again. */
const attempts = 4;

export function testGreed(world: ProviderBench['world'], bench: () => ProviderBench, serving: Serving): void {
  if (world.startServed !== undefined || world.transport === 'none') return;

  test('eight clients that never stop cost neither a connector of the same thread its scans nor another client its answers', (t) =>
    serving(async (hosted, client) => {
      bench().publishAll(hosted, 0);
      await bench().untilAllSeen(client, 0);
      await using device = await ScannedDevice.start(bench().folder, scanPeriodMs);
      for (let attempt = 1; ; attempt++) {
        const idle = await observe(device, client, world.measurements[0]?.address ?? '');
        const greedy = await startGreedy(bench());
        const served = hosted.counts.requests;
        const busy = await observe(device, client, world.measurements[0]?.address ?? '').finally(() => greedy.stop());
        report(t, 'idle', idle);
        report(t, 'meanwhile', busy);
        t.diagnostic(`${hosted.counts.requests - served} requests served, ${JSON.stringify(hosted.counts)}`);
        assert.ok(hosted.counts.requests - served > 2 * busy.answers, 'the greedy clients were not served at all');
        const isRight =
          busy.overruns <= maxOverruns + idle.overruns && busy.waitedMs <= idle.waitedMs + maxMoreMs && busy.scans > 0;
        if (isRight) return;
        assert.ok(attempt < attempts, `${JSON.stringify(busy)} instead of ${JSON.stringify(idle)}`);
      }
    }));
}

function report(t: TestContext, when: string, { overruns, scans, waitedMs, answers }: Phase): void {
  t.diagnostic(
    `${when}: ${scans} scans, ${overruns} left out; half of ${answers} answers within ${waitedMs.toFixed(1)} ms`,
  );
}
