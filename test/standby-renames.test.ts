// Commands, alarms and simulations that are renamed where the node that leads dies before it has shared what they have under their new
// names: what etcd has then is what it shared before, and the configuration with the new names.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { Etcd, withoutEtcd } from './engines/etcd.ts';
import { Pair, type PairNode, untilSo } from './standby-pair.ts';

const renames = [
  ['commands', 'note', 'remark', 'commands'],
  ['alarms', 'high', 'higher', 'alarms'],
  ['measurements', 'forced', 'simulated', 'simulations'],
] as const;
const keyOf = (stored: string, name: string) => `telltale/works/state/${stored}/${name}`;

/** As one that leads and is killed leaves it. */
async function leaveUnderOldNames(etcd: Etcd): Promise<void> {
  for (const [, from, to, stored] of renames) {
    const value = await etcd.get(keyOf(stored, to));
    assert.ok(value !== undefined, to);
    await etcd.remove(keyOf(stored, to));
    await etcd.put(keyOf(stored, from), value);
  }
  const head = 'telltale/works/state/head'; // which each change writes
  await etcd.put(head, (await etcd.get(head)) as string);
}

async function shown({ server }: PairNode): Promise<unknown> {
  const read = async (path: string) => (await (await fetch(`${server.url}/data/${path}`)).json()) as object;
  const { vt } = (await read('commands/remark')) as { vt: unknown };
  const { state, authority } = (await read('alarms/higher')) as { state: string; authority: string };
  return { vt, state, authority, simulations: await read('simulations') };
}

async function startRenamed(scope: Parameters<typeof Etcd.start>[0], etcd: Etcd): Promise<Pair> {
  const pair = await Pair.start(scope, etcd);
  const [a, b] = pair.nodes;
  const done = async (method: string, path: string) => {
    const { status, text } = await pair.ask(a, method, path);
    assert.equal(status, 204, `${path}: ${text}`);
  };
  await done('PUT', '/commands/note?value=skept');
  await done('PUT', '/measurements/forced?value=d9');
  await untilSo('the alarm is raised', async () => JSON.stringify(await pair.shown(a)).includes('ACT_UNACK'));
  await done('POST', '/alarms/high/acknowledge?authority=anna');
  for (const [family, from, to] of renames) {
    const { status } = await a.server.send('POST', `/${family}/${from}/rename?to=${to}`);
    assert.equal(status, 200);
  }
  assert.equal((await a.server.send('POST', '/cfgdb/render')).status, 204);
  await untilMoved(etcd);
  await untilSo('b shows the same', async () => isDeepStrictEqual(await shown(b), await shown(a)));
  return pair;
}

async function untilMoved(etcd: Etcd): Promise<void> {
  for (const [, from, to, stored] of renames) {
    await untilSo(`etcd has ${to} and not ${from}`, async () => {
      return (await etcd.get(keyOf(stored, to))) !== undefined && (await etcd.get(keyOf(stored, from))) === undefined;
    });
  }
}

describe('what is renamed at a node that is killed before it has shared that', { skip: withoutEtcd }, () => {
  test('goes on at the other one with what it had, and at each that comes back later', async (t) => {
    const etcd = await Etcd.start(t);
    const pair = await startRenamed(t, etcd);
    const [a, b] = pair.nodes;
    const before = await shown(a);
    assert.match(JSON.stringify(before), /kept.*ACT_ACK.*anna.*simulated/);
    await a.server.end('SIGKILL');
    await leaveUnderOldNames(etcd);
    await untilSo('b leads', async () => (await pair.state(b)).role === 'leading');
    assert.deepEqual(await shown(b), before);
    await untilMoved(etcd);
    await pair.again(a);
    await untilSo('a shows the same', async () => isDeepStrictEqual(await shown(a), before));
    await b.server.end();
    await untilSo('a leads', async () => (await pair.state(a)).role === 'leading');
    assert.deepEqual(await shown(a), before);
  });

  test('goes on at a node that starts then', async (t) => {
    const etcd = await Etcd.start(t);
    const pair = await startRenamed(t, etcd);
    const [a, b] = pair.nodes;
    const before = await shown(a);
    await b.server.end();
    await a.server.end('SIGKILL');
    await leaveUnderOldNames(etcd);
    await pair.again(b);
    await untilSo('b leads', async () => (await pair.state(b)).role === 'leading');
    assert.deepEqual(await shown(b), before);
    await untilMoved(etcd);
  });
});
