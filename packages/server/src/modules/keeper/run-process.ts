// One run of a module, from the copy of its executable to the end of the last of its processes.
import { type ChildProcess, execFile, type SpawnOptions, type StdioOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import type { LogLine } from '@telltale/schema';
import type { Clock } from '@telltale/schema/values';
import type { Census } from './census.ts';
import type { Cgroups, CgroupUsage, RunCgroup } from './cgroup.ts';
import { type Confinement, confine } from './confine.ts';
import type { Launch, RunEnd, Usage } from './keeper-protocol.ts';
import type { Machine } from './machine.ts';
import { isOwnUser } from './module-user.ts';
import { openPipes } from './output-pipes.ts';
import { NotStarted, prepareRun, systemRefused } from './prepare-run.ts';
import { markName, readProcess, signalProcess } from './process-table.ts';
import { RunOutput } from './run-output.ts';
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

export class RunProcess {
  readonly #options: RunOptions;
  #child: ChildProcess | undefined;
  #cgroup: RunCgroup | undefined;
  /** The first process has ended, and its number may soon be another's. */
  #hasExited = false;
  #killDueMs = Number.POSITIVE_INFINITY;
  #isKilling = false;
  #cancelKill = () => {};
  #watchedMemoryBytes = Number.POSITIVE_INFINITY;
  #reason: string | undefined;

  constructor(options: RunOptions) {
    this.#options = options;
  }

  get launch(): Launch {
    return this.#options.launch;
  }

  /** Resolves when none of its processes is alive. Rejects where the keeper cannot go on. */
  async run(): Promise<RunEnd> {
    const { launch, census } = this.#options;
    try {
      const { child, output } = await this.#start();
      const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
      this.#hasExited = true;
      await this.#endRest();
      await output.end();
      if (signal === 'SIGKILL' && (await this.#cgroup?.ranOutOfMemory())) {
        this.#reason ??= 'its processes needed more memory than its memoryLimit allows';
      }
      const end = { kind: 'ended', code: code ?? undefined, signal: signal ?? undefined } as const;
      return this.#reason === undefined ? end : { ...end, reason: this.#reason };
    } catch (error) {
      if (!(error instanceof NotStarted)) throw error;
      return { kind: 'notStarted', reason: error.message, mayPass: error.mayPass };
    } finally {
      this.#cancelKill();
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
    this.#reason = `its processes had ${has} MiB of memory, and its memoryLimit is ${may} MiB`;
    this.stop(0);
  }

  /** Again with less time: sooner. With more: no later. */
  stop(termToKillMs: number): void {
    const { clock } = this.#options;
    const dueMs = clock.monotonicMs() + termToKillMs;
    if (dueMs >= this.#killDueMs) return;
    const isFirst = this.#killDueMs === Number.POSITIVE_INFINITY;
    this.#killDueMs = dueMs;
    this.#cancelKill();
    if (termToKillMs <= 0) this.#kill();
    else {
      if (isFirst) this.#signal('SIGTERM');
      this.#cancelKill = clock.after(termToKillMs, () => this.#kill());
    }
  }

  #kill(): void {
    this.#isKilling = true;
    if (this.#child !== undefined) this.#cgroup?.kill();
    this.#signal('SIGKILL');
  }

  async #start(): Promise<{ child: ChildProcess; output: RunOutput }> {
    const { launch, folder, folderId, census, clock, onStarted, onLines, onMissing } = this.#options;
    const { user } = launch.bounds;
    const { home, executable, missing } = await prepareRun(folder, launch);
    onMissing(missing);
    const mark = runMark(folderId, launch.run);
    this.#cgroup = await this.#makeGroup(mark);
    const pipes = await openPipes(folder, user);
    let child: ChildProcess;
    try {
      if (this.#killDueMs < Number.POSITIVE_INFINITY) throw new NotStarted('it was stopped before it was started');
      const stdio: StdioOptions = ['ignore', ...(pipes?.writeEnds ?? (['pipe', 'pipe'] as const))];
      child = this.#spawn(executable, { cwd: home, env: { HOME: home, ...launch.env, [markName]: mark }, stdio });
      if (child.pid === undefined) throw systemRefused((await once(child, 'error'))[0], launch.executable);
    } catch (error) {
      for (const each of pipes?.outputs ?? []) each.destroy();
      throw error;
    } finally {
      for (const each of pipes?.writeEnds ?? []) closeSync(each);
    }
    child.on('error', () => {}); // of signals, which are sent otherwise
    this.#child = child;
    census.add(launch.run, readProcess(child.pid), user !== undefined && isOwnUser(user.uid) ? user.uid : undefined);
    onStarted(child.pid);
    const [out, err] = pipes?.outputs ?? [child.stdout as Readable, child.stderr as Readable];
    return { child, output: new RunOutput({ folder: join(folder, 'log'), clock, out, err, onLines }) };
  }

  async #makeGroup(name: string): Promise<RunCgroup | undefined> {
    const { launch, cgroups, onMissing } = this.#options;
    return cgroups?.make(name, launch.bounds).catch((error: Error) => {
      onMissing([`${launch.module} has no control group: ${error.message}.`]);
      return undefined;
    });
  }

  #spawn(executable: string, options: SpawnOptions): ChildProcess {
    const { machine, launch, onMissing } = this.#options;
    const confinement = confine(machine, launch, { executable, held: this.#cgroup?.held ?? new Set() });
    onMissing(confinement.missing);
    this.#watchedMemoryBytes = confinement.watchedMemoryBytes ?? Number.POSITIVE_INFINITY;
    if (this.#cgroup === undefined) return spawnRun(confinement, options);
    let child: ChildProcess | undefined;
    try {
      return this.#cgroup.place(() => {
        child = spawnRun(confinement, options);
        return child;
      });
    } catch (error) {
      // A keeper that cannot leave the group of a run would be ended with it: then rather now, as a mistake.
      if (error instanceof NotStarted || child !== undefined) throw error;
      onMissing([`${launch.module} cannot be put into its control group: ${(error as Error).message}.`]);
      this.#cgroup.remove();
      this.#cgroup = undefined;
      return this.#spawn(executable, options);
    }
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
    // One that goes on under ever new numbers is never seen. The system ends it where it knows what belongs together.
    const { user } = launch.bounds;
    if (this.#cgroup !== undefined) await this.#cgroup.kill();
    else if (user !== undefined && isOwnUser(user.uid)) await endAllOf(user);
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
function spawnRun({ command, args, options: user }: Confinement, options: SpawnOptions): ChildProcess {
  try {
    return spawn(command, args, { ...options, ...user, detached: true });
  } catch (error) {
    throw systemRefused(error, command);
  }
}

/** All processes of this user, at once: a signal to all reaches only those of the sender's user. */
function endAllOf({ uid, gid }: NonNullable<Launch['bounds']['user']>): Promise<void> {
  const command = `[ "$(id -u)" = ${uid} ] && kill -s KILL -- -1`;
  return new Promise((resolve) => {
    execFile('/bin/sh', ['-c', command], { uid, gid, cwd: '/', env: { PATH: '/usr/bin:/bin' } }, () => resolve());
  });
}

function signalGroup(group: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-group, signal);
    // A stopped process would not handle the signal.
    if (signal === 'SIGTERM') process.kill(-group, 'SIGCONT');
  } catch {
    // all of it has ended
  }
}
