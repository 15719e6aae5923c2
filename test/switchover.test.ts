// A planned switchover between two servers of a site, with commands on their way and nodes that die meanwhile.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { NodeSwitch } from '@telltale/schema';
import { temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { runCli } from './cli-process.ts';
import { Etcd, withoutEtcd } from './engines/etcd.ts';
import { put } from './live-plant.ts';
import { SeededRandom, testSeed } from './seeded-random.ts';
import { startServer } from './server-process.ts';
import { Pair, type PairNode, untilSo } from './standby-pair.ts';

/** A command without a device. */
const note = '/commands/note?value=sx';
const rounds = Number(process.env.SWITCH_ROUNDS ?? 3);

async function startPair(scope: Parameters<typeof Etcd.start>[0]): Promise<Pair> {
  const pair = await Pair.start(scope, await Etcd.start(scope));
  const [a] = pair.nodes;
  await untilSo('a reads', () => pair.isRead(a));
  await untilSo('each knows the other', async () => {
    for (const node of pair.nodes) if ((await pair.state(node)).nodes.length < 2) return false;
    return true;
  });
  return pair;
}

/** What was sent to which node, one after the other, until it is stopped; who does not lead is not asked again at once. */
class Stream {
  readonly sent = new Map<number, { readonly node: string; readonly status: number }>();
  /** Why what was refused was not done. */
  readonly refusals = new Set<string>();
  readonly #pair: Pair;
  readonly #running: Promise<unknown>;
  #last = 0;
  #isOver = false;

  constructor(pair: Pair, writers: number) {
    this.#pair = pair;
    this.#running = Promise.all(Array.from({ length: writers }, (_, number) => this.#write(number)));
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await this.#running;
  }

  async #write(number: number): Promise<void> {
    const { nodes } = this.#pair;
    for (let at = number; !this.#isOver; at++) {
      const node = nodes[at % 2] as PairNode;
      const value = ++this.#last;
      const { status, text } = await this.#pair.write(node, value);
      this.sent.set(value, { node: node.name, status });
      await sleep(2);
      if (status === 204) continue;
      assert.match(text, /not-leading|connector-down.*Nothing was sent/);
      this.refusals.add(JSON.parse(text).detail);
    }
  }
}

describe('a planned switchover', { skip: withoutEtcd }, () => {
  test('carries out each command once or refuses it, and none of the old node after the first of the new one', async (t) => {
    const pair = await startPair(t);
    const [a, b] = pair.nodes;
    const stream = new Stream(pair, 6);
    const took: number[] = [];
    const ways = [b, a, b, a];
    for (const to of ways) {
      await sleep(300);
      const from = to === a ? b : a;
      const { status, text } = await pair.ask(from, 'POST', `/node/switch?to=${to.name}`);
      assert.equal(status, 200, text);
      const switched = JSON.parse(text) as NodeSwitch;
      assert.deepEqual([switched.from, switched.to, switched.leads], [from.name, to.name, true]);
      took.push(switched['took-ms']);
      assert.equal((await pair.state(to)).role, 'leading');
      assert.equal((await pair.state(from)).role, 'standby');
      await untilSo(`${to.name} reads`, () => pair.isRead(to));
    }
    await sleep(300);
    await stream.stop();
    t.diagnostic(`ms without a leader: ${took.join(', ')}; ${pair.device.writes.length} commands were carried out`);

    for (const [from, to] of [pair.nodes, [b, a]]) {
      const text = `Node ${from.name} hands the site works over to ${to.name}, at ${to.server.url}, just now.`;
      assert.ok(stream.refusals.has(text), [...stream.refusals].join('\n'));
    }
    const done = [...stream.sent].filter(([, { status }]) => status === 204).map(([value]) => value);
    const byNumber = (left: number, right: number) => left - right;
    assert.deepEqual([...pair.device.writes].sort(byNumber), done.sort(byNumber));
    const writers = pair.device.writes.map((value) => stream.sent.get(value)?.node);
    const turns = writers.filter((node, at) => node !== writers[at - 1]);
    assert.deepEqual(turns, ['a', 'b', 'a', 'b', 'a']);
  });

  test('raises no alarm of a link, and records no bad value, at either node', async (t) => {
    const pair = await startPair(t);
    const [a, b] = pair.nodes;
    const at = async (node: PairNode, path: string) => JSON.parse((await pair.ask(node, 'GET', path)).text);
    const vars = { host: '127.0.0.1', port: String(pair.device.device.port), scanPeriodMs: '50' };
    const onLink = { trgMeasurement: 'link', trgOperator: 'eq', trgRefValue: '0' };
    const operations = [
      put('measurements', 'link', { datatype: 'b', archMode: 'change' }),
      put('connectors', 'plc', { stackName: 'modbus', vars, wdtMeasurement: 'link' }),
      put('alarms', 'lost', { severity: 1, ...onLink }),
    ];
    const made = await a.server.send('POST', '/cfgdb/txn?render=1', { operations });
    assert.equal(made.status, 204, await made.text());
    await untilSo('the link is up', async () => (await at(a, '/measurements/link')).vtq[0] === 'b1');
    await untilSo('a reads', () => pair.isRead(a));
    await untilSo('b has the alarm', async () => (await at(b, '/alarms/lost')).state !== undefined);
    const alarm = await at(a, '/alarms/lost');
    const { vtq } = await at(a, '/measurements/level');
    for (const [from, to] of [pair.nodes, [b, a]] as const) {
      assert.equal((await pair.ask(from, 'POST', '/node/switch')).status, 200);
      await untilSo(`${to.name} reads`, () => pair.isRead(to));
    }
    for (const node of pair.nodes) {
      assert.deepEqual(await at(node, '/alarms/lost'), alarm, node.name);
      for (const name of ['level', 'link']) {
        const since = (vtq[1] as number[]).map((part, place) => String(part).padStart(place * 6, '0')).join('.');
        const records = (await at(node, `/archive/measurements/${name}/${since}/99999999999`))[name];
        const bad = records.filter(
          ([value, , quality]: [string, unknown, number]) => quality !== 0xc0 || value === 'b0',
        );
        assert.deepEqual([node.name, name, bad], [node.name, name, []]);
      }
    }
  });

  test('waits for what is on its way to a device, and refuses what comes meanwhile', async (t) => {
    const pair = await startPair(t);
    const [a, b] = pair.nodes;
    const release = pair.device.hold();
    const onItsWay = pair.write(a, 1);
    await untilSo('the device has it', async () => pair.device.writes.length === 1);
    const switched = pair.ask(a, 'POST', '/node/switch');
    await untilSo('a refuses commands', async () => /hands .* over to b/.test((await pair.ask(a, 'PUT', note)).text));
    assert.deepEqual([(await pair.state(a)).role, (await pair.state(b)).role], ['leading', 'standby']);
    release();
    assert.deepEqual([(await onItsWay).status, (await switched).status], [204, 200]);
    assert.equal((await pair.state(b)).role, 'leading');
    assert.deepEqual(await pair.shown(a), await pair.shown(b));
    assert.deepEqual(pair.device.writes, [1]);
  });

  test('is refused with the reason where the other node cannot take over, and then nothing changes', async (t) => {
    const pair = await startPair(t);
    const [a, b] = pair.nodes;
    const { since } = await pair.state(a);
    const refuses = async (path: string, reason: RegExp) => {
      const { status, text } = await pair.ask(a, 'POST', path);
      assert.equal(status, 409, text);
      assert.match(text, reason);
      assert.equal((await pair.write(a, 1)).status, 204);
    };
    await refuses('/node/switch?to=c', /cannot-switch.*The node c is not there; the others that are: b\./);
    await refuses('/node/switch?to=a', /a leads the site works already/);
    const elsewhere = await pair.ask(b, 'POST', '/node/switch');
    assert.equal(elsewhere.status, 503);
    assert.match(elsewhere.text, new RegExp(`not-leading.*a does, at ${a.server.url}`));
    process.kill(b.server.pid, 'SIGSTOP');
    await refuses('/node/switch', /The node b has not said within 3 s that it has all/);
    process.kill(b.server.pid, 'SIGCONT');
    await b.server.end('SIGKILL');
    await refuses('/node/switch?to=b', /The node b (has not said|has gone)/);
    await untilSo('b is gone', async () => (await pair.state(a)).nodes.length === 1);
    await refuses('/node/switch?to=b', /The node b is not there/);
    await refuses('/node/switch', /No other node of the site works is there/);
    const state = await pair.state(a);
    assert.deepEqual([state.role, state.since], ['leading', since]);
  });

  test('leaves one leader where a node is killed in the middle of it', async (t) => {
    const pair = await startPair(t);
    const random = new SeededRandom(testSeed);
    for (let round = 0; round < rounds; round++) {
      const from = await pair.leader();
      const to = pair.nodes.find((node) => node !== from) as PairNode;
      const killed = random.between(0, 1) === 0 ? from : to;
      const asked = pair.ask(from, 'POST', '/node/switch').catch(() => undefined);
      await sleep(random.between(0, 250));
      await killed.server.end('SIGKILL');
      await asked;
      const [other] = pair.nodes.filter((node) => node !== killed) as [PairNode];
      const about = `${other.name} leads after ${killed.name}, ${killed === from ? 'the leader' : 'the other'}, was killed`;
      await untilSo(about, async () => (await pair.state(other)).role === 'leading');
      await untilSo('it writes', async () => (await pair.write(other, 1000 + round)).status === 204);
      assert.equal(pair.device.writes.filter((value) => value === 1000 + round).length, 1);
      await pair.again(killed);
      await untilSo('the other waits', async () => (await pair.state(killed)).leader?.node === other.name);
      assert.equal((await pair.write(killed, 1)).status, 503);
      await untilSo('each knows the other', async () => (await pair.state(other)).nodes.length === 2);
    }
  });

  test('is one command, which shows both nodes as well; a server alone has nobody to switch to', async (t) => {
    const pair = await startPair(t);
    const [a, b] = pair.nodes;
    const cli = (node: PairNode, ...args: string[]) => runCli(args, { url: node.server.url });
    await untilSo('b could take over', async () => (await cli(a, 'standby')).code === 0);
    const shown = await cli(a, 'standby', '--json');
    const { leader, nodes } = JSON.parse(shown.stdout) as Awaited<ReturnType<Pair['state']>>;
    assert.equal(leader?.node, 'a');
    assert.deepEqual(
      nodes.map((node) => [node.name, node['not-ready']]),
      [
        ['a', null],
        ['b', null],
      ],
    );
    const refused = await cli(b, 'standby', 'switch');
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, new RegExp(`a does, at ${a.server.url}`));
    const switched = await cli(a, 'standby', 'switch', 'b');
    assert.equal(switched.code, 0, switched.stderr);
    assert.match(switched.stdout, /"to":\s*"b"/);
    const status = await cli(a, 'status', '--exit-zero');
    assert.equal(JSON.parse(status.stdout).node.leader.node, 'b');

    const alone = await startServer(t, { data: temporaryFolder(t) });
    const none = await runCli(['standby', 'switch'], { url: alone.url });
    assert.match(none.stderr, /the only node of its site/);
    assert.match((await runCli(['standby'], { url: alone.url })).stderr, /the only node of its site/);
  });
});
