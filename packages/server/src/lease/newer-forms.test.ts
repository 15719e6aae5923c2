// Promises for the time in which the nodes of a site are of two versions: what an older one cannot know it takes nothing of, and says so.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { until } from '@telltale/stack-kit/testing';
import { Etcd, withoutEtcd } from '../../../../test/engines/etcd.ts';
import { startNode } from '../../test/lease-world.ts';
import { startFollower } from '../../test/shared-world.ts';

const [head, valve] = ['telltale/works/state/head', 'telltale/works/state/commands/valve'];
const newer = /in form 2, of a newer version: bring this node up to date/;

describe('beside a node of a newer version', { skip: withoutEtcd }, () => {
  test('what is shared in a newer form is not taken, and nothing that was there is lost', async (t) => {
    const etcd = await Etcd.start(t);
    const known = startFollower(t, etcd);
    await etcd.put(valve, '=first');
    await etcd.put(head, JSON.stringify({ form: 1, epoch: 1, id: 'a', more: 'of a newer version' }));
    assert.deepEqual([...(await known.upToDate())], [['commands valve', 'first']]);
    await etcd.put(head, JSON.stringify({ form: 2, epoch: 2, id: 'b' }));
    await until('it says so', () => newer.test(known.follower.failure ?? ''));
    await assert.rejects(known.upToDate(), newer);
    const late = startFollower(t, etcd);
    await until('one that begins says so', () => newer.test(late.follower.failure ?? ''));
    assert.deepEqual([[...known.texts], late.texts.size], [[['commands valve', 'first']], 0]);
    // The newer one goes, or is set back.
    await etcd.put(valve, '=second');
    await etcd.put(head, JSON.stringify({ form: 1, epoch: 3, id: 'c' }));
    for (const each of [known, late]) {
      await until('it follows', () => each.texts.get('commands valve') === 'second');
      assert.equal(each.follower.failure, undefined);
    }
  });

  test('one that says of itself what nobody here understands is shown, and could not take over', async (t) => {
    const etcd = await Etcd.start(t);
    const a = startNode(t, etcd, { ttlMs: 1000 });
    const b = () => a.status.nodes.find(({ name }) => name === 'b');
    const says = (more: object) => {
      return etcd.put('telltale/works/nodes/b', JSON.stringify({ name: 'b', version: '9', address: 'x', ...more }));
    };
    await says({ form: 2 });
    await until('it is there', () => b() !== undefined);
    assert.match(b()?.problem ?? '', /of a newer version, which this one does not understand/);
    await says({ form: 1, more: 'of a newer version' });
    await until('it could', () => b()?.problem === undefined);
    assert.equal(b()?.version, '9');
  });
});
