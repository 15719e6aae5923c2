// Two servers of a site without a store: each has the history of both, whoever leads, is killed or stopped, and comes back.
import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { Etcd, withoutEtcd } from './engines/etcd.ts';
import { Pair, type PairNode, untilSo } from './standby-pair.ts';

type Series = 'measurements/level' | 'commands/valve';

/** As the node answers it. */
async function history(node: PairNode, series: Series): Promise<unknown[]> {
  const [kind, name = ''] = series.split('/');
  const response = await fetch(`${node.server.url}/data/archive/${kind}/${name}/1/0`);
  return ((await response.json()) as Record<string, unknown[]>)[name] ?? [];
}

async function has(node: PairNode, value: number): Promise<boolean> {
  return (await history(node, 'commands/valve')).some((record) => (record as [string])[0] === `i${value}`);
}

async function started(t: TestContext): Promise<Pair> {
  return Pair.start(t, await Etcd.start(t), { args: ['--store-interval', '100'] });
}

async function recordsOf(pair: Pair, node: PairNode) {
  return (await pair.state(node)).records?.[0];
}

/** Nothing is recorded any more. */
async function untilTheSame(pair: Pair): Promise<number> {
  await pair.device.device.stop();
  let count = 0;
  for (const series of ['measurements/level', 'commands/valve'] as const) {
    await untilSo(`both nodes have the same of ${series}`, async () => {
      const [a, b] = await Promise.all(pair.nodes.map((node) => history(node, series)));
      count = (a as unknown[]).length;
      return isDeepStrictEqual(a, b);
    });
  }
  return count;
}

describe('of two nodes without a store', { skip: withoutEtcd }, () => {
  test('each has what the other has recorded, also after who leads was killed, and when it is back', async (t) => {
    const pair = await started(t);
    const [a, b] = pair.nodes;
    assert.equal((await pair.write(a, 7)).status, 204);
    await untilSo('b has what a wrote', () => has(b, 7));
    await a.server.end('SIGKILL');
    await untilSo('b reads', () => pair.isRead(b));
    assert.ok(await has(b, 7));
    assert.equal((await pair.write(b, 8)).status, 204);
    await pair.again(a);
    await untilSo('a has what b wrote meanwhile', () => has(a, 8));
    await untilTheSame(pair);
  });

  test('what one could not send before it was killed is shown as missing, and follows when it is back', async (t) => {
    const pair = await started(t);
    const [a, b] = pair.nodes;
    assert.equal((await pair.write(a, 7)).status, 204);
    await untilSo('b has what a wrote', () => has(b, 7));
    await b.server.end();
    assert.equal((await pair.write(a, 9)).status, 204);
    await untilSo('a has recorded it', () => has(a, 9));
    await a.server.end('SIGKILL');
    await pair.again(b);
    await untilSo('b reads', () => pair.isRead(b));
    assert.ok(!(await has(b, 9)));
    await untilSo('b cannot send', async () => (await recordsOf(pair, b))?.state === 'down');
    const records = await recordsOf(pair, b);
    assert.deepEqual([records?.node, records?.heard === null], ['a', false]);
    assert.match(records?.error ?? '', /^node a (is not there|at .* is not reached)/);
    await pair.again(a);
    await untilSo('b has what a could not send', () => has(b, 9));
    await untilTheSame(pair);
    await untilSo('nothing waits', async () => (await recordsOf(pair, b))?.['waiting-here'] === 0);
  });

  test('what is erased at one is erased at both, whichever has recorded it, and does not come back', async (t) => {
    const pair = await started(t);
    const [a, b] = pair.nodes;
    assert.equal((await pair.write(a, 7)).status, 204);
    await untilSo('b has what a wrote', () => has(b, 7));
    await a.server.end('SIGKILL');
    await untilSo('b leads', () => pair.isRead(b));
    assert.equal((await pair.write(b, 8)).status, 204);
    assert.equal((await pair.ask(b, 'DELETE', '/archive/commands/valve/0/9000000000')).status, 204);
    assert.deepEqual(await history(b, 'commands/valve'), []);
    assert.equal((await pair.write(b, 10)).status, 204);
    await pair.again(a);
    await untilSo('a has erased it', async () => (await has(a, 10)) && !(await has(a, 7)));
    await untilTheSame(pair);
    assert.equal((await history(b, 'commands/valve')).length, 1);
  });

  test('nobody else is answered, and nothing changes', async (t) => {
    const pair = await started(t);
    const [a, b] = pair.nodes;
    await untilSo('b has something of a', async () => ((await recordsOf(pair, b))?.heard ?? null) !== null);
    const headers = {
      'telltale-from': 'a',
      'telltale-to': 'b',
      'telltale-time': String(Date.now()),
      'telltale-nonce': '0'.repeat(32),
      'telltale-digest': '0'.repeat(64),
      'telltale-mac': '0'.repeat(64),
    };
    for (const operation of ['newest', 'claim', 'send']) {
      for (const sent of [{}, headers]) {
        const at = `${b.server.url}/nodes/records/${operation}`;
        const answer = await fetch(at, { method: 'POST', headers: sent, body: '{"epoch":1}' });
        assert.equal(answer.status, 403);
        assert.equal(answer.headers.get('telltale-mac'), null);
      }
    }
    assert.equal((await fetch(`${b.server.url}/nodes/records/newest`)).status, 404);
    assert.equal((await pair.write(a, 7)).status, 204);
    await untilSo('b has what a wrote', () => has(b, 7));
  });
});
