// Nodes are stopped, hung and cut off at random while they write to a device that records the epoch of every write: nothing of an old epoch
// comes after the first of a new one. FENCING_ROUNDS says how many times, FENCING_SITES at how many sites at once, TEST_SEED which.
import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { FaultProxy, PeerProcess, until } from '@telltale/stack-kit/testing';
import { cleanupOf, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { Etcd, withoutEtcd } from '../../../../test/engines/etcd.ts';
import { SeededRandom, testSeed } from '../../../../test/seeded-random.ts';
import { settingText } from '../../test/lease-world.ts';
import type { WriterOptions } from '../../test/lease-writer.ts';
import { RecordingDevice } from '../../test/recording-device.ts';

const rounds = Number(process.env.FENCING_ROUNDS ?? 6);
const sites = Number(process.env.FENCING_SITES ?? 1);
const ttlMs = 1000;
const patient = { deadlineMs: 60_000 };

interface Node {
  readonly process: PeerProcess;
  /** On its way to etcd, a member each, and to the device. */
  readonly toEtcd: readonly FaultProxy[];
  readonly toDevice: FaultProxy;
}

interface Site {
  readonly device: RecordingDevice;
  readonly nodes: ReadonlyMap<string, Node>;
}

async function startSite(t: TestContext, etcd: Etcd, site: string, checks: boolean): Promise<Site> {
  const device = await RecordingDevice.start(t);
  const nodes = new Map<string, Node>();
  for (const node of ['a', 'b']) {
    const proxy = async (port: number) => cleanupOf(t).use(await FaultProxy.start({ host: '127.0.0.1', port }));
    const toEtcd = await Promise.all(etcd.members.map(({ port }) => proxy(port)));
    const toDevice = await proxy(device.port);
    const setting = settingText(etcd, { ports: toEtcd.map(({ port }) => port) });
    const options: WriterOptions = { setting, site, node, ttlMs, device: toDevice.port, checks };
    const process = await startWriter(t, options);
    nodes.set(node, { process, toEtcd, toDevice });
    if (node === 'a') await until('a leads', () => device.newest.node === 'a', patient);
  }
  return { device, nodes };
}

async function startWriter(t: TestContext, options: WriterOptions): Promise<PeerProcess> {
  const program = fileURLToPath(new URL('../../test/lease-writer.ts', import.meta.url));
  const started = await PeerProcess.start({
    command: process.execPath,
    args: [program, JSON.stringify(options)],
    folder: temporaryFolder(t),
    isReady: ({ said }) => said.includes('ready'),
  });
  cleanupOf(t).defer(() => started.stop('SIGKILL'));
  return started;
}

const faults = {
  stop: async ({ process }: Node, ms: number) => {
    process.freeze();
    await sleep(ms);
    process.thaw();
  },
  hang: async ({ process: { pid } }: Node, ms: number) => {
    process.kill(pid ?? 0, 'SIGUSR2');
    await sleep(ms);
  },
  cut: async ({ toEtcd }: Node, ms: number) => {
    await cut(toEtcd);
    await sleep(ms);
    for (const proxy of toEtcd) await proxy.listen();
  },
  deaf: async ({ toEtcd }: Node, ms: number) => {
    for (const proxy of toEtcd) proxy.setFaults({ toClient: { kind: 'discard' } });
    await sleep(ms);
    for (const proxy of toEtcd) proxy.setFaults({});
  },
  alone: async ({ toEtcd, toDevice }: Node, ms: number) => {
    await cut(toEtcd);
    toDevice.setFaults({ toDevice: { kind: 'stall' }, toClient: { kind: 'stall' } });
    await sleep(ms);
    toDevice.setFaults({});
    for (const proxy of toEtcd) await proxy.listen();
  },
};

async function cut(proxies: readonly FaultProxy[]): Promise<void> {
  for (const proxy of proxies) {
    await proxy.refuse();
    proxy.reset();
  }
}

/** Whoever leads has something happen to it; answers with whether another epoch came of it. */
async function round({ device, nodes }: Site, kind: keyof typeof faults, ms: number): Promise<boolean> {
  const { epoch, node } = device.newest;
  await faults[kind](nodes.get(node) as Node, ms);
  const { writes } = device;
  await until(`somebody writes after ${kind}`, () => device.writes > writes + 2, patient);
  return device.newest.epoch > epoch;
}

describe('writes to a device', { skip: withoutEtcd }, () => {
  test('of an old epoch never come after the first of a new one, whatever befalls who leads', async (t) => {
    const etcd = await Etcd.start(t, { members: 3 });
    const random = new SeededRandom(testSeed);
    const counts = new Map<string, { rounds: number; changes: number }>();
    let left = rounds;
    const atSite = async (number: number) => {
      const site = await startSite(t, etcd, `works ${number}`, true);
      while (left-- > 0) {
        const kind = random.weighted({ stop: 4, hang: 1, cut: 2, deaf: 1, alone: 2 });
        const hasChanged = await round(site, kind, random.between(500, 4 * ttlMs));
        const count = counts.get(kind) ?? { rounds: 0, changes: 0 };
        counts.set(kind, { rounds: count.rounds + 1, changes: count.changes + Number(hasChanged) });
      }
      return site.device;
    };
    const devices = await Promise.all(Array.from({ length: sites }, (_, at) => atSite(at)));
    const writes = devices.reduce((sum, device) => sum + device.writes, 0);
    const all = Array.from(counts, ([kind, { rounds: of, changes }]) => `${kind} ${changes} of ${of}`).sort();
    t.diagnostic(`TEST_SEED=${testSeed}: ${rounds} rounds, ${writes} writes; epochs that changed: ${all.join(', ')}`);
    assert.deepEqual(
      devices.flatMap(({ late }) => late),
      [],
    );
    assert.ok(all.length > 0);
  });

  test('do so where nobody looks at the deadline, or this proves nothing', async (t) => {
    const etcd = await Etcd.start(t);
    const site = await startSite(t, etcd, 'works', false);
    let changes = 0;
    for (let at = 0; at < 2; at++) changes += Number(await round(site, 'stop', 4 * ttlMs));
    t.diagnostic(`${site.device.late.length} writes of an old epoch at ${changes} changes`);
    assert.ok(changes > 0 && site.device.late.length >= changes);
  });
});
