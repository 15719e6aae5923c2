// Connectors and providers as the rest of the server sees them: it knows which of them is in which thread. The threads
// are few, each with several instances; one that dies takes its own with it and no others.
import { availableParallelism } from 'node:os';
import { areaIn, type Batch, type Clock, ProblemError, systemClock, type Value } from '@telltale/schema';
import type {
  BrowseAnswer,
  BrowseRequest,
  DeviceAlarm,
  ReadingTrace,
  StackAlarm,
  StackAlarmState,
} from '@telltale/stack-kit';
import type { Role } from '@telltale/stack-kit/host';
import type { Logger } from 'pino';
import { type DisabledLink, disabledText } from '../points/index.ts';
import type { SealKeys } from '../secrets/index.ts';
import type { Link } from '../threads/index.ts';
import type { HostEvents, InstanceName } from './host-events.ts';
import type { Hosted } from './hosted.ts';
import type { InstanceStatus, StateListener } from './instance-status.ts';
import type { HostThread, Instance, PackedPoints, PointIds } from './protocol.ts';
import { StackThread } from './stack-thread.ts';
import { writeProblem } from './write-problem.ts';

export interface StackHostOptions {
  /** Module addresses whose default export is a stack. */
  readonly stackModules: readonly string[];
  /** At most so many run; without it, one less than there are cores. */
  readonly threads?: number | undefined;
  /** Of a connector without the property writeTimeout. */
  readonly writeTimeoutMs: number;
  /** How far the clock of a device may be off before its times are not taken. */
  readonly maxClockSkewMs: number;
  /** Connectors and providers have theirs in it; made when the first one makes its own. */
  readonly folder: string;
  /** Files with the secrets that variables name. */
  readonly secretsFolder: string;
  /** With which they are sealed; none: they are not. */
  readonly secretKeys?: SealKeys;
  readonly log: Logger;
  readonly events: HostEvents;
  /** A receiver of events threw: the event is lost. */
  readonly onFailure: (error: Error) => void;
  readonly clock?: Clock;
  /** Of each thread; without it, by their number. */
  readonly maxHeapMb?: number;
  /** The deadline of the lease, in memory: nothing connects before `setEpoch`. Without it, this server shares its site with nobody. */
  readonly lease?: SharedArrayBuffer | undefined;
}

export interface ThreadCounts {
  /** Threads that run. A thread begins when there is something to put into it. */
  readonly running: number;
  /** How often one had to be replaced. */
  readonly replaced: number;
}

const noIds: PointIds = { measurements: [], commands: [] };

const maxThreads = 64;
/** What all threads may take, as long as each has enough to be of use. */
const heapInAllMb = 4096;
const leastHeapMb = 512;
const mostHeapMb = 2048;

interface Hosting {
  readonly thread: StackThread;
  readonly hosted: Hosted;
}

/** A blocked thread delays the answer to a rendering by no more than this. */
const mostConfirmMs = 1000;
/** To close a link may take 2 s, and to end what runs as long: one that takes longer is cut off. */
const mostEndMs = 5000;

export class StackHost {
  readonly #threads: readonly StackThread[];
  /** By role and name. */
  readonly #hostings = new Map<string, Hosting>();
  readonly #clock: Clock;
  readonly #onFailure: (error: Error) => void;
  #listeners: readonly StateListener[] = [];

  constructor(options: StackHostOptions) {
    const { threads, maxHeapMb, clock = systemClock, log, events, onFailure, secretKeys = [], ...settings } = options;
    const count = Math.min(maxThreads, Math.max(1, threads ?? availableParallelism() - 1));
    const start = { ...settings, secretKeys, maxHeapMb: maxHeapMb ?? heapMbOf(count) };
    const onState = (hosted: Hosted) => this.#notifyState(hosted, false);
    this.#clock = clock;
    this.#onFailure = onFailure;
    this.#threads = Array.from(
      { length: count },
      (_, at) => new StackThread({ number: at + 1, start, clock, log, events, onState, onFailure }),
    );
  }

  /** A new one, or one that has changed: the earlier is stopped first, and its points remain. */
  start(role: Role, instance: Instance, disabled?: DisabledLink): void {
    const key = keyOf(role, instance.name);
    const hosting = this.#hostings.get(key);
    if (hosting !== undefined) {
      hosting.thread.restart(hosting.hosted, instance, 'configured otherwise');
      return;
    }
    const thread = this.#choose(role, key);
    const hosted = thread.start(role, instance, disabled);
    this.#hostings.set(key, { thread, hosted });
    this.#notifyState(hosted, false);
  }

  /** As it is configured; its points remain. Does nothing where there is none. */
  restart(role: Role, name: string, reason = 'restarted by a user'): void {
    const hosting = this.#hostings.get(keyOf(role, name));
    hosting?.thread.restart(hosting.hosted, hosting.hosted.instance, reason);
  }

  /** It is stopped, and its points remain, until it is set to undefined. Does nothing where there is none. */
  setDisabled(role: Role, name: string, disabled: DisabledLink | undefined): void {
    const hosting = this.#hostings.get(keyOf(role, name));
    hosting?.thread.setDisabled(hosting.hosted, disabled);
  }

  /**
   * This node leads under this epoch: everything that is not disabled connects. Of undefined, another one does: everything is stopped, and its
   * points remain.
   */
  setEpoch(epoch: number | undefined): void {
    for (const thread of this.#threads) thread.setEpoch(epoch);
  }

  /** Its points are removed; nothing is reported of it afterwards, except that it is down, now, if it was up. */
  stop(role: Role, name: string): void {
    const key = keyOf(role, name);
    const hosting = this.#hostings.get(key);
    if (hosting === undefined) return;
    this.#hostings.delete(key);
    hosting.thread.stop(hosting.hosted, key);
    this.#notifyState(hosting.hosted, true);
  }

  has(role: Role, name: string): boolean {
    return this.#hostings.has(keyOf(role, name));
  }

  /** Those that the engineer has given it. */
  propertiesOf(role: Role, name: string): Readonly<Record<string, string>> {
    return this.#hostings.get(keyOf(role, name))?.hosted.instance.properties ?? {};
  }

  /** Sends points that come with the next `pointsDone`; to be called with slices of some thousands. */
  putPoints(role: Role, name: string, points: PackedPoints): void {
    this.#notify(role, name, (thread, id) => thread.notify('putPoints', [id, points]));
  }

  /** Those that were put and are not there yet do not come. */
  dropPoints(role: Role, name: string): void {
    this.#notify(role, name, (thread, id) => thread.notify('dropPoints', [id]));
  }

  /** These go, those that were put come: the stack gets all at once. Before the first time, nothing connects. */
  pointsDone(role: Role, name: string, gone: PointIds = noIds): void {
    this.#notify(role, name, (thread, id) => thread.notify('pointsDone', [id, gone]));
  }

  /** Resolves when the threads of these have handled all messages so far, or after a second. */
  async confirm(instances: readonly InstanceName[]): Promise<void> {
    const threads = new Set(instances.map(({ role, name }) => this.#hostings.get(keyOf(role, name))?.thread));
    await this.#within(mostConfirmMs, Promise.all(Array.from(threads, (thread) => thread?.confirm())));
  }

  /** Resolves when nothing runs any more of what was stopped of it, or after 5 s. */
  async ended(role: Role, name: string): Promise<void> {
    const hosting = this.#hostings.get(keyOf(role, name));
    if (hosting !== undefined) await this.#within(mostEndMs, hosting.thread.ended(hosting.hosted));
  }

  /** Resolves when nothing runs any more of all that was stopped, or after 5 s. */
  async allEnded(): Promise<void> {
    await this.#within(mostEndMs, Promise.all(this.#threads.map((thread) => thread.allEnded())));
  }

  /** Resolves when the device has accepted it. Rejects with `ProblemError`; it is sent once or not at all. */
  async write(connector: string, commandId: number, value: Value): Promise<void> {
    const hosting = this.#hostings.get(keyOf('connector', connector));
    if (hosting === undefined) {
      throw writeProblem(connector, { kind: 'notConnected', reason: 'there is no such connector' });
    }
    const { disabled, isHeld, lastError: reason = '' } = hosting.hosted;
    if (isHeld) throw writeProblem(connector, { kind: 'notConnected', reason });
    if (disabled !== undefined) {
      const why = disabledText('connector', connector, disabled);
      throw new ProblemError('connector-down', `${why} Nothing was sent: enable it first.`);
    }
    await hosting.thread.write(hosting.hosted, commandId, value);
  }

  /** Acknowledges an alarm at the device that raised it; as `write`. */
  async acknowledge(connector: string, alarmId: number, authority: string): Promise<void> {
    const { thread, hosted } = this.#connectorOf(connector);
    await thread.acknowledge(hosted, alarmId, authority);
  }

  /** Hands new values to a provider; the batch is taken. */
  publish(provider: string, batch: Batch): void {
    const hosting = this.#hostings.get(keyOf('provider', provider));
    if (hosting === undefined || hosting.hosted.disabled !== undefined) batch.clear();
    else hosting.thread.publish(hosting.hosted, batch);
  }

  /**
   * The alarms that a provider serves, whose states follow by `publishAlarms`; or that devices of a connector raise. All of
   * them, after the points.
   */
  setAlarms(role: Role, name: string, alarms: readonly (StackAlarm | DeviceAlarm)[]): void {
    this.#notify(role, name, (thread, id) => thread.notify('setAlarms', [id, JSON.stringify(alarms)]));
  }

  publishAlarms(provider: string, states: readonly StackAlarmState[]): void {
    this.#notify('provider', provider, (thread, id) => thread.notify('publishAlarms', [id, states]));
  }

  /** A user of the service may not go on at the provider as what it signed in as. */
  endUser(provider: string, session: number): void {
    this.#notify('provider', provider, (thread, id) => thread.notify('endUser', [id, session]));
  }

  /** How the last reading came about; undefined where there is none. Rejects with `ProblemError`, within 2 s. */
  async explain(connector: string, measurementId: number): Promise<ReadingTrace | undefined> {
    const { thread, hosted } = this.#connectorOf(connector);
    return thread.explain(hosted, measurementId);
  }

  /** What the device has to offer. Rejects with `ProblemError` within 32 s, or with the reason of the signal. */
  async browse(connector: string, request: BrowseRequest, signal: AbortSignal): Promise<BrowseAnswer> {
    const { thread, hosted } = this.#connectorOf(connector);
    return thread.browse(hosted, request, signal);
  }

  /** At most a second old; a state is never older than its change. */
  status(): readonly InstanceStatus[] {
    return Array.from(this.#hostings.values(), ({ hosted }) => hosted.status());
  }

  /** As `status`, for one instance; undefined where it does not exist. */
  statusOf(role: Role, name: string): InstanceStatus | undefined {
    return this.#hostings.get(keyOf(role, name))?.hosted.status();
  }

  /** The area that it is in; empty: in none. Undefined where there is no such instance. */
  areaOf(role: Role, name: string): string | undefined {
    const hosting = this.#hostings.get(keyOf(role, name));
    return hosting && areaIn(hosting.hosted.instance.properties);
  }

  /** As they are configured, and whether each is up. */
  instances(): { readonly role: Role; readonly instance: Instance; readonly isUp: boolean }[] {
    return Array.from(this.#hostings.values(), ({ hosted: { role, instance, isUp = false } }) => {
      return { role, instance, isUp };
    });
  }

  /** Calls on each change of a state, until the returned function is called. */
  onState(listener: StateListener): () => void {
    this.#listeners = [...this.#listeners, listener];
    return () => {
      this.#listeners = this.#listeners.filter((other) => other !== listener);
    };
  }

  threads(): ThreadCounts {
    const running = this.#threads.filter(({ isRunning }) => isRunning).length;
    return { running, replaced: this.#threads.reduce((sum, { ends }) => sum + ends, 0) };
  }

  /** Stops everything and ends the threads, by force after `patienceMs`. */
  async close(patienceMs: number): Promise<void> {
    await Promise.all(this.#threads.map((thread) => thread.close(patienceMs)));
  }

  /**
   * Where it was stopped and may still hold what it needs; else a thread that has nothing to do; else the one with the
   * least load, by points as far as they are known. It stays there: to move it would cut its link. Clients of providers keep
   * no connector waiting where there are several threads: providers have the later half, connectors those without a provider.
   */
  #choose(role: Role, key: string): StackThread {
    const leaving = this.#threads.find((thread) => thread.isLeaving(key));
    if (leaving !== undefined) return leaving;
    const half = role === 'provider' ? this.#threads.slice(Math.ceil(this.#threads.length / 2)) : this.#threads;
    const apart = half.filter((thread) => !thread.hosts(role === 'provider' ? 'connector' : 'provider'));
    const among = [apart, half, this.#threads].find(({ length }) => length > 0) ?? [];
    return among.reduce((best, thread) => (thread.load < best.load ? thread : best));
  }

  /** Does nothing where no thread runs. */
  #notify(role: Role, name: string, notify: (thread: Link<HostThread>, id: number) => void): void {
    const hosting = this.#hostings.get(keyOf(role, name));
    if (hosting?.thread.link !== undefined) notify(hosting.thread.link, hosting.hosted.id);
  }

  #connectorOf(name: string): Hosting {
    const hosting = this.#hostings.get(keyOf('connector', name));
    const disabled = hosting?.hosted.disabled;
    if (disabled !== undefined) throw new ProblemError('connector-down', disabledText('connector', name, disabled));
    if (hosting !== undefined) return hosting;
    throw new ProblemError('unknown-object', `There is no connector ${JSON.stringify(name)} that runs.`);
  }

  async #within(ms: number, work: Promise<unknown>): Promise<void> {
    const { promise: late, resolve } = Promise.withResolvers<void>();
    const stop = this.#clock.after(ms, resolve);
    await Promise.race([late, work]);
    stop();
  }

  #notifyState(hosted: Hosted, isGone: boolean): void {
    const { role, name } = hosted;
    for (const listener of this.#listeners) {
      try {
        listener(role, name, isGone ? undefined : hosted.status());
      } catch (error) {
        this.#onFailure(error instanceof Error ? error : new Error(String(error)));
      }
    }
  }
}

/** A bound, not a share that is set aside. */
function heapMbOf(threads: number): number {
  return Math.min(mostHeapMb, Math.max(leastHeapMb, Math.floor(heapInAllMb / threads)));
}

/** A role has no space in it. */
function keyOf(role: Role, name: string): string {
  return `${role} ${name}`;
}
