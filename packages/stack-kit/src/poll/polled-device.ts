// One device behind a poller: its points by their periods, and their scans. A request that it will not answer is split
// until what is wrong stands alone. Whether the device answers at all, its circuit knows.
import { Batch } from '@telltale/schema';
import type { StackPoint } from '../connector.ts';
import { DeviceCircuit, type PollRun, type SharedLine } from './device-circuit.ts';
import { type FailedRequest, GroupPlan, refusedQuality, silentQuality } from './group-plan.ts';
import type { PollerOptions, PollRequest } from './poller-options.ts';

interface DeviceGroup<R extends PollRequest> {
  points: readonly StackPoint[];
  /** Another one ends the running scan early. */
  plan: GroupPlan<R>;
  /** Readings by this plan that are not yet published. Those by an older one never are: its points may have moved. */
  batch: Batch;
  isScanning: boolean;
  /** Once more as soon as the running scan has ended. */
  isWanted: boolean;
  isUnreadableReported: boolean;
  tookMs: number | undefined;
}

const maxCulpritsReported = 10;
/** A larger scan is published in pieces, so as not to block the receiver. Batches grow to powers of two. */
const pieceReadings = 3840;

export class PolledDevice<R extends PollRequest> {
  readonly name: string;
  readonly #options: PollerOptions<R>;
  readonly circuit: DeviceCircuit<R>;
  readonly #marks = new Batch();
  #run: PollRun | undefined;
  /** By period in milliseconds. */
  #groups = new Map<number, DeviceGroup<R>>();
  #readable: readonly StackPoint[] = [];
  #culpritsReported = 0;

  constructor(name: string, options: PollerOptions<R>, line: SharedLine) {
    this.name = name;
    this.#options = options;
    this.circuit = new DeviceCircuit(name, options, line, {
      onOpened: () => this.#reportSilent(),
      onClosed: () => this.#restart(),
    });
  }

  setPoints(groups: ReadonlyMap<number, readonly StackPoint[]>): void {
    for (const [periodMs, group] of this.#groups) {
      if (!groups.has(periodMs)) this.#remove(periodMs, group);
    }
    for (const [periodMs, points] of groups) {
      const group = this.#groups.get(periodMs) ?? newGroup();
      this.#groups.set(periodMs, group);
      group.points = points;
      this.#plan(group);
    }
    this.#readable = [...this.#groups.values()].flatMap(({ plan }) => plan.readable);
    this.circuit.setPoints(
      this.#readable,
      [...groups.keys()].reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY),
    );
    this.#culpritsReported = 0;
    if (this.isSilent && this.#run !== undefined) this.#mark(this.#readable, silentQuality);
  }

  /** Nothing of it is wanted any more. */
  retire(): void {
    this.stop();
    for (const [periodMs, group] of this.#groups) this.#remove(periodMs, group);
    this.#readable = [];
    this.circuit.setPoints([], 0);
  }

  get canBeAsked(): boolean {
    return this.#readable.length > 0;
  }

  get isSilent(): boolean {
    return this.circuit.isOpen;
  }

  groupDetail(periodMs: number): { points: number; requests: number; tookMs: number | undefined } {
    const { points = [], plan, tookMs } = this.#groups.get(periodMs) ?? {};
    return { points: points.length, requests: plan?.requests.length ?? 0, tookMs };
  }

  /** Plans again and closes the circuit: the first scan decides. */
  start(run: PollRun): void {
    this.#run = run;
    this.circuit.start(run);
    for (const group of this.#groups.values()) {
      group.isScanning = false;
      group.isWanted = false;
      this.#plan(group);
    }
  }

  /** The link is gone. */
  stop(): void {
    this.#run = undefined;
    this.circuit.stop();
  }

  /** Every group, at once or after its running scan. */
  scanAll(): void {
    for (const [periodMs, group] of this.#groups) {
      if (group.isScanning) group.isWanted = true;
      else this.scan(periodMs);
    }
  }

  /** False where the scan before has not ended: then it is left out. */
  scan(periodMs: number): boolean {
    const [group, run] = [this.#groups.get(periodMs), this.#run];
    if (group === undefined || run === undefined) return true;
    if (group.isScanning) return false;
    this.#reportUnreadable(group);
    if (this.isSilent) return true;
    group.isScanning = true;
    run.track(this.#scanWhileWanted(group, periodMs, run));
    return true;
  }

  async #scanWhileWanted(group: DeviceGroup<R>, periodMs: number, run: PollRun): Promise<void> {
    const { clock } = this.#options;
    do {
      group.isWanted = false;
      this.#reportUnreadable(group);
      const beganMs = clock.monotonicMs();
      await this.#scanOnce(group, beganMs + periodMs, run);
      if (run.signal.aborted) return;
      group.tookMs = clock.monotonicMs() - beganMs;
      this.#publish(group.batch);
    } while (group.isWanted && !this.isSilent);
    group.isScanning = false;
  }

  async #scanOnce(group: DeviceGroup<R>, untilMs: number, run: PollRun): Promise<void> {
    const { plan, batch } = group;
    const nowMs = () => this.#options.clock.monotonicMs();
    plan.freshen(nowMs());
    const goesOn = () => !run.signal.aborted && !this.isSilent && group.plan === plan;
    const failed = await this.#askAll(plan.requests, batch, run.signal, goesOn);
    if (!goesOn()) return;
    this.#publish(batch);
    plan.takeOut(failed);
    if (plan.failed.length > 0) {
      // One at least, so that it ends some time however short the period is.
      do {
        const failure = plan.failed.shift() as FailedRequest<R>;
        const parts = plan.split(failure, nowMs());
        if (parts.length === 0) this.#reportCulprit(failure, batch);
        plan.requests.push(...parts);
        plan.takeOut(await this.#askAll(parts, batch, run.signal, goesOn));
        if (!goesOn()) return;
      } while (plan.failed.length > 0 && nowMs() < untilMs);
      for (const { request, quality } of plan.failed) this.#add(request.points, quality, batch);
      plan.settle(nowMs());
    }
    for (const { culprit, request } of plan.retries(nowMs())) {
      if (!goesOn()) return;
      const outcome = await this.circuit.ask(request, batch, run.signal);
      if (outcome === 'ended') return;
      if (outcome !== 'answered') this.#add([culprit], qualityOf(outcome), batch);
      plan.retried(culprit, request, outcome === 'answered');
    }
  }

  /** Each once, and what was silent twice. Returns those that got no usable answer though the device is alive. */
  async #askAll(
    requests: readonly R[],
    batch: Batch,
    signal: AbortSignal,
    goesOn: () => boolean,
  ): Promise<FailedRequest<R>[]> {
    const failed: FailedRequest<R>[] = [];
    const silent: R[] = [];
    const lane = async (queue: Iterator<R>, onSilent: (request: R) => void) => {
      for (let next = queue.next(); !next.done && goesOn(); next = queue.next()) {
        const request = next.value;
        const outcome = await this.circuit.ask(request, batch, signal);
        if (batch.count >= pieceReadings && goesOn()) this.#publish(batch);
        if (outcome === 'silent') onSilent(request);
        if (outcome === 'refused') failed.push({ request, quality: refusedQuality, reason: this.circuit.refusal });
      }
    };
    const lanes = Math.min(this.#options.requestsAtOnce ?? 1, requests.length);
    const queue = requests.values();
    const first = (request: R) => silent.push(request);
    if (lanes <= 1) await lane(queue, first);
    else await Promise.all(Array.from({ length: lanes }, () => lane(queue, first)));
    await lane(silent.values(), (request) =>
      failed.push({ request, quality: silentQuality, reason: this.circuit.lastError ?? '' }),
    );
    return failed;
  }

  /** What was read before it fell silent goes first: nothing good follows the bad. */
  #reportSilent(): void {
    for (const group of this.#groups.values()) this.#publish(group.batch);
    this.#mark(this.#readable, silentQuality);
  }

  /** It may have been changed while it was silent: everything is asked for as if for the first time. */
  #restart(): void {
    for (const group of this.#groups.values()) this.#plan(group);
    this.scanAll();
  }

  #plan(group: DeviceGroup<R>): void {
    group.plan = new GroupPlan(group.points, this.#options.plan);
    group.batch = new Batch();
    group.isUnreadableReported = false;
  }

  #remove(periodMs: number, group: DeviceGroup<R>): void {
    this.#groups.delete(periodMs);
    group.points = [];
    group.isWanted = false;
    this.#plan(group);
  }

  #reportUnreadable(group: DeviceGroup<R>): void {
    if (group.isUnreadableReported) return;
    group.isUnreadableReported = true;
    this.#mark(group.plan.unreadable, refusedQuality);
  }

  #reportCulprit({ request: { points }, quality, reason }: FailedRequest<R>, batch: Batch): void {
    this.#add(points, quality, batch);
    const [point] = points;
    if (point === undefined || this.#culpritsReported++ >= maxCulpritsReported) return;
    this.#options.log.warn(`${point.name}: ${this.name} cannot read ${point.address}: ${reason}`);
  }

  /** In one batch. */
  #mark(points: readonly StackPoint[], quality: number): void {
    this.#add(points, quality, this.#marks);
    this.#publish(this.#marks);
  }

  #add(points: readonly StackPoint[], quality: number, batch: Batch): void {
    const timeUs = this.#options.clock.now();
    for (const { id } of points) batch.none(id, quality, timeUs);
  }

  #publish(batch: Batch): void {
    if (batch.count > 0) this.#options.publish(batch);
  }
}

function newGroup<R extends PollRequest>(): DeviceGroup<R> {
  return {
    points: [],
    plan: new GroupPlan<R>([], () => []),
    batch: new Batch(),
    isScanning: false,
    isWanted: false,
    isUnreadableReported: true,
    tookMs: undefined,
  };
}

function qualityOf(outcome: 'refused' | 'silent'): number {
  return outcome === 'refused' ? refusedQuality : silentQuality;
}
