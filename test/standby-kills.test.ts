// Kills whichever node of a site leads, again and again, while clients change its configuration, write commands and acknowledge alarms, and
// looks at what the other one goes on with. STANDBY_KILLS says how often; TEST_SEED what is done.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Operation } from '@telltale/schema';
import { Etcd, withoutEtcd } from './engines/etcd.ts';
import { put } from './live-plant.ts';
import { SeededRandom, testSeed } from './seeded-random.ts';
import { Pair, type PairNode, untilSo } from './standby-pair.ts';

const kills = Number(process.env.STANDBY_KILLS ?? 3);
const objects = ['cfg0', 'cfg1', 'cfg2'];

/** What has one value at a time, and was given others in order. */
class Thing {
  readonly name: string;
  #given: string[];
  #acknowledged = 0;
  acknowledgements = 0;

  constructor(name: string, first = '') {
    [this.name, this.#given] = [name, [first]];
  }

  /** `ask` answers whether it is acknowledged. */
  async give(value: string, ask: () => Promise<boolean>): Promise<void> {
    const at = this.#given.push(value) - 1;
    if (!(await ask().catch(() => false))) return;
    this.#acknowledged = Math.max(this.#acknowledged, at);
    this.acknowledgements++;
  }

  /** What was acknowledged last, or what was asked for after it; and from now on that alone. */
  check(value: string): void {
    const at = this.#given.lastIndexOf(value);
    const acknowledged = this.#given[this.#acknowledged];
    assert.ok(at >= this.#acknowledged, `${this.name}: ${acknowledged} was acknowledged, and ${value} is there`);
    this.begin(value);
  }

  begin(value: string): void {
    [this.#given, this.#acknowledged] = [[value], 0];
  }
}

class World {
  readonly pair: Pair;
  readonly things = new Map<string, Thing>();
  readonly #random: SeededRandom;
  #number = 0;
  #written = 0;
  /** Of those that reach the device: the acknowledged ones. */
  readonly written: number[] = [];

  constructor(pair: Pair, random: SeededRandom) {
    [this.pair, this.#random] = [pair, random];
    for (const name of [...objects, 'rendered', 'note', 'high']) this.things.set(name, new Thing(name));
    this.things.set('valve', new Thing('valve', '0'));
  }

  thing(name: string): Thing {
    return this.things.get(name) as Thing;
  }

  /** The alarm is there to be acknowledged. */
  async raise(node: PairNode): Promise<void> {
    for (const value of ['d1', 'd9']) {
      const { status, text } = await this.pair.ask(node, 'PUT', `/measurements/forced?value=${value}`);
      assert.equal(status, 204, text);
      const state = value === 'd1' ? /INACT/ : /"ACT_UNACK/;
      await untilSo(`it is ${state}`, async () => state.test(JSON.stringify(await read(node, '/data/alarms/high'))));
    }
    this.thing('high').begin('');
  }

  /** Until the node is killed, at a random moment. */
  async load(node: PairNode): Promise<void> {
    const ended = new AbortController();
    const isOver = () => ended.signal.aborted;
    const of = async (one: (number: number) => Promise<void>) => {
      while (!isOver()) {
        await one(++this.#number);
        await sleep(this.#random.between(0, 10));
      }
    };
    const done =
      (path: string, method = 'PUT') =>
      async () =>
        (await this.pair.ask(node, method, path)).status === 204;
    const working = Promise.all([
      of(() => this.#write(++this.#written, node)),
      of((number) => this.thing('note').give(String(number), done(`/commands/note?value=s${number}`))),
      of((number) => this.#configure(node, number)),
      sleep(this.#random.between(0, 300)).then(() =>
        this.thing('high').give(
          `anna${++this.#number}`,
          done(`/alarms/high/acknowledge?authority=anna${this.#number}`, 'POST'),
        ),
      ),
    ]);
    await sleep(this.#random.between(200, 1500));
    const killed = node.server.end('SIGKILL');
    ended.abort();
    await Promise.all([killed, working]);
  }

  async #write(value: number, node: PairNode): Promise<void> {
    await this.thing('valve').give(String(value), async () => {
      const { status } = await this.pair.write(node, value);
      if (status === 204) this.written.push(value);
      return status === 204;
    });
  }

  /** An object, or all of them in a transaction; now and then rendered. */
  async #configure({ server }: PairNode, number: number): Promise<void> {
    const changed = this.#random.chance(0.3) ? objects : [this.#random.pick(['cfg0', 'cfg1', 'cfg2'])];
    const isRendered = this.#random.chance(0.3);
    const object = { datatype: 'd', description: String(number) };
    const operations: Operation[] = changed.map((name) => put('measurements', name, object));
    const asked = server.send('POST', `/cfgdb/txn?render=${isRendered ? 1 : 0}&comment=${number}`, { operations });
    const isDone = asked.then(({ status }) => status === 204);
    const given = isRendered ? [...changed, 'rendered'] : changed;
    await Promise.all(given.map((name) => this.thing(name).give(String(number), () => isDone)));
  }

  async check(node: PairNode): Promise<void> {
    for (const name of objects) {
      const found = (await (await node.server.get(`/measurements/${name}`)).json()) as { description?: string };
      this.thing(name).check(found.description ?? '');
    }
    const revisions = (await (await node.server.get('/cfgdb/revisions')).json()) as Revision[];
    this.thing('rendered').check(revisions.find(({ running }) => running)?.comment ?? '');
    for (const name of ['valve', 'note']) {
      const { vt } = await read<{ vt: unknown[] }>(node, `/data/commands/${name}`);
      this.thing(name).check(String(vt[0]).slice(1));
    }
    const { state, authority } = await read<{ state: string; authority?: string }>(node, '/data/alarms/high');
    this.thing('high').check(state.startsWith('ACT_ACK') ? (authority ?? '') : '');
  }
}

interface Revision {
  readonly running: boolean;
  readonly comment?: string;
}

async function read<Body>({ server }: PairNode, path: string): Promise<Body> {
  return (await (await fetch(server.url + path)).json()) as Body;
}

describe('of two nodes of a site', { skip: withoutEtcd }, () => {
  test(`whoever leads is killed ${kills} times: what was acknowledged is there, and no command was sent twice`, async (t) => {
    const pair = await Pair.start(t, await Etcd.start(t));
    const world = new World(pair, new SeededRandom(testSeed));
    const [a] = pair.nodes;
    const plant = objects.map((name) => put('measurements', name, { datatype: 'd', description: '' }));
    const made = await a.server.send('POST', '/cfgdb/txn?render=1', { operations: plant });
    assert.equal(made.status, 204, await made.text());
    for (let kill = 1; kill <= kills; kill++) {
      const leader = await pair.leader();
      const other = pair.nodes.find((node) => node !== leader) as PairNode;
      await untilSo('it reads', () => pair.isRead(leader));
      await world.raise(leader);
      await world.load(leader);
      await untilSo('the other one leads', async () => (await pair.state(other)).role === 'leading').catch((error) => {
        throw new Error(`kill ${kill}: ${other.server.log}`, { cause: error });
      });
      await world.check(other);
      await pair.again(leader);
      await untilSo('the killed one waits', async () => (await pair.state(leader)).leader?.node === other.name);
    }
    const { writes } = pair.device;
    assert.equal(new Set(writes).size, writes.length, 'a command was sent twice');
    for (const value of world.written) assert.ok(writes.includes(value), `${value} was acknowledged, and never sent`);
    const counts = Array.from(world.things.values(), ({ name, acknowledgements }) => `${name} ${acknowledgements}`);
    t.diagnostic(`TEST_SEED=${testSeed}: ${kills} kills; acknowledged: ${counts.join(', ')}; sent: ${writes.length}`);
  });
});
