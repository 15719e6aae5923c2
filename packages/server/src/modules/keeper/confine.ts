// How a launch becomes a command line with its bounds, and what this machine cannot hold of them. Pure: the keeper
// spawns it, in the home of the module.
import type { Launch } from './keeper-protocol.ts';
import type { Machine } from './machine.ts';
import { isOwnUser } from './module-user.ts';

/** What a control group can bound. */
export type Controller = 'memory' | 'cpu' | 'pids';

export interface LaunchPaths {
  /** Relative to the home, such as `./bin/loop.py`. */
  readonly executable: string;
  /** What the control group of the run holds of these bounds; empty without one. */
  readonly held: ReadonlySet<Controller>;
}

export interface Confinement {
  readonly command: string;
  readonly args: readonly string[];
  /** For spawn. It also drops the server's groups, and changes into the home before it changes the user. */
  readonly options: { readonly uid?: number; readonly gid?: number };
  /** The keeper ends a run whose processes together have more than this, when it looks; undefined: nothing to do. */
  readonly watchedMemoryBytes: number | undefined;
  /** Sentences for the log: what of the bounds is not held here. */
  readonly missing: readonly string[];
}

const MiB = 1 << 20;
const maxOpenFiles = 4096;
const defaultMaxProcesses = 256;
/** Node reserves 512 MiB for code that it never writes, and stacks of its threads. */
const reservedBytes = 768 * MiB;

export function confine(machine: Machine, launch: Launch, paths: LaunchPaths): Confinement {
  const { module, bounds } = launch;
  const { user } = bounds;
  const missing: string[] = [];
  if (user === undefined)
    missing.push(`${module} runs as the server itself: it can read and change what the server can.`);
  return {
    ...chain([
      privileges(machine, module, missing),
      niceness(machine, launch, paths, missing),
      limits(machine, launch, paths, missing),
      [paths.executable],
    ]),
    // Not by setpriv, which would run with the privileges of the server and the environment of the module: a
    // LD_LIBRARY_PATH into a folder that the module may write would make it root.
    options: user === undefined ? {} : { uid: user.uid, gid: user.gid },
    watchedMemoryBytes: paths.held.has('memory') ? undefined : bounds.memoryBytes,
    missing,
  };
}

function chain(parts: readonly (readonly string[])[]): { command: string; args: readonly string[] } {
  const [command = '', ...args] = parts.flat();
  return { command, args };
}

function privileges({ setpriv }: Machine, module: string, missing: string[]): readonly string[] {
  if (setpriv !== undefined) return setpriv;
  missing.push(`${module} can raise its privileges by set-user-id programs: there is no setpriv (util-linux).`);
  return [];
}

function niceness(machine: Machine, { module, bounds }: Launch, paths: LaunchPaths, missing: string[]): string[] {
  if (bounds.cpuCores === undefined || paths.held.has('cpu')) return [];
  const instead = machine.nice === undefined ? '' : '; it has a low priority (nice 10) instead';
  missing.push(`the CPU of ${module} is not limited: ${noGroup('cpu')}${instead}.`);
  return machine.nice === undefined ? [] : [machine.nice, '-n', '10'];
}

function limits(machine: Machine, launch: Launch, paths: LaunchPaths, missing: string[]): string[] {
  const { module } = launch;
  const { prlimit } = machine;
  const processes = processLimit(launch, paths, prlimit !== undefined, missing);
  const data = dataLimit(launch, paths, prlimit !== undefined, missing);
  if (prlimit === undefined) {
    missing.push(`open files and core dumps of ${module} are as the server's: there is no prlimit (util-linux).`);
    return [];
  }
  // Soft and hard: never above what this process has, which only root could raise.
  const options = [prlimit, '--core=0', `--nofile=${Math.min(maxOpenFiles, machine.limits.openFiles)}`];
  if (processes !== undefined) options.push(`--nproc=${Math.min(processes, machine.limits.processes)}`);
  if (data !== undefined) options.push(`--data=${Math.min(data, machine.limits.dataBytes)}`);
  return options;
}

/** The system counts processes by user: a bound makes sense for a user that no other program has. */
function processLimit(
  { module, bounds }: Launch,
  { held }: LaunchPaths,
  hasPrlimit: boolean,
  missing: string[],
): number | undefined {
  const { user, maxProcesses } = bounds;
  if (held.has('pids')) return undefined;
  if (user !== undefined && isOwnUser(user.uid) && hasPrlimit) return maxProcesses ?? defaultMaxProcesses;
  if (maxProcesses === undefined) return undefined;
  const reason = hasPrlimit ? 'it has no user of its own' : 'there is no prlimit (util-linux)';
  missing.push(`the number of processes of ${module} is not limited: ${reason}, and ${noGroup('pids')}.`);
  return undefined;
}

/**
 * RLIMIT_DATA: the private writable memory of a process. RLIMIT_AS also counts what is merely reserved, of which Node,
 * Go and Java take gigabytes. Either applies to one process, and not to all of a module: so the keeper checks their sum
 * from time to time, and this stops a process that grows faster than that.
 */
function dataLimit(
  { module, bounds }: Launch,
  { held }: LaunchPaths,
  hasPrlimit: boolean,
  missing: string[],
): number | undefined {
  const { memoryBytes } = bounds;
  if (memoryBytes === undefined || held.has('memory')) return undefined;
  const data = memoryBytes + reservedBytes;
  const atMost = hasPrlimit ? ` (a process of it can have ${Math.ceil(data / MiB)} MiB until then)` : '';
  missing.push(`the memory of ${module} is looked at every few seconds only${atMost}: ${noGroup('memory')}.`);
  return hasPrlimit ? data : undefined;
}

function noGroup(controller: Controller): string {
  return `there is no cgroup v2 with ${controller} that the server may use`;
}
