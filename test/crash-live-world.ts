// One server with a plant that is killed again and again, the clients that write to what is live, the device that notes
// what reaches it, and what was acknowledged.
import assert from 'node:assert/strict';
import { copyFileSync, existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Operation } from '@telltale/schema';
import { cleanupOf, type Scope } from '@telltale/stack-kit/testing/cleanup';
import { LineDevice } from '../packages/server/test/line-device.ts';
import { ChannelSocket, CutOff } from './channel-socket.ts';
import {
  inService,
  isSimulated,
  type LiveRequest,
  LiveRequestMaker,
  type LiveThing,
  refusal,
  thing,
} from './crash-live-model.ts';
import { SeededRandom } from './seeded-random.ts';
import { type ServerProcess, type StartOptions, startServer } from './server-process.ts';
import { until } from './until.ts';

const stacks = fileURLToPath(new URL('./stacks', import.meta.url));
/** Of the simulator: so many points, each new at every scan, are 5,000 updates a second. */
const [points, scanPeriodMs] = [500, 100];
/** How often a request of a kind is sent: 50 writes and 20 operations a second. */
const pauseMs = { command: 20, alarm: 50, simulation: 70, link: 90 } as const;
const journalLines = 30;

type Collection<Value> = Record<string, Value>;

export class LiveCrashWorld {
  readonly #scope: Scope;
  readonly #options: StartOptions;
  readonly #random: SeededRandom;
  readonly #maker: LiveRequestMaker;
  readonly #device: LineDevice;
  readonly #things: readonly LiveThing[] = [
    ...names(8, 'remote').map((name) => thing('command', name, true, 'i0')),
    ...names(4, 'local').map((name) => thing('command', name, false, 'i0')),
    ...names(8, 'alarm').map((name) => thing('alarm', name, false, 'INACT_ACK ')),
    ...names(6, 'forced').map((name) => thing('simulation', name, false, 'none')),
    ...names(3, 'link').map((name) => thing('link', name, false, inService)),
  ];
  readonly #journal: string[] = [];
  readonly #underWay = new Set<Promise<void>>();
  /** What was done: a run that does nothing shows nothing. */
  readonly counts = new Map<string, number>();
  #server: ServerProcess | undefined;
  #channel: ChannelSocket | undefined;
  #killed: Promise<unknown> | undefined;

  /** Its server and its device end with the scope. */
  static async make(scope: Scope, options: StartOptions, seed: number): Promise<LiveCrashWorld> {
    const device = await LineDevice.start({ pulse: 1 }, refusal);
    cleanupOf(scope).defer(() => device.close());
    return new LiveCrashWorld(scope, options, seed, device);
  }

  private constructor(scope: Scope, options: StartOptions, seed: number, device: LineDevice) {
    this.#scope = scope;
    this.#device = device;
    this.#options = { ...options, args: ['--stacks', stacks] };
    this.#random = new SeededRandom(seed);
    this.#maker = new LiveRequestMaker(new SeededRandom(seed * 31));
  }

  async prepare(): Promise<void> {
    await this.start();
    const response = await this.server.send('POST', '/cfgdb/txn?render=1', { operations: this.#plant() });
    assert.equal(response.status, 204, await response.text());
  }

  async start(): Promise<void> {
    this.#killed = undefined;
    this.#server = await startServer(this.#scope, this.#options);
    const { status } = await fetch(`${this.#server.url}/readyz`);
    assert.equal(status, 200, `something is missing: ${this.#server.log}`);
  }

  /** Writes until the server is killed: at any moment, or just after a request was sent. */
  async writeAndKill(): Promise<void> {
    await until('the device is linked', async () => {
      const pulse = await this.#read<{ vtq: [string, unknown, number] }>('/measurements/pulse').catch(() => undefined);
      return pulse?.vtq[2] === 0xc0;
    });
    this.#channel = await ChannelSocket.open(this.server.url, (message) => this.#countUpdates(message));
    await this.#channel.ask({ request: 'WatchMeasurements', measurements: 'all' });
    const sinceMs = performance.now();
    const isAimed = this.#random.chance(0.7);
    const killed = setTimeout(this.#random.between(50, 500)).then(async () => {
      if (isAimed) {
        this.#send(this.#random.pick(['command', 'alarm', 'simulation', 'link']));
        await setTimeout(this.#random.next() * 8);
      }
      this.#killed = this.server.end('SIGKILL');
    });
    await Promise.all([killed, ...Object.keys(pauseMs).map((kind) => this.#sendAll(kind as LiveThing['kind']))]);
    this.#count('ms', Math.round(performance.now() - sinceMs));
    await this.#killed;
    const results = await Promise.allSettled(this.#underWay);
    for (const result of results) if (result.status === 'rejected') throw result.reason;
  }

  /** The files that the killed server left are sound databases, their write-ahead logs included. */
  checkIntegrity(): void {
    for (const name of ['cfgdb', 'state']) {
      const copy = `${this.#options.data}-${name}`;
      for (const end of ['', '-wal']) {
        const file = join(this.#options.data, `${name}.sqlite${end}`);
        if (existsSync(file)) copyFileSync(file, copy + end);
      }
      const sqlite = new DatabaseSync(copy);
      try {
        assert.deepEqual(sqlite.prepare('PRAGMA integrity_check').all().map(Object.values), [['ok']], name);
      } finally {
        sqlite.close();
        for (const end of ['', '-wal', '-shm']) rmSync(copy + end, { force: true });
      }
    }
  }

  /** What was acknowledged is there, of what was cut off all or nothing is, and nothing else. */
  async check(): Promise<void> {
    const shown = await this.#observe();
    for (const each of this.#things) {
      const found = shown.get(each) ?? '';
      if (each.maybe !== undefined) this.#count('cut off', 1);
      if (found !== each.shown) {
        assert.equal(found, each.maybe ?? each.shown, `${each.name} shows something else\n${this.#tail()}`);
        this.#count('cut off after it had happened', 1);
      }
      each.shown = found;
      each.maybe = undefined;
      each.isBusy = false;
    }
    for (const [write, times] of this.#device.writes) {
      assert.equal(times, 1, `${write} reached the device ${times} times\n${this.#tail()}`);
    }
    this.#note('killed and started again');
  }

  async stop(): Promise<void> {
    const ended = await this.#server?.end();
    assert.deepEqual([ended?.code, ended?.stderr], [0, '']);
  }

  get server(): ServerProcess {
    return this.#server as ServerProcess;
  }

  async #sendAll(kind: LiveThing['kind']): Promise<void> {
    for (let dueMs = performance.now(); this.#killed === undefined; dueMs += pauseMs[kind]) {
      await setTimeout(Math.max(0, dueMs - performance.now()));
      if (this.#killed === undefined) this.#send(kind);
    }
  }

  #send(kind: LiveThing['kind']): void {
    const free = this.#things.filter((each) => each.kind === kind && !each.isBusy);
    const [first, ...others] = free;
    if (first === undefined) return;
    const sending = this.#perform(this.#maker.make(this.#random.pick([first, ...others])));
    this.#underWay.add(sending);
    sending.then(
      () => this.#underWay.delete(sending),
      () => undefined,
    );
  }

  async #perform(request: LiveRequest): Promise<void> {
    const { thing, isBad, becomes } = request;
    thing.isBusy = true;
    thing.maybe = isBad ? undefined : becomes;
    const isGood = await this.#ask(request);
    if (isGood === undefined) return; // cut off: its thing stays busy until the next start
    assert.equal(isGood, !isBad, `${describe(request)}\n${this.#tail()}`);
    this.#count(isBad ? `refused ${thing.kind}` : thing.kind, 1);
    this.#note(`${isGood ? 'done' : 'refused'}: ${describe(request)}`);
    if (isGood && thing.isOnDevice) {
      assert.equal(this.#device.writes.get(`${thing.name}=${becomes.slice(1)}`), 1, describe(request));
    }
    if (isGood) thing.shown = becomes;
    thing.maybe = undefined;
    thing.isBusy = false;
  }

  /** Over HTTP or over the channel; undefined where the server was killed before it answered. */
  async #ask({ http, channel }: LiveRequest): Promise<boolean | undefined> {
    try {
      if (this.#random.chance(0.5)) return (await (this.#channel as ChannelSocket).ask(channel)).result;
      const response = await fetch(`${this.server.url}/data${http.path}`, { method: http.method });
      return response.status === 204;
    } catch (error) {
      if (this.#killed !== undefined || error instanceof CutOff) return undefined;
      throw error;
    }
  }

  async #observe(): Promise<Map<LiveThing, string>> {
    const commands = await this.#read<Collection<{ vt: [string] }>>('/commands/');
    const alarms = await this.#read<Collection<{ state: string; authority: string }>>('/alarms/');
    const measurements = await this.#read<Collection<{ vtq: [string, unknown, number] }>>('/measurements/');
    const connectors = await this.#read<Collection<{ disabled: { by: string } | null }>>('/connectors/');
    const look = {
      command: (name: string) => commands[name]?.vt[0],
      alarm: (name: string) => `${alarms[name]?.state} ${alarms[name]?.authority}`,
      link: (name: string) => {
        const { disabled } = connectors[name] ?? { disabled: { by: 'nobody' } };
        return disabled === null ? inService : `disabled by ${disabled.by}`;
      },
      simulation: (name: string) => {
        const [value, , quality] = measurements[name]?.vtq ?? ['', undefined, 0];
        return (quality & isSimulated) === 0 ? 'none' : `${value} ${quality}`;
      },
    };
    return new Map(this.#things.map((each) => [each, look[each.kind](each.name) ?? '']));
  }

  async #read<Body>(path: string): Promise<Body> {
    const response = await fetch(`${this.server.url}/data${path}`);
    assert.equal(response.status, 200, path);
    return (await response.json()) as Body;
  }

  #plant(): Operation[] {
    const put = (family: Operation['family'], name: string, fields: object) =>
      ({ operation: 'put', family, name, object: { name, ...fields } }) as Operation;
    const of = (connectorName: string, address: string) => ({ connectorName, address });
    return [
      put('connectors', 'device', { stackName: 'line_device', vars: { port: this.#device.port } }),
      put('connectors', 'load', { stackName: 'simulator', vars: { scanPeriodMs: String(scanPeriodMs) } }),
      put('measurements', 'pulse', { datatype: 'i', ...of('device', 'pulse') }),
      ...names(points, 'point').map((name, number) =>
        put('measurements', name, { datatype: 'd', ...of('load', `sine(low=0, high=${number + 1}, period=7)`) }),
      ),
      ...names(8, 'triggered').map((name, number) =>
        put('alarms', name, { severity: 1, trgMeasurement: `point${number}`, trgOperator: 'gt', trgRefValue: '0.5' }),
      ),
      ...this.#things.map(({ kind, name, isOnDevice }) => {
        if (kind === 'command') return put('commands', name, { datatype: 'i', ...(isOnDevice && of('device', name)) });
        if (kind === 'alarm') return put('alarms', name, { severity: 1 });
        if (kind === 'link') return put('connectors', name, { stackName: 'simulator' });
        return put('measurements', name, { datatype: 'd', ...of('load', 'counter()') });
      }),
    ];
  }

  #countUpdates(message: Buffer): void {
    let updates = 0;
    for (let at = message.indexOf('"vtq"'); at >= 0; at = message.indexOf('"vtq"', at + 1)) updates++;
    this.#count('updates', updates);
  }

  #count(what: string, more: number): void {
    this.counts.set(what, (this.counts.get(what) ?? 0) + more);
  }

  #note(line: string): void {
    this.#journal.push(line);
    if (this.#journal.length > journalLines) this.#journal.shift();
  }

  #tail(): string {
    return this.#journal.join('\n');
  }
}

function names(count: number, word: string): string[] {
  return Array.from({ length: count }, (_, number) => `${word}${number}`);
}

function describe({ thing, http, becomes }: LiveRequest): string {
  return `${http.method} ${http.path}: ${thing.shown} → ${becomes}`;
}
