// Promises of a lease whose etcd has three members, while they are killed, stopped and cut off.
import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { systemClock } from '@telltale/schema';
import { FaultProxy, until } from '@telltale/stack-kit/testing';
import { cleanupOf } from '@telltale/stack-kit/testing/cleanup';
import { Etcd, withoutEtcd } from '../../../../test/engines/etcd.ts';
import { startNode } from '../../test/lease-world.ts';
import type { Lease } from './lease.ts';

const leads = (lease: Lease) => lease.role === 'leading';

/** One in front of each member. */
async function proxies(t: TestContext, etcd: Etcd): Promise<FaultProxy[]> {
  return Promise.all(
    etcd.members.map(async ({ port }) => cleanupOf(t).use(await FaultProxy.start({ host: '127.0.0.1', port }))),
  );
}

/** With a lease that is long enough for any election, and a list of all that it was. */
async function leader(t: TestContext, etcd: Etcd): Promise<{ lease: Lease; roles: string[] }> {
  const roles: string[] = [];
  const lease = startNode(t, etcd, { name: 'a', ttlMs: 6000, onChange: () => roles.push(lease.role) });
  await until('a leads', () => leads(lease), { deadlineMs: 30_000 });
  roles.length = 0;
  return { lease, roles };
}

async function renewals(lease: Lease, count: number): Promise<void> {
  for (let at = 0; at < count; at++) {
    let least = Number.POSITIVE_INFINITY;
    await until('it is renewed', () => {
      const leftMs = lease.deadline.remainingMs(lease.epoch);
      least = Math.min(least, leftMs);
      return leftMs > least + 100;
    });
  }
}

describe('a lease on three members of etcd', { skip: withoutEtcd }, () => {
  test('is kept while any one of them hangs or is gone', async (t) => {
    const etcd = await Etcd.start(t, { members: 3 });
    const { lease, roles } = await leader(t, etcd);
    const { epoch } = lease;
    const first = await etcd.leader();
    const others = etcd.members.filter((member) => member !== first);
    for (const member of [...others, first]) {
      await member.freeze();
      await renewals(lease, 1);
      member.thaw();
      await renewals(lease, 1);
      await member.kill();
      await renewals(lease, 1);
      await member.again();
    }
    assert.deepEqual([lease.epoch, roles.filter((role) => role !== 'leading')], [epoch, []]);
  });

  test('is not valid without a majority of them, says so, and goes on under the same epoch with one', async (t) => {
    const etcd = await Etcd.start(t, { members: 3 });
    const [a, b] = [startNode(t, etcd, { name: 'a' }), startNode(t, etcd, { name: 'b' })];
    await until('one leads', () => leads(a) || leads(b));
    const lease = leads(a) ? a : b;
    const { epoch } = lease;
    const [gone, last] = etcd.members;
    const beforeMs = systemClock.monotonicMs();
    await Promise.all([gone?.kill(), last?.kill()]);
    await until('the lease has ended', () => !lease.deadline.isValid(epoch));
    t.diagnostic(`ended ${Math.round(systemClock.monotonicMs() - beforeMs)} ms after the majority`);
    await until('all say so', () => [a, b].every(({ status }) => /^etcd has no leader/.test(status.problem ?? '')), {
      deadlineMs: 30_000,
    });
    assert.deepEqual([a, b].filter(leads), []);
    assert.match(lease.status.problem ?? '', /most members of etcd do not reach each other/);
    const { members, validForMs, role } = lease.status;
    assert.deepEqual([members.filter(({ problem }) => problem?.includes('refuses')).length, validForMs], [2, 0]);
    assert.equal(role, 'suspended');
    await Promise.all([gone?.again(), last?.again()]);
    await until('it leads again', () => leads(lease));
    assert.equal(lease.epoch, epoch);
    assert.equal(lease.status.problem, undefined);
  });

  test('is another’s where its renewals are carried out, but no answer comes back', async (t) => {
    const etcd = await Etcd.start(t, { members: 3 });
    const between = await proxies(t, etcd);
    const a = startNode(t, etcd, { name: 'a', ports: between.map(({ port }) => port) });
    await until('a leads', () => leads(a));
    const b = startNode(t, etcd, { name: 'b' });
    await until('b knows', () => b.status.leader?.node === 'a');
    const { epoch } = a;
    for (const proxy of between) proxy.setFaults({ toClient: { kind: 'discard' } });
    await until('b leads', () => leads(b));
    assert.equal(a.deadline.isValid(epoch), false);
    assert.ok(b.epoch > epoch);
    for (const proxy of between) proxy.setFaults({});
    await until('a hears of it', () => a.status.leader?.node === 'b');
  });

  test('counts from when a renewal was sent, however late its answer comes', async (t) => {
    const etcd = await Etcd.start(t, { members: 3 });
    const between = await proxies(t, etcd);
    const a = startNode(t, etcd, { name: 'a', ttlMs: 4000, ports: between.map(({ port }) => port) });
    await until('a leads', () => leads(a));
    const { epoch } = a;
    const ms = 700;
    for (const proxy of between) proxy.setFaults({ toClient: { kind: 'delay', ms } });
    let most = 0;
    await renewals(a, 3);
    const endMs = systemClock.monotonicMs() + 3000;
    await until('it was looked at', () => {
      most = Math.max(most, a.deadline.remainingMs(epoch));
      return systemClock.monotonicMs() > endMs;
    });
    assert.ok(most > 0 && most <= 3500 - ms, `${most}`);
  });

  test('is taken over where the leader of etcd goes with its holder', async (t) => {
    const etcd = await Etcd.start(t, { members: 3 });
    const between = await proxies(t, etcd);
    const a = startNode(t, etcd, { name: 'a', ports: between.map(({ port }) => port) });
    await until('a leads', () => leads(a));
    const b = startNode(t, etcd, { name: 'b' });
    await until('b knows', () => b.status.leader?.node === 'a');
    const { epoch } = a;
    const member = await etcd.leader();
    const beforeMs = systemClock.monotonicMs();
    for (const proxy of between) {
      await proxy.refuse();
      proxy.reset();
    }
    await member.kill();
    await until('b leads', () => leads(b));
    t.diagnostic(`taken over in ${Math.round(systemClock.monotonicMs() - beforeMs)} ms`);
    assert.equal(a.deadline.isValid(epoch), false);
  });
});
