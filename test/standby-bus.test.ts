// Two servers of a site on a bus, and a centre: there they are one site, whoever leads.
import assert from 'node:assert/strict';
import { mkdirSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { CentreSite } from '@telltale/schema';
import { temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { Etcd, withoutEtcd } from './engines/etcd.ts';
import { Nats, withoutNats } from './engines/nats.ts';
import { Postgres } from './engines/postgres.ts';
import { withoutPostgres } from './engines/postgres-programs.ts';
import { startServer } from './server-process.ts';
import { Pair, type PairNode, untilSo } from './standby-pair.ts';

const skip = withoutEtcd || withoutNats || withoutPostgres('15');

describe('of two nodes on a bus', { skip }, () => {
  test('the centre sees one site that changes its node, has it do what is asked for, and gets what both recorded', async (t) => {
    const [etcd, nats, postgres] = await Promise.all([Etcd.start(t), Nats.start(t), Postgres.start(t)]);
    const { store, env } = await postgres.addPlant();
    const bus = nats.urls[0] ?? '';
    const data = join(temporaryFolder(t), 'data');
    const centre = await startServer(t, { data, env, args: ['--store', store.href, '--bus', bus, '--site', 'Centre'] });
    const pair = await Pair.start(t, etcd, { args: ['--bus', bus, '--store-interval', '100'] });
    const [a, b] = pair.nodes;

    const seen: CentreSite[] = [];
    const site = async () => {
      const sites = Object.values((await (await fetch(`${centre.url}/sites`)).json()) as Record<string, CentreSite>);
      assert.ok(sites.length <= 1, `${sites.length} sites`);
      if (sites[0] !== undefined) seen.push(sites[0]);
      return sites[0];
    };
    const writes = async (value: number) => {
      const answer = await fetch(`${centre.url}/sites/works/data/commands/valve?value=i${value}`, { method: 'PUT' });
      return answer.status === 204;
    };
    const has = async (base: string, value: number) => {
      const answer = await fetch(`${base}/data/archive/commands/valve/1/0`);
      const { valve = [] } = (await answer.json()) as Record<string, [string][]>;
      return valve.some(([recorded]) => recorded === `i${value}`);
    };
    const isLed = async (node: PairNode, epoch: number) => {
      const { leader } = await pair.state(node);
      const there = await site();
      return there?.state === 'up' && there.epoch === leader?.epoch && (leader?.epoch ?? 0) > epoch;
    };
    await untilSo('the centre has the site', () => isLed(a, 0));
    await untilSo('the centre writes', () => writes(1));
    await untilSo('it is in the archive', () => has(a.server.url, 1));
    const { id, epoch } = (await site()) as CentreSite;
    await a.server.end('SIGKILL');
    await untilSo('b leads there', () => isLed(b, epoch ?? 0));
    await untilSo('the centre writes to b', () => writes(2));
    await pair.again(a);
    await untilSo('a waits', async () => (await pair.state(a)).leader?.node === 'b');
    for (const value of [1, 2]) {
      await untilSo(`${value} is in the store`, () => has(`${centre.url}/sites/works`, value));
    }
    await site();
    assert.deepEqual(new Set(seen.map((each) => each.id)), new Set([id]));
    assert.ok(seen.every((each) => !each['is-twice']));
    assert.deepEqual(pair.device.writes, [1, 2]);
    assert.equal(
      await postgres.query('select count(*) from telltale.site where name = $$works$$', { database: 'plant' }),
      '1',
    );
  });

  test('a node that cannot begin to speak for the site says so, and does when it can', async (t) => {
    const [etcd, nats] = await Promise.all([Etcd.start(t), Nats.start(t)]);
    const pair = await Pair.start(t, etcd, { args: ['--bus', nats.urls[0] ?? ''] });
    const [a] = pair.nodes;
    const says = async () => (await fetch(`${a.server.url}/readyz`)).text();
    const isUp = async () => {
      const { bus } = (await (await fetch(`${a.server.url}/data/overview`)).json()) as {
        bus: { state: string } | null;
      };
      return bus?.state === 'up';
    };
    await untilSo('it is on the bus', isUp);
    await a.server.end();
    const inTheWay = join(a.data, 'centre.sock');
    mkdirSync(inTheWay);
    await pair.again(a);
    await untilSo('it says so', async () => /degraded.*Nothing goes to a store or a bus from here/.test(await says()));
    rmdirSync(inTheWay);
    await untilSo('it is on the bus after all', isUp);
    assert.doesNotMatch(await says(), /Nothing goes to a store or a bus/);
  });
});
