// Promises of who may do what in the etcd of a lease: every key, every request and every role, with the certificate of a client, without
// one, and with that of somebody else.
import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { until } from '@telltale/stack-kit/testing';
import { askJson } from '../../../../test/engines/ask-json.ts';
import { Authority, type Pair, withoutOpenssl } from '../../../../test/engines/authority.ts';
import { Etcd, type EtcdGrant, withoutEtcd } from '../../../../test/engines/etcd.ts';
import { etcdClient, startNode } from '../../test/lease-world.ts';
import { startFollower } from '../../test/shared-world.ts';
import type { EtcdClient } from './etcd/etcd-client.ts';
import { EtcdRefusal, EtcdSilence } from './etcd/etcd-errors.ts';
import { get, keysUnder, oneKey, put, remove, type Transaction, writtenAt } from './etcd/etcd-kv.ts';

/** As README.md has them, for two sites; a site whose name begins alike is another one. */
const roles: Readonly<Record<string, readonly EtcdGrant[]>> = {
  works: [{ prefix: 'telltale/works/' }],
  north: [{ prefix: 'telltale/north/' }],
  viewer: [{ prefix: 'telltale/works/', access: 'READ' }],
  nothing: [],
};
const users = [...Object.keys(roles), 'root'];

const keys = [
  ...['works', 'north'].flatMap((site) =>
    ['leader', 'leader/released', 'nodes/a', 'state/head', 'state/commands/c', 'parts/x'].map(
      (key) => `${site}/${key}`,
    ),
  ),
  ...['works', 'work/leader', 'works2/leader', 'works0'],
].map((key) => `telltale/${key}`);

const requests: Readonly<Record<string, (key: string) => Transaction>> = {
  read: (key) => ({ success: [get(oneKey(key))] }),
  'read all': (key) => ({ success: [get(keysUnder(key))] }),
  compare: (key) => ({ compare: [writtenAt(key, 1)], success: [] }),
  write: (key) => ({ success: [put(key, 'x')] }),
  remove: (key) => ({ success: [remove(oneKey(key))] }),
  'remove all': (key) => ({ success: [remove(keysUnder(key))] }),
  'write where nobody looks': (key) => ({ compare: [writtenAt(key, 1)], success: [], failure: [put(key, 'x')] }),
};
const reading = new Set(['read', 'read all', 'compare', 'watch']);

function may(user: string, request: string, key: string): boolean {
  if (user === 'root') return true;
  const grant = roles[user]?.find(({ prefix }) => key.startsWith(prefix));
  return grant !== undefined && (grant.access !== 'READ' || reading.has(request));
}

/** Without a key. What etcd 3.4 lets everybody do who has a certificate: README.md warns of it. */
const others: readonly (readonly [string, object, 'everybody' | 'root'])[] = [
  ['maintenance/status', {}, 'everybody'],
  ['maintenance/alarm', {}, 'everybody'],
  ['cluster/member/list', {}, 'everybody'],
  ['lease/grant', { TTL: '60' }, 'everybody'],
  ['lease/leases', {}, 'everybody'],
  ['kv/compaction', { revision: '1' }, 'everybody'],
  ['kv/range', { key: 'AA==', range_end: 'AA==' }, 'root'],
  ['maintenance/hash', {}, 'root'],
  ['maintenance/snapshot', {}, 'root'],
  ['auth/user/list', {}, 'root'],
  ['auth/role/list', {}, 'root'],
  ['auth/user/add', { name: 'somebody', password: 'x' }, 'root'],
  ['auth/user/grant', { user: 'viewer', role: 'root' }, 'root'],
  ['auth/role/grant', { name: 'viewer', perm: { permType: 'READWRITE', key: btoa('x') } }, 'root'],
  ['cluster/member/remove', { ID: '1' }, 'root'],
];

async function outcome(client: EtcdClient, key: string, request: string): Promise<string> {
  const controller = new AbortController();
  const asked =
    request === 'watch'
      ? client.watch(keysUnder(key), controller.signal).next()
      : client.transact((requests[request] as (key: string) => Transaction)(key));
  const said = await asked.then(
    () => 'done',
    (error) => {
      if (error instanceof EtcdSilence) return `not answered: ${error.message}`;
      return error instanceof EtcdRefusal && /permission denied/.test(error.message) ? 'refused' : String(error);
    },
  );
  controller.abort();
  return said;
}

/** The same one, asked with another certificate, or with none. */
function askedWith(etcd: Etcd, client: Pair | undefined): Etcd {
  return Object.assign(Object.create(etcd) as Etcd, { client });
}

async function start(t: TestContext) {
  const authority = new Authority(t);
  const etcd = await Etcd.start(t, { authority });
  await etcd.requireUsers(roles);
  return { authority, etcd };
}

describe('the keys of a site', { skip: withoutEtcd || withoutOpenssl }, () => {
  test('are for those alone to whom they are granted, by whatever request', async (t) => {
    const { etcd } = await start(t);
    let count = 0;
    for (const user of users) {
      const client = etcdClient(t, etcd, { user, ttlMs: 20_000 });
      for (const key of keys) {
        for (const request of [...Object.keys(requests), 'watch']) {
          const wanted = may(user, request, key) ? 'done' : 'refused';
          assert.equal(await outcome(client, key, request), wanted, `${user}: ${request} ${key}`);
          count++;
        }
      }
    }
    t.diagnostic(`${count} requests`);
    assert.equal(count, users.length * keys.length * (Object.keys(requests).length + 1));
  });

  test('are for nobody without a certificate of a client, or with that of another authority', async (t) => {
    const { etcd } = await start(t);
    const strange = new Authority(t, 'another').issue('client', '/OU=client');
    let count = 0;
    for (const pair of [undefined, strange]) {
      for (const user of users) {
        // The password is the right one.
        const client = etcdClient(t, askedWith(etcd, pair), { user, password: etcd.password(user), ttlMs: 20_000 });
        for (const key of keys) {
          for (const request of [...Object.keys(requests), 'watch']) {
            assert.match(await outcome(client, key, request), /^not answered: /, `${user}: ${request} ${key}`);
            count++;
          }
        }
      }
      for (const [path, body] of others) {
        const asking = askJson(`${etcd.urls[0]}/v3/${path}`, { body, authority: etcd.authority, pair });
        await assert.rejects(asking, /alert|socket hang up|ECONNRESET|EPIPE/, path);
        count++;
      }
    }
    t.diagnostic(`${count} requests`);
    assert.equal(await etcd.get('telltale/works/leader', 'root'), undefined);
  });

  test('are for nobody who is not signed in; and rights are for root alone', async (t) => {
    const { etcd } = await start(t);
    for (const user of [undefined, ...users]) {
      for (const [path, body, whom] of others) {
        const said = await etcd.ask(path, body, { user }).then(
          () => 'done',
          (error: Error) => (/denied|not found"|user name is empty/.test(error.message) ? 'refused' : error.message),
        );
        // What is not there cannot be removed, and what is compacted is so.
        const isAnswered = /^done$|required revision has been compacted|member not found/.test(said);
        const isAllowed = whom === 'everybody' || user === 'root';
        if (path === 'cluster/member/remove' && isAllowed) continue;
        assert.equal(isAnswered ? 'done' : said, isAllowed ? 'done' : 'refused', `${user}: ${path}`);
      }
    }
    for (const key of keys) {
      for (const path of ['kv/range', 'kv/put', 'kv/deleterange']) {
        await assert.rejects(etcd.ask(path, { key: btoa(key), value: '' }), /permission denied|user name is empty/);
      }
    }
  });

  test('are enough for a node of the site, and for who only follows it', async (t) => {
    const { etcd } = await start(t);
    const lease = startNode(t, etcd, { user: 'works' });
    await until('it leads', () => lease.role === 'leading');
    await until('it is known', () => lease.status.nodes.length === 1);
    assert.equal(lease.status.problem, undefined);
    const known = startFollower(t, etcd, { user: 'viewer' });
    assert.deepEqual(await known.upToDate(), new Map());
    const other = startNode(t, etcd, { name: 'b', user: 'viewer' });
    await until('it may not', () => /may read and write all keys/.test(other.status.problem ?? ''));
    assert.deepEqual([other.role, lease.role], ['standby', 'leading']);
  });
});
