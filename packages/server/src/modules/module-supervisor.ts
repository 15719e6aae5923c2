// One function module: when it is started, stopped and started again, and its reported status. Starting and ending
// processes is the keeper's; everything here happens at once, in the order of requests and events.
import {
  areaIn,
  type FunctionModule,
  type FunctionModuleState,
  type FunctionModuleStatus,
  type LastError,
  type LiveFunctionModule,
  nextTime,
  ProblemError,
  timeAfter,
  toTimestamp,
} from '@telltale/schema';
import type { Logger } from 'pino';
import type { RunEnd, Usage } from './keeper/keeper-protocol.ts';
import type { ModuleConnection } from './liveness.ts';
import { type ModuleDefinition, needsRestart, readDefinition } from './module-definition.ts';
import { failureOf, ModuleRun, type RunOptions } from './module-run.ts';
import { ModuleTimetable } from './module-timetable.ts';
import { maxStarts, RestartPolicy, windowMs } from './restart-policy.ts';

/** Of the status text that it reports; the rest is cut off. */
const maxStatusLength = 1024;

export interface SupervisorOptions extends RunOptions {
  readonly log: Logger;
  /** None is used twice. */
  readonly nextRunId: () => number;
  /** Before it is open nothing is started, and after it is closed nothing either. */
  readonly phase: () => 'before' | 'open' | 'closed';
  /** Its status has changed; not called while it is removed. */
  readonly onChange: () => void;
}

export class ModuleSupervisor {
  readonly #options: SupervisorOptions;
  readonly name: string;
  readonly #policy: RestartPolicy;
  #definition: ModuleDefinition | undefined;
  #run: ModuleRun | undefined;
  #pause: { readonly untilUs: number; readonly cancel: () => void } | undefined;
  #timetable: ModuleTimetable | undefined;
  /** It is to be started as soon as anything is. */
  #isHeld = false;
  /** What it is while it does not run and nothing is to come. */
  #rest: 'STOP' | 'FAIL' = 'STOP';
  #state: FunctionModuleState = 'STOP';
  #sinceUs: number;
  #restarts = 0;
  #exit: { readonly code: number | null; readonly signal: string | null } = { code: null, signal: null };
  #lastError: LastError | null = null;
  #said: string | null = null;
  #reported = '';
  /** Of those who asked for a start, and of those who wait for the end. */
  #started: PromiseWithResolvers<void> | undefined;
  #ended: PromiseWithResolvers<void> | undefined;

  constructor(name: string, options: SupervisorOptions) {
    this.name = name;
    this.#options = options;
    this.#policy = new RestartPolicy(options.clock);
    this.#sinceUs = options.clock.now();
  }

  get isRemoved(): boolean {
    return this.#definition === undefined;
  }

  get area(): string {
    return areaIn(this.#definition?.module.properties);
  }

  get isRunning(): boolean {
    return this.#run !== undefined;
  }

  status(): FunctionModuleStatus {
    const nextUs = this.#pause?.untilUs ?? microseconds(this.#timetable?.nextMs);
    return {
      name: this.name,
      state: this.#state,
      since: toTimestamp(this.#sinceUs),
      pid: this.#run?.pid ?? null,
      restarts: this.#restarts,
      'exit-code': this.#exit.code,
      'exit-signal': this.#exit.signal,
      'last-error': this.#lastError,
      'next-start': nextUs === undefined ? null : toTimestamp(nextUs),
      status: this.#said,
    };
  }

  live(): LiveFunctionModule {
    const usage = this.#run?.usage;
    return {
      ...this.status(),
      enabled: this.#definition?.isEnabled ?? false,
      'run-mode': this.#definition?.module.runMode ?? 'service',
      cpu: usage?.cores ?? null,
      memory: usage?.memoryBytes ?? null,
      processes: usage?.processes ?? null,
    };
  }

  put(module: FunctionModule): void {
    const before = this.#definition;
    this.#definition = readDefinition(module);
    if (before === undefined) this.#begin();
    if (before === undefined || needsRestart(before.module, module)) this.#configured(before, this.#definition);
    else this.#run?.change(module);
    this.#settle();
  }

  /** Its run is stopped, and ends first where it comes back at once. */
  remove(): void {
    this.#rests('STOP', 'was removed');
    this.#run?.end('stop');
    this.#definition = undefined;
  }

  /** It begins from the start, as soon as anything does. */
  wait(): void {
    if (this.#definition !== undefined) this.#configured(undefined, this.#definition);
    this.#settle();
  }

  /** What waited for it is started. */
  open(): void {
    if (this.#isHeld) this.#launch();
    this.#settle();
  }

  /** Resolves when its process is there. */
  start(): Promise<void> {
    return this.#starting((isUnderWay) => {
      if (!isUnderWay) this.#restart();
      else if (this.#run?.pid !== undefined) this.#answerStart();
    });
  }

  /** Resolves when its new process is there. */
  restart(): Promise<void> {
    return this.#starting(() => this.#restart());
  }

  /** Resolves when none of its processes is alive; it stays stopped until an operator acts. */
  stop(): Promise<void> {
    this.#rests('STOP', 'was stopped before it had started');
    this.#run?.end('stop');
    this.#settle();
    return this.#whenEnded();
  }

  /** Before the phase is `before` again: as `stop`; then it waits for `open` as at first. */
  async hold(patienceMs: number): Promise<void> {
    this.#rests('STOP', 'was stopped, as this node does not lead the site any more');
    this.#run?.end('stop', patienceMs);
    this.#settle();
    await this.#whenEnded();
  }

  /** As `stop`; nothing is started after it, as the phase says. */
  close(patienceMs: number): Promise<void> {
    this.#rests(this.#run === undefined ? this.#rest : 'STOP', 'was stopped, as the service is stopping');
    this.#run?.end('stop', patienceMs);
    this.#settle();
    return this.#whenEnded();
  }

  /** One that a person has stopped, or that waits for its time, is left alone; so is one that runs another file. */
  executableReplaced(path: string | undefined): void {
    const { executables } = this.#options;
    const own = this.#definition?.module.executable;
    if (executables.pathOf(this.name, own) !== executables.pathOf(this.name, path)) return;
    const runs = this.#run !== undefined && this.#run.ending !== 'stop';
    if (runs || this.#pause !== undefined || this.#rest === 'FAIL') this.#restart();
    this.#settle();
  }

  connected(send: (queryId: number) => void): ModuleConnection {
    return this.#run?.connected(send) ?? { closed: () => undefined };
  }

  answered(queryId: number, status: string | undefined): boolean {
    const isOpen = this.#run?.answered(queryId) ?? false;
    if (isOpen) this.#said = status?.slice(0, maxStatusLength) ?? null;
    this.#settle();
    return isOpen;
  }

  processStarted(run: number, pid: number): void {
    if (this.#run?.id !== run) return;
    this.#run.started(pid);
    if (this.#run.ending === undefined) this.#answerStart();
    this.#settle();
  }

  processEnded(run: number, end: RunEnd): void {
    const ended = this.#run;
    if (ended?.id !== run) return;
    ended.over();
    this.#run = undefined;
    if (end.kind === 'ended') this.#exit = { code: end.code ?? null, signal: end.signal ?? null };
    else void this.#checkExecutable();
    this.#ended?.resolve();
    this.#ended = undefined;
    if (ended.ending === 'restart') this.#launch();
    else if (ended.ending === 'stop') this.#answerStart('was stopped before it had started');
    else if (ended.ending === undefined) this.#endedByItself(end);
    else this.#endedWith(end, ended.ending.silent);
    this.#settle();
  }

  used(run: number, usage: Usage): void {
    if (this.#run?.id === run) this.#run.usage = usage;
  }

  /** One that was removed and comes back is another: its earlier status is not reported. */
  #begin(): void {
    this.#sinceUs = this.#options.clock.now();
    this.#exit = { code: null, signal: null };
    this.#lastError = null;
    this.#reported = '';
  }

  /** It is new, or another: whatever it was, it begins from the start. */
  #configured(before: ModuleDefinition | undefined, now: ModuleDefinition): void {
    const runsAtTimes = before?.runMode.kind === 'cron' && this.#run !== undefined && this.#run.ending !== 'stop';
    this.#rests('STOP', 'was reconfigured');
    this.#restarts = 0;
    if (!now.isEnabled) this.#run?.end('stop');
    else if (now.fault !== undefined) {
      this.#run?.end('stop');
      this.#fail(now.fault);
    } else if (now.runMode.kind !== 'cron') this.#restart();
    else {
      this.#schedule();
      if (runsAtTimes) this.#restart();
      else this.#run?.end('stop');
    }
  }

  /** Does what leads to a start, and answers when that has happened. */
  #starting(act: (isUnderWay: boolean) => void): Promise<void> {
    if (this.#options.phase() === 'closed') throw new ProblemError('stopping', 'The service is stopping.');
    if (this.#definition?.isEnabled !== true) {
      throw new ProblemError('module-disabled', `${this.name} is disabled, so that it cannot be started.`);
    }
    this.#started ??= Promise.withResolvers();
    const { promise } = this.#started; // may be answered at once
    this.#schedule();
    act(this.#run !== undefined && this.#run.ending === undefined);
    this.#settle();
    return promise;
  }

  #whenEnded(): Promise<void> {
    if (this.#run === undefined) return Promise.resolve();
    this.#ended ??= Promise.withResolvers();
    return this.#ended.promise;
  }

  /** Without a reason: it has started. */
  #answerStart(reason?: string): void {
    if (reason === undefined) this.#started?.resolve();
    else this.#started?.reject(new ProblemError('module-failed', `${this.name} ${reason}.`));
    this.#started = undefined;
  }

  /** Somebody has acted: it is started now, or as soon as its run has ended. */
  #restart(): void {
    this.#policy.forgive();
    this.#restarts = 0;
    this.#cancelPause();
    if (this.#run === undefined) this.#launch();
    else this.#run.end('restart');
  }

  #launch(): void {
    const { log, phase, nextRunId } = this.#options;
    const definition = this.#definition;
    this.#isHeld = phase() === 'before';
    if (definition === undefined || phase() !== 'open') return;
    if (definition.fault !== undefined) {
      this.#fail(definition.fault);
      return;
    }
    this.#policy.started();
    this.#said = null;
    this.#run = new ModuleRun(nextRunId(), definition, this.#options, {
      onReady: () => this.#settle(),
      onSilent: (reason) => this.#silent(reason),
    });
    log.debug({ module: this.name }, 'the function module is started');
    this.#run.launch(definition.sha256); // last: the answer may come at once
  }

  #silent(reason: string): void {
    this.#error(reason);
    this.#run?.end({ silent: reason });
    this.#settle();
  }

  #endedByItself(end: RunEnd): void {
    const failure = failureOf(end);
    if (failure !== undefined) this.#error(failure);
    this.#endedWith(end, failure);
  }

  #endedWith(end: RunEnd, failure: string | undefined): void {
    const { runMode, respawn } = this.#definition as ModuleDefinition;
    this.#answerStart(failure ?? 'has ended');
    const mayRetry = end.kind === 'ended' || end.mayPass === true;
    if (runMode.kind === 'cron') this.#rest = 'STOP';
    else if (respawn && mayRetry && (runMode.kind === 'service' || failure !== undefined)) this.#retry(failure);
    else this.#rest = failure === undefined ? 'STOP' : 'FAIL';
  }

  #retry(failure = 'ended with exit code 0'): void {
    const { clock } = this.#options;
    const pauseMs = this.#policy.takePauseMs();
    if (pauseMs === undefined) {
      this.#fail(
        `was started ${maxStarts} times within ${windowMs / 1000} s, and each time ended; last it ${failure}; ` +
          'read its log, and start it when it is fixed',
      );
      return;
    }
    const cancel = clock.after(pauseMs, () => {
      this.#pause = undefined;
      this.#restarts++;
      this.#launch();
      this.#settle();
    });
    this.#pause = { untilUs: clock.now() + pauseMs * 1000, cancel };
  }

  /** Only of one that has times. */
  #schedule(): void {
    const { runMode, fault } = this.#definition as ModuleDefinition;
    if (runMode.kind !== 'cron' || fault !== undefined || this.#timetable !== undefined) return;
    if (this.#options.phase() === 'closed') return;
    this.#timetable = new ModuleTimetable({
      clock: this.#options.clock,
      nextTime: (afterMs) => nextTime(runMode.schedule, afterMs),
      onDue: () => this.#due(),
    });
  }

  #due(): void {
    if (this.#options.phase() !== 'open') return;
    if (this.#run === undefined) this.#restart();
    else this.#error('was still running at its time, and was not started a second time');
    this.#settle();
  }

  /** The reason why it cannot be started may be a damaged file: then it is listed with all else that is missing. */
  async #checkExecutable(): Promise<void> {
    const { executables, log } = this.#options;
    try {
      await executables.check(this.name, this.#definition?.module.executable);
    } catch (error) {
      log.warn({ module: this.name }, `the executable cannot be read: ${(error as Error).message}`);
    }
  }

  #fail(reason: string): void {
    this.#rest = 'FAIL';
    this.#error(reason);
    this.#answerStart(reason);
  }

  #error(text: string): void {
    this.#lastError = { text, t: toTimestamp(this.#options.clock.now()) };
    this.#options.log.warn({ module: this.name }, `the function module ${text}`);
  }

  /** Nothing comes by itself any more; who waits for a start that a run would have brought still waits for its end. */
  #rests(rest: 'STOP' | 'FAIL', reason: string): void {
    this.#rest = rest;
    this.#isHeld = false;
    this.#cancelPause();
    this.#timetable?.cancel();
    this.#timetable = undefined;
    if (this.#run === undefined) this.#answerStart(reason);
  }

  #cancelPause(): void {
    this.#pause?.cancel();
    this.#pause = undefined;
  }

  /** Reports its status if that has changed. */
  #settle(): void {
    const isPending = this.#pause !== undefined || this.#isHeld;
    const ofRun = this.#run?.isReady ? 'RUN' : 'INIT';
    const state = this.#run !== undefined ? ofRun : isPending ? 'INIT' : this.#rest;
    if (state !== this.#state) this.#sinceUs = timeAfter(this.#sinceUs, this.#options.clock.now());
    this.#state = state;
    const text = JSON.stringify(this.status());
    if (text === this.#reported || this.isRemoved) return;
    this.#reported = text;
    this.#options.onChange();
  }
}

function microseconds(ms: number | undefined): number | undefined {
  return ms === undefined ? undefined : ms * 1000;
}
