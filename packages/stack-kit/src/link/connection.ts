// One connector or provider, run in whichever thread it is made: connects, runs, closes, tries again. Nothing that the
// stack does ends it or holds it up: every call is bounded and everything thrown is caught.
import type { Batch } from '@telltale/schema';
import {
  type BrowseRequest,
  type DeviceAlarm,
  type DeviceAlarmState,
  Fatal,
  NotConnected,
  type ReadingTrace,
  type StackPoint,
  type StackPoints,
} from '../connector.ts';
import type { StackAlarm, StackAlarmState } from '../provider.ts';
import { notPermitted } from '../write-result.ts';
import { backOffMs, type FailedAttempt } from './back-off.ts';
import { type BrowseOutcome, Browsing } from './browsing.ts';
import { callStack } from './call-stack.ts';
import type { ConnectionOptions, Linked } from './connection-options.ts';
import { type Acknowledgement, LinkAlarms } from './link-alarms.ts';
import { type DeviceWrite, LinkWrites, unpermitted, type WriteOutcome } from './link-writes.ts';
import { LoggedReasons } from './logged-reasons.ts';
import { ReadingGate } from './reading-gate.ts';
import { noDetail, readDetail, readTrace, type StackDetail } from './stack-answers.ts';
import { isThrown, reasonOf } from './stack-error.ts';
import { type ConnectionStatus, type Counters, countWrite, zeroCounters } from './status.ts';

const createMs = 15_000;
const connectMs = 10_000;
const closeMs = 2000;
/** What was aborted has this long to end. */
const graceMs = 2000;
/** A link that was up for this long makes the failures before it forgotten. */
const steadyMs = 30_000;
/** While so many calls of the stack have not come back, it is not tried again. */
const maxUnanswered = 10;

const stopped = new NotConnected('stopped');

interface Made {
  readonly stack: Linked;
  points: StackPoints | undefined;
  /** One that threw when it was asked for its detail is not asked again. */
  hasDetail: boolean;
}

export class Connection {
  readonly #options: ConnectionOptions;
  readonly #counters: Counters = zeroCounters();
  #state: ConnectionStatus['state'] = 'connecting';
  /** The reported state of the link; undefined before the first attempt has ended. */
  #reportedUp: boolean | undefined;
  #sinceUs: number;
  #lastError: ConnectionStatus['lastError'];
  readonly #browsing: Browsing;
  #points: StackPoints = { measurements: [], commands: [] };
  #alarms: readonly (StackAlarm | DeviceAlarm)[] = [];
  readonly #linkAlarms: LinkAlarms;
  #made: Made | undefined;
  #life: Promise<void> | undefined;
  #isStopped = false;
  /** While it connects or is up. */
  #attempt: AbortController | undefined;
  #writes: LinkWrites | undefined;
  readonly #readings: ReadingGate;
  #failures = 0;
  readonly #loggedReasons = new LoggedReasons();
  #unanswered = 0;
  #wake = () => {};

  constructor(options: ConnectionOptions) {
    this.#options = options;
    this.#sinceUs = options.clock.now();
    this.#readings = new ReadingGate(options, this.#counters);
    this.#browsing = new Browsing(options.clock, options.log);
    this.#linkAlarms = new LinkAlarms(options, (count) => {
      this.#counters.conflated += count;
    });
  }

  status(): ConnectionStatus {
    return {
      state: this.#state,
      sinceUs: this.#sinceUs,
      lastError: this.#lastError,
      counters: { ...this.#counters },
    };
  }

  detail(): StackDetail {
    const made = this.#made;
    if (made?.stack.detail === undefined || !made.hasDetail) return noDetail;
    try {
      return readDetail(made.stack.detail());
    } catch (error) {
      made.hasDetail = false;
      this.#failed('detail', error);
      return noDetail;
    }
  }

  /** Throws where the stack does, or where it answers with something else. */
  explain(measurement: StackPoint): ReadingTrace | undefined {
    return readTrace(this.#made?.stack.explain?.(measurement));
  }

  /** Never rejects. The signal is aborted when the answer is no longer needed. */
  browse(request: BrowseRequest, signal: AbortSignal): Promise<BrowseOutcome> {
    const [made, attempt] = [this.#made, this.#attempt];
    if (made === undefined || attempt === undefined || this.#state !== 'up') {
      return Promise.resolve(this.#notConnected());
    }
    return this.#browsing.browse(made.stack, request, attempt.signal, signal);
  }

  /** The first call begins to connect. A failed one tries again. */
  setPoints(points: StackPoints): void {
    this.#points = points;
    this.#writes?.commandsChanged();
    this.#life ??= this.#live();
    if (this.#state === 'failed') this.#wake();
    if (this.#attempt === undefined || this.#made === undefined) return;
    try {
      this.#givePoints(this.#made);
    } catch (error) {
      this.#end(error);
    }
  }

  /** Each resolves with its outcome, within the time limit counted from when they were asked, by the monotonic clock. */
  write(writes: readonly DeviceWrite[], askedMs: number): Promise<WriteOutcome>[] {
    const { clock, writeTimeoutMs } = this.#options;
    const leftMs = writeTimeoutMs - (clock.monotonicMs() - askedMs);
    const outcomes = this.#writes?.write(writes, leftMs) ?? writes.map(async () => this.#notConnected());
    return outcomes.map(async (outcome) => countWrite(this.#counters, await outcome));
  }

  /** Acknowledges an alarm at its device; as `write`. */
  async acknowledge(asked: Acknowledgement): Promise<WriteOutcome> {
    const [made, attempt] = [this.#made, this.#attempt];
    if (made === undefined || attempt === undefined || this.#state !== 'up') return this.#notConnected();
    if (this.#options.mayWrite?.() === false) return unpermitted;
    return this.#linkAlarms.acknowledge(made.stack, asked, attempt.signal);
  }

  /** It may not write any more: what a device has not answered, it is not to get later. */
  endWrites(): void {
    if (this.#writes?.hasUnanswered) this.#end(new NotConnected(notPermitted));
  }

  /** New values for a provider; taken by it once it has its points. */
  publish(batch: Batch): void {
    this.#notify('publish', (stack) => {
      this.#counters.batches++;
      this.#counters.values += batch.count;
      stack.publish?.(batch);
    });
  }

  /** The alarms that a provider serves, or that devices of a connector raise, all of them; it has them after its points. */
  setAlarms(alarms: readonly (StackAlarm | DeviceAlarm)[]): void {
    this.#alarms = alarms;
    this.#notify('setAlarms', (stack) => stack.setAlarms?.(alarms));
  }

  publishAlarms(states: readonly StackAlarmState[]): void {
    this.#notify('publishAlarms', (stack) => stack.publishAlarms?.(states));
  }

  /** Resolves when it has ended, within the bounds of its calls. It does not run again. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#end(stopped);
    this.#wake();
    await this.#life;
    this.#discard();
  }

  async #live(): Promise<void> {
    const { reconnectMaxMs, random } = this.#options;
    while (!this.#isStopped) {
      const points = this.#points;
      const failed = await this.#tryOnce();
      if (this.#isStopped) return;
      const pauseMs = () => backOffMs({ failures: this.#failures++, ...failed }, reconnectMaxMs(), random);
      if (this.#state !== 'failed') await this.#pause(pauseMs());
      else if (this.#points === points) await this.#pause(undefined);
      while (this.#unanswered >= maxUnanswered && !this.#isStopped) {
        this.#remember(`${this.#unanswered} calls of the stack have not returned: it is retried when one does`);
        await this.#pause(graceMs);
      }
    }
  }

  /** From connecting to closed; returns what ended it, and how long it had no link. */
  async #tryOnce(): Promise<Pick<FailedAttempt, 'error' | 'tookMs'>> {
    const { clock } = this.#options;
    const startMs = clock.monotonicMs();
    const { connects } = this.#counters;
    const attempt = new AbortController();
    this.#attempt = attempt;
    this.#enter('connecting');
    let ending: unknown;
    let made: Made | undefined;
    try {
      made = await this.#make(attempt.signal);
      attempt.signal.throwIfAborted();
      this.#readings.prepare();
      this.#givePoints(made);
      const { stack } = made;
      await this.#call('connect', attempt.signal, connectMs, made, (signal) => stack.connect(signal));
      await this.#up(made, attempt.signal);
      ending = new NotConnected('the stack ended the link without a reason');
    } catch (error) {
      ending = error;
    }
    this.#end(ending);
    await this.#close(made);
    return { error: ending, tookMs: this.#counters.connects > connects ? 0 : clock.monotonicMs() - startMs };
  }

  async #make(signal: AbortSignal): Promise<Made> {
    if (this.#made !== undefined) return this.#made;
    const gate: { made: Made | undefined } = { made: undefined };
    const publish = (batch: Batch) => this.#publish(gate.made, batch);
    const publishAlarms = (states: readonly DeviceAlarmState[]) => this.#publishAlarms(gate.made, states);
    try {
      const create = () => this.#options.create(publish, publishAlarms);
      const stack = (await this.#call('load', signal, createMs, undefined, create)) as Linked;
      gate.made = { stack, points: undefined, hasDetail: true };
    } catch (error) {
      // A machine that is busy with its own start loads slowly: that is tried again.
      throw isThrown('NotConnected', error) ? error : new Fatal(reasonOf(error), { cause: error });
    }
    this.#made = gate.made;
    return gate.made;
  }

  /** Throws what the stack throws; a stack that did is not used again. */
  #givePoints(made: Made): void {
    if (made.points === this.#points) return;
    const isFirst = made.points === undefined;
    made.points = this.#points;
    try {
      made.stack.setPoints(this.#points);
    } catch (error) {
      this.#discard();
      throw error;
    }
    if (isFirst && this.#alarms.length > 0) this.#notify('setAlarms', (stack) => stack.setAlarms?.(this.#alarms));
  }

  /** Nothing before it has its points; what it throws beside its link ends nothing. */
  #notify(what: string, call: (stack: Linked) => void): void {
    if (this.#made?.points === undefined || this.#isStopped) return;
    try {
      call(this.#made.stack);
    } catch (error) {
      this.#failed(what, error);
    }
  }

  async #up(made: Made, signal: AbortSignal): Promise<void> {
    const { clock, log, command, onAccepted, mayWrite } = this.#options;
    const { stack } = made;
    signal.throwIfAborted();
    this.#counters.connects++;
    this.#writes = new LinkWrites({
      clock,
      log,
      command,
      onAccepted,
      mayWrite,
      hand: (...write) => Promise.try(() => stack.write?.(...write)),
      handMany: stack.writeMany && ((...writes) => Promise.try(() => stack.writeMany?.(...writes))),
    });
    this.#enter('up');
    this.#readings.open();
    const cancel = clock.after(steadyMs, () => {
      this.#failures = 0;
    });
    try {
      await this.#call('run', signal, undefined, made, (running) => made.stack.run(running));
    } finally {
      cancel();
    }
  }

  /** The end of an attempt, however it came; what comes second changes nothing. */
  #end(error: unknown): void {
    const attempt = this.#attempt;
    if (attempt === undefined) return;
    this.#attempt = undefined;
    this.#readings.close();
    const reason = reasonOf(error);
    if (error !== stopped) this.#failed(undefined, error);
    this.#linkAlarms.end();
    this.#enter(isThrown('Fatal', error) ? 'failed' : 'down', reason);
    this.#writes?.lost(reason);
    attempt.abort(error);
  }

  async #close(made: Made | undefined): Promise<void> {
    if (made !== undefined) {
      const { signal } = new AbortController();
      await this.#call('close', signal, closeMs, made, () => made.stack.close()).catch((error) =>
        this.#failed('close', error),
      );
    }
    this.#writes?.closed();
    this.#writes = undefined;
  }

  /** A stack that does not come back is not used again: whatever it may still open is closed when it does. */
  #call(
    what: string,
    signal: AbortSignal,
    limitMs: number | undefined,
    made: Made | undefined,
    call: (signal: AbortSignal) => Promise<unknown>,
  ): Promise<unknown> {
    const { clock, log } = this.#options;
    const onUnanswered = (running: Promise<unknown>) => {
      log.error(`${what} was aborted and has not ended: it is abandoned, and the stack is restarted`);
      this.#unanswered++;
      if (made !== undefined && made === this.#made) this.#discard();
      const cameBack = () => {
        this.#unanswered--;
        if (made !== undefined && what !== 'close') Promise.try(() => made.stack.close()).catch(() => undefined);
      };
      running.then(cameBack, cameBack);
    };
    const grace = what === 'close' ? 0 : graceMs;
    return callStack({ call, clock, signal, limitMs, graceMs: grace, onUnanswered });
  }

  /** From now on, nothing that it publishes counts. */
  #discard(): void {
    this.#made = undefined;
  }

  #publish(from: Made | undefined, batch: Batch): void {
    try {
      if (from === undefined || from !== this.#made) this.#readings.drop(batch);
      else this.#readings.take(batch);
    } catch (error) {
      this.#failed('publish', error);
    }
  }

  #publishAlarms(from: Made | undefined, states: readonly DeviceAlarmState[]): void {
    if (from === undefined || from !== this.#made || this.#state !== 'up') return;
    try {
      this.#linkAlarms.take(states);
    } catch (error) {
      this.#failed('publishAlarms', error);
    }
  }

  #enter(state: ConnectionStatus['state'], reason = ''): void {
    const was = this.#state;
    if (was === state) return;
    const { clock, log, onLink, onState } = this.#options;
    this.#state = state;
    const nowUs = clock.now();
    // Tries to connect are part of the time without a link.
    if (was === 'up' || state === 'up') this.#sinceUs = nowUs;
    if (state === 'up') {
      log.info('up');
      this.#loggedReasons.clear();
    } else if (state === 'failed' || (state === 'down' && this.#loggedReasons.isNews(reason))) {
      log[state === 'failed' ? 'error' : this.#isStopped ? 'info' : 'warn'](`${state}: ${reason}`);
    }
    const isUp = state === 'up';
    const isNews = this.#reportedUp === undefined ? !this.#isStopped : this.#reportedUp !== isUp;
    if (state !== 'connecting' && isNews) {
      this.#reportedUp = isUp;
      onLink(isUp, reason, nowUs);
    }
    onState();
  }

  /** Counts an error and stores it as the last one; errors outside the link are logged as well. */
  #failed(where: string | undefined, error: unknown): void {
    this.#counters.errors++;
    const reason = reasonOf(error);
    this.#remember(where === undefined ? reason : `${where}: ${reason}`);
    if (where !== undefined) this.#options.log.error(`${where} failed: ${reason}`);
  }

  #remember(text: string): void {
    this.#lastError = { text, timeUs: this.#options.clock.now() };
  }

  #notConnected(): { readonly kind: 'notConnected'; readonly reason: string } {
    return { kind: 'notConnected', reason: this.#lastError?.text ?? 'it is still connecting' };
  }

  /** Until the time has passed, or it is woken. */
  async #pause(ms: number | undefined): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const cancel = ms === undefined ? () => {} : this.#options.clock.after(ms, resolve);
    this.#wake = resolve;
    await promise;
    this.#wake = () => {};
    cancel();
  }
}
