// What people are told where a lease cannot be had, and who may touch the keys of which site.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, type TestContext, test } from 'node:test';
import { freePort, until } from '@telltale/stack-kit/testing';
import { cleanupOf } from '@telltale/stack-kit/testing/cleanup';
import { Authority, withoutOpenssl } from '../../../../test/engines/authority.ts';
import { Etcd, withoutEtcd } from '../../../../test/engines/etcd.ts';
import { etcdClient, type NodeOptions, startNode } from '../../test/lease-world.ts';
import { EtcdRefusal } from './etcd/etcd-errors.ts';
import { get, keysUnder, oneKey, put, remove, type Transaction, writtenAt } from './etcd/etcd-kv.ts';

async function tells(t: TestContext, etcd: Etcd, options: NodeOptions, problem: RegExp): Promise<void> {
  const lease = startNode(t, etcd, { name: `n${Math.random()}`, site: 'told', ...options });
  await until(`it says ${problem}`, () => problem.test(lease.status.problem ?? ''));
  assert.equal(lease.role, 'standby');
  await lease.stop();
}

describe('a lease that cannot be had', { skip: withoutEtcd }, () => {
  test('says whether nobody listens, or somebody who is no etcd', async (t) => {
    const etcd = await Etcd.start(t);
    await tells(t, etcd, { ports: [await freePort()] }, /^No member of etcd answers: 127.* nothing listens there$/);
    const server = createServer((_, response) => response.writeHead(404).end('no')).listen(0, '127.0.0.1');
    cleanupOf(t).defer(() => void server.close());
    await until('it listens', () => server.listening);
    const { port } = server.address() as AddressInfo;
    await tells(t, etcd, { ports: [port] }, /answers, but is no etcd of version 3\.4 or newer/);
  });

  test('says that etcd is full', async (t) => {
    const etcd = await Etcd.start(t, { arguments: ['--quota-backend-bytes', '1000000'] });
    const fill = async () => {
      for (;;) await etcd.put('much', 'x'.repeat(900_000));
    };
    await assert.rejects(fill(), /database space exceeded/);
    await tells(t, etcd, {}, /^etcd is full \(NOSPACE\) and takes nothing more: .*etcdctl alarm disarm$/);
  });

  test('says what is wrong with a user, and never its password', async (t) => {
    const etcd = await Etcd.start(t);
    await etcd.requireUsers({ works: [{ prefix: 'telltale/works/' }] });
    await tells(t, etcd, {}, /^etcd wants a user: write etcd:\/\/USER:PASSWORD@HOST$/);
    const wrong = { user: 'works', password: 'hunter2' };
    await tells(t, etcd, wrong, /^etcd does not know the user works, or not with this password$/);
    await tells(t, etcd, { ...wrong, user: 'nobody' }, /^etcd does not know the user nobody/);
    await tells(t, etcd, { user: 'works' }, /may read and write all keys that begin with telltale\/told\/$/);
  });

  test('says what is wrong with certificates', { skip: withoutOpenssl }, async (t) => {
    const authority = new Authority(t);
    const etcd = await Etcd.start(t, { authority });
    const lease = startNode(t, etcd);
    await until('it leads', () => lease.role === 'leading');
    const other = new Authority(t, 'another');
    const foreign = (options: object) => Object.assign(Object.create(etcd) as Etcd, options);
    await tells(t, foreign({ authority: other }), {}, /shows a certificate of no authority that is trusted here/);
    await tells(
      t,
      foreign({ client: other.issue('client') }),
      {},
      /perhaps it does not accept the certificate of this client|alert/,
    );
    await tells(t, foreign({ authority: undefined }), {}, /if it speaks TLS, write etcds:\/\//);
  });
});

test('a user who knows only one site gets no key of another, by no request', { skip: withoutEtcd }, async (t) => {
  const etcd = await Etcd.start(t);
  await etcd.requireUsers({
    a: [{ prefix: 'telltale/a/' }],
    b: [{ prefix: 'telltale/b/' }],
    viewer: [{ prefix: 'telltale/a/', access: 'READ' }],
    nothing: [],
  });
  const own = (key: string): Record<string, Transaction> => ({
    read: { success: [get(oneKey(key))] },
    'read all': { success: [get(keysUnder(key))] },
    compare: { compare: [writtenAt(key, 1)], success: [] },
    write: { success: [put(key, 'x')] },
    remove: { success: [remove(oneKey(key))] },
    'remove all': { success: [remove(keysUnder(key))] },
    'write where nobody looks': { compare: [writtenAt(key, 1)], success: [], failure: [put(key, 'x')] },
  });
  const reads = new Set(['read', 'read all', 'compare']);
  const keys = [
    'a/leader',
    'a/leader/released',
    'a/nodes/n',
    'a/state/x',
    'b/leader',
    'b/nodes/n',
    'b/state',
    'ab/leader',
  ];
  const roles: Record<string, (key: string, what: string) => boolean> = {
    root: () => true,
    a: (key) => key.startsWith('a/'),
    b: (key) => key.startsWith('b/'),
    viewer: (key, what) => key.startsWith('a/') && reads.has(what),
    nothing: () => false,
  };
  let count = 0;
  for (const [user, may] of Object.entries(roles)) {
    const client = etcdClient(t, etcd, { user, ttlMs: 20_000 });
    for (const key of keys) {
      for (const [what, transaction] of Object.entries(own(`telltale/${key}`))) {
        const outcome = await client.transact(transaction).then(
          () => 'done',
          (error) => (error instanceof EtcdRefusal && error.kind === 'permission' ? 'refused' : String(error)),
        );
        assert.equal(outcome, may(key, what) ? 'done' : 'refused', `${user}: ${what} ${key}`);
        count++;
      }
      const watching = new AbortController();
      const watch = client.watch(keysUnder(`telltale/${key}`), watching.signal);
      const first = await watch.next().then(
        () => 'done',
        (error) => (error instanceof EtcdRefusal ? 'refused' : String(error)),
      );
      watching.abort();
      assert.equal(first, may(key, 'read') ? 'done' : 'refused', `${user}: watch ${key}`);
    }
  }
  t.diagnostic(`${count} requests`);
  const lease = startNode(t, etcd, { site: 'a', user: 'a' });
  await until('its own lease is to be had', () => lease.role === 'leading');
});
