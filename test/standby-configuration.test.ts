// The configuration of a site is one for both of its nodes: what one acknowledges is at the other.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import type { Operation } from '@telltale/schema';
import { temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { Etcd, withoutEtcd } from './engines/etcd.ts';
import { disks } from './full-disk.ts';
import { put } from './live-plant.ts';
import { Pair, type PairNode, untilSo } from './standby-pair.ts';

async function change({ server }: PairNode, method: string, path: string, body?: unknown): Promise<void> {
  const answer = await server.send(method, path, body);
  assert.ok(answer.ok, `${path}: ${answer.status} ${await answer.text()}`);
}

/** What somebody finds of the configuration, edited and rendered. */
async function configured({ server }: PairNode): Promise<unknown> {
  const paths = [
    '/measurements/',
    '/commands/',
    '/alarms/',
    '/connectors/',
    '/cfgdb/diff',
    '/cfgdb/revisions',
    '/typicals',
  ];
  const found = await Promise.all(paths.map(async (path) => [path, await (await server.get(path)).text()]));
  const names = await (await fetch(`${server.url}/data/measurements/?names=1`)).text();
  return [...found, names.replace(/"vtq":\[[^\]]*\]/g, '')];
}

async function untilSame(pair: Pair): Promise<void> {
  const [a, b] = pair.nodes;
  await untilSo('both have the same', async () => isDeepStrictEqual(await configured(a), await configured(b)));
}

describe('the configuration of a site with two nodes', { skip: withoutEtcd }, () => {
  test('is there after the node that acknowledged it was killed: edited, rendered, renamed and uploaded', async (t) => {
    const pair = await Pair.start(t, await Etcd.start(t));
    const [a, b] = pair.nodes;
    await change(a, 'PUT', '/measurements/edited', { name: 'edited', datatype: 'i' });
    const operations: Operation[] = [
      put('measurements', 'added', { datatype: 'd' }),
      put('commands', 'note', { datatype: 's' }),
    ];
    await change(a, 'POST', '/cfgdb/txn?render=1&comment=more', { operations });
    await untilSame(pair);
    assert.equal(await pair.isRead(b), false, 'it has connected something');
    assert.equal((await pair.ask(a, 'PUT', '/commands/note?value=skept')).status, 204);
    await change(a, 'POST', '/commands/note/rename?to=remark&render=1');
    await change(a, 'DELETE', '/measurements/added');
    const before = await configured(a);
    await a.server.end('SIGKILL');
    await untilSo('b leads', async () => (await pair.state(b)).role === 'leading');
    assert.deepEqual(await configured(b), before);
    const remark = (await (await fetch(`${b.server.url}/data/commands/remark`)).json()) as { vt: unknown[] };
    assert.match(JSON.stringify(remark.vt), /"skept"/);
    await change(b, 'POST', '/cfgdb/render');
    await pair.again(a);
    await untilSame(pair);
  });

  test('is what etcd has of it: a node with another one takes it over, and says so', async (t) => {
    const pair = await Pair.start(t, await Etcd.start(t));
    const [a, b] = pair.nodes;
    await b.server.end();
    await change(a, 'PUT', '/measurements/more', { name: 'more', datatype: 'i' });
    const foreign: PairNode = { name: 'b', data: temporaryFolder(t), server: undefined as never };
    await pair.again(foreign);
    b.server = foreign.server;
    await untilSame(pair);
    const said = /"level":40.*another one than that of the site, which has taken its place/;
    await untilSo('it has said so', async () => said.test(b.server.log));
    const { status } = (await (await fetch(`${b.server.url}/readyz`)).json()) as { status: string };
    assert.equal(status, 'standby');
  });

  test('without etcd, a change is refused and nothing of it is done', async (t) => {
    const etcd = await Etcd.start(t);
    const pair = await Pair.start(t, etcd);
    const [a, b] = pair.nodes;
    await untilSame(pair);
    const before = await configured(a);
    await etcd.members[0]?.freeze();
    const operations: Operation[] = [put('measurements', 'lost', { datatype: 'd' })];
    const refused = await a.server.send('POST', '/cfgdb/txn?render=1', { operations });
    assert.equal(refused.status >= 500, true);
    assert.match(await refused.text(), /not-leading|storage-failed/);
    assert.deepEqual(await configured(a), before);
    etcd.members[0]?.thaw();
    const leading = await pair.leader();
    await untilSo('changes are taken', async () => {
      const kept = { name: 'kept', datatype: 'i' };
      return (await (await pair.leader()).server.send('PUT', '/measurements/kept', kept)).status === 204;
    });
    assert.ok([a, b].includes(leading));
    await untilSame(pair);
    assert.match(JSON.stringify(await configured(b)), /kept/);
  });

  test('is the demo plant, where the first node begins with it; another one with a demo plant gets that one', async (t) => {
    const node = (name: string): PairNode => ({ name, data: temporaryFolder(t), server: undefined as never });
    const pair = await Pair.of(t, await Etcd.start(t), [node('a'), node('b')], { args: ['--demo'] });
    const [a, b] = pair.nodes;
    await untilSame(pair);
    assert.match(JSON.stringify(await configured(a)), /demo/);
    assert.match(b.server.log, /loaded the demo plant/);
    assert.match(b.server.log, /"level":40.*another one than that of the site, which has taken its place/);
    await change(a, 'PUT', '/measurements/more', { name: 'more', datatype: 'i' });
    await untilSame(pair);
    const refused = await b.server.send('PUT', '/measurements/other', { name: 'other', datatype: 'i' });
    assert.match(await refused.text(), /not-leading/);
    const before = await configured(a);
    await a.server.end('SIGKILL');
    await untilSo('b leads', async () => (await pair.state(b)).role === 'leading');
    assert.deepEqual(await configured(b), before);
  });

  const limited = disks['refuses every write'];
  test('has nothing of what the disk of the leader has refused, whether it takes anything later or not', async (t) => {
    const disk = limited(t);
    if (typeof disk === 'string') return t.skip(disk);
    const pair = await Pair.start(t, await Etcd.start(t));
    const [a, b] = pair.nodes;
    await untilSame(pair);
    const before = await configured(a);
    disk.fill(a.server);
    const refused = await a.server.send('PUT', '/measurements/lost', { name: 'lost', datatype: 'i' });
    assert.match(await refused.text(), /storage-failed/);
    assert.deepEqual(await configured(a), before);
    await a.server.end('SIGKILL');
    await untilSo('b leads', async () => (await pair.state(b)).role === 'leading');
    assert.deepEqual(await configured(b), before);
  });
});
