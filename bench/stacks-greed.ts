// Providers with eight clients that never stop, half of which never read: what another client waits and what a connector of the same
// thread misses of its scans, beside the same without them.

import type { ProviderWorld } from '../packages/stack-kit/src/testing/conformance-world.ts';
import { observe, type Phase, startGreedy } from '../packages/stack-kit/src/testing/greedy-phases.ts';
import { ProviderBench } from '../packages/stack-kit/src/testing/provider-bench.ts';
import { ScannedDevice } from '../packages/stack-kit/src/testing/scanned-device.ts';
import { provider as http } from '../stacks/http/test/conformance-provider.ts';
import { providerWorld as modbus } from '../stacks/modbus/test/conformance-worlds.ts';
import { provider as opcua, stopClients } from '../stacks/opcua/test/conformance-provider.ts';
import { provider as snmp } from '../stacks/snmp/test/conformance-provider.ts';
import { atMost, type Benchmark, median, type Result, type Say } from './measure.ts';

const scanPeriodMs = 200;
/** As the conformance suite asks it of every provider. */
const [maxMoreMs, maxOverruns] = [100, 2];

export const stacksGreed: Benchmark = {
  name: 'stacks-greed',
  title: 'providers with eight clients that never stop',
  async run(say, { quick }) {
    const results: Result[] = [];
    try {
      for (const [name, world] of Object.entries({ modbus, snmp, http, opcua })) {
        results.push(...(await measure(name, world, quick ? 1 : 5, say)));
      }
    } finally {
      await stopClients();
    }
    return results;
  },
};

async function measure(name: string, world: ProviderWorld, rounds: number, say: Say): Promise<Result[]> {
  await using cleanup = new AsyncDisposableStack();
  const bench = await ProviderBench.start(world);
  cleanup.defer(() => bench.stop());
  const hosted = await bench.startProvider();
  cleanup.defer(() => hosted.stop());
  const client = await bench.connectClient();
  cleanup.defer(() => client.close());
  bench.publishAll(hosted, 0);
  await bench.untilAllSeen(client, 0);
  const device = cleanup.use(await ScannedDevice.start(bench.folder, scanPeriodMs));
  const address = world.measurements[0]?.address ?? '';
  const [idle, busy, served]: [Phase[], Phase[], number[]] = [[], [], []];
  for (let round = 0; round < rounds; round++) {
    idle.push(await observe(device, client, address));
    const greedy = await startGreedy(bench);
    const [before, startMs] = [hosted.counts.requests, performance.now()];
    busy.push(await observe(device, client, address).finally(() => greedy.stop()));
    served.push((1000 * (hosted.counts.requests - before)) / (performance.now() - startMs));
  }
  const waited = (phases: readonly Phase[]) => median(phases.map(({ waitedMs }) => waitedMs));
  const missed = (phases: readonly Phase[]) => median(phases.map(({ overruns }) => overruns));
  const figures = `${waited(idle).toFixed(2)} ms idle, ${waited(busy).toFixed(2)} ms beside them`;
  say(`${name}: half of the answers within ${figures}; ${median(served).toFixed(0)} requests served a second`);
  return [
    atMost(`${name}: ms that another client waits beyond idle`, waited(busy) - waited(idle), maxMoreMs),
    atMost(
      `${name}: scans of 20 that another connector leaves out, beyond idle`,
      missed(busy) - missed(idle),
      maxOverruns,
    ),
  ];
}
