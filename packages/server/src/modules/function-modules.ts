// All function modules of the rendering, and their operations. Each has a supervisor of its own, which decides; this
// finds it, by name or by run, and notifies the listeners.
import {
  type FunctionModule,
  type FunctionModuleStatus,
  type LiveFunctionModule,
  type LogLine,
  type LogStream,
  ProblemError,
} from '@telltale/schema';
import type { Logger } from 'pino';
import type { ModuleLines, ProcessEvents } from './keeper/keeper-protocol.ts';
import type { ModuleConnection } from './liveness.ts';
import type { RunOptions } from './module-run.ts';
import { ModuleSupervisor } from './module-supervisor.ts';

export type FunctionModuleListener = (name: string, isRemoved: boolean) => void;

export interface FunctionModulesOptions extends Omit<RunOptions, 'nextQueryId'> {
  readonly log: Logger;
}

export class FunctionModules {
  readonly #options: FunctionModulesOptions;
  /** Those that are removed too, until they have ended: a name never runs twice at a time. */
  readonly #supervisors = new Map<string, ModuleSupervisor>();
  readonly #runs = new Map<number, ModuleSupervisor>();
  readonly #listeners: FunctionModuleListener[] = [];
  readonly #lineListeners: ((lines: ModuleLines) => void)[] = [];
  #phase: 'before' | 'open' | 'closed' = 'before';
  #lastRun = 0;
  #lastQuery = 0;

  /** Where the processes are controlled. */
  readonly events: ProcessEvents = {
    onStarted: (run, pid) => this.#runs.get(run)?.processStarted(run, pid),
    onEnded: (run, end) => {
      const supervisor = this.#runs.get(run);
      this.#runs.delete(run);
      supervisor?.processEnded(run, end);
      if (supervisor !== undefined) this.#forget(supervisor);
    },
    onUsage: (usages) => {
      for (const [run, usage] of usages) this.#runs.get(run)?.used(run, usage);
    },
    onLines: (lines) => {
      for (const listener of this.#lineListeners) listener(lines);
    },
  };

  constructor(options: FunctionModulesOptions) {
    this.#options = options;
  }

  /** Starts the modules; not before, so that no module finds a service that is not ready. */
  open(): void {
    if (this.#phase !== 'before') return;
    this.#phase = 'open';
    for (const supervisor of this.#supervisors.values()) supervisor.open();
  }

  /** Stops all, until `open`; each has `termToKill`, but no longer than this. Resolves when none of their processes is alive. */
  async hold(patienceMs: number): Promise<void> {
    if (this.#phase !== 'open') return;
    this.#phase = 'before';
    const supervisors = [...this.#supervisors.values()];
    await Promise.all(supervisors.map((supervisor) => supervisor.hold(patienceMs)));
    if (this.#phase !== 'before') return;
    for (const supervisor of this.#supervisors.values()) supervisor.wait();
  }

  onChange(listener: FunctionModuleListener): void {
    this.#listeners.push(listener);
  }

  /** Of the modules that `watchLogs` named last. */
  onLines(listener: (lines: ModuleLines) => void): void {
    this.#lineListeners.push(listener);
  }

  put(module: FunctionModule): void {
    const supervisor = this.#supervisors.get(module.name) ?? this.#supervise(module.name);
    supervisor.put(module);
  }

  remove(name: string): void {
    const supervisor = this.#configured(name);
    if (supervisor === undefined) return;
    supervisor.remove();
    this.#notify(name, true);
    this.#forget(supervisor);
  }

  has(name: string): boolean {
    return this.#configured(name) !== undefined;
  }

  /** The area that it is in; empty: in none. Undefined where there is no such module. */
  areaOf(name: string): string | undefined {
    return this.#configured(name)?.area;
  }

  *names(): Iterable<string> {
    for (const { name, isRemoved } of this.#supervisors.values()) if (!isRemoved) yield name;
  }

  /** Of one that there is, or that is being removed; throws `ProblemError`, as the next ones do. */
  status(name: string): FunctionModuleStatus {
    return (this.#supervisors.get(name) ?? this.#find(name)).status();
  }

  live(name: string): LiveFunctionModule {
    return this.#find(name).live();
  }

  /** Resolves when its process is there. */
  async start(name: string): Promise<void> {
    return this.#find(name).start();
  }

  /** Resolves when none of its processes is alive; it stays stopped until an operator acts, or the service restarts. */
  async stop(name: string): Promise<void> {
    return this.#find(name).stop();
  }

  /** Resolves when its new process is there. */
  async restart(name: string): Promise<void> {
    return this.#find(name).restart();
  }

  /** The newest lines, newest last. */
  async readLog(name: string, lines: number, stream: LogStream | undefined): Promise<LogLine[]> {
    this.#find(name);
    return this.#options.processes.readLog({ module: name, lines, stream });
  }

  /** The modules whose lines go to the listeners, from now on; each call replaces the one before. */
  watchLogs(modules: 'all' | readonly string[]): void {
    this.#options.processes.watchLogs(modules);
  }

  /** Its bytes were replaced; `path` is what `executable` said when they arrived. */
  executableReplaced(name: string, path: string | undefined): void {
    this.#configured(name)?.executableReplaced(path);
  }

  /** A connection with the token of the module's run; queries go to the newest. One that comes too late is not asked. */
  connected(name: string, send: (queryId: number) => void): ModuleConnection {
    return this.#configured(name)?.connected(send) ?? { closed: () => undefined };
  }

  /** Whether it answers the query that is open; another is passed over. */
  answered(name: string, queryId: number, status: string | undefined): boolean {
    return this.#configured(name)?.answered(queryId, status) ?? false;
  }

  /** Stops all; each has `termToKill`, but no longer than this. Resolves when none of their processes is alive. */
  async close(patienceMs: number): Promise<void> {
    this.#phase = 'closed';
    await Promise.all(Array.from(this.#supervisors.values(), (supervisor) => supervisor.close(patienceMs)));
  }

  #supervise(name: string): ModuleSupervisor {
    const supervisor: ModuleSupervisor = new ModuleSupervisor(name, {
      ...this.#options,
      phase: () => this.#phase,
      nextRunId: () => {
        this.#runs.set(++this.#lastRun, supervisor);
        return this.#lastRun;
      },
      nextQueryId: () => ++this.#lastQuery,
      onChange: () => this.#notify(name, false),
    });
    this.#supervisors.set(name, supervisor);
    return supervisor;
  }

  /** One that is removed, as soon as none of its processes is alive. */
  #forget(supervisor: ModuleSupervisor): void {
    if (supervisor.isRemoved && !supervisor.isRunning) this.#supervisors.delete(supervisor.name);
  }

  #configured(name: string): ModuleSupervisor | undefined {
    const supervisor = this.#supervisors.get(name);
    return supervisor?.isRemoved ? undefined : supervisor;
  }

  #find(name: string): ModuleSupervisor {
    const supervisor = this.#configured(name);
    if (supervisor === undefined) throw new ProblemError('unknown-object', `There is no function module ${name}.`);
    return supervisor;
  }

  #notify(name: string, isRemoved: boolean): void {
    for (const listener of this.#listeners) listener(name, isRemoved);
  }
}
