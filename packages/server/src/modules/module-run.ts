// One run of a module, from its start until all of its processes have ended: its token, its liveness, and why it is
// stopped. What comes before and after is the supervisor's.
import type { Clock, FunctionModule } from '@telltale/schema';
import type { Executables } from './executables.ts';
import type { Bounds, ModuleProcesses, RunEnd, Usage } from './keeper/keeper-protocol.ts';
import { Liveness, type ModuleConnection } from './liveness.ts';
import type { ModuleDefinition } from './module-definition.ts';
import { moduleEnvironment, type ServiceUrls } from './module-environment.ts';

/** The tokens of runs, stored by access control. A token is valid from the start of a run until it has ended. */
export interface RunTokens {
  /** `writes` and `reads` are the properties of the module as they were configured, empty where they were not. */
  issue(module: string, writes: string, reads: string): string;
  /** What it may write from now on. */
  change(token: string, writes: string, reads: string): void;
  revoke(token: string): void;
}

export interface RunOptions {
  readonly clock: Clock;
  readonly processes: ModuleProcesses;
  readonly executables: Pick<Executables, 'pathOf' | 'uploadedAs' | 'check'>;
  readonly tokens: RunTokens;
  readonly urls: () => ServiceUrls;
  readonly boundsOf: (module: FunctionModule) => Bounds;
  readonly nextQueryId: () => number;
}

export interface RunEvents {
  /** Its state has changed on its own. */
  readonly onReady: () => void;
  readonly onSilent: (reason: string) => void;
}

/** Why it was asked to end: to rest, to be restarted, or because it was silent, for the reason given. */
export type Ending = 'stop' | 'restart' | { readonly silent: string };

export class ModuleRun {
  readonly id: number;
  readonly #options: RunOptions;
  readonly #token: string;
  readonly #liveness: Liveness;
  #module: FunctionModule;
  #ending: Ending | undefined;
  #isReady = false;
  pid: number | undefined;
  usage: Usage | undefined;

  constructor(id: number, { module }: ModuleDefinition, options: RunOptions, { onReady, onSilent }: RunEvents) {
    this.id = id;
    this.#module = module;
    this.#options = options;
    this.#token = options.tokens.issue(module.name, ...listsOf(module));
    this.#liveness = new Liveness({
      clock: options.clock,
      timeoutMs: module.queryTimeout,
      nextQueryId: options.nextQueryId,
      onReady: () => {
        this.#isReady = true;
        onReady();
      },
      onSilent,
    });
  }

  get isReady(): boolean {
    return this.#isReady;
  }

  /** Undefined while it has not been asked to end. */
  get ending(): Ending | undefined {
    return this.#ending;
  }

  launch(sha256: string | undefined): void {
    const { processes, executables, urls, boundsOf } = this.#options;
    const { name, executable, termToKill: termToKillMs } = this.#module;
    processes.start({
      run: this.id,
      module: name,
      executable: executables.pathOf(name, executable),
      uploaded: executables.uploadedAs(name, executable),
      sha256,
      env: moduleEnvironment(this.#module, urls(), this.#token),
      bounds: boundsOf(this.#module),
      termToKillMs,
    });
  }

  /** Its process is there. */
  started(pid: number): void {
    this.pid = pid;
    if (this.#ending !== undefined) return;
    if (this.#module.queryTimeout === 0) this.#isReady = true;
    this.#liveness.begin();
  }

  /** Takes over what needs no other run. */
  change(module: FunctionModule): void {
    const before = this.#module;
    this.#module = module;
    this.#options.tokens.change(this.#token, ...listsOf(module));
    if (before.queryTimeout === module.queryTimeout || this.#ending !== undefined) return;
    if (module.queryTimeout === 0 && this.pid !== undefined) this.#isReady = true;
    this.#liveness.setTimeoutMs(module.queryTimeout);
  }

  connected(send: (queryId: number) => void): ModuleConnection {
    return this.#liveness.connected(send);
  }

  answered(queryId: number): boolean {
    return this.#liveness.answered(queryId);
  }

  /** SIGKILL comes after its termToKill, or earlier where less time is left; one that is asked again gets no more time. */
  end(ending: Ending, patienceMs = Number.POSITIVE_INFINITY): void {
    const isEnding = this.#ending !== undefined;
    this.#ending = ending;
    if (ending !== 'stop') this.#isReady = false;
    this.#liveness.end();
    if (isEnding && patienceMs === Number.POSITIVE_INFINITY) return;
    this.#options.processes.stop(this.id, Math.min(this.#module.termToKill, patienceMs));
  }

  /** None of its processes is alive. */
  over(): void {
    this.#liveness.end();
    this.#options.tokens.revoke(this.#token);
  }
}

/** What it may write and read. */
function listsOf({ properties }: FunctionModule): [writes: string, reads: string] {
  return [properties?.writes ?? '', properties?.reads ?? ''];
}

/** Undefined where it ended well; goes after the name of the module. */
export function failureOf(end: RunEnd): string | undefined {
  if (end.kind === 'notStarted') return `could not be started: ${end.reason.replace(/\.$/, '')}`;
  const reason = end.reason === undefined ? '' : `: ${end.reason.replace(/\.$/, '')}`;
  if (end.signal !== undefined) return `was ended by ${end.signal}${reason}`;
  return end.code === 0 && reason === '' ? undefined : `ended with exit code ${end.code}${reason}`;
}
