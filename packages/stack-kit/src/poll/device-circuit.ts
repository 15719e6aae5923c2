// Whether one device behind a poller answers: its requests go out in turn, and their outcomes open and
// close its circuit breaker. What a scan is, and which points there are, it leaves to PolledDevice.
import { Batch, pause, Semaphore } from '@telltale/schema';
import { type DeviceDetail, NoAnswer, Refused, type StackPoint } from '../connector.ts';
import { growingMs } from '../link/back-off.ts';
import type { PollerOptions, PollRequest } from './poller-options.ts';

export interface PollRun {
  readonly signal: AbortSignal;
  /** Something goes on by itself: waited for at the end; what it throws ends the run. */
  track(work: Promise<void>): void;
  /** A device has fallen silent, and its points are bad. */
  onSilent(): void;
}

export interface SharedLine {
  readonly requests: Semaphore;
  /** However many are silent: those that answer find most of the line free. */
  readonly probes: Semaphore;
}

/** `ended`: not asked, or its answer does not count any more. */
export type Outcome = 'answered' | 'refused' | 'silent' | 'ended';

export interface CircuitEvents {
  /** The device has fallen silent. */
  onOpened(): void;
  /** It answers again. */
  onClosed(): void;
}

/** The points of a silent device become bad when its last answer is this old, or two of its shortest periods. */
const reportWithinMs = 5000;
const firstProbeMs = 1000;

export class DeviceCircuit<R extends PollRequest> {
  readonly #name: string;
  readonly #options: PollerOptions<R>;
  readonly #events: CircuitEvents;
  readonly #slots: Semaphore;
  readonly #line: SharedLine;
  readonly #scratch: Batch[] = [];
  #run: PollRun | undefined;
  #readable: readonly StackPoint[] = [];
  #shortestPeriodMs = 0;
  #isUp = false;
  #sinceUs: number;
  #lastError: string | undefined;
  #refusal = '';
  /** Silent requests in a row; an answer makes it 0. */
  #silences = 0;
  /** When it answered last, by the clock that goes on evenly. */
  #heardMs = 0;
  #isOpen = false;
  #probes = 0;
  #cancelProbe = () => {};
  /** A point that was answered last, and not unanswered since. */
  #lively: StackPoint | undefined;

  constructor(name: string, options: PollerOptions<R>, line: SharedLine, events: CircuitEvents) {
    this.#name = name;
    this.#options = options;
    this.#line = line;
    this.#events = events;
    this.#slots = new Semaphore(options.requestsAtOnce ?? 1);
    this.#sinceUs = options.clock.now();
  }

  /** While it is, its points are bad, and it is asked for a sign of life only. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  get lastError(): string | undefined {
    return this.#lastError;
  }

  /** The reason of its last refusal. */
  get refusal(): string {
    return this.#refusal;
  }

  detail(): DeviceDetail {
    return { name: this.#name, isUp: this.#isUp, sinceUs: this.#sinceUs, lastError: this.#lastError };
  }

  /** Those that it can be asked for. */
  setPoints(readable: readonly StackPoint[], shortestPeriodMs: number): void {
    const lively = this.#lively;
    this.#readable = readable;
    this.#shortestPeriodMs = shortestPeriodMs;
    this.#lively = readable.find(({ name, address }) => name === lively?.name && address === lively.address);
  }

  start(run: PollRun): void {
    this.#run = run;
    this.#heardMs = this.#options.clock.monotonicMs();
  }

  /** The link is lost: the circuit is closed, and the first scan over the next link decides. */
  stop(): void {
    this.#run = undefined;
    this.#cancelProbe();
    this.#isOpen = false;
    this.#silences = 0;
    this.#turn(false);
  }

  /** For a link that is being made: one small request. `onAsked` is called when it goes out. */
  async signOfLife(signal: AbortSignal, onAsked: () => void): Promise<boolean> {
    const request = this.#smallRequest();
    this.#probes++;
    if (request === undefined) return false;
    const outcome = await this.ask(request, undefined, signal, onAsked);
    return outcome === 'answered' || outcome === 'refused';
  }

  /** In its turn. Readings are added to the batch where there is one. Throws what is neither silence nor refusal. */
  async ask(request: R, batch: Batch | undefined, signal: AbortSignal, onAsked = () => {}): Promise<Outcome> {
    const [own, line] = [this.#slots, this.#line.requests];
    const wasOpen = this.#isOpen;
    await own.acquire();
    await line.acquire();
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
      line.release();
      own.release();
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
   * Before it counts as silent, its last answered request is repeated: it may only not know what was asked. Not if another
   * timeout would delay bad quality for too long.
   */
  async #judgeSilence(tookMs: number, signal: AbortSignal): Promise<void> {
    const reportAfterMs = this.#options.clock.monotonicMs() - this.#heardMs + tookMs;
    const isUrgent = reportAfterMs > Math.max(reportWithinMs, 2 * this.#shortestPeriodMs);
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
    this.#options.log.info(`${this.#name} is up again`);
    this.#events.onClosed();
  }

  #open(): void {
    this.#isOpen = true;
    this.#turn(false);
    this.#probes = 0;
    this.#options.log.warn(`${this.#name} is down: ${this.#lastError ?? ''}`);
    this.#events.onOpened();
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
    const { reconnectMaxMs: maxMs, random = Math.random } = this.#options;
    const ms = growingMs(this.#probes, { firstMs: firstProbeMs, maxMs, random });
    this.#cancelProbe();
    this.#cancelProbe = this.#options.clock.after(ms, () => {
      if (run !== undefined && run === this.#run && this.#isOpen) run.track(this.#probe(run));
    });
  }

  async #probe(run: PollRun): Promise<void> {
    const { clock } = this.#options;
    const { probes } = this.#line;
    const isNeeded = () => !run.signal.aborted && run === this.#run && this.#isOpen;
    await probes.acquire();
    try {
      if (!isNeeded()) return;
      const request = this.#smallRequest();
      this.#probes++;
      let sentMs = clock.monotonicMs();
      const onAsked = () => {
        sentMs = clock.monotonicMs();
      };
      if (request !== undefined) await this.ask(request, undefined, run.signal, onAsked);
      if (!isNeeded()) return;
      this.#probeLater();
      // As long as it has held the line, the line is for those that answer.
      await pause(clock, clock.monotonicMs() - sentMs, run.signal);
    } finally {
      probes.release();
    }
  }

  /** Of a point that answered last, or of each in turn. */
  #smallRequest(): R | undefined {
    const points = this.#readable;
    const point = this.#lively ?? points[this.#probes % Math.max(1, points.length)];
    return point === undefined ? undefined : this.#options.plan([point])[0];
  }
}
