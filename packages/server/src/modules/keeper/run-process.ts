// One run of a module, from the copy of its executable to the end of the last of its processes.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import type { LogLine, LogStream } from '@telltale/schema';
import type { Clock } from '@telltale/schema/values';
import type { Census } from './census.ts';
import type { Cgroups, CgroupUsage, RunCgroup } from './cgroup.ts';
import { type Confinement, confine } from './confine.ts';
import type { Launch, RunEnd, Usage } from './keeper-protocol.ts';
import type { Machine } from './machine.ts';
import { ModuleLog, stampsOf } from './module-log.ts';
import { isOwnUser } from './module-user.ts';
import { NotStarted, prepareRun, systemRefused } from './prepare-run.ts';
import { markName, readProcess, signalProcess } from './process-table.ts';
import { runMark } from './sweep.ts';

export interface RunOptions {
  readonly launch: Launch;
  /** Of the module. */
  readonly folder: string;
  readonly folderId: string;
  readonly machine: Machine;
  /** Where the machine has them. */
  readonly cgroups: Cgroups | undefined;
  readonly census: Census;
  readonly clock: Clock;
  readonly onStarted: (pid: number) => void;
  readonly onLines: (lines: readonly LogLine[]) => void;
  /** What cannot be held here, in sentences for the log. */
  readonly onMissing: (sentences: readonly string[]) => void;
}

/** Between two looks at what is left of a run. */
const [firstPauseMs, longestPauseMs] = [20, 500];
/** What is in the pipes when nothing lives any more is read; a process that nobody knows of may hold them open. */
const lastOutputMs = 2000;

export class RunProcess {
  readonly #options: RunOptions;
  #child: ChildProcess | undefined;
  #cgroup: RunCgroup | undefined;
  /** The first process has ended, and its number may soon be another's. */
  #hasExited = false;
  #killDueMs = Number.POSITIVE_INFINITY;
  #isKilling = false;
  #takeBackKill = () => {};
  #watchedMemoryBytes = Number.POSITIVE_INFINITY;
  #reason: string | undefined;

  constructor(options: RunOptions) {
    this.#options = options;
  }

  get launch(): Launch {
    return this.#options.launch;
  }

  /** Resolves when nothing of it lives any more. Rejects where the keeper cannot go on. */
  async run(): Promise<RunEnd> {
    const { launch, census } = this.#options;
    try {
      const child = await this.#start();
      const output = this.#keepOutput(child);
      const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
      this.#hasExited = true;
      await this.#endRest();
      await this.#endOutput(output);
      const end = { kind: 'ended', code: code ?? undefined, signal: signal ?? undefined } as const;
      return this.#reason === undefined ? end : { ...end, reason: this.#reason };
    } catch (error) {
      if (!(error instanceof NotStarted)) throw error;
      return { kind: 'notStarted', reason: error.message, mayPass: error.mayPass };
    } finally {
      this.#takeBackKill();
      census.remove(launch.run);
      await this.#cgroup?.remove();
    }
  }

  async groupUsage(): Promise<CgroupUsage | undefined> {
    return this.#child === undefined ? undefined : this.#cgroup?.usage();
  }

  /** Ends it where it has more than it may, and the system does not hold it. */
  judge({ memoryBytes }: Usage): void {
    if (memoryBytes <= this.#watchedMemoryBytes || this.#reason !== undefined) return;
    const [has, may] = [memoryBytes, this.#watchedMemoryBytes].map((bytes) => Math.ceil(bytes / 2 ** 20));
    this.#reason = `it was ended since its processes had ${has} MiB of memory, and its memoryLimit is ${may} MiB`;
    this.stop(0);
  }

  /** Again with less time: sooner. With more: no later. */
  stop(termToKillMs: number): void {
    const { clock } = this.#options;
    const dueMs = clock.monotonicMs() + termToKillMs;
    if (dueMs >= this.#killDueMs) return;
    const isFirst = this.#killDueMs === Number.POSITIVE_INFINITY;
    this.#killDueMs = dueMs;
    this.#takeBackKill();
    if (termToKillMs <= 0) this.#kill();
    else {
      if (isFirst) this.#signal('SIGTERM');
      this.#takeBackKill = clock.after(termToKillMs, () => this.#kill());
    }
  }

  #kill(): void {
    this.#isKilling = true;
    if (this.#child !== undefined) this.#cgroup?.kill();
    this.#signal('SIGKILL');
  }

  async #start(): Promise<ChildProcess> {
    const { launch, folder, folderId, census, onStarted, onMissing } = this.#options;
    const { home, executable, missing } = await prepareRun(folder, launch);
    const mark = runMark(folderId, launch.run);
    this.#cgroup = await this.#makeGroup(mark);
    if (this.#killDueMs < Number.POSITIVE_INFINITY) throw new NotStarted('it was stopped before it was started');
    onMissing(missing);
    const child = this.#spawn(executable, home, { HOME: home, ...launch.env, [markName]: mark });
    if (child.pid === undefined) {
      const [error] = await once(child, 'error');
      throw systemRefused(error, launch.executable);
    }
    child.on('error', () => {}); // of signals, which are sent otherwise
    this.#child = child;
    const uid = launch.bounds.user?.uid;
    census.add(launch.run, readProcess(child.pid), uid !== undefined && isOwnUser(uid) ? uid : undefined);
    onStarted(child.pid);
    return child;
  }

  async #makeGroup(name: string): Promise<RunCgroup | undefined> {
    const { launch, cgroups, onMissing } = this.#options;
    return cgroups?.make(name, launch.bounds).catch((error: Error) => {
      onMissing([`${launch.module} has no control group: ${error.message}.`]);
      return undefined;
    });
  }

  #spawn(executable: string, home: string, env: Record<string, string>): ChildProcess {
    const { machine, launch, onMissing } = this.#options;
    const confinement = confine(machine, launch, { executable, held: this.#cgroup?.held ?? new Set() });
    onMissing(confinement.missing);
    this.#watchedMemoryBytes = confinement.watchedMemoryBytes ?? Number.POSITIVE_INFINITY;
    if (this.#cgroup === undefined) return spawnRun(confinement, home, env);
    let child: ChildProcess | undefined;
    try {
      return this.#cgroup.place(() => {
        child = spawnRun(confinement, home, env);
        return child;
      });
    } catch (error) {
      // A keeper that cannot leave the group of a run would be ended with it: then rather now, as a mistake.
      if (error instanceof NotStarted || child !== undefined) throw error;
      onMissing([`${launch.module} cannot be put into its control group: ${(error as Error).message}.`]);
      this.#cgroup.remove();
      this.#cgroup = undefined;
      return this.#spawn(executable, home, env);
    }
  }

  #keepOutput(child: ChildProcess): { stream: Readable; closed: Promise<void> }[] {
    const { folder, clock, onLines } = this.#options;
    const stamp = stampsOf(clock);
    return (['out', 'err'] as const satisfies LogStream[]).map((name) => {
      const stream = (name === 'out' ? child.stdout : child.stderr) as Readable;
      const log = new ModuleLog({
        folder: join(folder, 'log'),
        stream: name,
        clock,
        stamp,
        onDrain: () => stream.resume(),
      });
      log.watch(onLines);
      stream.on('data', (chunk: Buffer) => {
        if (!log.write(chunk)) stream.pause();
      });
      stream.on('error', () => {}); // it closes as well
      const closed = new Promise<void>((resolve) => {
        stream.once('close', () => {
          log.end();
          resolve();
        });
      });
      return { stream, closed };
    });
  }

  /** Whatever the first process left behind. */
  async #endRest(): Promise<void> {
    const { launch, census } = this.#options;
    // Twice, since a process that was starting another may not have been seen with it.
    for (let clean = 0, pauseMs = firstPauseMs; clean < 2; ) {
      const members = (await census.take()).get(launch.run) ?? [];
      clean = members.length === 0 ? clean + 1 : 0;
      if (clean > 0) continue;
      this.stop(launch.termToKillMs);
      if (this.#isKilling) for (const each of members) signalProcess(each, 'SIGKILL');
      await this.#pause(pauseMs);
      pauseMs = Math.min(pauseMs * 1.5, longestPauseMs);
    }
  }

  async #endOutput(output: readonly { stream: Readable; closed: Promise<void> }[]): Promise<void> {
    const takeBack = this.#options.clock.after(lastOutputMs, () => {
      for (const { stream } of output) stream.destroy();
    });
    await Promise.all(output.map(({ closed }) => closed));
    takeBack();
  }

  /** To the group of the first process, which nothing leaves by starting another, and to all others of the run. */
  async #signal(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    const { launch, census } = this.#options;
    const group = this.#hasExited ? undefined : this.#child?.pid;
    if (group !== undefined) signalGroup(group, signal);
    if (this.#child === undefined) return;
    for (const each of (await census.take()).get(launch.run) ?? []) {
      if (each.group === group) continue;
      signalProcess(each, signal);
      if (signal === 'SIGTERM') signalProcess(each, 'SIGCONT');
    }
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => this.#options.clock.after(ms, resolve));
  }
}

/** Nothing is inherited but the environment that is given, and no handle but for 0, 1 and 2. */
function spawnRun(confinement: Confinement, home: string, env: Record<string, string>): ChildProcess {
  const { command, args, options } = confinement;
  try {
    return spawn(command, args, { ...options, cwd: home, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  } catch (error) {
    throw systemRefused(error, command);
  }
}

function signalGroup(group: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-group, signal);
    // One that is halted would not hear of the end.
    if (signal === 'SIGTERM') process.kill(-group, 'SIGCONT');
  } catch {
    // all of it has ended
  }
}
