// One device behind a poller: its requests in their turn, its circuit breaker, its scans. Whether it answers is told by
// its requests alone; a single request that it never answers does not make it dead.
import { Batch } from '@telltale/schema';
import { type DeviceDetail, NoAnswer, Refused, type StackPoint } from '../connector.ts';
import { GroupPlan, refusedQuality, silentQuality, type Trouble } from './group-plan.ts';
import type { PollerOptions, PollRequest } from './poller.ts';
import { RequestSlots } from './request-slots.ts';

/** While a poller runs. */
export interface PollRun {
  readonly signal: AbortSignal;
  /** Something goes on by itself: waited for at the end; what it throws ends the run. */
  track(work: Promise<void>): void;
  /** A device has fallen silent, and its points are told bad. */
  onSilent(): void;
}

/** `ended`: not asked, or its answer does not count any more. */
type Outcome = 'answered' | 'refused' | 'silent' | 'ended';

interface DeviceGroup<R extends PollRequest> {
  points: readonly StackPoint[];
  /** Another one ends the running scan early. */
  plan: GroupPlan<R>;
  /** Readings of the running scan that are not yet published. */
  readonly batch: Batch;
  isScanning: boolean;
  /** Once more as soon as the running scan has ended. */
  isWanted: boolean;
  isUnreadableTold: boolean;
  tookMs: number | undefined;
}

/** A device that is gone is told bad when its last answer is this old, or two of its shortest periods. */
const tellWithinMs = 5000;
const probeAfterMs = { first: 1000, most: 30_000 } as const;
const maxCulpritsTold = 10;
/** A scan of more is published in pieces: whoever takes them must not be held up by one large one. */
const pieceReadings = 4096;

export class PolledDevice<R extends PollRequest> {
  readonly name: string;
  readonly #options: PollerOptions<R>;
  readonly #slots: RequestSlots;
  readonly #line: RequestSlots;
  readonly #scratch: Batch[] = [];
  readonly #marks = new Batch();
  #run: PollRun | undefined;
  /** By period in milliseconds. */
  #groups = new Map<number, DeviceGroup<R>>();
  #readable: readonly StackPoint[] = [];
  #isUp = false;
  #sinceUs: number;
  #lastError: string | undefined;
  /** The reason of its last refusal. */
  #refusal = '';
  /** Silent requests in a row; an answer makes it 0. */
  #silences = 0;
  /** When it answered last, by the clock that goes on evenly. */
  #heardMs = 0;
  /** Its points are bad, and it is asked for a sign of life only. */
  #isOpen = false;
  #probes = 0;
  #cancelProbe = () => {};
  /** A point that was answered last, and not unanswered since. */
  #lively: StackPoint | undefined;
  #culpritsTold = 0;

  constructor(name: string, options: PollerOptions<R>, line: RequestSlots) {
    this.name = name;
    this.#options = options;
    this.#line = line;
    this.#slots = new RequestSlots(options.requestsAtOnce ?? 1);
    this.#sinceUs = options.clock.now();
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
    const lively = this.#lively;
    this.#lively = this.#readable.find(({ name, address }) => name === lively?.name && address === lively.address);
    this.#culpritsTold = 0;
    if (this.#isOpen && this.#run !== undefined) this.#mark(this.#readable, silentQuality);
  }

  /** Nothing of it is wanted any more. */
  retire(): void {
    this.stop();
    for (const [periodMs, group] of this.#groups) this.#remove(periodMs, group);
    this.#readable = [];
  }

  get canBeAsked(): boolean {
    return this.#readable.length > 0;
  }

  get isSilent(): boolean {
    return this.#isOpen;
  }

  detail(): DeviceDetail {
    return { name: this.name, isUp: this.#isUp, sinceUs: this.#sinceUs, lastError: this.#lastError };
  }

  groupDetail(periodMs: number): { points: number; requests: number; tookMs: number | undefined } {
    const { points = [], plan, tookMs } = this.#groups.get(periodMs) ?? {};
    return { points: points.length, requests: plan?.requests.length ?? 0, tookMs };
  }

  /** For a link that is being made: one small request. `onAsked` is called when it goes out. */
  async signOfLife(signal: AbortSignal, onAsked: () => void): Promise<boolean> {
    const request = this.#smallRequest();
    this.#probes++;
    if (request === undefined) return false;
    const outcome = await this.#ask(request, undefined, signal, onAsked);
    return outcome === 'answered' || outcome === 'refused';
  }

  get lastError(): string | undefined {
    return this.#lastError;
  }

  /** Planned anew, the circuit closed: the first scan tells. */
  start(run: PollRun): void {
    this.#run = run;
    this.#heardMs = this.#options.clock.monotonicMs();
    for (const group of this.#groups.values()) {
      group.isScanning = false;
      group.isWanted = false;
      group.batch.clear();
      this.#plan(group);
    }
  }

  /** The link is gone. */
  stop(): void {
    this.#run = undefined;
    this.#cancelProbe();
    this.#isOpen = false;
    this.#silences = 0;
    this.#turn(false);
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
    this.#tellUnreadable(group);
    if (this.#isOpen) return true;
    group.isScanning = true;
    run.track(this.#scanWhileWanted(group, periodMs, run));
    return true;
  }

  async #scanWhileWanted(group: DeviceGroup<R>, periodMs: number, run: PollRun): Promise<void> {
    const { clock } = this.#options;
    do {
      group.isWanted = false;
      this.#tellUnreadable(group);
      const beganMs = clock.monotonicMs();
      await this.#scanOnce(group, beganMs + periodMs, run);
      if (run.signal.aborted) return;
      group.tookMs = clock.monotonicMs() - beganMs;
      this.#publish(group.batch);
    } while (group.isWanted && !this.#isOpen);
    group.isScanning = false;
  }

  async #scanOnce(group: DeviceGroup<R>, untilMs: number, run: PollRun): Promise<void> {
    const { plan } = group;
    const nowMs = () => this.#options.clock.monotonicMs();
    plan.freshen(nowMs());
    const goesOn = () => !run.signal.aborted && !this.#isOpen && group.plan === plan;
    const troubles = await this.#askAll(group, plan.requests, run.signal, goesOn);
    this.#publish(group.batch);
    if (!goesOn()) return;
    plan.trouble(troubles);
    if (plan.troubles.length > 0) {
      // One at least, so that it ends some time however short the period is.
      do {
        const trouble = plan.troubles.shift() as Trouble<R>;
        const parts = plan.split(trouble, nowMs());
        if (parts.length === 0) this.#tellCulprit(trouble, group.batch);
        plan.requests.push(...parts);
        plan.trouble(await this.#askAll(group, parts, run.signal, goesOn));
        if (!goesOn()) return;
      } while (plan.troubles.length > 0 && nowMs() < untilMs);
      for (const { request, quality } of plan.troubles) this.#add(request.points, quality, group.batch);
      plan.settle(nowMs());
    }
    for (const { culprit, request } of plan.retries(nowMs())) {
      if (!goesOn()) return;
      const outcome = await this.#ask(request, group.batch, run.signal);
      if (outcome === 'ended') return;
      if (outcome !== 'answered') this.#add([culprit], qualityOf(outcome), group.batch);
      plan.retried(culprit, request, outcome === 'answered');
    }
  }

  /** Each once, and what was silent twice. Returns those that got no usable answer though the device is alive. */
  async #askAll(
    group: DeviceGroup<R>,
    requests: readonly R[],
    signal: AbortSignal,
    goesOn: () => boolean,
  ): Promise<Trouble<R>[]> {
    const troubles: Trouble<R>[] = [];
    const silent: R[] = [];
    const lane = async (queue: Iterator<R>, onSilent: (request: R) => void) => {
      for (let next = queue.next(); !next.done && goesOn(); next = queue.next()) {
        const request = next.value;
        const outcome = await this.#ask(request, group.batch, signal);
        if (group.batch.count >= pieceReadings) this.#publish(group.batch);
        if (outcome === 'silent') onSilent(request);
        if (outcome === 'refused') troubles.push({ request, quality: refusedQuality, reason: this.#refusal });
      }
    };
    const lanes = Math.min(this.#options.requestsAtOnce ?? 1, requests.length);
    const queue = requests.values();
    const first = (request: R) => silent.push(request);
    if (lanes <= 1) await lane(queue, first);
    else await Promise.all(Array.from({ length: lanes }, () => lane(queue, first)));
    await lane(silent.values(), (request) =>
      troubles.push({ request, quality: silentQuality, reason: this.#lastError ?? '' }),
    );
    return troubles;
  }

  /** In its turn. Readings are added to the batch where there is one. Throws what is neither silence nor refusal. */
  async #ask(request: R, batch: Batch | undefined, signal: AbortSignal, onAsked = () => {}): Promise<Outcome> {
    const [own, line] = [this.#slots, this.#line];
    const wasOpen = this.#isOpen;
    await own.take();
    await line.take();
    try {
      if (signal.aborted || (!wasOpen && this.#isOpen)) return 'ended';
      onAsked();
      const sentMs = this.#options.clock.monotonicMs();
      const outcome = await this.#exchange(request, batch, signal);
      if (outcome === 'silent' && this.#run !== undefined && !this.#isOpen) {
        await this.#judgeSilence(this.#options.clock.monotonicMs() - sentMs, signal);
      }
      return signal.aborted ? 'ended' : outcome;
    } finally {
      line.give();
      own.give();
    }
  }

  async #exchange(request: R, batch: Batch | undefined, signal: AbortSignal): Promise<Outcome> {
    const { clock, meter, read } = this.#options;
    const scratch = this.#scratch.pop() ?? new Batch();
    const sentMs = clock.monotonicMs();
    try {
      await read(request, scratch, signal);
      if (signal.aborted) return 'ended';
      meter.answered(clock.monotonicMs() - sentMs);
      this.#lively = request.points[0];
      this.#heard();
      batch?.append(scratch);
      return 'answered';
    } catch (error) {
      if (signal.aborted) return 'ended';
      if (!(error instanceof NoAnswer) && !(error instanceof Refused)) throw error;
      meter.failed();
      if (error instanceof Refused) {
        this.#refusal = error.message;
        this.#heard();
        return 'refused';
      }
      this.#lastError = error.message;
      this.#silences++;
      if (request.points.length === 1 && request.points[0] === this.#lively) this.#lively = undefined;
      return 'silent';
    } finally {
      scratch.clear();
      this.#scratch.push(scratch);
    }
  }

  /**
   * Before it is told dead, it is asked for what it has answered last: perhaps it only does not know what was asked. Not
   * where another silence as long as this one would let the bad be told too late.
   */
  async #judgeSilence(tookMs: number, signal: AbortSignal): Promise<void> {
    const [clock, periods] = [this.#options.clock, [...this.#groups.keys()]];
    const isUrgent = clock.monotonicMs() - this.#heardMs + tookMs > Math.max(tellWithinMs, 2 * Math.min(...periods));
    if (!isUrgent && this.#lively !== undefined) {
      const [request] = this.#options.plan([this.#lively]);
      if (request !== undefined) await this.#exchange(request, undefined, signal);
    }
    const isDead = this.#silences >= 2 || (this.#silences > 0 && (isUrgent || !this.#isUp));
    if (isDead && !this.#isOpen && !signal.aborted) this.#open();
  }

  #heard(): void {
    this.#silences = 0;
    this.#heardMs = this.#options.clock.monotonicMs();
    this.#turn(true);
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#cancelProbe();
    this.#options.log.info(`${this.name} answers again`);
    // It may have been changed meanwhile: everything is asked for as if for the first time.
    for (const group of this.#groups.values()) this.#plan(group);
    this.scanAll();
  }

  #open(): void {
    this.#isOpen = true;
    this.#turn(false);
    this.#probes = 0;
    this.#options.log.warn(`${this.name} does not answer: ${this.#lastError ?? ''}`);
    // What was read before it fell silent goes first: nothing good follows the bad.
    for (const group of this.#groups.values()) this.#publish(group.batch);
    this.#mark(this.#readable, silentQuality);
    this.#probeLater();
    this.#run?.onSilent();
  }

  #turn(isUp: boolean): void {
    if (this.#isUp === isUp) return;
    this.#isUp = isUp;
    this.#sinceUs = this.#options.clock.now();
  }

  #probeLater(): void {
    const run = this.#run;
    const ms = Math.min(probeAfterMs.most, probeAfterMs.first * 2 ** Math.min(this.#probes, 10));
    this.#cancelProbe();
    this.#cancelProbe = this.#options.clock.after(ms, () => {
      if (run !== undefined && run === this.#run && this.#isOpen) run.track(this.#probe(run));
    });
  }

  async #probe(run: PollRun): Promise<void> {
    const request = this.#smallRequest();
    this.#probes++;
    if (request !== undefined) await this.#ask(request, undefined, run.signal);
    if (this.#isOpen && run === this.#run) this.#probeLater();
  }

  /** Of a point that answered last, or of each in turn. */
  #smallRequest(): R | undefined {
    const points = this.#readable;
    const point = this.#lively ?? points[this.#probes % Math.max(1, points.length)];
    return point === undefined ? undefined : this.#options.plan([point])[0];
  }

  #plan(group: DeviceGroup<R>): void {
    group.plan = new GroupPlan(group.points, this.#options.plan);
    group.isUnreadableTold = false;
  }

  #remove(periodMs: number, group: DeviceGroup<R>): void {
    this.#groups.delete(periodMs);
    group.points = [];
    group.isWanted = false;
    this.#plan(group);
  }

  #tellUnreadable(group: DeviceGroup<R>): void {
    if (group.isUnreadableTold) return;
    group.isUnreadableTold = true;
    this.#mark(group.plan.unreadable, refusedQuality);
  }

  #tellCulprit({ request: { points }, quality, reason }: Trouble<R>, batch: Batch): void {
    this.#add(points, quality, batch);
    const [point] = points;
    if (point === undefined || this.#culpritsTold++ >= maxCulpritsTold) return;
    this.#options.log.warn(`${point.name}: ${this.name} does not give ${point.address}: ${reason}`);
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
    isUnreadableTold: true,
    tookMs: undefined,
  };
}

function qualityOf(outcome: 'refused' | 'silent'): number {
  return outcome === 'refused' ? refusedQuality : silentQuality;
}
