// The keeper of function modules as the server has it: starts its process when the first module has to run, speaks with it,
// and answers for what becomes of every run, whatever becomes of the process.
import { type ChildProcess, fork } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Clock, type LogLine, ProblemError } from '@telltale/schema';
import type { Logger } from 'pino';
import { type FromKeeper, maxLogReads, orphanTermToKillMs, type ToKeeper } from './keeper-messages.ts';
import type { Launch, LogRequest, ModuleProcesses, ProcessEvents } from './keeper-protocol.ts';
import { markName } from './process-table.ts';
import { keeperMark, sweep } from './sweep.ts';

export interface ModuleKeeperOptions {
  /** In which each module has its folder. */
  readonly folder: string;
  /** Marks the processes of this data folder: 16 hexadecimal digits. */
  readonly folderId: string;
  /** Of the modules that have one of their own. */
  readonly users?: () => ReadonlySet<number>;
  readonly clock: Clock;
  readonly log: Logger;
  readonly events: ProcessEvents;
  /** Where control groups are looked for, unless it is where the system has them. */
  readonly cgroupRoot?: string;
}

interface Run {
  /** Undefined until it was told of the run. */
  readonly keeper: ChildProcess | undefined;
  readonly isStarted: boolean;
}

/** A keeper whose server is gone needs a little longer than the modules that it ends. */
const orphanedKeeperMs = orphanTermToKillMs + 2000;
/**
 * One that has something to do says something every few seconds. Where nothing was heard between so many looks it hangs. A
 * machine that was asleep costs one look.
 */
const lookMs = 5000;
const maxSilentLooks = 6;
/** Of the time to close in, this part is left for what comes after SIGKILL. */
const reservedPart = 0.2;

export class ModuleKeeper implements ModuleProcesses {
  readonly #options: ModuleKeeperOptions;
  readonly #runs = new Map<number, Run>();
  readonly #reads = new Map<number, { resolve(lines: LogLine[]): void; reject(error: ProblemError): void }>();
  #lastRead = 0;
  #watched: 'all' | readonly string[] = [];
  #keeper: ChildProcess | undefined;
  /** Nothing is started meanwhile: it would be ended as well. */
  #sweeping: Promise<void> | undefined;
  /** For after the sweep. */
  #waiting: ToKeeper[] = [];
  #isClosing = false;
  #silentLooks = 0;
  #takeBackLook: (() => void) | undefined;

  constructor(options: ModuleKeeperOptions) {
    this.#options = options;
  }

  /** Begins to end what a killed server has left; what is started meanwhile waits for it. */
  open(): void {
    if (existsSync(this.#options.folder)) this.#sweep(orphanedKeeperMs, () => {});
  }

  start(launch: Launch): void {
    this.#runs.set(launch.run, { keeper: undefined, isStarted: false });
    this.#send({ kind: 'start', launch });
  }

  stop(run: number, termToKillMs: number): void {
    if (this.#runs.has(run)) this.#send({ kind: 'stop', run, termToKillMs });
  }

  async readLog(request: LogRequest): Promise<LogLine[]> {
    if (this.#reads.size >= maxLogReads) {
      throw new ProblemError('too-many-requests', `${maxLogReads} logs of function modules are being read already.`);
    }
    const id = ++this.#lastRead;
    const { promise, resolve, reject } = Promise.withResolvers<LogLine[]>();
    this.#reads.set(id, { resolve, reject });
    this.#send({ kind: 'readLog', id, request });
    return promise;
  }

  watchLogs(modules: 'all' | readonly string[]): void {
    this.#watched = modules;
    if (this.#keeper !== undefined) this.#post(this.#keeper, { kind: 'watchLogs', modules });
  }

  /** Undefined while there is none: for those who look at the machine. */
  get pid(): number | undefined {
    return this.#keeper?.pid;
  }

  /** Ends every run, and tells it, and the keeper; after `patienceMs` at the latest by force. Nothing is left. */
  async close(patienceMs: number): Promise<void> {
    this.#isClosing = true;
    await this.#sweeping;
    const keeper = this.#keeper;
    if (keeper === undefined) return;
    const gone = goneOf(keeper);
    this.#post(keeper, { kind: 'close', termToKillMs: patienceMs * (1 - reservedPart) });
    const takeBack = this.#options.clock.after(patienceMs, () => keeper.kill('SIGKILL'));
    await gone;
    takeBack();
    this.#takeBackLook?.();
    await this.#sweeping;
  }

  #send(message: ToKeeper): void {
    if (this.#sweeping !== undefined) {
      this.#waiting.push(message);
      return;
    }
    try {
      // One that is closing answers itself.
      if (this.#isClosing && this.#keeper === undefined) throw new ProblemError('stopping', 'The service is stopping');
      this.#keeper ??= this.#startKeeper();
    } catch (error) {
      this.#refuse(message, error as Error);
      return;
    }
    if (message.kind === 'start') this.#runs.set(message.launch.run, { keeper: this.#keeper, isStarted: false });
    this.#post(this.#keeper, message);
    this.#look();
  }

  /** As long as something is expected of the keeper. */
  #look(): void {
    const { clock, log } = this.#options;
    this.#takeBackLook ??= clock.after(lookMs, () => {
      this.#takeBackLook = undefined;
      const isBusy = this.#runs.size > 0 || this.#reads.size > 0;
      this.#silentLooks = isBusy ? this.#silentLooks + 1 : 0;
      if (this.#keeper === undefined || !isBusy) return;
      this.#look();
      if (this.#silentLooks < maxSilentLooks) return;
      log.error('the keeper of function modules does not respond; killing it');
      this.#keeper.kill('SIGKILL');
    });
  }

  /** What does not arrive is answered for when the keeper is gone. */
  #post(keeper: ChildProcess, message: ToKeeper): void {
    if (keeper.connected) keeper.send(message, undefined, {}, () => {});
  }

  #startKeeper(): ChildProcess {
    const { folder, folderId, cgroupRoot, log } = this.#options;
    const code = join(folder, '.code');
    makePrivate(code, log);
    const keeper = fork(fileURLToPath(new URL('./keeper-process.ts', import.meta.url)), [], {
      // In a session of its own: a Ctrl-C is for the server, which then ends the modules in order.
      detached: true,
      serialization: 'advanced',
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      // A flood of lines is garbage a moment later: without a bound it would fill tens of megabytes first.
      execArgv: ['--max-semi-space-size=1'],
      // What strips the types takes 30 MB, and is not loaded where the code was kept.
      env: { [markName]: keeperMark(folderId), NODE_COMPILE_CACHE: code },
    });
    for (const stream of [keeper.stdout, keeper.stderr]) {
      stream?.on('data', (text: Buffer) => log.error(`the keeper of function modules: ${text.toString().trimEnd()}`));
      stream?.on('error', () => {}); // it is told of its end
    }
    keeper.on('message', (message: FromKeeper) => this.#take(message));
    keeper.on('error', (error) => log.error({ err: error }, 'the keeper of function modules'));
    goneOf(keeper).then((how) => this.#lost(keeper, how));
    this.#post(keeper, { kind: 'open', folder, folderId, cgroupRoot });
    this.#post(keeper, { kind: 'watchLogs', modules: this.#watched });
    return keeper;
  }

  #take(message: FromKeeper): void {
    const { events, log } = this.#options;
    this.#silentLooks = 0;
    if (message.kind === 'started') {
      const run = this.#runs.get(message.run);
      if (run === undefined) return;
      this.#runs.set(message.run, { ...run, isStarted: true });
      events.onStarted(message.run, message.pid);
    } else if (message.kind === 'ended') {
      if (this.#runs.delete(message.run)) events.onEnded(message.run, message.end);
    } else if (message.kind === 'usage') events.onUsage(message.usages);
    else if (message.kind === 'lines') for (const lines of message.batch) events.onLines(lines);
    else if (message.kind === 'log') this.#answer(message.id)?.resolve([...message.lines]);
    else if (message.kind === 'noLog') {
      this.#answer(message.id)?.reject(
        new ProblemError('storage-failed', `The log cannot be read: ${message.reason}.`),
      );
    } else log.warn({ module: message.module }, message.text);
  }

  #answer(id: number) {
    const read = this.#reads.get(id);
    this.#reads.delete(id);
    return read;
  }

  /** Whatever it had is ended here, and then told to have ended. */
  #lost(keeper: ChildProcess, how: string): void {
    if (this.#keeper === keeper) this.#keeper = undefined;
    const { log, events } = this.#options;
    for (const [id] of this.#reads) {
      this.#answer(id)?.reject(new ProblemError('internal', 'The keeper of function modules ended. Ask again.'));
    }
    const lost = [...this.#runs].filter(([, run]) => run.keeper === keeper);
    if (lost.length === 0 && this.#isClosing) return;
    const reason = `the keeper of function modules ended (${how})`;
    log.error(`${reason}; its modules are ended: ${lost.length}`);
    this.#sweep(0, () => {
      for (const [run, { isStarted }] of lost) {
        if (!this.#runs.delete(run)) continue;
        if (isStarted) events.onEnded(run, { kind: 'ended', code: undefined, signal: 'SIGKILL', reason });
        else events.onEnded(run, { kind: 'notStarted', reason, mayPass: true });
      }
    });
  }

  #sweep(keeperMs: number, onSwept: () => void): void {
    const { folderId, users = () => new Set(), clock, log } = this.#options;
    const untilMs = clock.monotonicMs() + keeperMs;
    const sparesKeeper = () => !this.#isClosing && clock.monotonicMs() < untilMs;
    this.#sweeping = sweep({ folderId, users: users(), clock, sparesKeeper })
      .then(
        ({ ended, left }) => {
          if (ended > 0) log.warn(`ended ${ended} processes of function modules that were left behind`);
          if (left > 0) log.error(`${left} processes of function modules that were left behind cannot be ended`);
        },
        (error) => log.error({ err: error }, 'cannot look for processes of function modules that were left behind'),
      )
      .then(() => {
        this.#sweeping = undefined;
        onSwept();
        for (const message of this.#waiting.splice(0)) this.#send(message);
      });
  }

  /** There is no keeper to tell. */
  #refuse(message: ToKeeper, error: Error): void {
    if (message.kind === 'readLog') {
      const problem = error instanceof ProblemError ? error : new ProblemError('internal', error.message);
      this.#answer(message.id)?.reject(problem);
    } else if (message.kind === 'start') {
      const { run } = message.launch;
      const reason = `there is no keeper of function modules: ${error.message}`;
      this.#runs.delete(run);
      // Whoever said `start` hears of it afterwards, as always.
      queueMicrotask(() => this.#options.events.onEnded(run, { kind: 'notStarted', reason, mayPass: true }));
    }
  }
}

/** Before Node makes it, and what is above it, for everybody to look into. */
function makePrivate(folder: string, log: Logger): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    log.error({ err: error }, 'cannot make the folder of function modules');
  }
}

/** Resolves after its last message, or where it could not be started. */
async function goneOf(keeper: ChildProcess): Promise<string> {
  const failed = new Promise<string>((resolve) => {
    keeper.once('error', (error) => {
      if (keeper.pid === undefined) resolve(error.message);
    });
  });
  const exited = new Promise<string>((resolve) => {
    if (keeper.exitCode !== null || keeper.signalCode !== null) resolve('');
    keeper.once('exit', (code, signal) => resolve(signal ?? `exit code ${code}`));
  });
  const disconnected = new Promise<void>((resolve) => {
    if (!keeper.connected) resolve();
    keeper.once('disconnect', resolve);
  });
  return Promise.race([failed, Promise.all([exited, disconnected]).then(([how]) => how)]);
}
