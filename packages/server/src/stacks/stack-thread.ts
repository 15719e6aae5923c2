// One thread of the stacks as its client sees it: the starts that it may still report on, the values on their way to
// it, the pending writes and questions. It stores what is started, not its points: after the thread has died,
// `restarted` requests them again.
import { Worker } from 'node:worker_threads';
import { Batch, type BatchMessage, type Clock, type Value } from '@telltale/schema';
import { type BrowseAnswer, type BrowseRequest, notPermitted, type ReadingTrace } from '@telltale/stack-kit';
import type { Role } from '@telltale/stack-kit/host';
import type { Logger } from 'pino';
import type { DisabledLink } from '../points/index.ts';
import type { Handlers, Link } from '../threads/index.ts';
import { ConnectorQuestions } from './connector-questions.ts';
import type { HostEvents } from './host-events.ts';
import { Hosted, zeroInstanceCounters } from './hosted.ts';
import { InstanceRequests } from './instance-requests.ts';
import type { InstanceCounters, InstanceReport } from './instance-status.ts';
import { createLimitedLog } from './limited-log.ts';
import { logOutput } from './log-output.ts';
import { consume, createConsumed, Outbox } from './outbox.ts';
import type { HostStart, HostThread, Instance, InstanceClient } from './protocol.ts';
import { silenceAfter } from './silence.ts';
import { SupervisedThread } from './supervised-thread.ts';
import { StartedProcesses } from './thread-processes.ts';
import { ThreadWrites } from './thread-writes.ts';
import { writeTimeoutOf } from './write-timeout.ts';

export interface StackThreadOptions {
  /** From 1 on. */
  readonly number: number;
  readonly start: Omit<HostStart, 'consumedByClient' | 'consumedByThread'>;
  readonly clock: Clock;
  readonly log: Logger;
  readonly events: HostEvents;
  readonly onState: (hosted: Hosted) => void;
  /** A receiver of events threw: the event is lost. */
  readonly onFailure: (error: Error) => void;
}

interface Started {
  readonly hosted: Hosted;
  /** As the thread reported them last. */
  counters: InstanceCounters;
}

/** A load of this many points, beside its own points: for one whose points are not yet known, and for its link. */
const pointsAnInstance = 100;

export class StackThread {
  readonly #options: StackThreadOptions;
  readonly #log: Logger;
  readonly #thread: SupervisedThread;
  readonly #hosted = new Set<Hosted>();
  /** Under which everything here writes; undefined: nothing runs, since another node leads. */
  #epoch: number | undefined;
  /** Every start that the present thread may still report on. */
  readonly #byId = new Map<number, Started>();
  /** Stopped and not yet ended, with their role and name. */
  readonly #leaving = new Map<number, string>();
  readonly #questions: ConnectorQuestions;
  readonly #writes: ThreadWrites;
  readonly #processes = new StartedProcesses(() => this.link);
  #consumed = createConsumed();
  #outbox: Outbox | undefined;
  #lastId = 0;

  constructor(options: StackThreadOptions) {
    const { clock, log, number } = options;
    this.#options = options;
    this.#epoch = options.start.lease === undefined ? 0 : undefined;
    this.#log = log.child({ thread: number });
    this.#thread = new SupervisedThread({
      create: () => this.#create(),
      clock,
      log: this.#log,
      onReplaced: () => this.#onReplaced(),
      handlers: this.#handlers(),
      onSilent: (...silence) => this.#guarded(() => this.#onSilent(...silence)),
      onHeard: () => this.#guarded(() => this.#onHeard()),
      onEnded: (reason) => this.#guarded(() => this.#onEnded(reason)),
    });
    const timeoutMsOf = ({ instance }: Hosted) => writeTimeoutOf(instance, options.start.writeTimeoutMs);
    this.#questions = new ConnectorQuestions(clock, () => this.link, timeoutMsOf);
    this.#writes = new ThreadWrites({ clock, timeoutMsOf, link: () => this.link });
  }

  get hasBegun(): boolean {
    return this.#thread.hasBegun;
  }

  get isRunning(): boolean {
    return this.link !== undefined;
  }

  /** Undefined while no thread runs. */
  get link(): Link<HostThread> | undefined {
    return this.#thread.link;
  }

  get ends(): number {
    return this.#thread.ends;
  }

  get load(): number {
    let load = 0;
    for (const { points } of this.#hosted) load += points + pointsAnInstance;
    return load;
  }

  hosts(role: Role): boolean {
    return this.#hosted.values().some((hosted) => hosted.role === role);
  }

  /** Whether one of this role and name has been stopped here and may still hold what it had. */
  isLeaving(key: string): boolean {
    return this.#leaving.values().some((each) => each === key);
  }

  /** One that stays here until it is stopped. */
  start(role: Role, instance: Instance, disabled: DisabledLink | undefined): Hosted {
    if (!this.hasBegun) this.#thread.begin();
    const { number, clock } = this.#options;
    const hosted = new Hosted(role, instance, number, clock.now(), disabled);
    hosted.setHeld(this.#epoch === undefined, clock.now());
    this.#hosted.add(hosted);
    this.#sendStart(hosted, undefined);
    return hosted;
  }

  /** The earlier is stopped first, and its points remain; of another instance, until its own come. */
  restart(hosted: Hosted, instance: Instance, reason: string): void {
    const isSame = instance === hosted.instance;
    hosted.instance = instance;
    if (hosted.isUp) this.#notifyLink(hosted, false, reason, this.#options.clock.now());
    this.#sendStart(hosted, hosted.id, isSame);
    this.#options.onState(hosted);
  }

  /** It is stopped and its points remain; or, of undefined, it starts as at its first start. */
  setDisabled(hosted: Hosted, disabled: DisabledLink | undefined): void {
    const timeUs = this.#options.clock.now();
    hosted.setDisabled(disabled, timeUs);
    if (hosted.isUp) this.#notifyLink(hosted, false, 'disabled', timeUs);
    hosted.isUp = undefined;
    this.#sendStart(hosted, hosted.id, true);
    this.#options.onState(hosted);
  }

  /** Everything runs under this epoch, as at its first start; of undefined, nothing does any more, and its points remain. */
  setEpoch(epoch: number | undefined): void {
    if (epoch === this.#epoch) return;
    this.#epoch = epoch;
    for (const hosted of this.#hosted) {
      const timeUs = this.#options.clock.now();
      if (hosted.isUp) this.#notifyLink(hosted, false, notPermitted, timeUs);
      hosted.setHeld(epoch === undefined, timeUs);
      if (hosted.disabled !== undefined) continue;
      hosted.isUp = undefined;
      this.#sendStart(hosted, hosted.id, true);
      this.#options.onState(hosted);
    }
  }

  stop(hosted: Hosted, key: string): void {
    const { id } = hosted;
    this.#hosted.delete(hosted);
    for (const [each, started] of this.#byId) if (started.hosted === hosted) this.#byId.delete(each);
    this.#writes.flush(hosted);
    if (this.link?.notify('stop', [id])) this.#leaving.set(id, key);
    this.#outbox?.forget(id);
    if (hosted.isUp) this.#notifyLink(hosted, false, 'stopped', this.#options.clock.now());
  }

  /** Resolves when it has handled all messages so far, or has ended. */
  async confirm(): Promise<void> {
    await this.link?.call('confirm', []).catch(() => undefined);
  }

  /** Resolves when what was stopped of it has given back what it had, or its thread has ended. */
  async ended({ role, name }: Hosted): Promise<void> {
    await this.link?.call('ended', [role, name]).catch(() => undefined);
  }

  /** Resolves when all that was stopped has given back what it had, or the thread has ended. */
  async allEnded(): Promise<void> {
    await this.link?.call('allEnded', []).catch(() => undefined);
  }

  /** Resolves when the device has accepted it. Rejects with `ProblemError`; it is sent once or not at all. */
  write(hosted: Hosted, commandId: number, value: Value): Promise<void> {
    return this.#writes.write(hosted, commandId, value);
  }

  /** Resolves when the device has accepted it; as `write`. */
  acknowledge(hosted: Hosted, alarmId: number, authority: string): Promise<void> {
    return this.#questions.acknowledge(hosted, alarmId, authority);
  }

  explain(hosted: Hosted, measurementId: number): Promise<ReadingTrace | undefined> {
    return this.#questions.explain(hosted, measurementId);
  }

  browse(hosted: Hosted, request: BrowseRequest, signal: AbortSignal): Promise<BrowseAnswer> {
    return this.#questions.browse(hosted, request, signal);
  }

  /** Hands new values to a provider; the batch is taken. */
  publish(hosted: Hosted, batch: Batch): void {
    if (this.#outbox === undefined || !this.isRunning) batch.clear();
    else hosted.conflated(this.#outbox.send(hosted.id, batch, () => true));
  }

  /** Stops everything and ends the thread, by force after `patienceMs`. */
  async close(patienceMs: number): Promise<void> {
    await this.#thread.close(patienceMs);
    await this.#processes.endAll();
    this.#outbox?.close();
  }

  #create(): Worker {
    const { start, clock, number } = this.#options;
    const consumedByThread = createConsumed();
    this.#consumed = createConsumed();
    this.#outbox?.close();
    this.#outbox = new Outbox({
      consumed: consumedByThread,
      clock,
      post: (id, batch) => this.link?.notify('publish', [id, batch], [batch.buffer]),
    });
    const workerData: HostStart = { ...start, consumedByClient: this.#consumed, consumedByThread };
    const worker = new Worker(new URL('./host-thread.ts', import.meta.url), {
      workerData,
      name: `stacks ${number}`,
      resourceLimits: { maxOldGenerationSizeMb: start.maxHeapMb },
      stdout: true,
      stderr: true,
    });
    const printed = createLimitedLog(clock, (level, text) => this.#log[level](text));
    logOutput(worker.stdout, (line) => printed.debug(line));
    logOutput(worker.stderr, (line) => printed.warn(line));
    return worker;
  }

  #handlers(): Handlers<InstanceClient> {
    const { log, events } = this.#options;
    const requests = new InstanceRequests(events, log);
    const guarded =
      <Args extends unknown[]>(handle: (...args: Args) => void) =>
      (...args: Args) =>
        this.#guarded(() => handle(...args));
    return {
      readings: guarded((id, batch) => this.#onReadings(id, batch)),
      alarms: guarded((id, states) => {
        const hosted = this.#presentStart(id);
        if (hosted !== undefined) this.#options.events.deviceAlarms(hosted.name, states);
      }),
      link: guarded((id, up, reason, timeUs) => {
        const hosted = this.#presentStart(id);
        if (hosted !== undefined) this.#notifyLink(hosted, up, reason, timeUs);
      }),
      status: guarded((id, report) => this.#onReport(id, report)),
      stopped: guarded((id, report) => {
        this.#onReport(id, report);
        this.#byId.delete(id);
        this.#leaving.delete(id);
      }),
      write: (id, writes, user) =>
        Promise.all(
          writes.map(({ commandId, value }) =>
            requests.carryOut(this.#byId.get(id)?.hosted.name, (events, name) =>
              events.providerWrite(name, commandId, value, user),
            ),
          ),
        ),
      acknowledge: (id, alarm, authority, user) =>
        requests.carryOut(this.#byId.get(id)?.hosted.name, (events, name) =>
          events.providerAcknowledge(name, alarm, authority, user),
        ),
      signIn: (id, credentials) => requests.signIn(this.#presentStart(id)?.name, credentials),
      signOut: guarded((id, session) => {
        const hosted = this.#byId.get(id)?.hosted;
        if (hosted !== undefined) events.providerSignOut(hosted.name, session);
      }),
      readHistory: (id, asked, { signal }) =>
        requests.frames(this.#presentStart(id)?.name, signal, (events, name) =>
          events.providerHistory(name, asked, signal),
        ),
      storePast: (id, batch) => requests.past(this.#presentStart(id)?.name, batch),
      newestRecords: (id, ids, { signal }) =>
        requests.frames(this.#presentStart(id)?.name, signal, (events, name) =>
          events.newestRecords(name, ids, signal),
        ),
      startProcess: guarded((process, file) => this.#processes.start(process, file)),
      toProcess: guarded((process, message) => this.#processes.send(process, message)),
      endProcess: guarded((process) => this.#processes.end(process)),
      log: guarded((role, name, level, text) => log[level]({ [role]: name }, text)),
    };
  }

  #sendStart(hosted: Hosted, replaces: number | undefined, isSame = false): void {
    const { role, instance, disabled } = hosted;
    const id = ++this.#lastId;
    const mayRun = disabled === undefined && this.#epoch !== undefined;
    this.#writes.flush(hosted);
    if (!this.link?.notify('start', [id, role, instance, replaces, isSame, mayRun, this.#epoch ?? 0])) return;
    if (replaces !== undefined) this.#outbox?.forget(replaces);
    hosted.started(id, this.#options.clock.now());
    this.#byId.set(id, { hosted, counters: zeroInstanceCounters() });
  }

  #onReplaced(): void {
    for (const hosted of this.#hosted) {
      this.#sendStart(hosted, undefined);
      this.#options.onState(hosted);
    }
    if (this.#hosted.size > 0) this.#guarded(() => this.#options.events.restarted([...this.#hosted]));
  }

  /** What those that are up said last may be out of date: the sooner, the more often they are read. */
  #onSilent(silentMs: number, sinceUs: number): void {
    const timeUs = this.#options.clock.now();
    for (const hosted of this.#hosted) {
      const silence = silenceAfter(silentMs, hosted.scanPeriodMs);
      if (!hosted.isUp || silence === undefined || !hosted.silent(silence, sinceUs, timeUs)) continue;
      const what = silence === 'late' ? 'its points are uncertain' : 'it counts as lost';
      this.#options.log.warn({ [hosted.role]: hosted.name }, `${hosted.lastError}: ${what} until it does`);
      this.#options.events.silent(hosted.role, hosted.name, silence, timeUs);
      this.#options.onState(hosted);
    }
  }

  #onHeard(): void {
    const timeUs = this.#options.clock.now();
    for (const hosted of [...this.#hosted].filter(({ isSilent }) => isSilent)) {
      hosted.heard();
      this.#options.events.silent(hosted.role, hosted.name, undefined, timeUs);
      this.#options.onState(hosted);
    }
  }

  #onEnded(reason: string): void {
    this.#processes.endAll();
    this.#byId.clear();
    this.#leaving.clear();
    const timeUs = this.#options.clock.now();
    for (const hosted of this.#hosted) hosted.ended(reason, timeUs);
    for (const hosted of this.#hosted) {
      this.#notifyLink(hosted, false, reason, timeUs);
      this.#options.onState(hosted);
    }
  }

  #onReadings(id: number, batch: BatchMessage): void {
    const hosted = this.#presentStart(id);
    try {
      if (hosted !== undefined) this.#options.events.readings(hosted.name, Batch.from(batch));
    } finally {
      consume(this.#consumed, batch);
    }
  }

  /** What an earlier start still says is of another device, or of another way to it. */
  #presentStart(id: number): Hosted | undefined {
    const hosted = this.#byId.get(id)?.hosted;
    return hosted?.id === id ? hosted : undefined;
  }

  #onReport(id: number, report: InstanceReport): void {
    const started = this.#byId.get(id);
    if (started === undefined) return;
    const { hosted, counters } = started;
    const { state } = hosted;
    hosted.take(id, counters, report);
    started.counters = report.counters;
    if (hosted.state !== state) this.#options.onState(hosted);
  }

  #notifyLink(hosted: Hosted, up: boolean, reason: string, timeUs: number): void {
    if (hosted.isUp === up) return;
    hosted.isUp = up;
    hosted.heard();
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
