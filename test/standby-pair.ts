// A pair of servers of one site, with etcd, and a Modbus device that records what is written to it.
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { fromTimestamp, type NodeState, type Operation, type Timestamp } from '@telltale/schema';
import { cleanupOf, type Scope, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { settingText } from '../packages/server/test/lease-world.ts';
import { ScriptedDevice } from '../stacks/modbus/test/scripted-device.ts';
import type { Etcd } from './engines/etcd.ts';
import { put } from './live-plant.ts';
import { type ServerProcess, startServer } from './server-process.ts';

export interface PairOptions {
  readonly ttlMs?: number;
  /** Of both servers. */
  readonly args?: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
}

/** Registers that hold what was written, and a counter that runs. */
export class RecordingModbus {
  readonly writes: number[] = [];
  /** When the last one came, by the clock of `performance.now`. */
  lastWriteMs = 0;
  readonly device: ScriptedDevice;
  #reads = 0;
  #held: Promise<void> | undefined;

  static async start(scope: Scope): Promise<RecordingModbus> {
    const device = await ScriptedDevice.start(() => undefined);
    cleanupOf(scope).defer(() => device.stop());
    const recording = new RecordingModbus(device);
    device.script = (_, request) => recording.#answer(request);
    return recording;
  }

  private constructor(device: ScriptedDevice) {
    this.device = device;
  }

  /** Until the returned function is called, the device has what is written and does not answer it. */
  hold(): () => void {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#held = promise;
    return () => {
      this.#held = undefined;
      resolve();
    };
  }

  #answer(request: string): string | Promise<string> {
    if (request.startsWith('03')) return `0302${(++this.#reads & 0x7fff).toString(16).padStart(4, '0')}`;
    this.lastWriteMs = performance.now();
    this.writes.push(Number.parseInt(request.slice(-4), 16));
    const answer = request.slice(0, 10);
    return this.#held?.then(() => answer) ?? answer;
  }
}

export interface PairNode {
  readonly name: string;
  readonly data: string;
  /** Of this one alone, from its next start on. */
  args?: readonly string[];
  server: ServerProcess;
}

export class Pair {
  readonly device: RecordingModbus;
  readonly nodes: readonly [PairNode, PairNode];
  readonly #scope: Scope;
  readonly #etcd: Etcd;
  readonly #options: PairOptions;

  static async start(scope: Scope, etcd: Etcd, options: PairOptions = {}): Promise<Pair> {
    const device = await RecordingModbus.start(scope);
    const [a, b] = [await configured(scope, device), await configured(scope, device)];
    const nodes = [
      { name: 'a', data: a, server: undefined as never },
      { name: 'b', data: b, server: undefined as never },
    ] as const;
    return Pair.of(scope, etcd, nodes, options, device);
  }

  /** Without a device: of folders of data that are there. */
  static async of(
    scope: Scope,
    etcd: Etcd,
    nodes: readonly [PairNode, PairNode],
    options: PairOptions,
    known?: RecordingModbus,
  ): Promise<Pair> {
    const device = known ?? (await RecordingModbus.start(scope));
    const started = new Pair(scope, etcd, device, nodes, options);
    for (const node of started.nodes) {
      await started.again(node);
      await untilSo('a leads', async () => (await started.state(started.nodes[0])).role === 'leading');
    }
    return started;
  }

  private constructor(
    scope: Scope,
    etcd: Etcd,
    device: RecordingModbus,
    nodes: readonly [PairNode, PairNode],
    options: PairOptions,
  ) {
    [this.#scope, this.#etcd, this.device, this.nodes, this.#options] = [scope, etcd, device, nodes, options];
  }

  /** After it has ended. */
  async again(node: PairNode): Promise<void> {
    const { ttlMs = 1000, args = [], env = {} } = this.#options;
    const lease = ['--lease', settingText(this.#etcd), '--lease-ttl', String(ttlMs), '--site', 'works'];
    const all = [...lease, '--node', node.name, ...args, ...(node.args ?? [])];
    node.server = await startServer(this.#scope, { data: node.data, args: all, env });
  }

  async state(node: PairNode): Promise<NodeState> {
    return (await read<{ node: NodeState }>(node, '/data/overview')).node;
  }

  async leader(): Promise<PairNode> {
    let leading: PairNode | undefined;
    await untilSo('one leads', async () => {
      for (const node of this.nodes) {
        const state = await this.state(node).catch(() => undefined);
        if (state?.role === 'leading') leading = node;
      }
      return leading !== undefined;
    });
    return leading as PairNode;
  }

  async readiness(node: PairNode): Promise<string> {
    return (await read<{ status: string }>(node, '/readyz')).status;
  }

  /** When the value was read that it shows; undefined: that is not good. */
  async goodAtUs(node: PairNode): Promise<number | undefined> {
    const { vtq } = await read<{ vtq: [string, Timestamp, number] }>(node, '/data/measurements/level');
    return vtq[2] === 0xc0 ? fromTimestamp(vtq[1]) : undefined;
  }

  /** Its quality is good, and its value runs. */
  async isRead(node: PairNode): Promise<boolean> {
    const level = () => read<{ vtq: [string, unknown, number] }>(node, '/data/measurements/level');
    const { vtq: before } = await level();
    await sleep(100);
    const { vtq } = await level();
    return vtq[2] === 0xc0 && before[0] !== vtq[0];
  }

  /** The times of the records that it has of a measurement, in order. */
  async recorded(node: PairNode, name: string): Promise<number[]> {
    const found = await read<Record<string, [string, Timestamp][]>>(node, `/data/archive/measurements/${name}/1/0`);
    return (found[name] ?? []).map(([, time]) => fromTimestamp(time)).sort((a, b) => a - b);
  }

  write(node: PairNode, value: number): Promise<Answer> {
    return this.ask(node, 'PUT', `/commands/valve?value=i${value}`);
  }

  async ask({ server }: PairNode, method: string, path: string): Promise<Answer> {
    const answer = await fetch(`${server.url}/data${path}`, { method });
    return { status: answer.status, text: await answer.text() };
  }

  /** What the nodes have in common of the plant, as this one shows it. */
  async shown(node: PairNode): Promise<unknown> {
    const [{ vt: valve }, { vt: note }, { state, authority }, { vtq: forced }, simulations, spare] = await Promise.all([
      read<{ vt: unknown }>(node, '/data/commands/valve'),
      read<{ vt: unknown }>(node, '/data/commands/note'),
      read<{ state: string; authority: string }>(node, '/data/alarms/high'),
      read<{ vtq: unknown }>(node, '/data/measurements/forced'),
      read<object>(node, '/data/simulations'),
      read<{ state: string }>(node, '/data/connectors/spare'),
    ]);
    return { valve, note, state, authority, forced, simulations, isDisabled: spare.state === 'disabled' };
  }
}

interface Answer {
  readonly status: number;
  readonly text: string;
}

async function read<Body>({ server }: PairNode, path: string): Promise<Body> {
  return (await (await fetch(server.url + path)).json()) as Body;
}

/** A folder of data, as a server alone has made it. */
async function configured(scope: Scope, { device }: RecordingModbus): Promise<string> {
  const data = temporaryFolder(scope);
  await using alone = new AsyncDisposableStack();
  const server = await startServer(alone, { data });
  const vars = { host: '127.0.0.1', port: String(device.port), scanPeriodMs: '50' };
  const on = (address: string) => ({ datatype: 'i', connectorName: 'plc', address, archMode: 'change' });
  const operations: Operation[] = [
    put('connectors', 'plc', { stackName: 'modbus', vars, properties: { writeTimeout: '12000' } }),
    put('measurements', 'level', on('hr0:int16')),
    put('commands', 'valve', on('hr1:int16')),
    put('connectors', 'spare', { stackName: 'simulator' }),
    put('measurements', 'forced', { datatype: 'd' }),
    put('commands', 'note', { datatype: 's' }),
    put('alarms', 'high', { severity: 1, trgMeasurement: 'forced', trgOperator: 'gt', trgRefValue: '5' }),
  ];
  const made = await server.send('POST', '/cfgdb/txn?render=1', { operations });
  assert.equal(made.status, 204, await made.text());
  await server.end();
  return data;
}

export async function untilSo(what: string, look: () => Promise<boolean>): Promise<void> {
  const endMs = performance.now() + 30_000;
  while (!(await look())) {
    if (performance.now() > endMs) throw new Error(`still not so after 30 s: ${what}`);
    await sleep(20);
  }
}
