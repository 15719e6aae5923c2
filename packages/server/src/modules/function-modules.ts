// All function modules of the rendering, and what people and programs may ask of them. Each has a supervisor of its
// own, which decides; this finds it, by name or by run, and tells whoever listens.
import {
  type Clock,
  type FunctionModule,
  type FunctionModuleStatus,
  type LiveFunctionModule,
  type LogLine,
  type LogStream,
  ProblemError,
} from '@telltale/schema';
import type { Logger } from 'pino';
import type { Bounds, ModuleLines, ModuleProcesses, ProcessEvents } from './keeper/keeper-protocol.ts';
import { type ModuleConnection, ModuleSupervisor } from './module-supervisor.ts';

export type FunctionModuleListener = (name: string, isRemoved: boolean) => void;

/** The tokens of runs, as access control keeps them. A token is valid from the start of a run until it has ended. */
export interface RunTokens {
  /** `writes` is the property of the module as it was configured, empty where it was not. */
  issue(module: string, writes: string): string;
  /** What it may write from now on. */
  change(token: string, writes: string): void;
  revoke(token: string): void;
}

/** Where a module finds the service. */
export interface ServiceUrls {
  readonly base: string;
  readonly channel: string;
}

export interface FunctionModulesOptions {
  readonly clock: Clock;
  readonly log: Logger;
  readonly processes: ModuleProcesses;
  readonly executables: { pathOf(module: string, path: string | undefined): string };
  readonly tokens: RunTokens;
  readonly urls: () => ServiceUrls;
  readonly boundsOf: (module: FunctionModule) => Bounds;
}

export class FunctionModules {
  readonly #options: FunctionModulesOptions;
  /** Those that are removed too, until they have ended: a name never runs twice at a time. */
  readonly #supervisors = new Map<string, ModuleSupervisor>();
  readonly #listeners: FunctionModuleListener[] = [];
  readonly #lineListeners: ((lines: ModuleLines) => void)[] = [];

  /** What the processes are told through. */
  readonly events: ProcessEvents = {
    onStarted: () => undefined,
    onEnded: () => undefined,
    onUsage: () => undefined,
    onLines: (lines) => {
      for (const listener of this.#lineListeners) listener(lines);
    },
  };

  constructor(options: FunctionModulesOptions) {
    this.#options = options;
  }

  /** Starts what is to run; until then it waits, so that no module finds a service that is not ready. */
  open(): void {}

  /** One call a change. */
  onChange(listener: FunctionModuleListener): void {
    this.#listeners.push(listener);
  }

  /** Of the modules that `watchLogs` named last. */
  onLines(listener: (lines: ModuleLines) => void): void {
    this.#lineListeners.push(listener);
  }

  put(module: FunctionModule): void {
    const known = this.#supervisors.get(module.name);
    this.#supervisors.set(module.name, new ModuleSupervisor(this.#options.clock, module));
    if (known === undefined) this.#tell(module.name, false);
  }

  remove(name: string): void {
    if (this.#supervisors.delete(name)) this.#tell(name, true);
  }

  has(name: string): boolean {
    return this.#supervisors.has(name);
  }

  names(): Iterable<string> {
    return this.#supervisors.keys();
  }

  /** Of one that there is. */
  status(name: string): FunctionModuleStatus {
    return this.#find(name).status();
  }

  /** Of one that there is. */
  live(name: string): LiveFunctionModule {
    return this.#find(name).live();
  }

  /** Resolves when its process is there. Throws `ProblemError`, as the next ones do. */
  async start(name: string): Promise<void> {
    this.#find(name);
  }

  /** Resolves when nothing of it lives any more. */
  async stop(name: string): Promise<void> {
    this.#find(name);
  }

  /** Resolves when its new process is there. */
  async restart(name: string): Promise<void> {
    this.#find(name);
  }

  /** The newest lines, newest last. */
  async readLog(name: string, lines: number, stream: LogStream | undefined): Promise<LogLine[]> {
    this.#find(name);
    return this.#options.processes.readLog({ module: name, lines, stream });
  }

  /** Whose lines go to those who listen, from now on; each call takes the place of the one before. */
  watchLogs(modules: 'all' | readonly string[]): void {
    this.#options.processes.watchLogs(modules);
  }

  /** Other bytes are in its place; `path` is as it was configured when they came. */
  executableReplaced(_name: string, _path: string | undefined): void {}

  /** A connection with the token of the module's run; queries go to the newest. */
  connected(_name: string, _send: (queryId: number) => void): ModuleConnection {
    return { closed: () => undefined };
  }

  /** Whether it answers the query that is open; another is passed over. */
  answered(_name: string, _queryId: number, _status: string | undefined): boolean {
    return false;
  }

  /** Stops all; each has `termToKill`, but no longer than this. Resolves when nothing of them lives any more. */
  async close(_patienceMs: number): Promise<void> {}

  #find(name: string): ModuleSupervisor {
    const supervisor = this.#supervisors.get(name);
    if (supervisor === undefined) throw new ProblemError('unknown-object', `There is no function module ${name}.`);
    return supervisor;
  }

  #tell(name: string, isRemoved: boolean): void {
    for (const listener of this.#listeners) listener(name, isRemoved);
  }
}
