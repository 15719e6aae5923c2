import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { until } from '@telltale/stack-kit/testing';
import { askJson } from './ask-json.ts';
import { Authority, withoutOpenssl } from './authority.ts';
import { Etcd, withoutEtcd } from './etcd.ts';

describe('etcd', { skip: withoutEtcd }, () => {
  test('goes on without its leader, and answers nothing without a majority until it is back', async (t) => {
    const etcd = await Etcd.start(t, { members: 3 });
    await etcd.put('kept', 'before');
    const leader = await etcd.leader();
    await leader.kill();
    const next = await etcd.leader();
    assert.notEqual(next.name, leader.name);
    assert.equal(await etcd.get('kept'), 'before');
    await next.freeze();
    const last = etcd.members.find(({ isUp }) => isUp);
    assert.equal(etcd.hasMajority, false);
    await until('the last one notices', async () => !(await last?.answers()));
    await leader.again();
    await etcd.put('kept', 'after');
    next.thaw();
    await until('it answers again', () => next.answers());
    await Promise.all(etcd.members.map((member) => member.kill()));
    // The first waits for nobody, the second for the first.
    for (const member of etcd.members) await member.again();
    assert.equal(await etcd.get('kept'), 'after');
  });

  test('knows clients by their certificates, and users by passwords', { skip: withoutOpenssl }, async (t) => {
    const authority = new Authority(t);
    const etcd = await Etcd.start(t, { members: 3, authority });
    const status = (given: object) =>
      askJson(`${etcd.urls[0]}/v3/maintenance/status`, { body: {}, authority, ...given });
    assert.equal((await status({ pair: etcd.client })).status, 200);
    await assert.rejects(status({}), /alert|ECONNRESET|certificate/i);
    const other = new Authority(t, 'another');
    await assert.rejects(status({ pair: other.issue('client') }), /alert|ECONNRESET|certificate/i);
    await assert.rejects(status({ authority: other, pair: etcd.client }), /unable to verify|self-signed/);
    await etcd.requireUsers({ site: [{ prefix: 'site/' }], viewer: [{ prefix: 'site/', access: 'READ' }] });
    await etcd.put('site/kept', 'here', 'site');
    assert.equal(await etcd.get('site/kept', 'viewer'), 'here');
    for (const refused of [
      () => etcd.put('site/kept', 'gone', 'viewer'),
      () => etcd.put('other/kept', 'gone', 'site'),
      () => etcd.get('site/kept'),
    ]) {
      await assert.rejects(refused, /permission denied|user name is empty/);
    }
    assert.equal(await etcd.get('site/kept', 'root'), 'here');
  });
});
