// One connector or provider in the thread of the stacks: its points, its stack's code, its connection.
import type { Batch, BatchMessage, Clock, Value } from '@telltale/schema';
import {
  type ArchivedPoint,
  type BrowseRequest,
  type ConnectorOptions,
  type DeviceAlarm,
  type DeviceAlarmState,
  defaultReconnectMaxMs,
  type HostVariables,
  type PastOutcome,
  type ServingTurns,
  type StackAlarm,
  type StackAlarmState,
  type StackCommand,
  type StackLog,
  type StackPoint,
  type StackPoints,
  type StackRole,
  type WriteResult,
} from '@telltale/stack-kit';
import {
  type Acknowledgement,
  type BrowseOutcome,
  Connection,
  type DeviceWrite,
  type Linked,
  noDetail,
  RequestMeter,
  type Role,
  reasonOf,
  type WriteOutcome,
} from '@telltale/stack-kit/host';
import type { SealKeys } from '../secrets/index.ts';
import { ConnectorPast } from './connector-past.ts';
import type { InstanceReport } from './instance-status.ts';
import type { FindStack } from './load-stacks.ts';
import type { ExplainOutcome, HistoryAsked, Instance, PointIds, WriteProgress } from './protocol.ts';
import { ProviderReads } from './provider-reads.ts';
import { ProviderUsers, type ProviderUsersOptions } from './provider-users.ts';
import { ProviderWrites } from './provider-writes.ts';
import { Rate } from './rate.ts';
import { Secrets } from './secrets.ts';
import { scanPeriodOf } from './silence.ts';
import { claimHanded } from './write-claims.ts';
import { writeTimeoutOf } from './write-timeout.ts';

/** The points of an instance, retained across restarts. */
export interface PointTable {
  readonly measurements: Map<number, StackPoint>;
  readonly commands: Map<number, StackCommand>;
  /** Put, and not yet there. */
  coming: StackPoints[];
  /** That it serves, or that its devices raise. */
  alarms: ReadonlyMap<number, StackAlarm | DeviceAlarm>;
  /** Whether they are whole: before, there is nothing to run. */
  isWhole: boolean;
}

export interface HostedInstanceOptions {
  readonly role: Role;
  readonly instance: Instance;
  readonly points: PointTable;
  readonly findStack: FindStack;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: StackLog;
  readonly writeTimeoutMs: number;
  readonly maxClockSkewMs: number;
  /** Of this connector or provider alone. */
  readonly folder: string;
  readonly secretsFolder: string;
  readonly secretKeys: SealKeys;
  /** Of all providers in the thread. */
  readonly turns: ServingTurns;
  readonly onReadings: (batch: Batch) => number;
  readonly onAlarms: (states: readonly DeviceAlarmState[]) => void;
  readonly onLink: (up: boolean, reason: string, timeUs: number) => void;
  readonly onState: () => void;
  /** Runs what loads code of a stack. */
  readonly loading: <Module>(load: () => Promise<Module>) => Promise<Module>;
  readonly startProcess: ConnectorOptions<unknown>['startProcess'];
  readonly mayWrite: ConnectorOptions<unknown>['mayWrite'];
  /** These ask the server for a client of the provider. */
  readonly write: (writes: readonly DeviceWrite[], user: number | undefined) => Promise<readonly WriteResult[]>;
  readonly acknowledge: (alarm: string, authority: string, user: number | undefined) => Promise<WriteResult>;
  readonly users: ProviderUsersOptions;
  /** Of a connector: archives readings of the past, and asks for the newest records; both reject with `Refused`. */
  readonly storePast: (batch: BatchMessage) => Promise<PastOutcome>;
  readonly newestRecords: (ids: readonly number[], signal: AbortSignal) => Promise<readonly Uint8Array[]>;
  /** Reads the archive for the provider; rejects with `Refused`. */
  readonly readHistory: (asked: HistoryAsked, signal: AbortSignal) => Promise<readonly Uint8Array[]>;
}

const noProperties = Object.freeze({});

export class HostedInstance {
  readonly key: string;
  readonly points: PointTable;
  readonly #options: HostedInstanceOptions;
  readonly #connection: Connection;
  readonly #meter: RequestMeter;
  readonly #log: StackLog;
  readonly #secrets: Secrets;
  readonly #values: Rate;
  readonly #requests: Rate;
  readonly #reads: ProviderReads;
  readonly #past: ConnectorPast;
  readonly #users: ProviderUsers;
  readonly #writes: ProviderWrites;
  #detail = noDetail;
  #mayRun = false;
  /** As the variables say, once they are read. */
  #reconnectMaxMs = defaultReconnectMaxMs;

  constructor(options: HostedInstanceOptions) {
    const { clock, random, log, points, onReadings, onAlarms, onLink, onState } = options;
    this.#options = options;
    this.key = `${options.role} ${options.instance.name}`;
    this.points = points;
    const { role, instance, secretsFolder: root, secretKeys: keys } = options;
    this.#secrets = new Secrets({ root, keys, role, owner: instance.name, stackName: instance.stackName, log });
    const line = (level: keyof StackLog) => (text: string) =>
      log[level](typeof text === 'string' ? this.#secrets.hide(text) : text);
    this.#log = { debug: line('debug'), info: line('info'), warn: line('warn'), error: line('error') };
    this.#meter = new RequestMeter(() => clock.monotonicMs());
    this.#values = new Rate(clock.monotonicMs());
    this.#requests = new Rate(clock.monotonicMs());
    this.#past = new ConnectorPast({
      nameOf: (id) => points.measurements.get(id)?.name,
      store: options.storePast,
      newest: options.newestRecords,
    });
    const { write, acknowledge } = options;
    this.#users = new ProviderUsers(options.users);
    this.#writes = new ProviderWrites({
      isCommand: (id) => points.commands.has(id),
      alarmOf: (id) => points.alarms.get(id)?.name,
      write,
      acknowledge,
      sessionOf: (user) => this.#users.sessionOf(user),
    });
    this.#reads = new ProviderReads({ kindOf: (point) => this.#kindOf(point), ask: options.readHistory });
    this.#connection = new Connection({
      create: (publish, publishAlarms) => this.#create(publish, publishAlarms),
      clock,
      random,
      log: this.#log,
      writeTimeoutMs: writeTimeoutOf(options.instance, options.writeTimeoutMs, (text) => log.warn(text)),
      reconnectMaxMs: () => this.#reconnectMaxMs,
      isMeasurement: (id) => points.measurements.has(id),
      command: (id) => points.commands.get(id),
      alarm: (id) => points.alarms.get(id) as DeviceAlarm | undefined,
      onAccepted: ({ id, name }, value) => this.#storeLast(id, name, value),
      mayWrite: options.mayWrite,
      onReadings,
      onAlarms: (states) => onAlarms(this.#secrets.hide(states)),
      onLink: (up, reason, timeUs) => onLink(up, this.#secrets.hide(reason), timeUs),
      onState,
    });
    this.#connection.setAlarms([...points.alarms.values()]);
  }

  /** It runs from now on, as soon as its points are whole. */
  begin(): void {
    this.#mayRun = true;
    this.#givePoints();
  }

  putPoints(points: StackPoints): void {
    this.points.coming.push(points);
  }

  dropPoints(): void {
    this.points.coming = [];
  }

  pointsDone(gone: PointIds): void {
    const { points } = this;
    for (const id of gone.measurements) points.measurements.delete(id);
    for (const id of gone.commands) points.commands.delete(id);
    for (const { measurements, commands } of points.coming) {
      for (const point of measurements) points.measurements.set(point.id, slim(point));
      for (const point of commands) points.commands.set(point.id, slim(point));
    }
    points.coming = [];
    points.isWhole = true;
    this.#givePoints();
  }

  async write(
    writes: readonly DeviceWrite[],
    askedMs: number,
    claims: Int32Array<SharedArrayBuffer>,
    report: (some: WriteProgress) => void,
  ): Promise<WriteOutcome[]> {
    let settled: [number, WriteOutcome][] = [];
    let left = writes.length;
    // Most come at once: then the answer has them all.
    const reportSome = () => {
      if (left > 0) report(settled);
      settled = [];
    };
    const claimed = writes.map((write, at) => ({ ...write, claim: () => claimHanded(claims, at) }));
    const outcomes = this.#connection.write(claimed, askedMs).map(async (pending, at) => {
      const outcome = this.#secrets.hide(await pending);
      left--;
      settled.push([at, outcome]);
      if (left > 0 && settled.length === 1) setImmediate(reportSome);
      return outcome;
    });
    return Promise.all(outcomes);
  }

  async acknowledge(asked: Acknowledgement): Promise<WriteOutcome> {
    return this.#secrets.hide(await this.#connection.acknowledge(asked));
  }

  /** It may not write any more. */
  endWrites(): void {
    this.#connection.endWrites();
  }

  publish(batch: Batch): void {
    this.#connection.publish(batch);
  }

  setAlarms(alarms: readonly (StackAlarm | DeviceAlarm)[]): void {
    this.points.alarms = new Map(alarms.map((alarm) => [alarm.id, alarm]));
    this.#connection.setAlarms(alarms);
  }

  publishAlarms(states: readonly StackAlarmState[]): void {
    this.#connection.publishAlarms(states.filter(({ id }) => this.points.alarms.has(id)));
  }

  endUser(session: number): void {
    this.#users.end(session);
  }

  explain(measurementId: number): ExplainOutcome {
    try {
      const measurement = this.points.measurements.get(measurementId);
      const trace = measurement === undefined ? undefined : this.#connection.explain(measurement);
      return this.#secrets.hide<ExplainOutcome>({ kind: 'explained', trace });
    } catch (error) {
      return this.#secrets.hide<ExplainOutcome>({ kind: 'failed', reason: reasonOf(error) });
    }
  }

  async browse(request: BrowseRequest, signal: AbortSignal): Promise<BrowseOutcome> {
    const outcome = await this.#connection.browse(request, signal);
    return outcome.kind === 'answered' ? outcome : this.#secrets.hide(outcome);
  }

  /** About once a second: updates the rates and the stack's own report. */
  tick(): void {
    const nowMs = this.#options.clock.monotonicMs();
    this.#values.update(nowMs, this.#connection.status().counters.values);
    this.#requests.update(nowMs, this.#meter.counts.requests);
    this.#detail = this.#connection.detail();
  }

  report(): InstanceReport {
    const status = this.#connection.status();
    const { measurements, commands } = this.points;
    return this.#secrets.hide({
      ...status,
      counters: { ...status.counters, ...this.#meter.counts },
      points: measurements.size + commands.size,
      valuesPerSecond: this.#values.perSecond,
      requestsPerSecond: this.#requests.perSecond,
      roundTrip: this.#meter.roundTrip(),
      scanPeriodMs: scanPeriodOf(this.#detail.scanGroups, measurements.size),
      detail: this.#detail,
    });
  }

  stop(): Promise<void> {
    this.#reads.stop();
    this.#past.stop();
    this.#users.stop();
    return this.#connection.stop();
  }

  #givePoints(): void {
    const { measurements, commands, isWhole } = this.points;
    if (!this.#mayRun || !isWhole) return;
    this.#connection.setPoints({ measurements: [...measurements.values()], commands: [...commands.values()] });
  }

  #storeLast(id: number, name: string, value: Value): void {
    const command = this.points.commands.get(id);
    if (command?.name === name) this.points.commands.set(id, { ...command, last: value });
  }

  async #create(
    publish: ConnectorOptions<unknown>['publish'],
    publishAlarms: ConnectorOptions<unknown>['publishAlarms'],
  ): Promise<Linked> {
    const { role, instance, findStack, clock, folder, maxClockSkewMs, loading, startProcess, turns, mayWrite } =
      this.#options;
    const { name, stackName } = instance;
    const stack = await findStack(stackName);
    const common = { name, clock, log: this.#log, folder, turns };
    if (role === 'connector') {
      if (stack.connector === undefined) throw new Error(`the stack ${stackName} has no connector`);
      const variables = await this.#variables(stack.connector);
      const { createConnector } = await loading(stack.connector.load);
      const { reconnectMaxMs } = variables;
      const asked = {
        maxClockSkewMs,
        reconnectMaxMs,
        publish,
        publishAlarms,
        history: this.#past,
        startProcess,
        mayWrite,
      };
      return createConnector({ ...common, ...asked, variables, meter: this.#meter });
    }
    if (stack.provider === undefined) throw new Error(`the stack ${stackName} has no provider`);
    const variables = await this.#variables(stack.provider);
    const { createProvider } = await loading(stack.provider.load);
    return createProvider({
      ...common,
      variables,
      reconnectMaxMs: variables.reconnectMaxMs,
      meter: this.#meter,
      write: (...write) => this.#writes.writeOne(...write),
      writeMany: (writes) => this.#writes.write(writes),
      acknowledge: (...acknowledgement) => this.#writes.acknowledge(...acknowledgement),
      signIn: (credentials) => this.#users.signIn(credentials),
      history: this.#reads,
    });
  }

  async #variables<Values>(role: StackRole<Values>): Promise<Values & HostVariables> {
    const { parameters } = role.describe().description;
    const { values, faults } = role.readVariables(await this.#secrets.read(parameters, this.#options.instance.vars));
    if (values !== undefined) {
      this.#reconnectMaxMs = values.reconnectMaxMs;
      return values;
    }
    throw new Error(this.#secrets.hide(faults.map(({ field, message }) => `variable ${field} ${message}`).join('; ')));
  }

  /** An id is that of one measurement or of one command. */
  #kindOf({ id }: ArchivedPoint): HistoryAsked['kind'] | undefined {
    if (this.points.measurements.has(id)) return 'measurements';
    return this.points.commands.has(id) ? 'commands' : undefined;
  }
}

/** Most points have no properties: they share one object. */
function slim<P extends StackPoint>(point: P): P {
  return Object.keys(point.properties).length === 0 ? { ...point, properties: noProperties } : point;
}
