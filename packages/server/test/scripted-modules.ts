// Function modules without supervisors: tests say how they are, and see what was asked of them.
import {
  type FunctionModuleState,
  type FunctionModuleStatus,
  type LiveFunctionModule,
  type LogLine,
  type LogStream,
  ProblemError,
} from '@telltale/schema';
import type { FunctionModuleListener, FunctionModules, ModuleConnection, ModuleLines } from '../src/modules/index.ts';

/** What the interfaces ask of function modules. */
export type ServedFacade = Pick<
  FunctionModules,
  | 'has'
  | 'names'
  | 'areaOf'
  | 'status'
  | 'live'
  | 'start'
  | 'stop'
  | 'restart'
  | 'readLog'
  | 'watchLogs'
  | 'onLines'
  | 'onChange'
  | 'executableReplaced'
  | 'connected'
  | 'answered'
>;

export interface ScriptedConnection {
  readonly module: string;
  readonly send: (queryId: number) => void;
  closed: number;
}

export class ScriptedModules implements ServedFacade {
  /** What was asked, in order. */
  readonly asked: string[] = [];
  readonly connections: ScriptedConnection[] = [];
  /** What start, stop and restart wait for. */
  gate: Promise<void> = Promise.resolve();
  log: LogLine[] = [];
  watchedLogs: 'all' | readonly string[] = [];
  openQuery = 0;
  readonly #states = new Map<string, FunctionModuleState>();
  readonly #listeners: FunctionModuleListener[] = [];
  readonly #lineListeners: ((lines: ModuleLines) => void)[] = [];

  constructor(names: readonly string[] = ['loop', 'broken', '__proto__', 'a']) {
    for (const name of names) this.#states.set(name, 'STOP');
  }

  set(name: string, state: FunctionModuleState): void {
    this.#states.set(name, state);
    for (const listener of this.#listeners) listener(name, false);
  }

  remove(name: string): void {
    for (const listener of this.#listeners) listener(name, true);
    this.#states.delete(name);
  }

  /** As the keeper hands them on: of those that are watched. */
  print(module: string, texts: readonly string[], skipped = 0): void {
    if (this.watchedLogs !== 'all' && !this.watchedLogs.includes(module)) return;
    const lines = texts.map((text): LogLine => ({ t: [1_700_000_000, 1], stream: 'out', text }));
    for (const listener of this.#lineListeners) listener({ module, lines, skipped });
  }

  has(name: string): boolean {
    return this.#states.has(name);
  }

  areaOf(name: string): string | undefined {
    return this.has(name) ? '' : undefined;
  }

  names(): Iterable<string> {
    return this.#states.keys();
  }

  status(name: string): FunctionModuleStatus {
    return {
      name,
      state: this.#states.get(name) ?? 'STOP',
      since: [1_700_000_000, 0],
      pid: null,
      restarts: 0,
      'exit-code': 3,
      'exit-signal': null,
      'last-error': { text: 'it ended', t: [1_700_000_000, 0] },
      'next-start': null,
      status: null,
    };
  }

  live(name: string): LiveFunctionModule {
    const usage = { cpu: null, memory: null, processes: null };
    return { ...this.status(name), enabled: true, 'run-mode': 'service', ...usage };
  }

  start(name: string): Promise<void> {
    return this.#operate('start', name);
  }

  stop(name: string): Promise<void> {
    return this.#operate('stop', name);
  }

  restart(name: string): Promise<void> {
    return this.#operate('restart', name);
  }

  async readLog(name: string, lines: number, stream: LogStream | undefined): Promise<LogLine[]> {
    this.asked.push(`log ${name} ${lines} ${stream}`);
    return this.log;
  }

  watchLogs(modules: 'all' | readonly string[]): void {
    this.watchedLogs = modules;
    this.asked.push(`watch ${modules}`);
  }

  onLines(listener: (lines: ModuleLines) => void): void {
    this.#lineListeners.push(listener);
  }

  onChange(listener: FunctionModuleListener): void {
    this.#listeners.push(listener);
  }

  executableReplaced(name: string, path: string | undefined): void {
    this.asked.push(`replaced ${name} ${path}`);
  }

  connected(module: string, send: (queryId: number) => void): ModuleConnection {
    const connection = { module, send, closed: 0 };
    this.connections.push(connection);
    return {
      closed: () => {
        connection.closed++;
      },
    };
  }

  answered(name: string, queryId: number, status: string | undefined): boolean {
    this.asked.push(`answer ${name} ${queryId} ${status}`);
    return queryId === this.openQuery;
  }

  async #operate(operation: string, name: string): Promise<void> {
    this.asked.push(`${operation} ${name}`);
    await this.gate;
    if (name === 'broken') throw new ProblemError('module-failed', 'broken has no executable.');
  }
}
