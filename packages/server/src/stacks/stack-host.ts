// Connectors and providers as the rest of the server sees them: the client of the thread that runs them. It keeps what
// is started, not its points: after a thread has died, `restarted` asks for them again.
import { Worker } from 'node:worker_threads';
import { Batch, type BatchMessage, type Clock, ProblemError, systemClock, type Value } from '@telltale/schema';
import type {
  BrowseAnswer,
  BrowseRequest,
  ReadingTrace,
  StackAlarm,
  StackAlarmState,
  StackPoints,
} from '@telltale/stack-kit';
import {
  addRise,
  type ConnectionStatus,
  type Counters,
  maxWaitingWrites,
  noDetail,
  type Role,
  type WriteOutcome,
  zeroCounters,
} from '@telltale/stack-kit/host';
import type { Logger } from 'pino';
import type { InstanceStatus, StateListener } from './instance-status.ts';
import { KeptThread } from './kept-thread.ts';
import { consume, createConsumed, Outbox } from './outbox.ts';
import type { FromThread, HostStart, Instance, InstanceMessage, PointIds } from './protocol.ts';
import { maybeSent, writeProblem } from './write-problem.ts';

export interface InstanceName {
  readonly role: Role;
  readonly name: string;
}

/** Called one at a time, in the order in which things happened. */
export interface HostEvents {
  /** Readings of a connector whose link is up; the batch is the receiver's. */
  readings(connector: string, batch: Batch): void;
  /**
   * On each change between up and not up, and when the first attempt has failed: readings from before a loss come
   * before it, and none of that link after it. A provider that came up wants the present values of all its points by
   * `publish`.
   */
  link(role: Role, name: string, up: boolean, reason: string, timeUs: number): void;
  /** A client of a provider writes a command. A `ProblemError` becomes the refusal that the client sees. */
  providerWrite(provider: string, commandId: number, value: Value): Promise<void>;
  /** A client of a provider acknowledges an alarm; as `providerWrite`. */
  providerAcknowledge(provider: string, alarm: string, authority: string): Promise<void>;
  /**
   * A new thread runs after one that died: these are started again and want their points, by putPoints and pointsDone,
   * and their alarms.
   */
  restarted(instances: readonly InstanceName[]): void;
}

export interface StackHostOptions {
  /** Module addresses whose default export is a stack. */
  readonly stackModules: readonly string[];
  /** Of a connector without the property writeTimeout. */
  readonly writeTimeoutMs: number;
  /** How far the clock of a device may be off before its times are not taken. */
  readonly maxClockSkewMs: number;
  /** Connectors and providers have theirs in it; made when the first one makes its own. */
  readonly folder: string;
  readonly log: Logger;
  readonly events: HostEvents;
  /** A receiver of events threw: what it was told is lost. */
  readonly onFailure: (error: Error) => void;
  readonly clock?: Clock;
  /** Of the thread. */
  readonly maxHeapMb?: number;
}

const defaultHeapMb = 2048;

/** One connector or provider, from its start to its stop. */
interface Hosted {
  readonly role: Role;
  readonly name: string;
  instance: Instance;
  /** Of its present start in the present thread. */
  id: number;
  /** Undefined before anything was told. */
  isUp: boolean | undefined;
  status: ConnectionStatus;
  /** Over all starts. */
  readonly counters: Counters;
  waitingWrites: number;
}

interface Started {
  readonly hosted: Hosted;
  /** As the thread told them last. */
  counters: Counters;
}

interface WaitingWrite {
  readonly hosted: Hosted;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

type HostHandlers = { [K in InstanceMessage['kind']]: (message: InstanceMessage & { kind: K }) => void };

export class StackHost {
  readonly #options: StackHostOptions;
  readonly #clock: Clock;
  readonly #thread: KeptThread;
  /** By role and name. */
  readonly #hosted = new Map<string, Hosted>();
  /** Every start that the present thread may still speak of. */
  readonly #byId = new Map<number, Started>();
  readonly #writes = new Map<number, WaitingWrite>();
  readonly #handlers: HostHandlers = {
    readings: ({ id, batch }) => this.#onReadings(id, batch),
    link: ({ id, up, reason, timeUs }) => {
      const started = this.#byId.get(id);
      if (started !== undefined) this.#tellLink(started.hosted, up, reason, timeUs);
    },
    status: (message) => this.#onStatus(message),
    stopped: (message) => {
      this.#onStatus(message);
      this.#byId.delete(message.id);
    },
    written: ({ write, outcome }) => this.#onWritten(write, outcome),
    ask: (message) => this.#onAsk(message),
    log: ({ role, name, level, text }) => this.#options.log[level]({ [role]: name }, text),
  };
  #consumed = createConsumed();
  #outbox: Outbox | undefined;
  #lastId = 0;
  #begun = 0;

  constructor(options: StackHostOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#thread = new KeptThread({
      create: () => this.#createThread(),
      clock: this.#clock,
      log: options.log,
      onBegun: () => this.#onBegun(),
      onMessage: (message) =>
        this.#guarded(() => (this.#handlers[message.kind] as (message: InstanceMessage) => void)(message)),
      onEnded: (reason) => this.#guarded(() => this.#onEnded(reason)),
    });
  }

  /** Before points are put. Rejects where the thread cannot be started. */
  open(): Promise<void> {
    return this.#thread.open();
  }

  /** A new one, or one that has changed: the earlier is stopped first, and its points are kept. */
  start(role: Role, instance: Instance): void {
    const key = keyOf(role, instance.name);
    const known = this.#hosted.get(key);
    const hosted = known ?? this.#newHosted(role, instance);
    const replaces = known?.id;
    hosted.instance = instance;
    this.#hosted.set(key, hosted);
    this.#sendStart(hosted, replaces);
  }

  /** Its points are forgotten; nothing is heard of it afterwards, but that it is down, now, if it was up. */
  stop(role: Role, name: string): void {
    const hosted = this.#hosted.get(keyOf(role, name));
    if (hosted === undefined) return;
    this.#hosted.delete(keyOf(role, name));
    for (const [id, each] of this.#byId) if (each.hosted === hosted) this.#byId.delete(id);
    this.#thread.post({ kind: 'stop', id: hosted.id });
    this.#outbox?.forget(hosted.id);
    if (hosted.isUp) this.#tellLink(hosted, false, 'stopped', this.#clock.now());
  }

  /** Adds or replaces points by their ids; to be called with slices of some thousands. */
  putPoints(role: Role, name: string, { measurements, commands }: StackPoints): void {
    const hosted = this.#hosted.get(keyOf(role, name));
    if (hosted === undefined) return;
    this.#thread.post({ kind: 'putPoints', id: hosted.id, measurements: JSON.stringify(measurements), commands });
  }

  removePoints(role: Role, name: string, ids: PointIds): void {
    const hosted = this.#hosted.get(keyOf(role, name));
    if (hosted !== undefined) this.#thread.post({ kind: 'removePoints', id: hosted.id, ids });
  }

  /** The points are whole: the stack gets them, all at once. Before the first time, nothing connects. */
  pointsDone(role: Role, name: string): void {
    const hosted = this.#hosted.get(keyOf(role, name));
    if (hosted !== undefined) this.#thread.post({ kind: 'pointsDone', id: hosted.id });
  }

  /** Resolves when the device has accepted it. Rejects with `ProblemError`; it is sent once or not at all. */
  write(connector: string, commandId: number, value: Value): Promise<void> {
    const hosted = this.#hosted.get(keyOf('connector', connector));
    const refuse = (outcome: Parameters<typeof writeProblem>[1]) => Promise.reject(writeProblem(connector, outcome));
    if (hosted === undefined) return refuse({ kind: 'notConnected', reason: 'there is no such connector' });
    if (hosted.waitingWrites >= maxWaitingWrites) {
      return refuse({ kind: 'refused', reason: `${maxWaitingWrites} writes are waiting for their answers already` });
    }
    const write = ++this.#lastId;
    const askedUs = systemClock.now();
    if (!this.#thread.post({ kind: 'write', id: hosted.id, write, commandId, value, askedUs })) {
      return refuse({ kind: 'notConnected', reason: hosted.status.lastError?.text ?? 'its thread is starting' });
    }
    hosted.waitingWrites++;
    return new Promise((resolve, reject) => this.#writes.set(write, { hosted, resolve, reject }));
  }

  /** Hands new values to a provider; the batch is taken. */
  publish(provider: string, batch: Batch): void {
    const hosted = this.#hosted.get(keyOf('provider', provider));
    if (hosted === undefined || this.#outbox === undefined || !this.#thread.isOpen) {
      batch.clear();
      return;
    }
    hosted.counters.conflated += this.#outbox.send(hosted.id, batch, () => true);
  }

  /** At most a second old; a state is never older than its change. */
  status(): readonly InstanceStatus[] {
    return Array.from(this.#hosted.values(), ({ role, name, instance, status, counters }) => ({
      ...status,
      role,
      name,
      stackName: instance.stackName,
      thread: 1,
      counters: { ...counters, requests: 0, requestsFailed: 0, overruns: 0 },
      valuesPerSecond: 0,
      requestsPerSecond: 0,
      roundTrip: undefined,
      detail: noDetail,
    }));
  }

  /** As `status`, of one; undefined where there is none. */
  statusOf(role: Role, name: string): InstanceStatus | undefined {
    return this.status().find((each) => each.role === role && each.name === name);
  }

  /** Calls on each change of a state, until the returned function is called. */
  onState(_listener: StateListener): () => void {
    return () => {};
  }

  /**
   * How the last reading of a measurement, by its id, came about. Undefined where there was none, or the stack cannot
   * tell. Rejects with `ProblemError`, within 2 s.
   */
  async explain(connector: string, _measurementId: number): Promise<ReadingTrace | undefined> {
    if (!this.#hosted.has(keyOf('connector', connector))) throw unknownConnector(connector);
    return undefined;
  }

  /**
   * What the device of a connector has to offer. Rejects with `ProblemError` where it cannot be told, within 30 s, and
   * where the signal is aborted, with its reason.
   */
  async browse(connector: string, _request: BrowseRequest, signal: AbortSignal): Promise<BrowseAnswer> {
    signal.throwIfAborted();
    if (!this.#hosted.has(keyOf('connector', connector))) throw unknownConnector(connector);
    throw new ProblemError('not-supported', `The stack of connector ${connector} cannot be browsed.`);
  }

  /** The alarms that a provider serves, all of them; their states follow by `publishAlarms`. */
  setAlarms(_provider: string, _alarms: readonly StackAlarm[]): void {}

  publishAlarms(_provider: string, _states: readonly StackAlarmState[]): void {}

  /** Stops everything and ends the thread, by force after `patienceMs`. */
  async close(patienceMs: number): Promise<void> {
    await this.#thread.close(patienceMs);
    this.#outbox?.close();
  }

  #createThread(): Worker {
    const { stackModules, writeTimeoutMs, maxClockSkewMs, folder, maxHeapMb = defaultHeapMb } = this.#options;
    this.#consumed = createConsumed();
    const consumedByThread = createConsumed();
    this.#outbox?.close();
    this.#outbox = new Outbox({
      consumed: consumedByThread,
      clock: this.#clock,
      post: (id, batch) => this.#thread.post({ kind: 'publish', id, batch }, [batch.buffer]),
    });
    const consumedByClient = this.#consumed;
    const start: HostStart = {
      stackModules,
      writeTimeoutMs,
      maxClockSkewMs,
      folder,
      consumedByClient,
      consumedByThread,
    };
    return new Worker(new URL('./host-thread.ts', import.meta.url), {
      workerData: start,
      name: 'stacks',
      resourceLimits: { maxOldGenerationSizeMb: maxHeapMb },
    });
  }

  #newHosted(role: Role, instance: Instance): Hosted {
    const { name } = instance;
    const counters = zeroCounters();
    const sinceUs = this.#clock.now();
    const status: ConnectionStatus = { state: 'connecting', sinceUs, lastError: undefined, counters };
    return { role, name, instance, id: 0, isUp: undefined, status, counters, waitingWrites: 0 };
  }

  #sendStart(hosted: Hosted, replaces: number | undefined): void {
    const { role, instance } = hosted;
    const id = ++this.#lastId;
    if (!this.#thread.post({ kind: 'start', id, role, instance, replaces })) return;
    if (replaces !== undefined) this.#outbox?.forget(replaces);
    hosted.id = id;
    hosted.status = { ...hosted.status, state: 'connecting', sinceUs: this.#clock.now() };
    this.#byId.set(id, { hosted, counters: zeroCounters() });
  }

  #onBegun(): void {
    for (const hosted of this.#hosted.values()) this.#sendStart(hosted, undefined);
    if (this.#begun++ > 0) this.#guarded(() => this.#options.events.restarted([...this.#hosted.values()]));
  }

  #onEnded(reason: string): void {
    this.#byId.clear();
    const timeUs = this.#clock.now();
    for (const hosted of this.#hosted.values()) {
      hosted.counters.errors++;
      hosted.status = { ...hosted.status, state: 'down', sinceUs: timeUs, lastError: { text: reason, timeUs } };
    }
    const writes = [...this.#writes.values()];
    this.#writes.clear();
    for (const { hosted, reject } of writes) {
      hosted.waitingWrites--;
      reject(new ProblemError('connector-down', `Connector ${hosted.name}: ${reason}. ${maybeSent}`));
    }
    for (const hosted of this.#hosted.values()) this.#tellLink(hosted, false, reason, timeUs);
  }

  #onReadings(id: number, message: BatchMessage): void {
    const started = this.#byId.get(id);
    try {
      if (started !== undefined) this.#options.events.readings(started.hosted.name, Batch.from(message));
    } finally {
      consume(this.#consumed, message);
    }
  }

  #onStatus({ id, status }: { id: number; status: ConnectionStatus }): void {
    const started = this.#byId.get(id);
    if (started === undefined) return;
    const { hosted, counters } = started;
    addRise(hosted.counters, counters, status.counters);
    started.counters = status.counters;
    if (hosted.id === id) hosted.status = status;
  }

  #onWritten(write: number, outcome: WriteOutcome): void {
    const waiting = this.#writes.get(write);
    if (waiting === undefined) return;
    this.#writes.delete(write);
    waiting.hosted.waitingWrites--;
    if (outcome.kind === 'accepted') waiting.resolve();
    else waiting.reject(writeProblem(waiting.hosted.name, outcome));
  }

  async #onAsk({ question, id, commandId, value }: FromThread & { kind: 'ask' }): Promise<void> {
    const started = this.#byId.get(id);
    let refused: string | undefined;
    try {
      if (started === undefined) refused = 'the provider is stopped';
      else await this.#options.events.providerWrite(started.hosted.name, commandId, value);
    } catch (error) {
      refused = error instanceof ProblemError ? error.message : 'the service made a mistake: see its log';
      if (!(error instanceof ProblemError)) this.#options.log.error(error, 'a write of a provider failed');
    }
    this.#thread.post({ kind: 'answer', question, refused });
  }

  #tellLink(hosted: Hosted, up: boolean, reason: string, timeUs: number): void {
    if (hosted.isUp === up) return;
    hosted.isUp = up;
    this.#options.events.link(hosted.role, hosted.name, up, reason, timeUs);
  }

  #guarded(call: () => void): void {
    try {
      call();
    } catch (error) {
      this.#options.onFailure(error instanceof Error ? error : new Error(String(error)));
    }
  }
}

function unknownConnector(name: string): ProblemError {
  return new ProblemError('unknown-object', `There is no connector ${JSON.stringify(name)} that runs.`);
}

/** A role has no space in it. */
function keyOf(role: Role, name: string): string {
  return `${role} ${name}`;
}
