// A server with a plant that is configured otherwise again and again while clients of every kind are at work.
import assert from 'node:assert/strict';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { LiveMeasurement, Operation } from '@telltale/schema';
import { freePort } from '@telltale/stack-kit/testing';
import { cleanupOf, type Scope, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { RawClient } from '../stacks/modbus/test/raw-client.ts';
import { ChannelSocket } from './channel-socket.ts';
import { ConfigClient } from './config-client.ts';
import { put } from './live-plant.ts';
import { SeededRandom } from './seeded-random.ts';
import { type ServerProcess, startServer } from './server-process.ts';
import { TrafficClients } from './traffic-clients.ts';
import { TrafficDevices } from './traffic-devices.ts';
import { Differences } from './traffic-differences.ts';
import { Observer } from './traffic-observer.ts';
import { type ConnectorName, names, operationsBetween, type Plant } from './traffic-plant.ts';
import { TrafficWatcher } from './traffic-watcher.ts';
import { until } from './until.ts';

const stacks = fileURLToPath(new URL('./stacks', import.meta.url));

export class TrafficWorld {
  readonly #scope: Scope;
  readonly #random: SeededRandom;
  readonly #devices: TrafficDevices;
  readonly #differences: Differences;
  readonly #observer = new Observer();
  readonly #config = new ConfigClient(() => this.#server);
  readonly #data = new ConfigClient(() => this.#server, '/data');
  readonly #server: ServerProcess;
  readonly #running = new AbortController();
  readonly #loops: Promise<void>[] = [];
  readonly #watchers: TrafficWatcher[] = [];
  #fault: Error | undefined;
  #isResting = false;
  #atWork = 0;
  /** What was done: a run that does nothing shows nothing. */
  readonly counts = new Map<string, number>();

  /** All of it ends with the scope. */
  static async start(scope: Scope, seed: number): Promise<TrafficWorld> {
    const devices = await TrafficDevices.start(scope);
    const data = temporaryFolder(scope);
    const server = await startServer(scope, { data, args: ['--stacks', stacks, '--stack-threads', '2'] });
    const world = new TrafficWorld(scope, seed, devices, server);
    await world.#begin();
    return world;
  }

  private constructor(scope: Scope, seed: number, devices: TrafficDevices, server: ServerProcess) {
    this.#scope = scope;
    this.#random = new SeededRandom(seed);
    this.#devices = devices;
    this.#server = server;
    this.#differences = new Differences(this.#random, devices.connectors as [ConnectorName, ...ConnectorName[]]);
  }

  /** So many renderings under traffic; then all of it rests, and what has come of it is looked at. */
  async render(times: number): Promise<void> {
    try {
      await this.#renderAndCheck(times);
    } catch (error) {
      if (!this.#server.hasEnded) throw error;
      throw new Error(`the server has ended: ${this.#server.log.slice(-4000)}`, { cause: error });
    }
  }

  async #renderAndCheck(times: number): Promise<void> {
    this.#isResting = false;
    for (let left = times; left > 0 && this.#fault === undefined; left--) {
      if (this.#random.chance(0.1)) await this.#renderWrongly();
      await this.#render(this.#differences.next(this.#observer.timeline.newest.plant));
      await wait(this.#random.pick([0, 0, 5, 20, 50, 100]));
    }
    this.#isResting = true;
    await until('the clients are at rest', async () => this.#atWork === 0 || this.#fault !== undefined);
    await this.#check();
  }

  async stop(): Promise<void> {
    this.#running.abort();
    await Promise.all(this.#loops);
    this.#throwFault();
    for (const [kind, count] of this.#differences.counts) this.#count(`difference: ${kind}`, count);
    for (const [outcome, count] of this.#observer.writes.counts()) this.#count(`write: ${outcome}`, count);
    for (const { updates } of this.#watchers) this.#count('updates', updates);
  }

  async #begin(): Promise<void> {
    cleanupOf(this.#scope).defer(() => this.#running.abort());
    const [panelPort, metricsPort] = [await freePort(), await freePort()];
    const providers = [
      put('providers', 'panel', { stackName: 'modbus', vars: { port: `${panelPort}`, unmapped: 'zeros' } }),
      put('providers', 'metrics', { stackName: 'http', vars: { port: `${metricsPort}` } }),
    ];
    await this.#render(this.#differences.first(), providers);
    await this.#allGood();
    const { url } = this.#server;
    const metrics = `http://127.0.0.1:${metricsPort}/metrics`;
    await this.#watch('watcher of all', 'all');
    const some = await this.#watch('watcher of names', names);
    const cleanup = cleanupOf(this.#scope);
    const defer = <T extends { close(): unknown }>(each: T): T => {
      cleanup.defer(async () => void (await each.close()));
      return each;
    };
    const clients = async () =>
      new TrafficClients(this.#observer, this.#fork(), this.#data, defer(await ChannelSocket.open(url)));
    const panel = async () => defer(await RawClient.connect(panelPort));
    const [a, b] = [await clients(), await clients()];
    const [readPanel, writePanel] = [await panel(), await panel()];
    const half = (odd: number) => names.filter((_, index) => index % 2 === odd);
    this.#loop('read by HTTP', 3, () => a.readByHttp());
    this.#loop('read by channel', 3, () => b.readByChannel());
    for (let at = 0; at < 3; at++) this.#loop('write by HTTP', 3, () => a.writeByHttp());
    for (let at = 0; at < 3; at++) this.#loop('write by channel', 5, () => b.writeByChannel());
    this.#loop('write by provider', 10, () => a.writeByProvider(writePanel));
    this.#loop('simulate by HTTP', 20, () => a.simulate(half(0), false));
    this.#loop('simulate by channel', 20, () => b.simulate(half(1), true));
    this.#loop('acknowledge', 50, () => b.acknowledge());
    this.#loop('read by panel', 3, () => a.readByPanel(readPanel));
    this.#loop('read by metrics', 10, () => a.readByMetrics(metrics));
    for (const watcher of this.#watchers) this.#loop('beat', 30, () => watcher.beat());
    this.#loop('watch anew', 100, async () => {
      await some.channel.ask({ request: 'WatchMeasurements', measurements: names });
    });
  }

  async #watch(name: string, which: 'all' | readonly string[]): Promise<TrafficWatcher> {
    const onFault = (fault: Error) => this.#fail(fault);
    const watcher = await TrafficWatcher.open(this.#server.url, name, this.#observer, onFault);
    cleanupOf(this.#scope).defer(() => watcher.channel.close());
    this.#watchers.push(watcher);
    const watches = { WatchMeasurements: 'measurements', WatchCommands: 'commands', WatchAlarms: 'alarms' };
    for (const [request, field] of Object.entries(watches)) await watcher.channel.ask({ request, [field]: which });
    return watcher;
  }

  async #render(plant: Plant, more: readonly Operation[] = []): Promise<void> {
    const before = this.#observer.timeline.versions.at(-1)?.plant;
    const isDeletedFirst = this.#random.chance(0.3);
    const operations = [...more, ...operationsBetween(before, plant, this.#devices.variables, isDeletedFirst)];
    const isOneByOne = operations.length < 10 && this.#random.chance(0.3);
    if (isOneByOne) for (const operation of operations) await this.#edit(operation);
    const version = this.#observer.timeline.ask(plant);
    if (isOneByOne) await this.#config.done('POST', '/cfgdb/render');
    else await this.#config.done('POST', '/cfgdb/txn?render=1', { body: { operations } });
    version.ackedMs = performance.now();
    this.#count('renderings');
    for (const watcher of this.#watchers) await watcher.beat();
    assert.deepEqual(await this.#config.read('/cfgdb/render'), { up_to_date: true });
  }

  async #edit(edit: Operation): Promise<void> {
    const path = `/${edit.family}/${edit.name}`;
    if (edit.operation === 'delete') await this.#config.done('DELETE', path);
    else await this.#config.put(path, edit.object);
  }

  /** What refers to nothing is refused, and what ran runs on. */
  async #renderWrongly(): Promise<void> {
    await this.#config.put('/alarms/dangling', {
      name: 'dangling',
      severity: 1,
      trgMeasurement: 'nothing',
      trgOperator: 'gt',
      trgRefValue: '1',
    });
    await this.#config.refused('render-refused', 'POST', '/cfgdb/render');
    assert.deepEqual(await this.#config.read('/cfgdb/render'), { up_to_date: false });
    await this.#config.done('DELETE', '/alarms/dangling');
    this.#count('refused renderings');
  }

  /** When nothing is under way: all that is connected is good, the watchers know it, and the devices have what was accepted. */
  async #check(): Promise<void> {
    this.#throwFault();
    for (const name of names) {
      const done = this.#observer.simulations.ask(name, undefined);
      done((await this.#data.ask('DELETE', `/measurements/${name}`)).status === 204);
    }
    const live = await this.#allGood();
    for (const watcher of this.#watchers.slice(0, 1)) {
      await watcher.beat();
      await until('the watcher has been told', async () =>
        Object.values(live).every(({ name, vtq }) => watcher.values.get(name)?.join() === vtq.join()),
      );
    }
    let miscounted: string[] = [];
    await until('the devices have what was accepted', async () => {
      this.#observer.writes.receive(this.#devices.takeReceived());
      miscounted = this.#observer.writes.miscounted();
      return miscounted.length === 0;
    }).catch((error: Error) => {
      throw new Error([error.message, ...miscounted].join('; '));
    });
    this.#throwFault();
  }

  async #allGood(): Promise<Record<string, LiveMeasurement>> {
    let last = '';
    return until('all measurements are good', async () => {
      this.#throwFault();
      const fromMs = performance.now();
      const measurements = await this.#data.read<Record<string, LiveMeasurement>>(`/measurements/?names=${names}`);
      this.#observer.see('GET', { fromMs, untilMs: performance.now() }, { measurements });
      const bad = Object.values(measurements).filter(({ vtq }) => vtq[2] !== 0xc0);
      last = JSON.stringify(bad);
      return bad.length === 0 && measurements;
    }).catch((error: Error) => {
      throw new Error(`${error.message}: ${last}; ${this.#server.log.slice(-1000)}`);
    });
  }

  #loop(kind: string, pauseMs: number, work: () => Promise<void>): void {
    const { signal } = this.#running;
    const run = async () => {
      while (!signal.aborted) {
        if (!this.#isResting) {
          this.#atWork++;
          try {
            await work();
          } finally {
            this.#atWork--;
          }
          this.#count(kind);
        }
        await wait(pauseMs);
      }
    };
    this.#loops.push(run().catch((error: Error) => this.#fail(error)));
  }

  #fail(error: Error): void {
    this.#fault ??= error;
    this.#running.abort();
  }

  #throwFault(): void {
    if (this.#fault !== undefined) throw this.#fault;
  }

  #fork(): SeededRandom {
    return new SeededRandom(this.#random.between(0, 2 ** 31));
  }

  #count(kind: string, more = 1): void {
    this.counts.set(kind, (this.counts.get(kind) ?? 0) + more);
  }
}
