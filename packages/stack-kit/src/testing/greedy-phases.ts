// How a provider and a connector of the same thread fare for a while, with clients that never stop or without.
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { TestClient } from './conformance-world.ts';
import { PeerProcess } from './peer-process.ts';
import type { ProviderBench } from './provider-bench.ts';
import type { ScannedDevice } from './scanned-device.ts';

const phaseMs = 4000;
const pauseMs = 50;

export interface Phase {
  readonly overruns: number;
  readonly scans: number;
  /** How long half of the answers took, at most. */
  readonly waitedMs: number;
  readonly answers: number;
}

export async function startGreedy({ world, endpoint, folder }: ProviderBench): Promise<PeerProcess> {
  const { greedy, transport } = world;
  assert.ok(greedy !== undefined, 'the world of a provider that listens has to say what greedy clients ask');
  const args = Buffer.isBuffer(greedy)
    ? [
        fileURLToPath(new URL('./greedy-clients.ts', import.meta.url)),
        transport,
        `${endpoint.port}`,
        greedy.toString('hex'),
      ]
    : [fileURLToPath(greedy), `${endpoint.port}`];
  const isReady = ({ said }: PeerProcess) => said.includes('ready\n');
  return PeerProcess.start({ command: process.execPath, args, folder, isReady });
}

/** For a while: the scans of the device, and the answers to the client. */
export async function observe(device: ScannedDevice, client: TestClient, address: string): Promise<Phase> {
  const before = { overruns: device.overruns, scans: device.scans };
  const waits: number[] = [];
  const endMs = performance.now() + phaseMs;
  while (performance.now() < endMs) {
    const askedMs = performance.now();
    await client.read(address);
    waits.push(performance.now() - askedMs);
    await sleep(pauseMs);
  }
  const waitedMs = waits.sort((a, b) => a - b)[Math.floor(waits.length / 2)] as number;
  const [overruns, scans] = [device.overruns - before.overruns, device.scans - before.scans];
  return { overruns, scans, waitedMs, answers: waits.length };
}
