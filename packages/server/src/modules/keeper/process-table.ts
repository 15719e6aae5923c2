// The processes of this machine, from /proc. Without /proc the list is empty.
import { readdirSync, readFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';

/** The variable that marks the processes of a run; children inherit it. */
export const markName = 'TELLTALE_RUN';

export interface ProcessEntry {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  /** When it was started: with the pid this is one process and no other. */
  readonly startTicks: number;
  /** That it has used so far. */
  readonly cpuTicks: number;
}

/** Of CPU time, as /proc counts it on every Linux. */
export const ticksPerSecond = 100;
/** Some hundred microseconds. */
const processesATurn = 32;
/** A program is started with no more, unless somebody has allowed larger stacks. */
const maxEnvironmentBytes = 2 << 20;
const environmentPieceBytes = 16 << 10;
/** The parent of the threads of the kernel, which are no processes. */
const kernelThreads = 2;

/** All live processes, a few at a time, so that the caller continues meanwhile; zombies are not alive. */
export async function readProcesses(): Promise<Map<number, ProcessEntry>> {
  const processes = new Map<number, ProcessEntry>();
  let read = 0;
  for (const name of processNames()) {
    if (++read % processesATurn === 0) await nextTurn();
    const entry = readProcess(Number(name));
    if (entry !== undefined && entry.pid !== kernelThreads && entry.parent !== kernelThreads) {
      processes.set(entry.pid, entry);
    }
  }
  return processes;
}

/** Undefined where there is no such process, or a zombie. */
export function readProcess(pid: number): ProcessEntry | undefined {
  let text: string;
  try {
    text = readFileSync(`/proc/${pid}/stat`, 'latin1');
  } catch {
    return undefined;
  }
  // The name of the program is in parentheses and may contain anything, parentheses and spaces included.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const state = fields[0] as string;
  if ('ZXx'.includes(state)) return undefined;
  const field = (number: number) => Number(fields[number - 3]);
  return {
    pid,
    parent: field(4),
    group: field(5),
    session: field(6),
    startTicks: field(22),
    cpuTicks: field(14) + field(15),
  };
}

/**
 * The mark of this data folder that it carries: of its control group, which it cannot leave, or in its environment, which
 * it can make up. Else whatever mark it has, empty where it has none; undefined where that cannot be read.
 */
export async function readMark(pid: number, folderId: string): Promise<string | undefined> {
  const isOurs = (mark: string | undefined) => mark?.startsWith(`${folderId}.`);
  try {
    const group = /^0::.*\/telltale-modules\/([^/\n]+)/m.exec(readFileSync(`/proc/${pid}/cgroup`, 'latin1'))?.[1];
    if (isOurs(group)) return group;
    const environment = `\0${await readEnvironment(pid)}`;
    const start = environment.indexOf(`\0${markName}=`);
    if (start >= 0) return environment.slice(start + markName.length + 2).split('\0', 1)[0];
    // One that is just becoming another program has no environment for a moment.
    return group ?? (environment === '\0' ? undefined : '');
  } catch {
    return undefined;
  }
}

/** Its beginning: where it is and how long is what the process says, and some say gigabytes. */
export async function readEnvironment(pid: number): Promise<string> {
  // Not at once, since it waits for a process that the kernel is busy with.
  await using file = await open(`/proc/${pid}/environ`);
  const piece = Buffer.allocUnsafe(environmentPieceBytes);
  let text = '';
  while (text.length < maxEnvironmentBytes) {
    const { bytesRead } = await file.read(piece, 0, piece.length, null);
    if (bytesRead === 0) break;
    text += piece.toString('latin1', 0, bytesRead);
  }
  return text;
}

/** The real one. */
export function readUser(pid: number): number | undefined {
  const uid = readStatus(pid, /^Uid:\s+(\d+)/m);
  return uid === undefined ? undefined : Number(uid);
}

/** Bytes of memory; what processes share is counted for each. */
export function readMemory(pid: number): number {
  return 1024 * Number(readStatus(pid, /^VmRSS:\s+(\d+) kB$/m) ?? 0);
}

/** To this process and no other that may have its number by now. */
export function signalProcess({ pid, startTicks }: ProcessEntry, signal: NodeJS.Signals): void {
  if (readProcess(pid)?.startTicks !== startTicks) return;
  try {
    process.kill(pid, signal);
  } catch {
    // it has ended, or belongs to somebody else
  }
}

function readStatus(pid: number, field: RegExp): string | undefined {
  try {
    return field.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1];
  } catch {
    return undefined;
  }
}

function processNames(): string[] {
  try {
    return readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  } catch {
    return [];
  }
}
