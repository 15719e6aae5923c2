// What people are told where a lease cannot be had.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, type TestContext, test } from 'node:test';
import { freePort, until } from '@telltale/stack-kit/testing';
import { cleanupOf } from '@telltale/stack-kit/testing/cleanup';
import { Authority, withoutOpenssl } from '../../../../test/engines/authority.ts';
import { Etcd, withoutEtcd } from '../../../../test/engines/etcd.ts';
import { type NodeOptions, startNode } from '../../test/lease-world.ts';

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
