// Function modules over processes that exist on paper only: tests say what becomes of them, and read what was asked.
import assert from 'node:assert/strict';
import type { FunctionModule } from '@telltale/schema';
import { ManualClock } from '@telltale/schema/testing';
import { pino } from 'pino';
import { FunctionModules, type RunTokens } from '../src/modules/index.ts';
import type { Launch, LogRequest, ModuleProcesses, RunEnd } from '../src/modules/keeper/keeper-protocol.ts';

/** A process on paper, from its start until a test ends it. */
export interface PaperRun {
  readonly launch: Launch;
  isStarted: boolean;
  /** The milliseconds of each `stop`. */
  readonly stops: number[];
}

export class PaperProcesses implements ModuleProcesses {
  /** Every start that there ever was. */
  readonly launches: Launch[] = [];
  readonly alive = new Map<string, PaperRun>();
  readonly logRequests: LogRequest[] = [];
  watched: 'all' | readonly string[] = [];

  start(launch: Launch): void {
    assert.equal(this.alive.has(launch.module), false, `${launch.module} runs twice`);
    assert.equal(
      this.launches.some(({ run }) => run === launch.run),
      false,
      `run ${launch.run} is used twice`,
    );
    this.launches.push(launch);
    this.alive.set(launch.module, { launch, isStarted: false, stops: [] });
  }

  stop(run: number, termToKillMs: number): void {
    const found = [...this.alive.values()].find(({ launch }) => launch.run === run);
    assert.ok(found, `run ${run} is stopped, and does not live`);
    found.stops.push(termToKillMs);
  }

  async readLog(request: LogRequest): Promise<[]> {
    this.logRequests.push(request);
    return [];
  }

  watchLogs(modules: 'all' | readonly string[]): void {
    this.watched = modules;
  }
}

export class PaperTokens implements RunTokens {
  readonly valid = new Map<string, string>();
  issued = 0;

  issue(module: string, writes: string): string {
    const token = `token-${module}-${++this.issued}`;
    this.valid.set(token, writes);
    return token;
  }

  change(token: string, writes: string): void {
    assert.ok(this.valid.has(token));
    this.valid.set(token, writes);
  }

  revoke(token: string): void {
    assert.ok(this.valid.delete(token), `${token} is revoked twice`);
  }
}

/** What every executable was when it was uploaded. */
export const uploaded = { bytes: 3, sha256: 'cd'.repeat(32) };

export class ModuleBench {
  readonly clock = new ManualClock();
  readonly processes = new PaperProcesses();
  readonly tokens = new PaperTokens();
  readonly modules: FunctionModules;
  readonly changes: string[] = [];
  readonly lines: string[] = [];

  constructor() {
    this.modules = new FunctionModules({
      clock: this.clock,
      log: pino({ level: 'debug', base: null }, { write: (line: string) => this.lines.push(JSON.parse(line).msg) }),
      processes: this.processes,
      executables: {
        pathOf: (module, path = 'executable') => `/executables/${module}/${path}`,
        uploadedAs: () => [uploaded],
        check: async () => undefined,
      },
      tokens: this.tokens,
      urls: () => ({ base: 'http://127.0.0.1:8080/data', channel: 'ws://127.0.0.1:8080/data/ws' }),
      boundsOf: () => ({ user: undefined, memoryBytes: undefined, cpuCores: undefined, maxProcesses: undefined }),
    });
    this.modules.onChange((name, isRemoved) => {
      const { state } = this.modules.status(name);
      assert.equal(this.modules.has(name), !isRemoved);
      this.changes.push(`${name} ${isRemoved ? `removed in ${state}` : state}`);
    });
  }

  /** Ready, with the module as it is put. */
  static with(fields: Partial<FunctionModule> = {}): ModuleBench {
    const bench = new ModuleBench();
    bench.modules.open();
    bench.put(fields);
    return bench;
  }

  put(fields: Partial<FunctionModule> = {}): void {
    this.modules.put({ name: 'loop', termToKill: 2000, queryTimeout: 0, ...fields });
  }

  state(name = 'loop'): string {
    return this.modules.status(name).state;
  }

  /** How often it was started so far. */
  starts(name = 'loop'): number {
    return this.processes.launches.filter(({ module }) => module === name).length;
  }

  /** The one that lives. */
  run(name = 'loop'): PaperRun {
    const run = this.processes.alive.get(name);
    assert.ok(run, `${name} does not run`);
    return run;
  }

  started(name = 'loop'): void {
    const run = this.run(name);
    run.isStarted = true;
    this.modules.events.onStarted(run.launch.run, 1000 + run.launch.run);
  }

  ended(end: Partial<{ code: number; signal: string; reason: string }> = { code: 0 }, name = 'loop'): void {
    this.#over(name, { kind: 'ended', code: undefined, signal: undefined, ...end });
  }

  notStarted(reason: string, mayPass = false, name = 'loop'): void {
    this.#over(name, { kind: 'notStarted', reason, mayPass });
  }

  /** Starts what waits to be, and ends it at once. */
  fails(code = 1, name = 'loop'): void {
    this.started(name);
    this.ended({ code }, name);
  }

  #over(name: string, end: RunEnd): void {
    const { launch } = this.run(name);
    this.processes.alive.delete(name);
    this.modules.events.onEnded(launch.run, end);
  }
}
