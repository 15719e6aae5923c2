// Promises of a node of a site about when it acts: through switchovers, and where what acting is does not succeed.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { FaultProxy, until } from '@telltale/stack-kit/testing';
import { cleanupOf } from '@telltale/stack-kit/testing/cleanup';
import { Etcd, withoutEtcd } from '../../../../test/engines/etcd.ts';
import { type ScriptedNode, startSiteNode } from '../../test/site-node-world.ts';

const inTime = { deadlineMs: 30_000 };

async function acts({ node }: ScriptedNode): Promise<void> {
  await until('it acts', () => node.isActing, inTime);
}

async function couldTakeOver({ node }: ScriptedNode, name: string): Promise<void> {
  const other = () => node.state.nodes.find((each) => each.name === name);
  await until(`${name} could take over`, () => other()?.['not-ready'] === null, inTime);
}

function failOnce(why: string): () => Promise<void> {
  let count = 0;
  return async () => {
    if (++count === 1) throw new Error(why);
  };
}

/** That of a server as a whole. */
const stopLimitMs = 5000;

async function endsInTime({ node }: ScriptedNode): Promise<void> {
  const beganMs = performance.now();
  await node.close();
  const tookMs = performance.now() - beganMs;
  assert.ok(tookMs < stopLimitMs, `it took ${Math.round(tookMs)} ms`);
}

describe('a node of a site', { skip: withoutEtcd }, () => {
  test('does not act any more when its links go down for a switchover, and acts again where that fails', async (t) => {
    const etcd = await Etcd.start(t);
    const a = await startSiteNode(t, etcd, { ended: failOnce('a device is held') });
    await acts(a);
    const b = await startSiteNode(t, etcd, { name: 'b' });
    await couldTakeOver(a, 'b');
    await assert.rejects(a.node.switchTo('b'), /a device is held/);
    assert.deepEqual([a.told, a.node.isActing], [['begin', 'end', 'begin'], true]);
    await a.node.switchTo('b');
    await acts(b);
    assert.deepEqual([a.told.slice(3), a.node.isActing], [['end', 'end'], false]);
  });

  test('that could not begin begins again', async (t) => {
    const etcd = await Etcd.start(t);
    const a = await startSiteNode(t, etcd, { begin: failOnce('the archive is busy') });
    await acts(a);
    assert.deepEqual(a.told, ['begin', 'end', 'begin']);
    assert.equal(a.node.state.problem, null);
  });

  test('that could not go on after a switchover that failed begins anew', async (t) => {
    const etcd = await Etcd.start(t);
    let begins = 0;
    const begin = async () => {
      if (++begins === 2) throw new Error('the archive is busy');
    };
    const a = await startSiteNode(t, etcd, { begin, ended: failOnce('a device is held') });
    await acts(a);
    await startSiteNode(t, etcd, { name: 'b' });
    await couldTakeOver(a, 'b');
    await assert.rejects(a.node.switchTo('b'), /a device is held/);
    await acts(a);
    assert.deepEqual(a.told, ['begin', 'end', 'begin', 'end', 'begin']);
  });

  test('that could not end follows the other one, ends again, and takes over later', async (t) => {
    const etcd = await Etcd.start(t);
    let ends = 0;
    const end = async () => {
      if (++ends === 2) throw new Error('a module does not end');
    };
    const a = await startSiteNode(t, etcd, { end });
    await acts(a);
    const b = await startSiteNode(t, etcd, { name: 'b' });
    await couldTakeOver(a, 'b');
    await assert.rejects(a.node.switchTo('b'), /a module does not end/);
    await acts(b);
    await until('it has ended', () => a.told.length === 4, inTime);
    await couldTakeOver(b, 'a');
    await b.node.switchTo('a');
    await acts(a);
    assert.deepEqual(a.told, ['begin', 'end', 'end', 'end', 'begin']);
  });

  test('pauses where another one may lead without its knowledge, and goes on when none did', async (t) => {
    const etcd = await Etcd.start(t);
    const a = await startSiteNode(t, etcd);
    await acts(a);
    await etcd.members[0]?.freeze();
    await until('it pauses', () => a.told.includes('pause while acting'), inTime);
    assert.deepEqual([a.node.isActing, a.node.isPaused], [true, true]);
    assert.match(JSON.stringify(a.node.degraded), /Function modules rest: another node may lead/);
    etcd.members[0]?.thaw();
    await until('it goes on', () => a.told.includes('resume while acting'), inTime);
    assert.deepEqual(a.told, ['begin', 'pause while acting', 'resume while acting']);
    assert.deepEqual([a.node.isPaused, a.node.degraded.length], [false, 1]);
  });

  test('that paused ends where another one has led since', async (t) => {
    const etcd = await Etcd.start(t);
    const target = { host: '127.0.0.1', port: etcd.members[0]?.port as number };
    const between = cleanupOf(t).use(await FaultProxy.start(target));
    const a = await startSiteNode(t, etcd, { ports: [between.port] });
    await acts(a);
    const b = await startSiteNode(t, etcd, { name: 'b' });
    await couldTakeOver(a, 'b');
    let isPaused: boolean | undefined;
    between.setFaults({ toDevice: { kind: 'discard' }, toClient: { kind: 'discard' } });
    await until(
      'b acts',
      () => {
        isPaused = a.node.isPaused;
        return b.node.isActing;
      },
      inTime,
    );
    assert.equal(isPaused, true, 'before b acts');
    between.setFaults({});
    await until('it has ended', () => a.told.includes('end'), inTime);
    assert.deepEqual(a.told, ['begin', 'pause while acting', 'end']);
  });

  test('ends in time where etcd does not answer any more, while it acts', async (t) => {
    const etcd = await Etcd.start(t);
    const a = await startSiteNode(t, etcd);
    await acts(a);
    await etcd.members[0]?.freeze();
    await endsInTime(a);
  });

  test('ends in time where etcd does not answer any more, with a long TTL as well', async (t) => {
    const etcd = await Etcd.start(t);
    const a = await startSiteNode(t, etcd, { ttlMs: 12_000 });
    await acts(a);
    await etcd.members[0]?.freeze();
    await endsInTime(a);
  });

  test('ends in time where etcd does not answer any more, while it begins to lead', async (t) => {
    const etcd = await Etcd.start(t);
    const { promise, resolve } = Promise.withResolvers<void>();
    const configured = async () => {
      await etcd.members[0]?.freeze();
      resolve();
    };
    const a = await startSiteNode(t, etcd, { configured });
    await promise;
    await endsInTime(a);
    assert.deepEqual(a.told, []);
  });
});
