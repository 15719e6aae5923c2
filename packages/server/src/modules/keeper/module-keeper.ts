// The keeper of function modules as the server has it: starts its process when the first module has to run, exchanges
// messages with it, and reports the outcome of every run, whatever happens to the process.
import { type ChildProcess, fork } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Clock, type LogLine, ProblemError } from '@telltale/schema';
import type { Logger } from 'pino';
import { WorkerLink, type WorkerPort } from '../../threads/index.ts';
import { type KeeperClient, type KeeperProcess, maxLogReads, orphanTermToKillMs } from './keeper-messages.ts';
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

type Keeper = WorkerLink<KeeperProcess, KeeperClient>;

/** A task for the keeper once it runs; refused with the reason where it does not. */
interface PendingCall {
  readonly run: (keeper: Keeper) => void;
  readonly refuse: (error: Error) => void;
}

interface Run {
  /** Undefined until the keeper has the run. */
  readonly keeper: Keeper | undefined;
  readonly isStarted: boolean;
}

/** A keeper whose server is gone needs a little longer than the modules that it ends. */
const orphanedKeeperMs = orphanTermToKillMs + 2000;
/** A keeper with work reports every few seconds: without a message between so many checks it hangs. */
const lookMs = 5000;
const maxSilentLooks = 6;
/** Of the time to close in, this part is left for what comes after SIGKILL. */
const reservedPart = 0.2;

export class ModuleKeeper implements ModuleProcesses {
  readonly #options: ModuleKeeperOptions;
  readonly #runs = new Map<number, Run>();
  #reads = 0;
  #watched: 'all' | readonly string[] = [];
  #keeper: Keeper | undefined;
  #process: ChildProcess | undefined;
  /** Nothing is started meanwhile: it would be ended as well. */
  #sweeping: Promise<void> | undefined;
  /** For after the sweep. */
  #pendingCalls: PendingCall[] = [];
  #isClosing = false;
  #silentLooks = 0;
  #cancelLook: (() => void) | undefined;

  constructor(options: ModuleKeeperOptions) {
    this.#options = options;
  }

  /** Begins to end what a killed server has left; what is started meanwhile waits for it. */
  open(): void {
    if (existsSync(this.#options.folder)) this.#sweep(orphanedKeeperMs, () => {});
  }

  start(launch: Launch): void {
    const { run } = launch;
    this.#runs.set(run, { keeper: undefined, isStarted: false });
    this.#send({
      run: (keeper) => {
        this.#runs.set(run, { keeper, isStarted: false });
        keeper.notify('start', [launch]);
      },
      refuse: (error) => {
        const reason = `there is no keeper of function modules: ${error.message}`;
        this.#runs.delete(run);
        // The caller of `start` is notified afterwards, as always.
        queueMicrotask(() => this.#options.events.onEnded(run, { kind: 'notStarted', reason, mayPass: true }));
      },
    });
  }

  stop(run: number, termToKillMs: number): void {
    if (!this.#runs.has(run)) return;
    this.#send({ run: (keeper) => void keeper.notify('stop', [run, termToKillMs]), refuse: () => {} });
  }

  async readLog(request: LogRequest): Promise<LogLine[]> {
    if (this.#reads >= maxLogReads) {
      throw new ProblemError('too-many-requests', `${maxLogReads} logs of function modules are being read already.`);
    }
    this.#reads++;
    const { promise, resolve, reject } = Promise.withResolvers<LogLine[]>();
    const ended = new ProblemError('internal', 'The keeper of function modules ended. Ask again.');
    this.#send({
      run: (keeper) =>
        keeper
          .call('readLog', [request])
          .then(resolve, (error) => reject(error instanceof ProblemError ? error : ended)),
      refuse: (error) => reject(error instanceof ProblemError ? error : new ProblemError('internal', error.message)),
    });
    return promise.finally(() => this.#reads--);
  }

  watchLogs(modules: 'all' | readonly string[]): void {
    this.#watched = modules;
    this.#keeper?.notify('watchLogs', [modules]);
  }

  /** Undefined while there is no process: for monitoring. */
  get pid(): number | undefined {
    return this.#process?.pid;
  }

  /** Ends every run, with its event, and the keeper; after `patienceMs` at the latest by force. Nothing is left. */
  async close(patienceMs: number): Promise<void> {
    this.#isClosing = true;
    await this.#sweeping;
    const keeper = this.#keeper;
    if (keeper === undefined) return;
    await keeper.close(patienceMs, () => {
      keeper.notify('close', [patienceMs * (1 - reservedPart)]);
      return keeper.ended; // it ends by itself
    });
    this.#cancelLook?.();
    await this.#sweeping;
  }

  #send(call: PendingCall): void {
    if (this.#sweeping !== undefined) {
      this.#pendingCalls.push(call);
      return;
    }
    try {
      // One that is closing answers itself.
      if (this.#isClosing && this.#keeper === undefined) throw new ProblemError('stopping', 'The service is stopping');
      this.#keeper ??= this.#startKeeper();
    } catch (error) {
      call.refuse(error as Error);
      return;
    }
    call.run(this.#keeper);
    this.#look();
  }

  /** As long as something is expected of the keeper. */
  #look(): void {
    const { clock, log } = this.#options;
    this.#cancelLook ??= clock.after(lookMs, () => {
      this.#cancelLook = undefined;
      const isBusy = this.#runs.size > 0 || this.#reads > 0;
      this.#silentLooks = isBusy ? this.#silentLooks + 1 : 0;
      if (this.#keeper === undefined || !isBusy) return;
      this.#look();
      if (this.#silentLooks < maxSilentLooks) return;
      log.error('the keeper of function modules does not respond; killing it');
      this.#process?.kill('SIGKILL');
    });
  }

  #startKeeper(): Keeper {
    const { folder, folderId, cgroupRoot, log, events, clock } = this.#options;
    const code = join(folder, '.code');
    makePrivate(code, log);
    const child = fork(fileURLToPath(new URL('./keeper-process.ts', import.meta.url)), [], {
      // In a session of its own: a Ctrl-C is for the server, which then ends the modules in order.
      detached: true,
      serialization: 'advanced',
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      // A flood of lines is garbage a moment later: without a bound it would fill tens of megabytes first.
      execArgv: ['--max-semi-space-size=1'],
      // What strips the types takes 30 MB, and is not loaded where the compiled code is cached.
      env: { [markName]: keeperMark(folderId), NODE_COMPILE_CACHE: code },
    });
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on('data', (text: Buffer) => log.error(`the keeper of function modules: ${text.toString().trimEnd()}`));
      stream?.on('error', () => {}); // its end is reported
    }
    child.on('message', () => {
      this.#silentLooks = 0;
    });
    child.on('error', (error) => log.error({ err: error }, 'the keeper of function modules'));
    this.#process = child;
    const keeper: Keeper = new WorkerLink<KeeperProcess, KeeperClient>(processPort(child), {
      handlers: {
        started: (run, pid) => {
          const started = this.#runs.get(run);
          if (started === undefined) return;
          this.#runs.set(run, { ...started, isStarted: true });
          events.onStarted(run, pid);
        },
        ended: (run, end) => {
          if (this.#runs.delete(run)) events.onEnded(run, end);
        },
        usage: (usages) => events.onUsage(usages),
        lines: (batch) => {
          for (const lines of batch) events.onLines(lines);
        },
        warning: (module, text) => log.warn({ module }, text),
      },
      onEnd: ({ message }) => this.#lost(keeper, message),
      clock,
    });
    keeper.notify('open', [{ folder, folderId, cgroupRoot }]);
    keeper.notify('watchLogs', [this.#watched]);
    return keeper;
  }

  /** Ends all its runs here, and then reports their ends. */
  #lost(keeper: Keeper, how: string): void {
    if (this.#keeper === keeper) {
      this.#keeper = undefined;
      this.#process = undefined;
    }
    const { log, events } = this.#options;
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
        for (const call of this.#pendingCalls.splice(0)) this.#send(call);
      });
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

/** What does not arrive is answered for when the keeper is gone. */
function processPort(keeper: ChildProcess): WorkerPort {
  return {
    post: (message) => keeper.connected && keeper.send(message as object, undefined, {}, () => {}),
    onMessage: (receive) => void keeper.on('message', receive),
    onEnd: (ended) => void goneOf(keeper).then((how) => ended(new Error(how))),
    kill: () => void keeper.kill('SIGKILL'),
  };
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
