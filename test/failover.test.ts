// How long a site is without values when who leads is killed, or its whole machine, and what becomes of it without a majority of etcd.
// FAILOVER_ROUNDS says how many times; where it is set, what the other one takes is held against the bounds.
import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { systemClock } from '@telltale/schema';
import { Etcd, withoutEtcd } from './engines/etcd.ts';
import { Nats, type NatsServer, withoutNats } from './engines/nats.ts';
import { SeededRandom, testSeed } from './seeded-random.ts';
import { Pair, type PairNode, untilSo } from './standby-pair.ts';

const long = process.env.FAILOVER_ROUNDS;
const rounds = Number(long ?? 2);
const ttlMs = 2000;
const patient = { timeout: 120_000 + 60_000 * rounds };

/** One leads and reads; the other one waits, and knows everything. */
async function whole(pair: Pair): Promise<{ leader: PairNode; standby: PairNode }> {
  const leader = await pair.leader();
  const standby = pair.nodes.find((node) => node !== leader) as PairNode;
  await untilSo(`${leader.name} reads`, () => pair.isRead(leader));
  await untilSo(`${standby.name} waits for it`, async () => {
    const { role, leader: of } = await pair.state(standby);
    return role === 'standby' && of?.node === leader.name;
  });
  return { leader, standby };
}

/** Milliseconds until a node shows a good value that was read after it was called. */
async function firstGoodValue(pair: Pair, node: PairNode): Promise<number> {
  const [sinceUs, sinceMs] = [systemClock.now(), performance.now()];
  await untilSo(`${node.name} reads`, async () => ((await pair.goodAtUs(node)) ?? 0) > sinceUs);
  return performance.now() - sinceMs;
}

function tell(t: TestContext, what: string, times: number[]): void {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number) => `${((sorted[Math.ceil(share * sorted.length) - 1] ?? 0) / 1000).toFixed(2)} s`;
  t.diagnostic(
    `TEST_SEED=${testSeed}: ${what}, ${times.length} rounds: p50 ${at(0.5)}, p90 ${at(0.9)}, longest ${at(1)}`,
  );
}

function assertWithin(times: readonly number[], boundMs: number): void {
  const late = times.filter((ms) => ms > boundMs);
  assert.deepEqual(long === undefined ? [] : late, []);
}

/** Written by whoever leads, before it is killed and after; nothing is written again, whatever the answer was. */
class Writing {
  readonly #pair: Pair;
  readonly #acknowledged: number[] = [];
  #value = 0;

  constructor(pair: Pair) {
    this.#pair = pair;
  }

  async write(node: PairNode): Promise<void> {
    await untilSo(`${node.name} may write`, async () => {
      const value = ++this.#value;
      const isDone = (await this.#pair.write(node, value)).status === 204;
      if (isDone) this.#acknowledged.push(value);
      return isDone;
    });
  }

  /** The device has what was acknowledged, in order, and nothing twice. */
  check(): void {
    const { writes } = this.#pair.device;
    assert.deepEqual(
      writes,
      [...new Set(writes)].sort((a, b) => a - b),
    );
    const known = new Set(writes);
    assert.deepEqual(
      this.#acknowledged.filter((value) => !known.has(value)),
      [],
    );
  }
}

describe('a site of two nodes', { skip: withoutEtcd || withoutNats }, () => {
  test(`has values again soon, ${rounds} times that who leads is killed`, patient, async (t) => {
    const etcd = await Etcd.start(t, { members: 3 });
    const pair = await Pair.start(t, etcd, { ttlMs });
    const random = new SeededRandom(testSeed);
    const writing = new Writing(pair);
    const times: number[] = [];
    for (let round = 0; round < rounds; round++) {
      const { leader, standby } = await whole(pair);
      await writing.write(leader);
      await sleep(random.between(0, ttlMs / 2));
      const killed = leader.server.end('SIGKILL');
      times.push(await firstGoodValue(pair, standby));
      await killed;
      await writing.write(standby);
      await pair.again(leader);
    }
    tell(t, 'first good value after who led was killed', times);
    writing.check();
    assertWithin(times, 5000);
  });

  test(
    'has values again soon when the machine of who leads is gone, with the leader of etcd and a server of the bus',
    patient,
    async (t) => {
      const [etcd, nats] = await Promise.all([Etcd.start(t, { members: 3 }), Nats.start(t, { servers: 3 })]);
      const bus = nats.urls.map((url) => url.replace('nats://', '')).join(',');
      const pair = await Pair.start(t, etcd, { ttlMs, args: ['--bus', `nats://${bus}`] });
      const random = new SeededRandom(testSeed);
      const writing = new Writing(pair);
      const times: number[] = [];
      for (let round = 0; round < Math.ceil(rounds / 2); round++) {
        const { leader, standby } = await whole(pair);
        await writing.write(leader);
        const [member, server] = [await etcd.leader(), random.pick(nats.servers as [NatsServer, ...NatsServer[]])];
        await sleep(random.between(0, ttlMs / 2));
        const killed = Promise.all([leader.server.end('SIGKILL'), member.kill(), server.kill()]);
        times.push(await firstGoodValue(pair, standby));
        await killed;
        await writing.write(standby);
        await Promise.all([member.again(), server.again()]);
        await pair.again(leader);
      }
      tell(t, 'first good value after the machine was killed', times);
      writing.check();
      assertWithin(times, 8000);
    },
  );

  test(
    'writes nothing once the lease is over, has values and says why, while etcd has no majority',
    patient,
    async (t) => {
      const etcd = await Etcd.start(t, { members: 3 });
      const pair = await Pair.start(t, etcd, { ttlMs });
      const random = new SeededRandom(testSeed);
      const lasts: number[] = [];
      for (let round = 0; round < Math.ceil(rounds / 5); round++) {
        const { leader, standby } = await whole(pair);
        let isOver = false;
        const writing = async () => {
          for (let value = 1; !isOver; value++) await pair.write(leader, value % 1000);
        };
        const wrote = writing();
        const kept = random.between(0, 2);
        await sleep(random.between(0, ttlMs / 2));
        await Promise.all(etcd.members.filter((_, at) => at !== kept).map((member) => member.kill()));
        const goneMs = performance.now();
        await untilSo(`${leader.name} has no lease`, async () => (await pair.state(leader)).role === 'suspended');
        await sleep(2 * ttlMs);
        isOver = true;
        await wrote;
        lasts.push(pair.device.lastWriteMs - goneMs);
        assert.ok((await firstGoodValue(pair, leader)) < 30_000);
        for (const node of [leader, standby]) {
          const { status, text } = await pair.write(node, 1);
          assert.equal(status, 503);
          assert.match(text, /not-leading/);
        }
        const readiness = await (await fetch(`${leader.server.url}/readyz`)).text();
        assert.match(readiness, /"degraded".*The lease of the site: .*Nothing is written to devices here/);
        await Promise.all(etcd.members.map((member) => member.again()));
        await untilSo('it may write again', async () => (await pair.write(await pair.leader(), 1)).status === 204);
      }
      tell(t, 'last write after the majority was gone', lasts);
      assert.ok(Math.max(...lasts) <= ttlMs, `${lasts}`);
    },
  );
});
