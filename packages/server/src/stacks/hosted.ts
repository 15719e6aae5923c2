// One connector or provider as the server's thread knows it, from its start to its stop, over all threads that ran it.
import { formatTimestamp } from '@telltale/schema';
import { addRise, noDetail, type Role, zeroCounters, zeroRequestCounts } from '@telltale/stack-kit/host';
import type { DisabledLink, Silence } from '../points/index.ts';
import type { InstanceCounters, InstanceReport, InstanceState, InstanceStatus } from './instance-status.ts';
import type { Instance } from './protocol.ts';

interface SilentInstance {
  readonly silence: Silence;
  /** When its thread answered last. */
  readonly sinceUs: number;
  readonly lastError: NonNullable<InstanceReport['lastError']>;
}

const notLeading = 'this node does not lead the site';

export class Hosted {
  readonly role: Role;
  readonly name: string;
  instance: Instance;
  /** Of its present start in the present thread. */
  id = 0;
  /** Undefined before the first report. */
  isUp: boolean | undefined;
  /** While it is up as far as is known, and its thread does not answer. */
  #silent: SilentInstance | undefined;
  pendingWrites = 0;
  /** Since when another node leads, so that it does not run. */
  #heldSinceUs: number | undefined;
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
    if (this.#heldSinceUs !== undefined) return 'down';
    return this.#silent?.silence === 'lost' ? 'down' : this.#report.state;
  }

  get lastError(): string | undefined {
    return (this.#held?.lastError ?? this.#silent?.lastError ?? this.#report.lastError)?.text;
  }

  get isSilent(): boolean {
    return this.#silent !== undefined;
  }

  /** The shortest; undefined where not all is read in scans. */
  get scanPeriodMs(): number | undefined {
    return this.#report.scanPeriodMs;
  }

  status(): InstanceStatus {
    const { role, name, instance, state, disabled } = this;
    const { stackName } = instance;
    const counters = { ...this.#counters };
    const silent = this.#silent && { lastError: this.#silent.lastError };
    const lost = this.#silent?.silence === 'lost' && { sinceUs: this.#silent.lastError.timeUs };
    const since = disabled && { sinceUs: disabled.timeUs };
    return {
      ...this.#report,
      ...silent,
      ...lost,
      ...this.#held,
      silentSinceUs: this.#silent?.sinceUs,
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
    this.#report = { ...this.#report, state: 'connecting', sinceUs: this.#lostUs(sinceUs) };
  }

  /** It is stopped until it is set to undefined; what it reports then is that of its next start. */
  setDisabled(disabled: DisabledLink | undefined, sinceUs: number): void {
    const { lastError, points } = this.#report;
    this.#disabled = disabled;
    this.#report = silent({ state: 'connecting', sinceUs, lastError, points });
  }

  /** Whether it waits until this node leads; what it reports then is that of its next start. */
  setHeld(isHeld: boolean, sinceUs: number): void {
    const { lastError, points } = this.#report;
    this.#heldSinceUs = isHeld ? sinceUs : undefined;
    this.#report = silent({ state: 'connecting', sinceUs, lastError, points });
  }

  get isHeld(): boolean {
    return this.#heldSinceUs !== undefined;
  }

  get #held() {
    const timeUs = this.#heldSinceUs;
    return timeUs === undefined ? undefined : { sinceUs: timeUs, lastError: { text: notLeading, timeUs } };
  }

  /** Its thread has not answered since then. False where that has been said already. */
  silent(silence: Silence, sinceUs: number, timeUs: number): boolean {
    const earlier = this.#silent;
    const wasLost = earlier?.silence === 'lost';
    if (earlier?.sinceUs === sinceUs && (wasLost || earlier.silence === silence)) return false;
    const text = `thread ${this.#thread} of the stacks has not answered since ${formatTimestamp(sinceUs)}`;
    const lastError = { text, timeUs: wasLost ? earlier.lastError.timeUs : timeUs };
    this.#silent = { silence: wasLost ? 'lost' : silence, sinceUs, lastError };
    return true;
  }

  /** Its thread answers again, or has something to say of it. */
  heard(): void {
    this.#silent = undefined;
  }

  /** Its thread is gone. */
  ended(reason: string, timeUs: number): void {
    this.#counters.errors++;
    const { points } = this.#report;
    this.#report = silent({
      state: 'down',
      sinceUs: this.#lostUs(timeUs),
      lastError: { text: reason, timeUs },
      points,
    });
  }

  /** Takes a report of its thread on one of its starts, with the counters that were reported of this start before. */
  take(id: number, before: InstanceCounters, report: InstanceReport): void {
    addRise(this.#counters, before, report.counters);
    if (this.id !== id) return;
    const hadLink = report.state === 'up' || report.counters.connects > 0;
    this.#report = hadLink ? report : { ...report, sinceUs: this.#lostUs(report.sinceUs) };
  }

  /** Since when it has no link, over all its starts; `nowUs` where it has one, or is out of service. */
  #lostUs(nowUs: number): number {
    if (this.#silent?.silence === 'lost') return this.#silent.lastError.timeUs;
    const { state, sinceUs } = this.#report;
    return state === 'up' || this.#disabled !== undefined ? nowUs : sinceUs;
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
    scanPeriodMs: undefined,
    detail: noDetail,
  };
}
