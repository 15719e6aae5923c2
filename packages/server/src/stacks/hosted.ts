// One connector or provider as the server's thread knows it, from its start to its stop, over all threads that ran it.
import { addRise, noDetail, type Role, zeroCounters, zeroRequestCounts } from '@telltale/stack-kit/host';
import type { DisabledLink } from '../points/index.ts';
import type { InstanceCounters, InstanceReport, InstanceState, InstanceStatus } from './instance-status.ts';
import type { Instance } from './protocol.ts';

export class Hosted {
  readonly role: Role;
  readonly name: string;
  instance: Instance;
  /** Of its present start in the present thread. */
  id = 0;
  /** Undefined before the first report. */
  isUp: boolean | undefined;
  /** While it is up as far as is known, and its thread does not answer. */
  #stall: InstanceReport['lastError'];
  pendingWrites = 0;
  #disabled: DisabledLink | undefined;
  readonly #thread: number;
  readonly #counters = zeroInstanceCounters();
  #report: InstanceReport;

  constructor(role: Role, instance: Instance, thread: number, sinceUs: number, disabled: DisabledLink | undefined) {
    this.role = role;
    this.name = instance.name;
    this.instance = instance;
    this.#thread = thread;
    this.#disabled = disabled;
    this.#report = silent({ state: 'connecting', sinceUs, lastError: undefined, points: 0 });
  }

  get points(): number {
    return this.#report.points;
  }

  /** Undefined while it is in service. */
  get disabled(): DisabledLink | undefined {
    return this.#disabled;
  }

  get state(): InstanceState {
    if (this.#disabled !== undefined) return 'disabled';
    return this.#stall === undefined ? this.#report.state : 'down';
  }

  get lastError(): string | undefined {
    return (this.#stall ?? this.#report.lastError)?.text;
  }

  get isStalled(): boolean {
    return this.#stall !== undefined;
  }

  status(): InstanceStatus {
    const { role, name, instance, state, disabled } = this;
    const { stackName } = instance;
    const counters = { ...this.#counters };
    const stall = this.#stall && { sinceUs: this.#stall.timeUs, lastError: this.#stall };
    const since = disabled && { sinceUs: disabled.timeUs };
    return {
      ...this.#report,
      ...stall,
      ...since,
      state,
      disabled,
      counters,
      role,
      name,
      stackName,
      thread: this.#thread,
    };
  }

  started(id: number, sinceUs: number): void {
    this.id = id;
    this.#report = { ...this.#report, state: 'connecting', sinceUs };
  }

  /** It is stopped until it is set to undefined; what it reports then is that of its next start. */
  setDisabled(disabled: DisabledLink | undefined, sinceUs: number): void {
    const { lastError, points } = this.#report;
    this.#disabled = disabled;
    this.#report = silent({ state: 'connecting', sinceUs, lastError, points });
  }

  /** Its thread does not answer. */
  stalled(reason: string, timeUs: number): void {
    this.#stall ??= { text: reason, timeUs };
  }

  /** Its thread answers again, or has something to say of it. */
  heard(): void {
    this.#stall = undefined;
  }

  /** Its thread is gone. */
  ended(reason: string, timeUs: number): void {
    this.#counters.errors++;
    const { points } = this.#report;
    this.#report = silent({ state: 'down', sinceUs: timeUs, lastError: { text: reason, timeUs }, points });
  }

  /** Takes a report of its thread on one of its starts, with the counters that were reported of this start before. */
  take(id: number, before: InstanceCounters, report: InstanceReport): void {
    addRise(this.#counters, before, report.counters);
    if (this.id === id) this.#report = report;
  }

  conflated(count: number): void {
    this.#counters.conflated += count;
  }
}

export function zeroInstanceCounters(): InstanceCounters {
  return { ...zeroCounters(), ...zeroRequestCounts() };
}

function silent(report: Pick<InstanceReport, 'state' | 'sinceUs' | 'lastError' | 'points'>): InstanceReport {
  return {
    ...report,
    counters: zeroInstanceCounters(),
    valuesPerSecond: 0,
    requestsPerSecond: 0,
    roundTrip: undefined,
    detail: noDetail,
  };
}
