// Two servers of a site with a store: whoever leads, and whatever befalls them, the store gets all that either has recorded, once, as
// one site. STANDBY_STORE_ROUNDS says how many times something happens.
import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { fromTimestamp, type Overview, type Timestamp } from '@telltale/schema';
import { FaultProxy } from '@telltale/stack-kit/testing';
import { cleanupOf } from '@telltale/stack-kit/testing/cleanup';
import { Etcd, withoutEtcd } from './engines/etcd.ts';
import { Postgres } from './engines/postgres.ts';
import { withoutPostgres } from './engines/postgres-programs.ts';
import { SeededRandom, testSeed } from './seeded-random.ts';
import { Pair, type PairNode, untilSo } from './standby-pair.ts';

const rounds = Number(process.env.STANDBY_STORE_ROUNDS ?? 3);

/** A pair whose way to the store can be cut. */
class StoredPair {
  readonly pair: Pair;
  readonly line: FaultProxy;
  readonly #postgres: Postgres;

  static async start(t: TestContext): Promise<StoredPair> {
    const [etcd, postgres] = await Promise.all([Etcd.start(t), Postgres.start(t)]);
    const { store: url, env } = await postgres.addPlant();
    const line = cleanupOf(t).use(await FaultProxy.start({ host: '127.0.0.1', port: Number(url.port) }));
    url.port = String(line.port);
    const pair = await Pair.start(t, etcd, { args: ['--store', url.href, '--store-interval', '100'], env });
    return new StoredPair(pair, line, postgres);
  }

  private constructor(pair: Pair, line: FaultProxy, postgres: Postgres) {
    [this.pair, this.line, this.#postgres] = [pair, line, postgres];
  }

  async cut(): Promise<void> {
    await this.line.refuse();
    this.line.reset();
  }

  other(node: PairNode): PairNode {
    return this.pair.nodes.find((each) => each !== node) as PairNode;
  }

  ask(sql: string): Promise<string> {
    return this.#postgres.query(sql, { database: 'plant' });
  }

  /** Of one point, its times and values in order; throws where one is there twice. */
  async inStore(kind: string, name: string): Promise<string[]> {
    const series = `select id from telltale.series where kind = '${kind}' and name = '${name}'`;
    const rows = await this.ask(
      `select us, value from telltale.unpacked where series in (${series}) order by us, value`,
    );
    const all = rows === '' ? [] : rows.split('\n').map((row) => row.replace('\t', ' '));
    assert.equal(new Set(all).size, all.length, `of ${name} something is there twice`);
    return all;
  }

  /** Of both archives. */
  async inArchives(kind: string, name: string): Promise<string[]> {
    const all = new Set<string>();
    for (const { server } of this.pair.nodes) {
      const response = await fetch(`${server.url}/data/archive/${kind}/${name}/1/0`);
      const found = ((await response.json()) as Record<string, [string, Timestamp][]>)[name] ?? [];
      for (const [value, time] of found) all.add(`${fromTimestamp(time)} ${Number(value.slice(1))}`);
    }
    return [...all].sort();
  }

  /** What this server has sent to the store. */
  async store({ server }: PairNode) {
    const { store } = (await (await fetch(`${server.url}/data/overview`)).json()) as Overview;
    assert.ok(store !== null);
    return store;
  }

  /** Nothing is recorded any more. */
  async untilAllIsThere(): Promise<number> {
    for (const node of this.pair.nodes) {
      await untilSo(`${node.name} has sent everything`, async () => (await this.store(node))['waiting-records'] === 0);
    }
    let count = 0;
    for (const [kind, name] of [
      ['measurements', 'level'],
      ['commands', 'valve'],
    ] as const) {
      await untilSo(`the store has all of ${name}, once`, async () => {
        const [there, here] = [(await this.inStore(kind, name)).sort(), await this.inArchives(kind, name)];
        count += here.length;
        return isDeepStrictEqual(there, here);
      });
    }
    return count;
  }
}

const skip = withoutEtcd || withoutPostgres('15');

describe('of two nodes with a store', { skip }, () => {
  test('both are one site there, and what one could not send before it was killed follows when it is back', async (t) => {
    const stored = await StoredPair.start(t);
    const { pair } = stored;
    const [a, b] = pair.nodes;
    await untilSo('a sends', async () => ((await stored.store(a))['sent-records'] ?? 0) > 5);
    await untilSo('b reaches the store', async () => (await stored.store(b)).state === 'up');
    const { site, 'sent-records': sent } = await stored.store(b);
    assert.deepEqual([site, sent], [(await stored.store(a)).site, 0]);

    await stored.cut();
    assert.equal((await pair.write(a, 7)).status, 204);
    await untilSo('records wait at a', async () => (await stored.store(a))['waiting-records'] > 5);
    await a.server.end('SIGKILL');
    await untilSo('b reads', () => pair.isRead(b));
    assert.equal((await pair.write(b, 8)).status, 204);
    await stored.line.listen();
    await untilSo('b sends', async () => (await stored.store(b))['sent-records'] > 5);
    assert.ok(!(await stored.inStore('commands', 'valve')).some((record) => record.endsWith(' 7')));

    await pair.again(a);
    await untilSo('a waits', async () => (await pair.state(a)).leader?.node === 'b');
    await untilSo('what a had left is there', async () =>
      (await stored.inStore('commands', 'valve')).some((record) => record.endsWith(' 7')),
    );
    await pair.device.device.stop();
    await stored.untilAllIsThere();
    assert.equal(await stored.ask('select count(*) from telltale.site'), '1');
    assert.equal(await stored.ask('select count(*) from telltale.stream where ended is not null'), '0');
    assert.equal(await stored.ask('select string_agg(id, $$ $$) from telltale.site'), site.id);
  });

  test(`the store has everything once after ${rounds} times that who leads was killed or stopped, or the store was away`, {
    timeout: 120_000 + 60_000 * rounds,
  }, async (t) => {
    t.diagnostic(`TEST_SEED=${testSeed}`);
    const stored = await StoredPair.start(t);
    const { pair } = stored;
    const random = new SeededRandom(testSeed);
    for (let round = 0; round < rounds; round++) {
      const leader = await pair.leader();
      const other = stored.other(leader);
      await untilSo(`${leader.name} reads`, () => pair.isRead(leader));
      assert.equal((await pair.write(leader, round + 1)).status, 204);
      const isCut = random.between(0, 1) === 1;
      const fault = ['kill', 'stop', 'end'][random.between(0, 2)];
      t.diagnostic(`${round}: ${leader.name} ${fault}${isCut ? ', the store is away' : ''}`);
      if (isCut) await stored.cut();
      await sleep(random.between(0, 1500));
      if (fault === 'stop') process.kill(leader.server.pid, 'SIGSTOP');
      else await leader.server.end(fault === 'kill' ? 'SIGKILL' : 'SIGTERM');
      await untilSo(`${other.name} leads`, async () => (await pair.state(other)).role === 'leading');
      await sleep(random.between(0, 1500));
      if (fault === 'stop') process.kill(leader.server.pid, 'SIGCONT');
      else await pair.again(leader);
      await sleep(random.between(0, 500));
      if (isCut) await stored.line.listen();
    }
    await pair.device.device.stop();
    t.diagnostic(`${await stored.untilAllIsThere()} records`);
    assert.equal(await stored.ask('select count(*) from telltale.site'), '1');
  });
});
