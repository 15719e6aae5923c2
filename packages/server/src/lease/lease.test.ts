// Promises of the lease of a site, with a real etcd.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { systemClock } from '@telltale/schema';
import { FaultProxy, until } from '@telltale/stack-kit/testing';
import { cleanupOf } from '@telltale/stack-kit/testing/cleanup';
import { Etcd, withoutEtcd } from '../../../../test/engines/etcd.ts';
import { startNode } from '../../test/lease-world.ts';
import type { Lease } from './lease.ts';

const leads = (lease: Lease) => lease.role === 'leading';
const isValid = (lease: Lease) => lease.deadline.isValid(lease.epoch);

describe('a lease', { skip: withoutEtcd }, () => {
  test('is one node’s; the other follows when that one stops, with a higher epoch', async (t) => {
    const etcd = await Etcd.start(t);
    const a = startNode(t, etcd, { name: 'a' });
    await until('a leads', () => leads(a));
    const b = startNode(t, etcd, { name: 'b' });
    await until('b knows who leads', () => b.status.leader?.node === 'a');
    const epoch = a.epoch;
    assert.deepEqual([isValid(a), isValid(b), b.epoch, b.status.leader?.epoch], [true, false, 0, epoch]);
    await a.stop();
    assert.deepEqual([a.deadline.isValid(epoch), a.role], [false, 'standby']);
    await until('b leads', () => leads(b));
    assert.ok(b.epoch > epoch);
  });

  test('of a node that is suddenly gone is another’s when it cannot be valid any more', async (t) => {
    const etcd = await Etcd.start(t);
    const proxy = await FaultProxy.start({ host: '127.0.0.1', port: etcd.members[0]?.port ?? 0 });
    cleanupOf(t).use(proxy);
    const a = startNode(t, etcd, { name: 'a', ports: [proxy.port] });
    await until('a leads', () => leads(a));
    const b = startNode(t, etcd, { name: 'b' });
    await until('b knows', () => b.status.leader?.node === 'a');
    const epoch = a.epoch;
    await proxy.refuse();
    proxy.reset();
    const cutMs = systemClock.monotonicMs();
    let endedMs = 0;
    await until('b leads', () => {
      if (endedMs === 0 && !a.deadline.isValid(epoch)) endedMs = systemClock.monotonicMs();
      return leads(b);
    });
    t.diagnostic(
      `taken over ${Math.round(systemClock.monotonicMs() - cutMs)} ms after the cut, ended after ${Math.round(endedMs - cutMs)} ms`,
    );
    assert.equal(a.deadline.isValid(epoch), false);
    assert.ok(endedMs > 0);
    assert.match(a.status.problem ?? '', /^No member of etcd answers: 127\.0\.0\.1:\d+ refuses connections/);
    assert.equal(a.role, 'suspended');
    await proxy.listen();
    await until('a hears of it', () => a.role === 'standby' && a.status.leader?.node === 'b');
    assert.equal(a.status.problem, undefined);
  });

  test('goes on under the same epoch where etcd was away and nobody else leads', async (t) => {
    const etcd = await Etcd.start(t);
    const a = startNode(t, etcd, { name: 'a' });
    await until('a leads', () => leads(a));
    const b = startNode(t, etcd, { name: 'b' });
    await until('b knows', () => b.status.leader?.node === 'a');
    const epoch = a.epoch;
    await etcd.members[0]?.kill();
    await until('a has no valid lease', () => a.role === 'suspended');
    assert.equal(isValid(a), false);
    await etcd.members[0]?.again();
    await until('a leads again', () => leads(a));
    assert.deepEqual([a.epoch, b.role], [epoch, 'standby']);
  });

  test('is handed over to a node that is named, and to no other', async (t) => {
    const etcd = await Etcd.start(t);
    const nodes = new Map<string, Lease>();
    for (const name of ['a', 'b', 'c']) {
      const lease = startNode(t, etcd, { name });
      nodes.set(name, lease);
      await until('somebody leads', () => lease.status.leader?.node === 'a');
    }
    const [a, b, c] = ['a', 'b', 'c'].map((name) => nodes.get(name) as Lease) as [Lease, Lease, Lease];
    await until('all are known', () => a.status.nodes.length === 3);
    assert.deepEqual(
      a.status.nodes.map(({ name, version, address }) => [name, version, address]),
      ['a', 'b', 'c'].map((name) => [name, '1.0', `http://${name}.example`]),
    );
    assert.match(((await a.handOver('nobody')) as { reason: string }).reason, /The node nobody is not there/);
    await until('a leads on', () => leads(a));
    assert.deepEqual(await b.handOver('c'), { isDone: false, reason: 'This node does not lead' });
    const [epoch, beforeMs] = [a.epoch, systemClock.monotonicMs()];
    const handing = a.handOver('c');
    assert.equal(a.deadline.isValid(epoch), false);
    assert.deepEqual(await handing, { isDone: true });
    await until('c leads', () => leads(c));
    t.diagnostic(`handed over in ${Math.round(systemClock.monotonicMs() - beforeMs)} ms`);
    assert.ok(c.epoch > epoch);
    await until('a and b know', () => a.status.leader?.node === 'c' && b.status.leader?.node === 'c');
  });

  test('that is kept for a node which never comes is another’s after a while', async (t) => {
    const etcd = await Etcd.start(t);
    const a = startNode(t, etcd, { name: 'a', ttlMs: 1000 });
    await until('a leads', () => leads(a));
    const b = startNode(t, etcd, { name: 'b', ttlMs: 1000 });
    await until('b is there', () => a.status.nodes.length === 2);
    await b.stop();
    await etcd.put('telltale/works/nodes/b', '{"name":"b"}');
    assert.deepEqual(await a.handOver('b'), { isDone: true });
    await until('a leads again', () => leads(a));
  });

  test('whose key somebody removes ends at once, and waits until every holder must know', async (t) => {
    const etcd = await Etcd.start(t);
    const a = startNode(t, etcd, { name: 'a' });
    await until('a leads', () => leads(a));
    const epoch = a.epoch;
    await etcd.ask('kv/deleterange', { key: btoa('telltale/works/leader') });
    await until('a hears of it', () => !a.deadline.isValid(epoch));
    await until('a leads again', () => leads(a));
    assert.ok(a.epoch > epoch);
  });

  test('of one site says nothing about another, whatever their names are', async (t) => {
    const etcd = await Etcd.start(t);
    const sites = ['a', 'a/leader', 'a/', '/', '..', 'Ä\u0000\n"', 'a%2Fleader', '0', 'x'.repeat(500)];
    const leases = sites.map((site) => startNode(t, etcd, { site }));
    await until('each leads', () => leases.every(leads));
    assert.equal(new Set(leases.map(({ epoch }) => epoch)).size, sites.length);
    for (const site of ['', '\ud800']) assert.throws(() => startNode(t, etcd, { site }), /needs a name/);
  });
});
